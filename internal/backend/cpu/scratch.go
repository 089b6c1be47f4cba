package cpu

import "github.com/lucid-go/lucid/internal/backend/cpu/bufpool"

// newScratch is make for scratch whose size comes from operands.
func newScratch[T any](n int) []T { return bufpool.New[T](n) }
