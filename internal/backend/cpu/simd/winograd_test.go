package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// TestWinogradTransforms compares both transforms with their twins, next to protected pages.
func TestWinogradTransforms(t *testing.T) {
	const most = 36 * 200
	r := rand.New(rand.NewPCG(7, 12))
	for _, end := range []bool{true, false} {
		xs, zs := view[float32](fence(t, 4*most, end)), view[float32](fence(t, 4*most, end))
		asmvariant.ForEach(t, "simd", func(variant string) {
			for i := range 60 {
				tiles := 16 * (1 + r.IntN(4))
				pitch, vs := 3+r.IntN(20), tiles+r.IntN(5)
				plane := pitch + 2 + tiles
				part := func(all []float32, n int) []float32 {
					if end {
						return all[most-n:]
					}
					return all[:n]
				}
				x, z := part(xs, max(15*plane, 5*plane+pitch+1)+tiles), part(zs, 35*vs+tiles)
				for i := range x {
					x[i] = float32(r.NormFloat64())
				}
				if i%5 == 0 {
					fill(r, x)
				}
				want := make([]float32, len(z))
				WinogradInputF32(z, vs, x, plane, pitch, tiles)
				winogradInputGeneric(want, vs, x, plane, pitch, tiles)
				checkLanes(t, variant, z, want, func(i int) bool { return i%vs < tiles })
				m := part(xs, 35*vs+tiles)
				for i := range m {
					m[i] = float32(r.NormFloat64())
				}
				wide := 4*tiles + r.IntN(4)
				y := part(zs, 3*wide+4*tiles)
				want = make([]float32, len(y))
				WinogradOutputF32(y, wide, m, vs, tiles)
				winogradOutputGeneric(want, wide, m, vs, tiles)
				checkLanes(t, variant, y, want, func(i int) bool { return i%wide < 4*tiles })
			}
		})
	}
}

// TestWinogradRows compares the layout with the twin's, next to protected pages.
func TestWinogradRows(t *testing.T) {
	const most = 8192
	r := rand.New(rand.NewPCG(7, 14))
	for _, end := range []bool{true, false} {
		xs, zs := view[float32](fence(t, 4*most, end)), view[float32](fence(t, 4*most, end))
		for i := range xs {
			xs[i] = float32(r.NormFloat64())
		}
		asmvariant.ForEach(t, "simd", func(variant string) {
			for range 400 {
				width, first, rows := 1+r.IntN(40), r.IntN(5), 1+r.IntN(10)
				from := r.IntN(4 * width)
				to := from + 1 + r.IntN(4*width-from)
				pitch, srs := width+r.IntN(3), to-from+r.IntN(3)
				plane := (first+rows+3)/4*pitch + r.IntN(4)
				x, z := xs[:(rows-1)*srs+to-from], zs[:15*plane+(first+rows-1)/4*pitch+width]
				if end {
					x, z = xs[most-len(x):], zs[most-len(z):]
				}
				for i := range z {
					z[i] = 3
				}
				want := append([]float32(nil), z...)
				WinogradRowsF32(z, plane, pitch, width, x, srs, first, first+rows, from, to)
				winogradRowsGeneric(want, plane, pitch, width, x, srs, first, first+rows, from, to)
				checkLanes(t, variant, z, want, func(int) bool { return true })
			}
		})
	}
}

func checkLanes(t *testing.T, variant string, got, want []float32, used func(i int) bool) {
	t.Helper()
	for i := range got {
		if used(i) && !same(got[i], want[i]) {
			t.Fatalf("%s: element %d is %v, twin %v", variant, i, got[i], want[i])
		}
	}
}

// TestWinogradIsAConvolution composes the transforms and compares with the sums they stand for.
func TestWinogradIsAConvolution(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 13))
	const plane, pitch, tiles = 64, 20, 16
	x, v, z := make([]float32, 16*plane+tiles), make([]float32, 36*tiles), make([]float32, 16*tiles)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	var g [9]float32
	for i := range g {
		g[i] = float32(r.NormFloat64())
	}
	WinogradInputF32(v, tiles, x, plane, pitch, tiles)
	for f, u := range winogradTapsOf(&g) {
		for l := range tiles {
			v[f*tiles+l] *= u
		}
	}
	WinogradOutputF32(z, 4*tiles, v, tiles, tiles)
	for tile := range tiles {
		for i := range 16 {
			var s float64
			for u := range 9 {
				a, b := i/4+u/3, i%4+u%3
				s += float64(g[u]) * float64(x[((a%4)*4+b%4)*plane+a/4*pitch+b/4+tile])
			}
			if got := float64(z[i/4*4*tiles+4*tile+i%4]); math.Abs(got-s) > 1e-4 {
				t.Fatalf("output %d of tile %d is %v, want %v", i, tile, got, s)
			}
		}
	}
}

// TestWinogradTaps compares the transform of kernels with the twin's, bit by bit, next to protected pages.
func TestWinogradTaps(t *testing.T) {
	const most = 36 * 200
	r := rand.New(rand.NewPCG(7, 15))
	for _, end := range []bool{true, false} {
		xs, zs := view[float32](fence(t, 4*most, end)), view[float32](fence(t, 4*most, end))
		part := func(all []float32, n int) []float32 {
			if end {
				return all[most-n:]
			}
			return all[:n]
		}
		asmvariant.ForEach(t, "simd", func(variant string) {
			for n := 1; n <= 70; n++ {
				step, us := 9+r.IntN(3), n+r.IntN(4)
				at := [9]int{0, 1, 2, 3, 4, 5, 6, 7, 8}
				r.Shuffle(9, func(i, j int) { at[i], at[j] = at[j], at[i] })
				w, u := part(xs, (n-1)*step+9), part(zs, 35*us+n)
				for i := range w {
					w[i] = float32(r.NormFloat64())
				}
				if n%5 == 0 {
					fill(r, w)
				}
				for i := range u {
					u[i] = 77
				}
				want := append([]float32(nil), u...)
				WinogradTapsF32(u, us, w, &at, step, n)
				winogradTapsGeneric(want, us, w, &at, step, n)
				for i := range u {
					if !same(u[i], want[i]) {
						t.Fatalf("%s: %d kernels: element %d is %v, twin %v", variant, n, i, u[i], want[i])
					}
				}
			}
		})
	}
}
