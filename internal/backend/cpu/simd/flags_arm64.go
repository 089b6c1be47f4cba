//go:build !purego

package simd

import "github.com/lucid-go/lucid/internal/impl"

var useNEON = true // every arm64 has it

func init() { impl.Register("simd", "block/neon", &useNEON) }
