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
			for o := b / tiles * group; o < min((b/tiles+1)*group, x.outer); o++ {
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
