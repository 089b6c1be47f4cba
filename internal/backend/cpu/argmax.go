package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/par"
)

// argBest is the best element of a range and its index. Ranges are joined in order, and only a better element
// replaces one found before: of equal elements the first wins, and a NaN beats everything.
type argBest[T reals] struct {
	v  T
	at int64 // -1: none yet
}

func better[T reals](most bool, v, than T) bool {
	return than == than && (v != v || most && v > than || !most && v < than)
}

// argRun looks through contiguous elements.
func argRun[T reals](most bool, x []T) argBest[T] {
	b, at := x[0], 0
	if most {
		for i, v := range x {
			if v > b {
				b, at = v, i
			} else if v != v {
				return argBest[T]{v, int64(i)}
			}
		}
		return argBest[T]{b, int64(at)}
	}
	for i, v := range x {
		if v < b {
			b, at = v, i
		} else if v != v {
			return argBest[T]{v, int64(i)}
		}
	}
	return argBest[T]{b, int64(at)}
}

// argRunByte is argRunInt of bytes, for which int gives conditional moves instead of branches.
func argRunByte[T uint8 | int8](most bool, x []T) argBest[T] {
	b, at := int(x[0]), 0
	if most {
		for i, v := range x {
			if int(v) > b {
				at = i
			}
			b = max(b, int(v))
		}
		return argBest[T]{T(b), int64(at)}
	}
	for i, v := range x {
		if int(v) < b {
			at = i
		}
		b = min(b, int(v))
	}
	return argBest[T]{T(b), int64(at)}
}

// argRunInt is argRun without NaN and without branches that depend on the data.
func argRunInt[T integers](most bool, x []T) argBest[T] {
	b, at := x[0], 0
	if most {
		for i, v := range x {
			if v > b {
				at = i
			}
			b = max(b, v)
		}
		return argBest[T]{b, int64(at)}
	}
	for i, v := range x {
		if v < b {
			at = i
		}
		b = min(b, v)
	}
	return argBest[T]{b, int64(at)}
}

// argRunF32 finds the extremum of a tile by vectors, and its index only if it is better than what was found before.
func argRunF32(most bool, x []float32) argBest[float32] {
	b := argBest[float32]{at: -1}
	for lo := 0; lo < len(x); lo += tileElems {
		t := x[lo:min(lo+tileElems, len(x))]
		v := float32(0)
		if most {
			v = simd.MaxOfF32(t)
		} else {
			v = simd.MinOfF32(t)
		}
		b.found(most, v, t, lo)
	}
	return b
}

// found looks for v, the extremum of the tile t, if it is better than what was found before; t begins at lo.
func (b *argBest[T]) found(most bool, v T, t []T, lo int) {
	if b.at >= 0 && !better(most, v, b.v) {
		return
	}
	for i, w := range t {
		if w == v || w != w {
			*b = argBest[T]{v, int64(lo + i)}
			return
		}
	}
}

// argByTree is argRunF32 by the kernels that treeFold takes; short rows use few.
func argByTree[T reals](few func(bool, []T) argBest[T], larger, smaller func(z, x, y []T)) func(bool, []T) argBest[T] {
	const least = 128
	return func(most bool, x []T) argBest[T] {
		if len(x) < least {
			return few(most, x)
		}
		two := larger
		if !most {
			two = smaller
		}
		b := argBest[T]{at: -1}
		buf := floatTiles.Get().(*floatTile)
		for lo := 0; lo < len(x); lo += tileElems {
			t := x[lo:min(lo+tileElems, len(x))]
			left := t
			if len(t) >= treeFrom {
				left = treeFold(elems[T](unsafe.Pointer(buf), tileElems), t, two)
			}
			b.found(most, few(most, left).v, t, lo)
		}
		floatTiles.Put(buf)
		return b
	}
}

