package cpu

import (
	"math"
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/par"
)

// Softmax goes over rows. A row along the last dimension is one run of memory; rows along another dimension are done
// in groups of neighbouring columns, so that memory is still read in runs: a group is copied into scratch as a
// matrix of n rows and w columns, and normalised down its columns. Half types are widened by that copy.

const (
	softmaxElems = 32768 // elements of a block, some 50 µs
	softmaxCols  = 64    // least width of a group, where there are as many columns
)

var scratchF32 = sync.Pool{New: func() any { return new([]float32) }}

// withScratch hands out n floats.
func withScratch(n int, f func(t []float32)) {
	buf := scratchF32.Get().(*[]float32)
	defer scratchF32.Put(buf)
	if len(*buf) < n {
		*buf = newScratch[float32](n)
	}
	f((*buf)[:n])
}

// streams reports whether a result of that many rows of n floats is written by non-temporal stores: it is larger than the
// caches, and rows are long enough for full lines.
func streams(rows, n int) bool { return 4*rows*n >= StreamFrom && n >= streamRow/4 }

// rowsOfBlock says how many rows of n elements a block has. With non-temporal stores there are many rows, and longer blocks
// are a twentieth faster: prefetches are late less often.
func rowsOfBlock(n int, past bool) int {
	if past {
		return max(1, 4*softmaxElems/max(1, n))
	}
	return max(1, softmaxElems/max(1, n))
}

// aroundAxis returns the products of the sizes before and behind a dimension.
func aroundAxis(dims []int, axis int) (outer, inner int) {
	outer, inner = 1, 1
	for i, d := range dims {
		if i < axis {
			outer *= d
		} else if i > axis {
			inner *= d
		}
	}
	return outer, inner
}

// softmaxRow computes z from x along a row; the two may be the same. If t is given, which has room for a row, z has
// non-temporal stores. next is the row that comes after x.
func softmaxRow(z, x, next, t []float32, logs bool) {
	if len(x) == 0 {
		return
	}
	if len(x) > softmaxElems {
		softmaxLong(z, x, logs)
		return
	}
	m := simd.MaxOfF32(x)
	switch {
	case logs:
		var s float32
		overTiles(x, x, func(x, _, t []float32) { s += simd.ExpSubSumF32(t, x, m) })
		l := float32(math.Log(float64(s)))
		simd.AddScalarF32(z, x, -m)
		simd.AddScalarF32(z, z, -l)
	case t != nil:
		f := 1 / simd.ExpSubSumNextF32(t, x, next, m)
		simd.ScaleStreamF32(z, t, t, f)
	default:
		simd.ScaleF32(z, z, 1/simd.ExpSubSumF32(z, x, m))
	}
}

// softmaxLong is softmaxRow for a row that takes long: it goes piece by piece.
func softmaxLong(z, x []float32, logs bool) {
	pace := par.NewPace()
	pieces := func(f func(z, x []float32)) {
		for lo := 0; lo < len(x); lo += softmaxElems {
			hi := min(lo+softmaxElems, len(x))
			f(z[lo:hi], x[lo:hi])
			pace.Step()
		}
	}
	m := x[0]
	pieces(func(_, x []float32) { m = simd.MaxOfF32([]float32{m, simd.MaxOfF32(x)}) })
	s := 0.0
	if logs {
		pieces(func(_, x []float32) {
			overTiles(x, x, func(x, _, t []float32) { s += float64(simd.ExpSubSumF32(t, x, m)) })
		})
		l := float32(math.Log(s))
		pieces(func(z, x []float32) {
			simd.AddScalarF32(z, x, -m)
			simd.AddScalarF32(z, z, -l)
		})
		return
	}
	pieces(func(z, x []float32) { s += float64(simd.ExpSubSumF32(z, x, m)) })
	pieces(func(z, _ []float32) { simd.ScaleF32(z, z, float32(1/s)) })
}

