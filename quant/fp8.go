package quant

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/ops"
)

// FP8Options are those of FromFP8.
type FP8Options struct {
	DType lucid.DType // of the result: Float32, BFloat16 or Float16; zero: BFloat16
}

const (
	fp8Most   = 0x7e   // the code of 448, the largest number
	fp8Normal = 0x1p-6 // the least number with a mantissa of four bits
)

// ToFP8 rounds floats to eight bits, four of them exponent and three mantissa (e4m3), ties to even. Codes are uint8. What is larger
// than 448, infinite or not a number becomes 448. The bits are those of MLX. There is no gradient.
func ToFP8(x *lucid.Tensor) *lucid.Tensor {
	if !x.DType().IsFloat() || x.DType() == lucid.Float64 {
		panic(lucid.Errorf(lucid.ErrDType, "to_fp8", "x is %v; want float32, bfloat16 or float16", x.DType()))
	}
	x = x.Detach().To(lucid.Float32)
	bits := x.ViewDType(lucid.Int32)
	negative := bits.Lt(0).LogicalAnd(x.Eq(x)).To(lucid.Int32)
	size := bits.BitwiseAnd(int32(0x7fffffff))
	small := size.ViewDType(lucid.Float32).Lt(fp8Normal)
	// Below the normal numbers codes count multiples of 2^-9. Others lose 20 bits of the mantissa: half of what is cut is added, less
	// one if the result would be even.
	low := x.Abs().Mul(512).ClampMax(8).NanToNum().Round().To(lucid.Int32)
	high := size.Add(size.BitwiseRightShift(int32(20)).BitwiseAnd(int32(1))).Add(int32(0x7ffff)).BitwiseRightShift(int32(20))
	high = high.Sub(int32((127 - 7) << 3)).Minimum(int32(fp8Most))
	return lucid.Where(small, low, high).Add(negative.Mul(int32(0x80))).To(lucid.Uint8)
}

// FromFP8 returns the values of codes of ToFP8.
func FromFP8(codes *lucid.Tensor, opts ...FP8Options) *lucid.Tensor {
	const op = "from_fp8"
	o := door.Option(op, opts)
	switch o.DType {
	case 0:
		o.DType = lucid.BFloat16
	case lucid.Float32, lucid.BFloat16, lucid.Float16:
	default:
		panic(lucid.Errorf(lucid.ErrDType, op, "values of %v; want float32, bfloat16 or float16", o.DType))
	}
	if codes.DType() != lucid.Uint8 {
		panic(lucid.Errorf(lucid.ErrDType, op, "codes are %v; want uint8", codes.DType()))
	}
	var values [256]float32
	for i := range values {
		values[i] = ops.FromE4M3(byte(i))
	}
	table := lucid.With{DType: lucid.Float32, Device: codes.Device()}.New(values[:], len(values))
	return lucid.Take(table, codes.To(lucid.Int64)).To(o.DType)
}
