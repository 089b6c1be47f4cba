package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/conv"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// convolutions are the kernels of package conv, which uses copies and products of this package.
var convolutions = &conv.Device{
	Copy: func(c *backend.Ctx, s *shape.Shape, size int, dst, src conv.Strided) error {
		return move(c, s, size, strided{dst.Base, dst.Strides}, strided{src.Base, src.Strides})
	},
	Compact: func(c *backend.Ctx, v backend.View) (conv.Compact, error) {
		l := compactOf(v)
		size := v.DType.Size()
		words, free := borrow[uint64]((l.count*size + 7) / 8)
		base := unsafe.Pointer(unsafe.SliceData(words))
		err := l.blocks(c, func(from, n int) { gatherTile(unsafe.Add(base, from*size), &l.src, from, n) })
		return conv.Compact{Base: base, N: l.count, Strides: l.fresh, Free: free}, err
	},
	Widened: func(c *backend.Ctx, v backend.View) (conv.Compact, error) {
		f, err := widenedFlat(c, v)
		return conv.Compact{Base: unsafe.Pointer(unsafe.SliceData(f.x)), N: len(f.x), Strides: f.strides, Free: f.free}, err
	},
	BF16:            conv.Product[uint16, uint16](endedHalf(dtype.BFloat16)),
	BF16Sums:        conv.Product[uint16, float32](sumsOfHalf(dtype.BFloat16)),
	Batched32:       batched(ended32),
	Batched64:       batched(ended64),
	BatchedBF16:     batched(endedHalf(dtype.BFloat16)),
	BatchedBF16Sums: batched(sumsOfHalf(dtype.BFloat16)),
}

func init() {
	register(backend.Table{"conv": convolutions.Kernel, "conv_last": convolutions.KernelNHWC})
}

// batched is a product of stacks for package conv.
func batched[T, Z float32 | float64 | uint16](mul productTo[T, Z]) conv.Batched[T, Z] {
	stackOf := func(b *conv.Batch[T]) *stack[T] {
		return &stack[T]{x: b.X, rows: b.Rows, cols: b.Cols, rs: b.RS, cs: b.CS, lead: b.Lead, step: b.Step}
	}
	return func(c *backend.Ctx, z []Z, a, b *conv.Batch[T], then conv.Epilogue) error {
		return multiplyEnded(c, z, stackOf(a), stackOf(b), mul, ending{then: then})
	}
}

func ceil(a, b int) int { return (a + b - 1) / b }
