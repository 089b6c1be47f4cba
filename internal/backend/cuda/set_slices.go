package cuda

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/shape"
)

// mostSet is the number of positions up to which each block of set_slices looks at all of them, in place of sorting them first.
const mostSet = 8192

func setSource(unit string, each int) string {
	return kernels.Source("prelude") + fmt.Sprintf("#define SET\n#define UNIT %s\n#define EACH %d\n", unit, each) + kernels.Source("index")
}

// setSlices is put_slices that only stores, as keys and values are written to a cache. done is false if the operands do not fit.
func (d *call) setSlices(axis int, out backend.View, in []backend.View) (done bool, err error) {
	dims, src, count := in[0].Shape.Dims(), in[2], in[1].Numel()
	outer, inner, size := product(dims[:axis]), product(dims[axis+1:]), out.DType.Size()
	if src.Shape.Rank() != len(dims) || src.Shape.Dim(axis) != count {
		return false, nil
	}
	so, sk, ok := slicesOf(src, axis)
	if !ok || src.DType != out.DType || !out.Contiguous() || src.Buf.Dev == 0 || outer*inner*count >= longest/2 {
		return false, nil
	}
	at, tmp, err := d.dense(in[1])
	if err != nil {
		return true, err
	}
	if tmp != nil {
		defer tmp.Free()
	}
	for size < 16 && (inner|so|sk)%2 == 0 && (address(out)|address(src))%uintptr(2*size) == 0 {
		size, inner, so, sk = 2*size, inner/2, so/2, sk/2
	}
	each := 1
	for each < 16 && (outer*inner*each < threads || count > 4*each*d.SMs) {
		each *= 2
	}
	f, err := d.kernel(fmt.Sprint("set ", unitOf[size], each), "set_slices", func() string { return setSource(unitOf[size], each) })
	if err != nil {
		return true, err
	}
	if err := d.base(out, in[0]); err != nil {
		return true, err
	}
	return true, d.checked(d.ctx, "index", func(record uintptr) error {
		var g args
		g.int(dims[axis], count, outer, inner, so, sk)
		g.ptr(address(out), address(src), address(at), record)
		return d.launch(f, blocks(count, each), min(blocks(each*outer*inner, 4*threads), 256), threads, g)
	})
}

// slicesOf gives the strides of a view's slices along an axis: of what is before the axis, taken together, and of the axis. ok is false if
// what is before has several strides, or what is behind is not contiguous.
func slicesOf(v backend.View, axis int) (outer, along int, ok bool) {
	dims, st := v.Shape.Dims(), v.Strides()
	for i, n := len(dims)-1, 1; i > axis; n, i = n*dims[i], i-1 {
		if dims[i] != 1 && st[i] != n {
			return 0, 0, false
		}
	}
	before, strides := shape.Collapse(shape.Of("put_slices", dims[:axis]...), st[:axis])
	if len(before) == 1 {
		outer = strides[0][0]
	}
	return outer, st[axis], len(before) < 2
}
