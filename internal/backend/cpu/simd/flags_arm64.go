//go:build !purego

package simd

import "github.com/lucid-go/lucid/internal/asmvariant"

var useNEON = true // every arm64 has it

func init() { asmvariant.Register("simd", "block/neon", &useNEON) }
