package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/backend/special"
)

// polynomialB evaluates orthogonal polynomials. A tile of float32 whose elements have one degree goes through the recurrence as a whole,
// with the roundings of special.PolynomialNarrow.
func polynomialB[T floats](n int, z, x, y, _ unsafe.Pointer, a attr.Attr) {
	p, v, d, out := a.(attr.Polynomial), elems[T](x, n), elems[T](y, n), elems[T](z, n)
	narrow := unsafe.Sizeof(out[0]) == 4
	f := special.Polynomial
	if narrow {
		f = special.PolynomialNarrow
	}
	buf := wideTiles.Get().(*wideTile)
	defer wideTiles.Put(buf)
	for at := 0; at < n; at += tileElems {
		end := min(n, at+tileElems)
		if narrow && p.Derivative == 0 && special.IsDegree(float64(d[at])) && allEqual(d[at:end]) {
			in := buf[0][:end-at]
			recast(in, v[at:end])
			recast(out[at:end], recur(p.Family, float64(d[at]), in, buf))
			continue
		}
		for i := at; i < end; i++ {
			out[i] = T(f(p, float64(v[i]), float64(d[i])))
		}
	}
}

// recur gives the polynomial of degree n at x, which is the first of the buffers, in another.
func recur(f attr.Family, n float64, x []float64, buf *wideTile) []float64 {
	now, before, t, u := buf[1][:len(x)], buf[2][:len(x)], buf[3][:len(x)], buf[4][:len(x)]
	line := func(a, b float64) { // a·x + b
		simd.ScaleF64(t, x, a)
		simd.AddScalarF64(t, t, b)
	}
	for i := range before {
		before[i] = 1
	}
	a, b := special.FirstDegree(f)
	line(a, b)
	copy(now, t)
	a, b = 0, 0
	for m := 1.0; m+1 <= n; m++ {
		p, q, c := special.Recurrence(f, m)
		if p != a || q != b {
			a, b = p, q
			line(a, b)
		}
		if c != 1 {
			simd.ScaleF64(before, before, c)
		}
		simd.MulF64(u, t, now)
		simd.SubF64(before, u, before)
		now, before = before, now
	}
	return now
}

func allEqual[T floats](v []T) bool {
	for _, w := range v {
		if w != v[0] {
			return false
		}
	}
	return true
}

// recast copies between the native floats.
func recast[S, T floats](z []S, x []T) {
	switch z := any(z).(type) {
	case []float64:
		if x, ok := any(x).([]float32); ok {
			simd.F32ToF64(z, x)
			return
		}
		copy(z, any(x).([]float64))
	case []float32:
		simd.F64ToF32(z, any(x).([]float64))
	}
}
