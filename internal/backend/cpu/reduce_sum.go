package cpu

import (
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// reducer computes one reduction for one dtype.
type reducer struct {
	over func(c *backend.Ctx, a attr.Attr, out, in backend.View) error
	// lane is the reduction of elements that are handed to it.
	lane func(p *foldPlan, out backend.View) lane
	// nothing writes the results of no elements.
	nothing func(out backend.View)
	// rows reduces rows of n elements, at most foldChunk, one after the other.
	rows func(z, x unsafe.Pointer, rows, n int)
}

// byType holds a reduction's kernels by the input's dtype.
type byType [dtype.N]reducer

func (t *byType) kernel() backend.Kernel {
	return func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		return t[in[0].DType].over(c, a, out[0], in[0])
	}
}

func (f folder[T, A, R]) reducer() reducer {
	over := func(c *backend.Ctx, a attr.Attr, out, in backend.View) error {
		return f.kernel(c, foldedAxes(a), out, in)
	}
	to := func(p *foldPlan, out backend.View) lane {
		return &foldLane[T, A, R]{f: &f, p: p, z: backend.Slice[R](out)}
	}
	return reducer{over, to, f.nothing, f.rows}
}

// nothing writes the results of no elements.
func (f *folder[T, A, R]) nothing(out backend.View) {
	z := backend.Slice[R](out)
	for i := range z {
		z[i] = f.done(f.zero, 0)
	}
}

// rows folds dense rows to their results.
func (f *folder[T, A, R]) rows(z, x unsafe.Pointer, rows, n int) {
	if f.dense != nil && (f.long || n <= tileElems) {
		f.dense(z, x, rows, n)
		return
	}
	to, from := unsafe.Slice((*R)(z), rows), unsafe.Slice((*T)(x), rows*n)
	for i := range to {
		to[i] = f.done(f.run(f.zero, from[:n:n]), n)
		from = from[n:]
	}
}

// colsOf makes cols of a step for one row.
func colsOf[T, A any](step func(acc []A, x []T)) func(acc []A, p unsafe.Pointer, stride, rows int) {
	var t T
	size := int(unsafe.Sizeof(t))
	return func(acc []A, p unsafe.Pointer, stride, rows int) {
		for r := range rows {
			step(acc, unsafe.Slice((*T)(unsafe.Add(p, r*stride*size)), len(acc)))
		}
	}
}

// floatTile is scratch for a block: stack arrays escape to the heap when passed to a func value.
type floatTile [16 * foldCols]float32

var floatTiles = sync.Pool{New: func() any { return new(floatTile) }}

// halfFolder derives a folder over a half type from that over float32.
func halfFolder[A any](f folder[float32, A, float32], widen func([]float32, []uint16),
	narrow func(float32) uint16) folder[uint16, A, uint16] {
	const rowsAtOnce = 16
	return folder[uint16, A, uint16]{zero: f.zero, join: f.join, joins: f.joins,
		run: func(a A, x []uint16) A {
			t := floatTiles.Get().(*floatTile)
			defer floatTiles.Put(t)
			for len(x) > 0 {
				n := min(len(x), tileElems)
				widen(t[:n], x[:n])
				a = f.run(a, t[:n])
				x = x[n:]
			}
			return a
		},
		cols: func(acc []A, p unsafe.Pointer, stride, rows int) {
			w := len(acc)
			buf := floatTiles.Get().(*floatTile)
			defer floatTiles.Put(buf)
			t := buf[:min(rows, rowsAtOnce)*w]
			for r := 0; r < rows; r += rowsAtOnce {
				n := min(rowsAtOnce, rows-r)
				if stride == w {
					widen(t[:n*w], unsafe.Slice((*uint16)(unsafe.Add(p, r*w*2)), n*w))
					f.cols(acc, unsafe.Pointer(unsafe.SliceData(t)), w, n)
					continue
				}
				for i := range n {
					widen(t[i*w:(i+1)*w], unsafe.Slice((*uint16)(unsafe.Add(p, (r+i)*stride*2)), w))
				}
				f.cols(acc, unsafe.Pointer(unsafe.SliceData(t)), w, n)
			}
		},
		dense: func(z, x unsafe.Pointer, rows, n int) {
			t := floatTiles.Get().(*floatTile)
			defer floatTiles.Put(t)
			to, from, most := unsafe.Slice((*uint16)(z), rows), unsafe.Slice((*uint16)(x), rows*n), len(t)/4/n
			for len(to) > 0 {
				m := min(most, len(to))
				wide := t[:m*n]
				widen(wide, from[:m*n])
				for i := range to[:m] {
					to[i] = narrow(f.done(f.run(f.zero, wide[i*n:(i+1)*n]), n))
				}
				to, from = to[m:], from[m*n:]
			}
		},
		done: func(a A, n int) uint16 { return narrow(f.done(a, n)) }}
}

