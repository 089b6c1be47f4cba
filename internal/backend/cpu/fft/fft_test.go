package fft

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// serial runs blocks from the last to the first, so that a dependence between them would show.
func serial(n int, f func(int)) error {
	for b := n - 1; b >= 0; b-- {
		f(b)
	}
	return nil
}

// naive is the transform as it is defined, in float64 with compensated sums, at some values of k.
func naive(x []complex128, inverse bool, at []int) []complex128 {
	n := len(x)
	w := make([]complex128, n)
	for k := range w {
		re, im := root(k, n)
		if inverse {
			im = -im
		}
		w[k] = complex(re, im)
	}
	y := make([]complex128, len(at))
	for i, k := range at {
		j := 0
		var sum, low complex128
		for _, v := range x {
			v = v*w[j] - low
			next := sum + v
			low, sum = (next-sum)-v, next
			if j += k; j >= n {
				j -= n
			}
		}
		y[i] = sum
	}
	return y
}

// some are values of k below n: all, or a few that include both ends.
func some(n int) (at []int) {
	const most = 50
	for i := range min(n, most) {
		at = append(at, i*(n-1)/max(1, min(n, most)-1))
	}
	return at
}

func pick(x []complex128, at []int) []complex128 {
	y := make([]complex128, len(at))
	for i, k := range at {
		y[i] = x[k]
	}
	return y
}

func random[T floats](n int) []T {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]T, n)
	for i := range x {
		x[i] = T(2*r.Float64() - 1)
	}
	return x
}

// eps is the distance of 1 to the next number.
func eps[T floats]() float64 {
	if unsafe.Sizeof(T(0)) == 4 {
		return 0x1p-23
	}
	return 0x1p-52
}

// distance is the error of a row relative to its size, in the 2-norm.
func distance(got, want []complex128) float64 {
	var d, s float64
	for i := range want {
		e := got[i] - want[i]
		d += real(e)*real(e) + imag(e)*imag(e)
		s += real(want[i])*real(want[i]) + imag(want[i])*imag(want[i])
	}
	if s == 0 {
		return math.Sqrt(d)
	}
	return math.Sqrt(d / s)
}

func row[T floats](x []T, t tensor, r, n int) []complex128 {
	y := make([]complex128, n)
	for j := range y {
		at := r/t.inner*n*t.inner + r%t.inner + j*t.inner
		y[j] = complex(float64(x[2*at]), float64(x[2*at+1]))
	}
	return y
}

func checkComplex[T floats](t *testing.T, shape tensor, n int, few bool) {
	t.Helper()
	for _, inverse := range []bool{false, true} {
		x := random[T](2 * shape.rows() * n)
		y := make([]T, len(x))
		if err := Complex(serial, y, x, Rows{Outer: shape.outer, Inner: shape.inner}, n, inverse, 0.5); err != nil {
			t.Fatal(err)
		}
		in := append([]T(nil), x...)
		if err := Complex(serial, in, in, Rows{Outer: shape.outer, Inner: shape.inner}, n, inverse, 0.5); err != nil {
			t.Fatal(err)
		}
		for i := range y {
			if in[i] != y[i] {
				t.Fatalf("%T n %d shape %v: in place, element %d is %v, want %v", y[0], n, shape, i, in[i], y[i])
			}
		}
		for r := range shape.rows() {
			if few && r != 0 && r != shape.rows()-1 {
				continue
			}
			at := some(n)
			want := naive(row(x, shape, r, n), inverse, at)
			for i := range want {
				want[i] *= 0.5
			}
			if d, most := distance(pick(row(y, shape, r, n), at), want), bound[T](n); !(d <= most) {
				t.Fatalf("%T n %d shape %v inverse %v row %d: error %g, at most %g", y[0], n, shape, inverse, r, d, most)
			}
		}
	}
}

// bound is the error that rounding explains.
func bound[T floats](n int) float64 { return eps[T]() * (1 + math.Log2(float64(n))) }

func TestComplex(t *testing.T) {
	lengths := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 23, 24, 25, 27, 30, 31, 32, 37, 48, 49, 60, 64,
		77, 97, 100, 121, 125, 127, 128, 143, 169, 210, 243, 251, 255, 256, 257, 360, 512, 509}
	for _, n := range lengths {
		for _, s := range []tensor{{1, 1}, {3, 1}, {17, 1}, {33, 1}, {2, 5}, {2, 16}, {1, 35}} {
			checkComplex[float32](t, s, n, false)
			checkComplex[float64](t, s, n, false)
		}
	}
}

func TestComplexLong(t *testing.T) {
	for _, n := range []int{1000, 1009, 1024, 2048, 3000, 4093, 4096, 2 * 2039, 8 * 509} {
		for _, s := range []tensor{{1, 1}, {1, 2}, {17, 1}} {
			checkComplex[float32](t, s, n, true)
			checkComplex[float64](t, s, n, true)
		}
	}
	for _, n := range []int{16384, 10007, 3 * 4096} {
		checkComplex[float32](t, tensor{1, 2}, n, true)
		checkComplex[float64](t, tensor{2, 1}, n, true)
	}
}

