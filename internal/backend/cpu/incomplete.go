package cpu

import (
	"math"
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/backend/special"
)

// The incomplete gamma functions have a formula for each part of the plane: the elements of a tile are sorted by it, and each formula's
// are computed side by side. Which one an element goes to depends on its operands alone.

// gammaFormulas are kernels of the lower or the upper function; 0 stands for package special.
var gammaFormulas = [...]struct {
	f     func(z, a, x []float64)
	upper bool
}{{}, {simd.GammaSeriesF64, false}, {simd.GammaFractionF64, true}, {simd.GammaLongFractionF64, true}, {simd.GammaSmallF64, true},
	{simd.GammaTemmeF64, false}, {simd.GammaTemmeF64, true}}

// lgammaShift is where the kernels' formula of Γ changes: below, the series is less precise.
const lgammaShift = 2.5

const (
	gammaFar = iota
	gammaSeries
	gammaFraction
	gammaLongFraction
	gammaSmall
	gammaLowTemme
	gammaHighTemme
)

// gammaFormula picks the formula for the wanted function.
func gammaFormula(a, x float64, upper bool) uint8 {
	switch {
	case !(a >= 1e-4 && a <= 1e5 && x >= 1e-10):
		return gammaFar
	case a > 30 && math.Abs(x-a) < 0.3*a:
		if x > a {
			return gammaHighTemme
		}
		return gammaLowTemme
	case a > 300 || x > 1000:
		return gammaFar
	case x < 1.1 && (a < 1 && x*2 > a || upper && (a < 1 || x*2 > a)):
		return gammaSmall
	case x < 1.1 || x <= a || x <= a+1 && a >= lgammaShift && !upper:
		return gammaSeries
	case x >= 4:
		return gammaFraction
	}
	return gammaLongFraction
}

// planeTile has the formulas and the sorted operands of a tile.
type planeTile struct {
	kind   [tileElems]uint8
	at     [tileElems]int16
	a, x   [tileElems]float64
	z      [tileElems]float64
	in, of [tileElems]float64 // operands that were converted
}

var planeTiles = sync.Pool{New: func() any { return new(planeTile) }}

// run sets the elements of z, at most tileElems, for which the formulas are not 255.
func (t *planeTile) run(z, a, x []float64, upper bool) {
	var used [len(gammaFormulas)]bool
	for _, k := range t.kind[:len(z)] {
		if int(k) < len(used) {
			used[k] = true
		}
	}
	for k, g := range gammaFormulas {
		if !used[k] {
			continue
		}
		n := 0
		for i, kind := range t.kind[:len(z)] {
			t.at[n] = int16(i)
			if kind == uint8(k) {
				n++
			}
		}
		at := t.at[:n]
		if k == gammaFar {
			for _, i := range at {
				if z[i] = special.Gammainc(a[i], x[i]); upper {
					z[i] = special.Gammaincc(a[i], x[i])
				}
			}
			continue
		}
		for j, i := range at {
			t.a[j], t.x[j] = a[i], x[i]
		}
		g.f(t.z[:n], t.a[:n], t.x[:n])
		if g.upper != upper {
			for j, i := range at {
				z[i] = 1 - t.z[j]
			}
			continue
		}
		for j, i := range at {
			z[i] = t.z[j]
		}
	}
}

func incompleteGamma64(upper bool) func(z, a, x []float64) {
	return func(z, a, x []float64) {
		t := planeTiles.Get().(*planeTile)
		defer planeTiles.Put(t)
		for at := 0; at < len(z); at += tileElems {
			end := min(at+tileElems, len(z))
			a, x := a[at:end], x[at:end]
			for i, v := range a {
				t.kind[i] = gammaFormula(v, x[i], upper)
			}
			copy(t.in[:], a) // the result may be written over an operand
			copy(t.of[:], x)
			t.run(z[at:end], t.in[:end-at], t.of[:end-at], upper)
		}
	}
}

// gammainc32 has kernels of its own for most of the plane, a shorter one for tiles without large concentrations; the other elements are
// computed in float64.
func gammainc32(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, v, out := elems[float32](x, n), elems[float32](y, n), elems[float32](z, n)
	t := planeTiles.Get().(*planeTile)
	defer planeTiles.Put(t)
	buf := floatTiles.Get().(*floatTile)
	defer floatTiles.Put(buf)
	for at := 0; at < n; at += tileElems {
		end := min(n, at+tileElems)
		size, far := end-at, false
		f := simd.GammaincLowF32
		c, w := elems[float32](unsafe.Pointer(buf), 2*tileElems)[:size], elems[float32](unsafe.Pointer(buf), 2*tileElems)[tileElems:][:size]
		for i, c1 := range a[at:end] {
			x1 := v[at+i]
			c[i], w[i] = c1, x1
			if !(c1 < simd.GammaincSplit) {
				f = simd.GammaincF32
			}
			t.kind[i] = 255
			if !simd.GammaincNear(c1, x1) {
				t.kind[i] = gammaFormula(float64(c1), float64(x1), false)
				c[i], w[i], far = 1, 1, true
			}
		}
		if far {
			simd.F32ToF64(t.in[:size], a[at:end])
			simd.F32ToF64(t.of[:size], v[at:end])
		}
		f(out[at:end], c, w)
		if far {
			var wide [tileElems]float64
			t.run(wide[:size], t.in[:size], t.of[:size], false)
			for i, k := range t.kind[:size] {
				if k != 255 {
					out[at+i] = float32(wide[i])
				}
			}
		}
	}
}
