package simd

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
)

// f16to32 widens as VCVTPH2PS does, that is, with NaN made quiet.
func f16to32(h uint16) float32 {
	f := dtype.F16(h).Float32()
	if f != f {
		return math.Float32frombits(math.Float32bits(f) | 0x400000)
	}
	return f
}

func f32to16(f float32) uint16 { return uint16(dtype.ToF16(f)) }