// halfTypes sets the kernels of both half types.
func halfTypes[A any](t *byType, f folder[float32, A, float32]) {
	t[dtype.BFloat16] = halfFolder(f, simd.BF16ToF32, func(v float32) uint16 { return uint16(dtype.ToBF16(v)) }).reducer()
	t[dtype.Float16] = halfFolder(f, simd.F16ToF32, func(v float32) uint16 { return uint16(dtype.ToF16(v)) }).reducer()
}

func add[A numbers](a, b A) A { return a + b }

// sumF32 adds runs in float32 lanes and runs to each other in float64.
func sumF32(done func(float64, int) float32) folder[float32, float64, float32] {
	return folder[float32, float64, float32]{join: add[float64], joins: simd.AddF64, done: done, quick: true,
		run: func(a float64, x []float32) float64 {
			if len(x) < 16 {
				s := 0.0
				for _, v := range x {
					s += float64(v)
				}
				return a + s
			}
			for len(x) > 0 {
				n := min(len(x), 4096)
				a += float64(simd.SumF32(x[:n]))
				x = x[n:]
			}
			return a
		},
		cols: sumCols}
}

// sumHalf is halfFolder of a sum, with a kernel for runs.
func sumHalf(f folder[float32, float64, float32], widen func([]float32, []uint16), narrow func(float32) uint16,
	kernel func(x []uint16) float32) folder[uint16, float64, uint16] {
	const short = 128
	h := halfFolder(f, widen, narrow)
	run, dense := h.run, h.dense
	h.run = func(a float64, x []uint16) float64 {
		if len(x) < short {
			return run(a, x)
		}
		for len(x) > 0 {
			n := min(len(x), 4096)
			a += float64(kernel(x[:n]))
			x = x[n:]
		}
		return a
	}
	h.dense = func(z, x unsafe.Pointer, rows, n int) {
		if n < short {
			dense(z, x, rows, n)
			return
		}
		to, from := elems[uint16](z, rows), elems[uint16](x, rows*n)
		for i := range to {
			to[i] = h.done(h.run(0, from[i*n:(i+1)*n]), n)
		}
	}
	h.quick = true
	return h
}

// sumCols sums blocks of rows in float32, eight rows at a time, and the blocks in float64.
func sumCols(acc []float64, p unsafe.Pointer, stride, rows int) {
	const rowsAtOnce = 64
	buf := floatTiles.Get().(*floatTile)
	defer floatTiles.Put(buf)
	t := buf[:len(acc)]
	row := func(i int) []float32 { return unsafe.Slice((*float32)(unsafe.Add(p, i*stride*4)), len(t)) }
	for i := 0; i < rows; {
		clear(t)
		end := min(i+rowsAtOnce, rows)
		for ; i+8 <= end; i += 8 {
			simd.SumRows8F32(t, row(i), row(i+1), row(i+2), row(i+3), row(i+4), row(i+5), row(i+6), row(i+7))
		}
		for ; i+4 <= end; i += 4 {
			simd.SumRows4F32(t, row(i), row(i+1), row(i+2), row(i+3))
		}
		for ; i < end; i++ {
			simd.SumRowsF32(t, row(i))
		}
		addWide(acc, t)
	}
}

// addWide adds float32 to float64.
func addWide(acc []float64, x []float32) {
	var t [512]float64
	for len(x) > 0 {
		n := min(len(x), len(t))
		simd.F32ToF64(t[:n], x[:n])
		simd.AddF64(acc[:n], acc[:n], t[:n])
		acc, x = acc[n:], x[n:]
	}
}

// blockCols sums blocks of rows in float32, by a step that starts or goes on, and the blocks in float64.
func blockCols(step func(t, x []float32, first bool)) func(acc []float64, p unsafe.Pointer, stride, rows int) {
	const rowsAtOnce = 64
	return func(acc []float64, p unsafe.Pointer, stride, rows int) {
		buf := floatTiles.Get().(*floatTile)
		defer floatTiles.Put(buf)
		t := buf[:len(acc)]
		for r := 0; r < rows; r += rowsAtOnce {
			for i := r; i < min(r+rowsAtOnce, rows); i++ {
				step(t, unsafe.Slice((*float32)(unsafe.Add(p, i*stride*4)), len(t)), i == r)
			}
			addWide(acc, t)
		}
	}
}

