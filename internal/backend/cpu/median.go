package cpu

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/par"
)

func init() {
	register(backend.Table{"median": medianKernel(false), "nanmedian": medianKernel(true), "argmode": argmode})
}

// medianKernel selects the lower middle of what is folded, by keys.
func medianKernel(skip bool) backend.Kernel {
	return func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		x, d := in[0], in[0].DType
		p := planFold(x, foldedAxes(a))
		if !p.rows { // the innermost dimension is not reduced
			p.outDims, p.inner, p.outputs = append(p.outDims, p.inner), foldDim{1, 1, 0}, p.outputs*p.inner.size
		}
		base := unsafe.Add(x.Base(), x.Offset()*d.Size())
		group := max(1, foldChunk/max(1, p.count))
		return each(c, (p.outputs+group-1)/group, func(b int) {
			keys, room := newScratch[uint64](p.count), newScratch[uint64](p.count)
			pace := par.NewPace()
			for i := b * group; i < min((b+1)*group, p.outputs); i++ {
				from, to := p.offsets(i)
				at := keys[:0]
				walk(append(p.folded[:len(p.folded):len(p.folded)], p.inner), 0, p.count, func(off, n, stride int) {
					for end := len(at) + n; len(at) < end; {
						m := min(foldChunk, end-len(at))
						pace.StepElems(m)
						loadKeys(keys[len(at):len(at)+m], unsafe.Add(base, (from+off)*d.Size()), stride, d)
						at, off = keys[:len(at)+m], off+m*stride
					}
				})
				d.Put(out[0].Buf.Mem, out[0].Offset()+to, middle(at, room, d, skip))
			}
		})
	}
}

// loadKeys gives keys of any real dtype, NaN as the largest of 64 bits.
func loadKeys(k []uint64, p unsafe.Pointer, stride int, d dtype.DType) {
	if d.Size() == 8 {
		keys64(k, p, stride, d, 0)
		return
	}
	keys32(k, p, stride, d, 0)
	nan := uint64(math.MaxUint64)
	if d.IsFloat() {
		nan = 1<<(8*d.Size()) - 1
	}
	for i, v := range k {
		if k[i] = v >> 32; k[i] == nan {
			k[i] = math.MaxUint64
		}
	}
}

// middle selects the lower middle and converts its key back to a number.
func middle(k, room []uint64, d dtype.DType, skip bool) dtype.Scalar {
	if d.IsFloat() {
		n := 0
		for _, v := range k {
			k[n] = v
			if v != math.MaxUint64 {
				n++
			}
		}
		if n < len(k) && !skip || n == 0 {
			return dtype.Scalar{Kind: dtype.KindFloat, F: math.NaN()}
		}
		k = k[:n]
	}
	key, _ := selectKth(k, room, (len(k)-1)/2)
	return unkey(key, d)
}

// unkey converts a key back to a number.
func unkey(k uint64, d dtype.DType) dtype.Scalar {
	bits := uint(8 * d.Size())
	sign := uint64(1) << (bits - 1)
	switch {
	case d.IsFloat() && k&sign != 0:
		k &^= sign
	case d.IsFloat():
		k = ^k & (sign<<1 - 1)
	case d.Kind() == dtype.KindInt:
		k ^= sign
	}
	var b [8]byte
	*(*uint64)(unsafe.Pointer(&b)) = k
	return d.Get(b[:], 0)
}

// argmode sorts every row and takes the last index of the longest run, of the first one if several tie.
func argmode(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	axis, d := a.(attr.Axes).Axes.At(0), in[0].DType
	r, err := rowsAlong(c, in[0], axis)
	if err != nil || r.count() == 0 {
		return err
	}
	z, size := backend.Slice[int64](out[0]), d.Size()
	return r.groups(c, 1<<14, func(lo, hi int) {
		s := &sorter{d: d, run: serially}
		indices, keys := newScratch[int64](r.n), newScratch[uint64](r.n)
		for i := lo; i < hi; i++ {
			p := unsafe.Add(r.base, r.start(i, r.n)*size)
			_ = s.order(p, r.inner, r.n, r.n, indices, 1)
			loadKeys(keys, p, r.inner, d)
			most, run := 0, 0
			for k, at := range indices {
				if k > 0 && keys[at] == keys[indices[k-1]] {
					run++
				} else {
					run = 1
				}
				if run > most {
					most, z[i] = run, at
				}
			}
		}
	})
}
