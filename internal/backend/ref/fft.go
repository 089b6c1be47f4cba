package ref

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() {
	register(backend.Table{"fft_c2c": fftComplex, "fft_r2c": fftToHalf, "fft_c2r": fftFromHalf})
}

// rootOfUnity is exp(2πi·k/n). The angle is reduced to an eighth of the circle in integers, so that it is exact where it can be and
// off by no more than a rounding elsewhere.
func rootOfUnity(k, n int) complex128 {
	k = ((k % n) + n) % n
	// k/n of a circle, in units of 1/8n.
	oct := 8 * k / n
	at := func(num int) (sin, cos float64) { return math.Sincos(math.Pi * float64(num) / float64(4*n)) }
	part := 8*k - oct*n // of n
	switch oct {
	case 0:
		s, c := at(part)
		return complex(c, s)
	case 1:
		s, c := at(n - part)
		return complex(s, c)
	case 2:
		s, c := at(part)
		return complex(-s, c)
	case 3:
		s, c := at(n - part)
		return complex(-c, s)
	case 4:
		s, c := at(part)
		return complex(-c, -s)
	case 5:
		s, c := at(n - part)
		return complex(-s, -c)
	case 6:
		s, c := at(part)
		return complex(s, -c)
	}
	s, c := at(n - part)
	return complex(c, -s)
}

// dft is Σ x[j]·exp(∓2πi·j·k/n), summed as it is written, for the first m values of k.
func dft(x []complex128, m int, inverse bool) []complex128 {
	n := len(x)
	w := make([]complex128, n)
	for k := range w {
		w[k] = rootOfUnity(-k, n)
		if inverse {
			w[k] = rootOfUnity(k, n)
		}
	}
	y := make([]complex128, m)
	for k := range y {
		at := 0
		for _, v := range x {
			y[k] += v * w[at]
			if at += k; at >= n {
				at -= n
			}
		}
	}
	return y
}

// fftRows replaces every row of x along an axis by what f makes of it; the result has m elements along the axis.
func fftRows(x []complex128, dims []int, axis, m int, f func(row []complex128) []complex128) []complex128 {
	to := append([]int(nil), dims...)
	to[axis] = m
	size := 1
	for _, d := range to {
		size *= d
	}
	y := make([]complex128, size)
	var targets [][]int
	rows(to, axis, func(at []int) { targets = append(targets, append([]int(nil), at...)) })
	i := 0
	rows(dims, axis, func(at []int) {
		row := make([]complex128, len(at))
		for k, p := range at {
			row[k] = x[p]
		}
		for k, v := range f(row) {
			y[targets[i][k]] = v
		}
		i++
	})
	return y
}

func loadComplex(v backend.View) []complex128 {
	s := load(v)
	x := make([]complex128, len(s))
	for i := range s {
		x[i] = s[i].Complex()
	}
	return x
}

func storeComplex(v backend.View, x []complex128) {
	s := make([]dtype.Scalar, len(x))
	for i := range s {
		s[i] = cmplx128(x[i])
		if !v.DType.IsComplex() {
			s[i] = float(real(x[i]))
		}
	}
	store(v, s)
}

func fftComplex(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	f := a.(attr.FFT)
	dims, x := in[0].Shape.Dims(), loadComplex(in[0])
	for _, axis := range f.Axes.Slice() {
		x = fftRows(x, dims, axis, dims[axis], func(row []complex128) []complex128 { return dft(row, len(row), f.Inverse) })
	}
	for i := range x {
		x[i] *= complex(f.Scale, 0)
	}
	storeComplex(out[0], x)
	return nil
}

// halfFactor is the factor of bin k.
func halfFactor(h attr.HalfFFT, k int) complex128 {
	if k == 0 || 2*k == h.N {
		return complex(h.Scale, 0)
	}
	return complex(h.Scale*h.Middle, 0)
}

func fftToHalf(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	h := a.(attr.HalfFFT)
	y := fftRows(loadComplex(in[0]), in[0].Shape.Dims(), h.Axis, h.N/2+1, func(row []complex128) []complex128 {
		y := dft(row, h.N/2+1, h.Inverse)
		for k := range y {
			y[k] *= halfFactor(h, k)
		}
		return y
	})
	for _, axis := range h.Others.Slice() {
		dims := out[0].Shape.Dims()
		y = fftRows(y, dims, axis, dims[axis], func(row []complex128) []complex128 { return dft(row, len(row), h.Inverse) })
	}
	storeComplex(out[0], y)
	return nil
}

func fftFromHalf(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	h := a.(attr.HalfFFT)
	y := fftRows(loadComplex(in[0]), in[0].Shape.Dims(), h.Axis, h.N, func(row []complex128) []complex128 {
		whole := make([]complex128, h.N)
		for k, v := range row {
			v *= halfFactor(h, k)
			if k == 0 || 2*k == h.N {
				whole[k] = complex(real(v), 0)
				continue
			}
			whole[k], whole[h.N-k] = v, complex(real(v), -imag(v))
		}
		return dft(whole, h.N, h.Inverse)
	})
	storeComplex(out[0], y)
	return nil
}
