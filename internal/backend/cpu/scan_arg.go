package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/par"
)

// argScan is the running argmax or argmin: of equal elements the last wins, and NaN beats all numbers, the last NaN too.
func argScan[T reals](most bool) scanner {
	return func(c *backend.Ctx, a attr.Attr, out, in backend.View) error {
		s := a.(attr.Scan)
		x, err := rowsAlong(c, in, s.Axis)
		if err != nil || x.n == 0 || x.count() == 0 {
			return err
		}
		xs, z := elems[T](x.base, x.count()*x.n), backend.Slice[int64](out)
		first, step := 0, x.inner
		if s.Reverse {
			first, step = (x.n-1)*x.inner, -x.inner
		}
		index := func(k int) int64 {
			if s.Reverse {
				return int64(x.n - 1 - k)
			}
			return int64(k)
		}
		const tile = 256
		tiles := (x.inner + tile - 1) / tile
		group := max(1, foldChunk/(x.n*min(x.inner, tile)))
		if x.inner > 1 {
			group = 1
		}
		blocks := (x.outer + group - 1) / group
		return each(c, blocks*tiles, func(b int) {
			t := b % tiles * tile
			w := min(tile, x.inner-t)
			var best [tile]T
			var indices [tile]int64
			pace := par.NewPace()
			o, end := b/tiles*group, min((b/tiles+1)*group, x.outer)
			for ; x.inner == 1 && o+scanSide <= end; o += scanSide {
				runSideBySide(xs[o*x.n:], z[o*x.n:], x.n, s.Reverse, most, &pace)
			}
			for ; o < end; o++ {
				at := o*x.n*x.inner + first + t
				copy(best[:w], xs[at:])
				clearTo(indices[:w], index(0))
				copy(z[at:at+w], indices[:w])
				for k := 1; k < x.n; {
					end := min(k+max(1, 4*tileElems/w), x.n)
					if w == 1 && most {
						at = runMax(xs, z, at, step, k, end, &best[0], &indices[0], index)
					} else if w == 1 {
						at = runMin(xs, z, at, step, k, end, &best[0], &indices[0], index)
					} else {
						for i := k; i < end; i++ {
							at += step
							if most {
								stepMax(best[:w], indices[:w], xs[at:at+w], z[at:at+w], index(i))
							} else {
								stepMin(best[:w], indices[:w], xs[at:at+w], z[at:at+w], index(i))
							}
						}
					}
					pace.StepElems((end - k) * w)
					k = end
				}
			}
		})
	}
}

func clearTo(z []int64, v int64) {
	for i := range z {
		z[i] = v
	}
}

// scanSide are the rows that run side by side: each step of one waits for the last.
const scanSide = 4

// runSideBySide is the running argmax, or argmin, of so many rows of n elements.
func runSideBySide[T reals](x []T, z []int64, n int, reverse, most bool, pace *par.Pace) {
	first, step := 0, 1
	if reverse {
		first, step = n-1, -1
	}
	x0, x1, x2, x3 := x[:n], x[n:2*n], x[2*n:3*n], x[3*n:4*n]
	z0, z1, z2, z3 := z[:n], z[n:2*n], z[2*n:3*n], z[3*n:4*n]
	v0, v1, v2, v3 := x0[first], x1[first], x2[first], x3[first]
	w0, w1, w2, w3 := first, first, first, first
	for k, i := 0, first; k < n; {
		last := min(k+foldChunk/scanSide, n)
		pace.StepElems(scanSide * (last - k))
		if most {
			for ; k < last; k, i = k+1, i+step {
				if a := x0[i]; a >= v0 || a != a {
					v0, w0 = a, i
				}
				if a := x1[i]; a >= v1 || a != a {
					v1, w1 = a, i
				}
				if a := x2[i]; a >= v2 || a != a {
					v2, w2 = a, i
				}
				if a := x3[i]; a >= v3 || a != a {
					v3, w3 = a, i
				}
				z0[i], z1[i], z2[i], z3[i] = int64(w0), int64(w1), int64(w2), int64(w3)
			}
			continue
		}
		for ; k < last; k, i = k+1, i+step {
			if a := x0[i]; a <= v0 || a != a {
				v0, w0 = a, i
			}
			if a := x1[i]; a <= v1 || a != a {
				v1, w1 = a, i
			}
			if a := x2[i]; a <= v2 || a != a {
				v2, w2 = a, i
			}
			if a := x3[i]; a <= v3 || a != a {
				v3, w3 = a, i
			}
			z0[i], z1[i], z2[i], z3[i] = int64(w0), int64(w1), int64(w2), int64(w3)
		}
	}
}