// sumInts adds modulo 2^64. What is left of it in T has the same bits for signed and unsigned integers.
func sumInts[T integers](t *byType, signed, without dtype.DType) {
	r := folder[T, int64, T]{join: add[int64], done: func(a int64, _ int) T { return T(a) },
		run: func(a int64, x []T) int64 {
			var s0, s1, s2, s3 int64
			for len(x) >= 4 {
				s0 += int64(x[0])
				s1 += int64(x[1])
				s2 += int64(x[2])
				s3 += int64(x[3])
				x = x[4:]
			}
			for _, v := range x {
				s0 += int64(v)
			}
			return a + s0 + s1 + s2 + s3
		},
		cols: colsOf(func(acc []int64, x []T) {
			acc = acc[:len(x)]
			for j, v := range x {
				acc[j] += int64(v)
			}
		})}.reducer()
	t[signed], t[without] = r, r
}

func sumF64(done func(float64, int) float64) folder[float64, float64, float64] {
	return folder[float64, float64, float64]{join: add[float64], joins: simd.AddF64, done: done, quick: true,
		run:  func(a float64, x []float64) float64 { return a + sumWideF64(x) },
		cols: colsOf(func(acc, x []float64) { simd.AddF64(acc, acc, x) })}
}

// sumFrom is from how many elements on a kernel adds them.
const sumFrom = 32

// sumWideF64 adds pieces, so that long runs lose little.
func sumWideF64(x []float64) (a float64) {
	for len(x) >= sumFrom {
		n := min(len(x), 8192)
		a += simd.SumF64(x[:n])
		x = x[n:]
	}
	return a + sumShortF64(x)
}

// sumShortF64 adds elements, eight sums side by side: one addition waits for the one before.
func sumShortF64(x []float64) float64 {
	var s [8]float64
	for ; len(x) >= 8; x = x[8:] {
		s[0] += x[0]
		s[1] += x[1]
		s[2] += x[2]
		s[3] += x[3]
		s[4] += x[4]
		s[5] += x[5]
		s[6] += x[6]
		s[7] += x[7]
	}
	for i, v := range x {
		s[i] += v
	}
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// sumTable has the kernels of sum and of mean.
func sumTable(mean bool) *byType {
	t := new(byType)
	div := func(a float64, n int) float64 {
		if mean {
			return a / float64(n)
		}
		return a
	}
	f32 := sumF32(func(a float64, n int) float32 { return float32(div(a, n)) })
	f32.ends = func(z []float32, a []float64, n int) {
		if !mean {
			simd.F64ToF32(z, a)
			return
		}
		for i, v := range a {
			z[i] = float32(v / float64(n))
		}
	}
	t[dtype.Float32] = f32.reducer()
	t[dtype.BFloat16] = sumHalf(f32, simd.BF16ToF32, func(v float32) uint16 { return uint16(dtype.ToBF16(v)) }, simd.SumBF16).reducer()
	t[dtype.Float16] = sumHalf(f32, simd.F16ToF32, func(v float32) uint16 { return uint16(dtype.ToF16(v)) }, simd.SumF16).reducer()
	t[dtype.Float64] = sumF64(div).reducer()
	cdiv := func(a complex128, n int) complex128 { return complex(div(real(a), n), div(imag(a), n)) }
	t[dtype.Complex64] = sumComplex[complex64](simd.AddF32, simd.F32ToF64, cdiv).reducer()
	t[dtype.Complex128] = sumComplex[complex128](simd.AddF64, func(z, x []float64) { copy(z, x) }, cdiv).reducer()
	t[dtype.Bool] = counting(simd.NonzeroU8, func(a int64, _ int) bool { return a > 0 }).reducer()
	sumInts[uint8](t, dtype.Int8, dtype.Uint8)
	sumInts[uint16](t, dtype.Int16, dtype.Uint16)
	sumInts[uint32](t, dtype.Int32, dtype.Uint32)
	t[dtype.Int64] = folder[int64, int64, int64]{join: add[int64], done: func(a int64, _ int) int64 { return a }, quick: true,
		run: func(a int64, x []int64) int64 {
			if len(x) >= runFrom {
				return a + sumRunI64(x)
			}
			for _, v := range x {
				a += v
			}
			return a
		},
		cols: colsOf(func(acc, x []int64) { simd.AddI64(acc, acc, x) })}.reducer()
	t[dtype.Uint64] = t[dtype.Int64]
	return t
}

func init() {
	registerFold("sum", sumTable(false))
	registerFold("mean", sumTable(true))
}