func checkHalf[T floats](t *testing.T, shape tensor, n int) {
	t.Helper()
	m := n/2 + 1
	for _, h := range []Half{{n, false, 1, 1}, {n, true, 0.25, 1}, {n, false, 2, 0.5}, {n, true, 1, 2}} {
		name := fmt.Sprintf("%T shape %v %+v", T(0), shape, h)
		x := random[T](shape.rows() * n)
		y := make([]T, 2*shape.rows()*m)
		if err := ToHalf(serial, y, x, Rows{Outer: shape.outer, Inner: shape.inner}, h); err != nil {
			t.Fatal(err)
		}
		factor := func(k int) complex128 {
			if k == 0 || 2*k == n {
				return complex(h.Scale, 0)
			}
			return complex(h.Scale*h.Middle, 0)
		}
		at := func(r, n, j int) int { return r/shape.inner*n*shape.inner + r%shape.inner + j*shape.inner }
		for r := range shape.rows() {
			v := make([]complex128, n)
			for j := range v {
				v[j] = complex(float64(x[at(r, n, j)]), 0)
			}
			bins := some(m)
			want := naive(v, h.Inverse, bins)
			for i, k := range bins {
				want[i] *= factor(k)
			}
			if d, most := distance(pick(row(y, shape, r, m), bins), want), bound[T](n); !(d <= most) {
				t.Fatalf("to half: %s row %d: error %g, at most %g", name, r, d, most)
			}
		}
		b := random[T](2 * shape.rows() * m)
		z := make([]T, shape.rows()*n)
		if err := FromHalf(serial, z, b, Rows{Outer: shape.outer, Inner: shape.inner}, h); err != nil {
			t.Fatal(err)
		}
		for r := range shape.rows() {
			whole := make([]complex128, n)
			for k, v := range row(b, shape, r, m) {
				v *= factor(k)
				if k == 0 || 2*k == n {
					whole[k] = complex(real(v), 0)
					continue
				}
				whole[k], whole[n-k] = v, complex(real(v), -imag(v))
			}
			got := make([]complex128, n)
			for j := range got {
				got[j] = complex(float64(z[at(r, n, j)]), 0)
			}
			if d, most := distance(pick(got, some(n)), naive(whole, h.Inverse, some(n))), bound[T](n); !(d <= most) {
				t.Fatalf("from half: %s row %d: error %g, at most %g", name, r, d, most)
			}
		}
	}
}

func TestHalf(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 16, 17, 30, 32, 63, 64, 100, 127, 128, 256, 257, 510, 511, 512} {
		for _, s := range []tensor{{1, 1}, {17, 1}, {2, 5}, {2, 16}, {1, 35}} {
			checkHalf[float32](t, s, n)
			checkHalf[float64](t, s, n)
		}
	}
	for _, n := range []int{1000, 1009, 2018, 2048, 20000} {
		checkHalf[float32](t, tensor{1, 2}, n)
		checkHalf[float64](t, tensor{1, 1}, n)
	}
}

// TestMillion: the bound holds for a row of a million elements, of float64 and of float32, and for the inverse.
func TestMillion(t *testing.T) {
	const n = 1 << 20
	x := random[float64](2 * n)
	y := make([]float64, len(x))
	if err := Complex(serial, y, x, Rows{Outer: 1, Inner: 1}, n, false, 1); err != nil {
		t.Fatal(err)
	}
	at := []int{0, 1, 777, n / 2, n - 1}
	shape := tensor{1, 1}
	if d := distance(pick(row(y, shape, 0, n), at), naive(row(x, shape, 0, n), false, at)); d > bound[float64](n) {
		t.Errorf("float64: error %g, at most %g", d, bound[float64](n))
	}
	single := make([]float32, len(x))
	for i, v := range x {
		single[i] = float32(v)
		x[i] = float64(single[i])
	}
	if err := Complex(serial, y, x, Rows{Outer: 1, Inner: 1}, n, true, 1); err != nil {
		t.Fatal(err)
	}
	if err := Complex(serial, single, single, Rows{Outer: 1, Inner: 1}, n, true, 1); err != nil {
		t.Fatal(err)
	}
	if d := distance(row(single, shape, 0, n), row(y, shape, 0, n)); d > bound[float32](n) {
		t.Errorf("float32: error %g, at most %g", d, bound[float32](n))
	}
}

// TestStoreIsBounded: tables of many lengths take no more than the bound.
func TestStoreIsBounded(t *testing.T) {
	for n := 5000; n < 5400; n++ {
		planOf[float64](n)
	}
	c := &stores[1]
	c.mu.Lock()
	defer c.mu.Unlock()
	size := 0
	for _, p := range c.plans {
		size += p.bytes()
	}
	if size != c.size || size > maxPlanBytes || len(c.order) != len(c.plans) {
		t.Errorf("%d bytes of tables, counted as %d, in %d of %d", size, c.size, len(c.plans), len(c.order))
	}
}