// runMax continues along one row, from element k to end; at is the index of the element before.
func runMax[T reals](xs []T, z []int64, at, step, k, end int, best *T, where *int64, index func(int) int64) int {
	v, w := *best, *where
	next, one := index(k), index(1)-index(0)
	for ; k < end; k++ {
		at += step
		if x := xs[at]; x >= v || x != x {
			v, w = x, next
		}
		next += one
		z[at] = w
	}
	*best, *where = v, w
	return at
}

// runMin is runMax for the smallest.
func runMin[T reals](xs []T, z []int64, at, step, k, end int, best *T, where *int64, index func(int) int64) int {
	v, w := *best, *where
	next, one := index(k), index(1)-index(0)
	for ; k < end; k++ {
		at += step
		if x := xs[at]; x <= v || x != x {
			v, w = x, next
		}
		next += one
		z[at] = w
	}
	*best, *where = v, w
	return at
}

// stepMax takes one element of each of some neighbouring rows.
func stepMax[T reals](best []T, indices []int64, x []T, z []int64, index int64) {
	x, z, indices = x[:len(best)], z[:len(best)], indices[:len(best)]
	for j, v := range x {
		if v >= best[j] || v != v {
			best[j], indices[j] = v, index
		}
		z[j] = indices[j]
	}
}

// stepMin is stepMax for the smallest.
func stepMin[T reals](best []T, indices []int64, x []T, z []int64, index int64) {
	x, z, indices = x[:len(best)], z[:len(best)], indices[:len(best)]
	for j, v := range x {
		if v <= best[j] || v != v {
			best[j], indices[j] = v, index
		}
		z[j] = indices[j]
	}
}

func init() {
	for name, most := range map[string]bool{"argcummax": true, "argcummin": false} {
		t := new(scanTable)
		t[dtype.Float32], t[dtype.Float64] = argScan[float32](most), argScan[float64](most)
		t[dtype.Bool], t[dtype.Uint8], t[dtype.Uint16], t[dtype.Uint32], t[dtype.Uint64] = argScan[uint8](most), argScan[uint8](most),
			argScan[uint16](most), argScan[uint32](most), argScan[uint64](most)
		t[dtype.Int8], t[dtype.Int16], t[dtype.Int32], t[dtype.Int64] = argScan[int8](most), argScan[int16](most), argScan[int32](most),
			argScan[int64](most)
		t[dtype.BFloat16] = scanWidened(dtype.BFloat16, t[dtype.Float32])
		t[dtype.Float16] = scanWidened(dtype.Float16, t[dtype.Float32])
		register(backend.Table{name: t.kernel()})
	}
}

// scanWidened runs a float32 kernel, whose result has another dtype, over a half type.
func scanWidened(d dtype.DType, f scanner) scanner {
	return func(c *backend.Ctx, a attr.Attr, out, in backend.View) error {
		r, err := rowsAlong(c, in, 0)
		if err != nil {
			return err
		}
		n := in.Numel()
		wide := make([]float32, n)
		castTable[dtype.Float32][d](n, unsafe.Pointer(unsafe.SliceData(wide)), r.base, nil, nil, nil)
		return f(c, a, out, hostView(wide, in.Shape))
	}
}
