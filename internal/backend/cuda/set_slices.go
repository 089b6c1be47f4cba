package cuda

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/shape"
)

// mostSet is the number of positions up to which each block of set_slices looks at all of them, in place of sorting them first.
const mostSet = 8192

func setSource(unit string, each, sets int) string {
	return kernels.Source("prelude") + fmt.Sprintf("#define SET\n#define UNIT %s\n#define EACH %d\n#define SETS %d\n", unit, each, sets) +
		kernels.Source("index")
}

// setting is a put_slices that only stores, as keys and values are written to a cache: src is [outer, count, inner] with strides of its
// own, out is [outer, n, inner], in units of some bytes.
type setting struct {
	n, count, outer, inner int
	size                   int
	so, sk                 int // strides of src
	out, src               uintptr
}

// settingOf is false if the operands do not fit.
func settingOf(axis int, out backend.View, in []backend.View) (s setting, ok bool) {
	dims, src, count := in[0].Shape.Dims(), in[2], in[1].Numel()
	if src.Shape.Rank() != len(dims) || src.Shape.Dim(axis) != count {
		return s, false
	}
	s = setting{n: dims[axis], count: count, outer: product(dims[:axis]), inner: product(dims[axis+1:]), size: out.DType.Size(),
		out: address(out), src: address(src)}
	s.so, s.sk, ok = slicesOf(src, axis)
	if !ok || src.DType != out.DType || !out.Contiguous() || src.Buf.Dev == 0 || s.outer*s.inner*count >= longest/2 {
		return s, false
	}
	for s.size < 16 && (s.inner|s.so|s.sk)%2 == 0 && (s.out|s.src)%uintptr(2*s.size) == 0 {
		s.size, s.inner, s.so, s.sk = 2*s.size, s.inner/2, s.so/2, s.sk/2
	}
	return s, true
}

// alike reports whether a launch can be for both.
func (s setting) alike(t setting) bool {
	return s.n == t.n && s.count == t.count && s.outer == t.outer && s.inner == t.inner && s.size == t.size
}

// setSlices is put_slices that only stores, for sets of operands. done is false if they do not fit, or are not alike.
func (d *call) setSlices(axis int, out, in []backend.View) (done bool, err error) {
	list := make([]setting, len(out))
	for i := range out {
		var ok bool
		if list[i], ok = settingOf(axis, out[i], in[3*i:3*i+3]); !ok || !list[i].alike(list[0]) || in[3*i+1].Buf != in[1].Buf ||
			address(in[3*i+1]) != address(in[1]) {
			return false, nil
		}
	}
	s := list[0]
	at, tmp, err := d.dense(in[1])
	if err != nil {
		return true, err
	}
	if tmp != nil {
		defer tmp.Free()
	}
	each := 1
	for each < 16 && (s.outer*s.inner*each < threads || s.count > 4*each*d.SMs) {
		each *= 2
	}
	f, err := d.kernel(fmt.Sprint("set ", unitOf[s.size], each, len(list)), "set_slices", func() string {
		return setSource(unitOf[s.size], each, len(list))
	})
	if err != nil {
		return true, err
	}
	for i := range out {
		if err := d.base(out[i], in[3*i]); err != nil {
			return true, err
		}
	}
	return true, d.checked(d.ctx, "index", func(record uintptr) error {
		var g args
		g.int(s.n, s.count, s.outer, s.inner)
		g.ptr(address(at), record)
		for _, s := range list {
			g.int(s.so, s.sk)
			g.ptr(s.out, s.src)
		}
		return d.launch(f, blocks(s.count, each), len(list)*min(blocks(each*s.outer*s.inner, 4*threads), 256), threads, g)
	})
}

// mostJoined is how many sets of operands a launch of set_slices has.
const mostJoined = 8

// putJoined is put_slices over sets of operands: some as one launch, or one after the other.
func (d *Device) putJoined(c *backend.Ctx, a attr.Attr, sets int, out, in []backend.View) error {
	for from := 0; from < sets; from += mostJoined {
		end := min(from+mostJoined, sets)
		if err := d.run(func(d *call, a attr.Attr, out, in []backend.View) error {
			if in[1].Numel() > 0 && in[1].Numel() <= mostSet {
				if done, err := d.setSlices(a.(attr.Scatter).Axis, out, in); done || err != nil {
					return err
				}
			}
			for i := range out {
				if err := putSlices(d, a, out[i:i+1], in[3*i:3*i+3]); err != nil {
					return err
				}
			}
			return nil
		}, c, a, out[from:end], in[3*from:3*end]); err != nil {
			return err
		}
	}
	return nil
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
