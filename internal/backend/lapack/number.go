package lapack

import "math"

// Number is an element of a matrix.
type Number interface {
	float32 | float64 | complex64 | complex128
}

// Product computes c = a·b, or c += a·b if add, for an m×k by k×n product with row and column strides; c has rows.
type Product[T Number] func(m, n, k int, a []T, ars, acs int, b []T, brs, bcs int, c []T, crs int, add bool)

// Naive is a Product of three loops.
func Naive[T Number](m, n, k int, a []T, ars, acs int, b []T, brs, bcs int, c []T, crs int, add bool) {
	for i := range m {
		row := c[i*crs:][:n]
		if !add {
			clear(row)
		}
		for p := range k {
			x := a[i*ars+p*acs]
			if bcs == 1 {
				for j, y := range b[p*brs:][:n] {
					row[j] += x * y
				}
				continue
			}
			for j := range row {
				row[j] += x * b[p*brs+j*bcs]
			}
		}
	}
}

// Matrices are matrices of a batch, from one to the next Stride elements; a stride of 0 is one matrix for all.
type Matrices[T Number] struct {
	Data   []T
	Stride int
}

// Vectors are loops that a device may have vectors for; one that is nil is a plain loop.
type Vectors struct {
	// Rotate applies rotations to rows of z, as rotateRows.
	Rotate func(z []float64, ld, cols, from, step int, c, s []float64)
	// Triples applies reflectors of three rows, as tripleRows.
	Triples func(x []float64, ld, cols int, f []float64)
	// GivensRows and GivensColumns apply rotations of complex numbers to rows and columns, as givensRows and givensColumns.
	GivensRows, GivensColumns func(x []complex128, ld, count int, f []float64)
	// Symmetric32 and Symmetric64 write A·x to y for a symmetric matrix with rows ld elements apart, whose number is a multiple of 8. Above
	// the diagonal they read the blocks of 8×8 on it alone. They report whether there are vectors for it.
	Symmetric32 func(a []float32, ld int, x, y []float32) bool
	Symmetric64 func(a []float64, ld int, x, y []float64) bool
	// Poles returns Σ z/(x - t) and Σ z/(x - t)².
	Poles func(x, z []float64, t float64) (sum, slope float64)
	// Peak32 and Peak64 return the index of the first element of the largest magnitude, 0 if all are NaN.
	Peak32 func(x []float32) int
	Peak64 func(x []float64) int
	// Eliminate32 and Eliminate64 multiply the first column of x by f[0], and subtract f[i] times the result from column i, for up to 8
	// factors. Columns are ld elements apart and have rows elements; up to a multiple of 16 they are read and written too, and hold zeros
	// or NaN. They return the peak of column 1, and report whether there are vectors for it.
	Eliminate32 func(x []float32, ld, rows int, f []float32) (peak int, ok bool)
	Eliminate64 func(x []float64, ld, rows int, f []float64) (peak int, ok bool)
	// Negate32 and Negate64 write -x to z.
	Negate32 func(z, x []float32)
	Negate64 func(z, x []float64)
	// Transpose32 and Transpose64 write the transpose of x, m×n, to z.
	Transpose32 func(m, n int, x []float32, ldx int, z []float32, ldz int)
	Transpose64 func(m, n int, x []float64, ldx int, z []float64, ldz int)
}

// Solver factors matrices.
type Solver[T Number] struct {
	Mul   Product[T]
	Mul64 Product[float64] // for the tridiagonal and bidiagonal problems
	// Loop runs f for 0 … n-1, some at the same time; nil is a plain loop. Alone and Alone64 are
	// Mul and Mul64 for one of these.
	Loop    func(n int, f func(i int))
	Alone   Product[T]
	Alone64 Product[float64]
	// MulC and AloneC are Mul and Alone for the eigenvalues of complex matrices.
	MulC, AloneC Product[complex128]
	Vectors

	scratch[T]
	wide  *Solver[float64]
	wideC *Solver[complex128]
}

// isComplex reports whether T is complex.
func isComplex[T Number]() bool {
	var x T
	switch any(x).(type) {
	case complex64, complex128:
		return true
	}
	return false
}

// isWide reports whether parts of T are float64.
func isWide[T Number]() bool {
	var x T
	switch any(x).(type) {
	case float64, complex128:
		return true
	}
	return false
}

// Eps is the distance from 1 to the next larger number of T's parts.
func Eps[T Number]() float64 {
	if isWide[T]() {
		return 0x1p-52
	}
	return 0x1p-23
}

// least is the smallest number of T's parts whose inverse does not overflow.
func least[T Number]() float64 {
	if isWide[T]() {
		return 0x1p-1022
	}
	return 0x1p-126
}

func conj[T Number](x T) T {
	switch v := any(x).(type) {
	case complex64:
		return any(complex(real(v), -imag(v))).(T)
	case complex128:
		return any(complex(real(v), -imag(v))).(T)
	}
	return x
}

func re[T Number](x T) float64 {
	switch v := any(x).(type) {
	case float32:
		return float64(v)
	case float64:
		return v
	case complex64:
		return float64(real(v))
	case complex128:
		return real(v)
	}
	return 0
}

func im[T Number](x T) float64 {
	switch v := any(x).(type) {
	case complex64:
		return float64(imag(v))
	case complex128:
		return imag(v)
	}
	return 0
}

// of makes a number of its parts; the imaginary one is dropped where T is real.
func of[T Number](r, i float64) T {
	var x T
	switch p := any(&x).(type) {
	case *float32:
		*p = float32(r)
	case *float64:
		*p = r
	case *complex64:
		*p = complex(float32(r), float32(i))
	case *complex128:
		*p = complex(r, i)
	}
	return x
}