// softmaxDown computes in place down the columns of a matrix; t is scratch for three of its rows.
func softmaxDown(x []float32, n, w int, t []float32, logs bool) {
	m, s, e := t[:w], t[w:2*w], t[2*w:3*w]
	copy(m, x[:w])
	for k := 1; k < n; k++ {
		simd.MaxF32(m, m, x[k*w:(k+1)*w])
	}
	simd.FillF32(s, 0)
	for k := range n {
		row := x[k*w : (k+1)*w]
		simd.SubF32(row, row, m)
		simd.ExpF32(e, row)
		simd.AddF32(s, s, e)
		if !logs {
			copy(row, e)
		}
	}
	if logs {
		simd.LogF32(s, s)
	}
	for k := range n {
		row := x[k*w : (k+1)*w]
		if logs {
			simd.SubF32(row, row, s)
		} else {
			simd.DivF32(row, row, s)
		}
	}
}

func softmax(logs bool) backend.Kernel {
	return func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		dims, axis := in[0].Shape.Dims(), a.(attr.Axis).Axis
		if in[0].Numel() == 0 {
			return nil
		}
		base, err := dense(c, in[0])
		if err != nil {
			return err
		}
		outer, inner := aroundAxis(dims, axis)
		if in[0].DType == dtype.Float64 {
			return softmax64(c, elems[float64](base, in[0].Numel()), outOf[float64](out[0]), outer, dims[axis], inner, logs)
		}
		p := &softmaxPlan{x: base, z: unsafe.Pointer(unsafe.SliceData(out[0].Bytes())), d: in[0].DType, outer: outer, n: dims[axis],
			inner: inner, logs: logs}
		if inner == 1 {
			return p.rows(c)
		}
		return p.columns(c)
	}
}

type softmaxPlan struct {
	x, z            unsafe.Pointer
	d               dtype.DType
	outer, n, inner int
	logs            bool
}

func (p *softmaxPlan) rows(c *backend.Ctx) error {
	per := rowsOfBlock(p.n, p.d == dtype.Float32 && streams(p.outer, p.n))
	return c.For((p.outer+per-1)/per, func(b int) {
		lo, hi := b*per, min((b+1)*per, p.outer)
		if p.d == dtype.Float32 {
			p.rowsF32(lo, hi)
			return
		}
		widen, narrow := widener(p.d), narrower(p.d)
		withScratch(p.n, func(t []float32) {
			for r := lo; r < hi; r++ {
				widen(t, unsafe.Add(p.x, 2*r*p.n))
				softmaxRow(t, t, t, nil, p.logs)
				narrow(unsafe.Add(p.z, 2*r*p.n), t)
			}
		})
	})
}

func (p *softmaxPlan) rowsF32(lo, hi int) {
	row := func(base unsafe.Pointer, r int) []float32 { return elems[float32](unsafe.Add(base, 4*r*p.n), p.n) }
	if !streams(p.outer, p.n) {
		for r := lo; r < hi; r++ {
			softmaxRow(row(p.z, r), row(p.x, r), nil, nil, p.logs)
		}
		return
	}
	withScratch(p.n, func(t []float32) {
		for r := lo; r < hi; r++ {
			softmaxRow(row(p.z, r), row(p.x, r), row(p.x, min(r+1, p.outer-1)), t, p.logs)
		}
	})
	simd.Fence()
}

func (p *softmaxPlan) columns(c *backend.Ctx) error {
	w := min(p.inner, max(softmaxCols, softmaxElems/p.n))
	tiles, size := (p.inner+w-1)/w, p.d.Size()
	return c.For(p.outer*tiles, func(b int) {
		at := b % tiles * w
		cols := min(w, p.inner-at)
		withScratch((p.n+3)*cols, func(t []float32) {
			x := t[:p.n*cols]
			offset := func(k int) int { return (((b/tiles)*p.n+k)*p.inner + at) * size }
			for k := range p.n {
				row := x[k*cols : (k+1)*cols]
				if p.d == dtype.Float32 {
					copy(row, elems[float32](unsafe.Add(p.x, offset(k)), cols))
				} else {
					widener(p.d)(row, unsafe.Add(p.x, offset(k)))
				}
			}
			softmaxDown(x, p.n, cols, t[p.n*cols:], p.logs)
			for k := range p.n {
				row := x[k*cols : (k+1)*cols]
				if p.d == dtype.Float32 {
					copy(elems[float32](unsafe.Add(p.z, offset(k)), cols), row)
				} else {
					narrower(p.d)(unsafe.Add(p.z, offset(k)), row)
				}
			}
		})
	})
}

func init() {
	register(backend.Table{"softmax": softmax(false), "log_softmax": softmax(true)})
}
