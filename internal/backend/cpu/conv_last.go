package cpu

import (
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

func init() { register(backend.Table{"conv_last": convLast}) }

// convLast is a convolution whose result has its channels last: they are put there behind it, since the products of a
// CPU gain nothing from that order.
func convLast(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	if out[0].Numel() == 0 {
		return nil
	}
	s, size := out[0].Shape.Dims(), out[0].DType.Size()
	last := len(s) - 1
	first := shape.Of("conv", slices.Concat([]int{s[0], s[last]}, s[1:last])...)
	words, free := borrow[uint64]((out[0].Numel()*size + 7) / 8)
	defer free()
	base := unsafe.Pointer(unsafe.SliceData(words))
	tmp := backend.View{Buf: &mem.Buffer{Mem: unsafe.Slice((*byte)(base), out[0].Numel()*size), Size: out[0].Numel() * size}, DType: out[0].DType, Shape: first}
	if err := convKernel(c, a, []backend.View{tmp}, in); err != nil {
		return err
	}
	st := first.Strides()
	return move(c, out[0].Shape, size, stridedOf(out[0]), strided{base, slices.Concat(st[:1:1], st[2:], st[1:2])})
}