func abs[T Number](x T) float64 {
	switch v := any(x).(type) {
	case float32:
		return math.Abs(float64(v))
	case float64:
		return math.Abs(v)
	}
	return math.Hypot(re(x), im(x))
}

// size is |re x| + |im x|, by which pivots are chosen.
func size[T Number](x T) float64 {
	switch v := any(x).(type) {
	case float32:
		return math.Abs(float64(v))
	case float64:
		return math.Abs(v)
	}
	return math.Abs(re(x)) + math.Abs(im(x))
}

// conjugate replaces every element by its conjugate.
func conjugate[T Number](x []T) {
	switch v := any(x).(type) {
	case []complex64:
		for i, c := range v {
			v[i] = complex(real(c), -imag(c))
		}
	case []complex128:
		for i, c := range v {
			v[i] = complex(real(c), -imag(c))
		}
	}
}

// negate writes -x to z.
func (s *Solver[T]) negate(z, x []T) {
	switch v := any(x).(type) {
	case []float32:
		if s.Negate32 != nil {
			s.Negate32(any(z).([]float32), v)
			return
		}
	case []float64:
		if s.Negate64 != nil {
			s.Negate64(any(z).([]float64), v)
			return
		}
	}
	for i, v := range x {
		z[i] = -v
	}
}

// largest is the largest magnitude of a part of an element; NaN if there is one.
func largest[T Number](x []T) float64 {
	m := 0.0
	pick := func(a float64) {
		if a = math.Abs(a); a > m || a != a {
			m = a
		}
	}
	switch v := any(x).(type) {
	case []float32:
		var w uint32 // magnitudes are in the order of their bits, and NaN is behind them all
		for _, a := range v {
			w = max(w, math.Float32bits(a)&^(1<<31))
		}
		return float64(math.Float32frombits(w))
	case []float64:
		var w uint64
		for _, a := range v {
			w = max(w, math.Float64bits(a)&^(1<<63))
		}
		return math.Float64frombits(w)
	case []complex64:
		for _, a := range v {
			pick(float64(real(a)))
			pick(float64(imag(a)))
			if m != m {
				break
			}
		}
	case []complex128:
		for _, a := range v {
			pick(real(a))
			pick(imag(a))
			if m != m {
				break
			}
		}
	}
	return m
}

// norm2 is the Euclidean norm of n elements inc apart, without overflow or harmful underflow.
func norm2[T Number](n int, x []T, inc int) float64 {
	sum := 0.0
	switch v := any(x).(type) {
	case []float32:
		for i := range n {
			a := float64(v[i*inc])
			sum += a * a
		}
		return math.Sqrt(sum)
	case []float64:
		for i := range n {
			a := v[i*inc]
			sum += a * a
		}
	case []complex64:
		for i := range n {
			a, b := float64(real(v[i*inc])), float64(imag(v[i*inc]))
			sum += a*a + b*b
		}
		return math.Sqrt(sum)
	case []complex128:
		for i := range n {
			a, b := real(v[i*inc]), imag(v[i*inc])
			sum += a*a + b*b
		}
	}
	if sum > 0x1p-900 && sum < 0x1p+1000 || sum != sum {
		return math.Sqrt(sum)
	}
	m := 0.0
	for i := range n {
		m = max(m, math.Abs(re(x[i*inc])), math.Abs(im(x[i*inc])))
	}
	if m == 0 || math.IsInf(m, 0) {
		return m
	}
	sum = 0
	for i := range n {
		a, b := re(x[i*inc])/m, im(x[i*inc])/m
		sum += a*a + b*b
	}
	return m * math.Sqrt(sum)
}

// powerOfScale returns a power of two by which a matrix with this largest magnitude is to be multiplied so that squares
// of its elements neither overflow nor vanish; 1 if it need not be.
func powerOfScale[T Number](m float64) float64 {
	lo, hi := 0x1p-300, 0x1p+300
	if !isWide[T]() {
		lo, hi = 0x1p-40, 0x1p+40
	}
	if m == 0 || m != m || math.IsInf(m, 0) || m >= lo && m <= hi {
		return 1
	}
	_, e := math.Frexp(m)
	return math.Ldexp(1, min(-e, 1000))
}

// scaleBy multiplies by a power of two.
func scaleBy[T Number](x []T, f float64) {
	if f == 1 {
		return
	}
	if isComplex[T]() {
		for i, v := range x {
			x[i] = of[T](re(v)*f, im(v)*f)
		}
		return
	}
	for i, v := range x {
		x[i] = of[T](re(v)*f, 0)
	}
}

// swap exchanges two rows.
func swap[T Number](x, y []T) {
	var b [64]T
	for len(x) > 0 {
		n := copy(b[:], x)
		copy(x[:n], y)
		copy(y[:n], b[:n])
		x, y = x[n:], y[n:]
	}
}

// axpy adds a·x to z.
func axpy[T Number](z []T, a T, x []T) {
	x = x[:len(z)]
	for i := range z {
		z[i] += a * x[i]
	}
}

// dot is Σ x·y, without conjugates.
func dot[T Number](x, y []T) T {
	var a, b, c, d T
	y = y[:len(x)]
	i := 0
	for ; i+4 <= len(x); i += 4 {
		a += x[i] * y[i]
		b += x[i+1] * y[i+1]
		c += x[i+2] * y[i+2]
		d += x[i+3] * y[i+3]
	}
	for ; i < len(x); i++ {
		a += x[i] * y[i]
	}
	return a + b + (c + d)
}