// argRows is argmax or argmin over rows along one axis.
func argRows[T reals](most bool, run func(bool, []T) argBest[T]) func(c *backend.Ctx, r rowSet, z []int64) error {
	return func(c *backend.Ctx, r rowSet, z []int64) error {
		x := elems[T](r.base, r.count()*r.n)
		if r.inner == 1 {
			return argContiguous(c, most, run, r, x, z)
		}
		tile := min(r.inner, scanTile)
		tiles := (r.inner + tile - 1) / tile
		return each(c, r.outer*tiles, func(b int) {
			o, t := b/tiles, b%tiles*tile
			w := min(tile, r.inner-t)
			var best [scanTile]T
			out := z[o*r.inner+t:][:w]
			copy(best[:w], x[o*r.n*r.inner+t:])
			clear(out)
			pace := par.NewPace()
			for k := 1; k < r.n; k++ {
				row, best := x[(o*r.n+k)*r.inner+t:][:w], best[:w]
				for j, v := range row {
					if b := best[j]; (v > b) == most && v != b || v != v {
						if b == b { // a NaN stays
							best[j], out[j] = v, int64(k)
						}
					}
				}
				if k%scanPace == 0 {
					pace.Step()
				}
			}
		})
	}
}

func argContiguous[T reals](c *backend.Ctx, most bool, run func(bool, []T) argBest[T], r rowSet, x []T, z []int64) error {
	chunks := (r.n + foldChunk - 1) / foldChunk
	if chunks == 1 {
		return r.groups(c, foldChunk, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				z[i] = run(most, x[i*r.n:(i+1)*r.n]).at
			}
		})
	}
	part := newScratch[argBest[T]](r.outer * chunks)
	err := each(c, len(part), func(b int) {
		row, lo := b/chunks, b%chunks*foldChunk
		p := run(most, x[row*r.n+lo:row*r.n+min(lo+foldChunk, r.n)])
		p.at += int64(lo)
		part[b] = p
	})
	if err != nil {
		return err
	}
	for i := range r.outer {
		best := part[i*chunks]
		for _, p := range part[i*chunks+1 : (i+1)*chunks] {
			if better(most, p.v, best.v) {
				best = p
			}
		}
		z[i] = best.at
	}
	return nil
}

type argKernel func(c *backend.Ctx, r rowSet, z []int64) error

func argTable(most bool) backend.Kernel {
	var t [dtype.N]argKernel
	t[dtype.Float32], t[dtype.Float64] = argRows(most, argRunF32), argRows(most, argByTree(argRun[float64], simd.MaxF64, simd.MinF64))
	u8 := argRows(most, argByTree(argRunByte, simd.MaxU8, simd.MinU8))
	t[dtype.Bool], t[dtype.Uint8], t[dtype.Int8] = u8, u8, argRows(most, argByTree(argRunByte, simd.MaxI8, simd.MinI8))
	t[dtype.Uint16], t[dtype.Int16] = argRows(most, argByTree(argRunInt, simd.MaxU16, simd.MinU16)),
		argRows(most, argByTree(argRunInt, simd.MaxI16, simd.MinI16))
	t[dtype.Int32], t[dtype.Int64] = argRows(most, argByTree(argRunInt, simd.MaxI32, simd.MinI32)),
		argRows(most, argByTree(argRunInt, simd.MaxI64, simd.MinI64))
	t[dtype.Uint32], t[dtype.Uint64] = argRows(most, argRunInt[uint32]), argRows(most, argRunInt[uint64])
	return func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		axis, x := 0, in[0]
		if axes := a.(attr.Axes).Axes; axes.Len() > 0 {
			axis = axes.At(0)
		}
		r, err := rowsAlong(c, x, axis)
		if err != nil || r.count() == 0 {
			return err
		}
		d := x.DType
		if d.IsHalf() {
			widenRows(&r, d, r.count()*r.n)
			d = dtype.Float32
		}
		return t[d](c, r, backend.Slice[int64](out[0]))
	}
}

func init() {
	register(backend.Table{"argmax": argTable(true), "argmin": argTable(false)})
}
