package lapack

import (
	"cmp"
	"math"
	"slices"
)

// windowSize is the number of last rows of a block of size rows in which eigenvalues are looked for.
func windowSize(size int) int {
	switch {
	case size < 150:
		return min(24, size/3)
	case size < 400:
		return 32
	case size < 1500:
		return 72
	}
	return 144
}

// manyShifts looks for eigenvalues in the last rows of a large block. What is found is split off. If it is little, a sweep has the other
// eigenvalues of these rows as shifts.
func (r *francis) manyShifts(lo, hi int) {
	k := windowSize(hi - lo + 1)
	found, shifts := r.early(lo, hi, k)
	if found > 0 {
		r.sweeps = 0
	}
	if 7*found > k {
		return
	}
	hi -= found
	if r.sweeps%6 == 0 && r.sweeps > 0 {
		shifts = r.exceptional(hi, k)
	}
	r.sweep(lo, lo, hi, chainOf(shifts))
}

// chainOf makes bulges of shifts: conjugate pairs, and real ones by twos.
func chainOf(shifts []complex128) (chain []bulge) {
	var left []float64
	for _, x := range shifts {
		switch {
		case imag(x) > 0:
			chain = append(chain, bulge{x: real(x), y: real(x), prod: -imag(x) * imag(x)})
		case imag(x) == 0:
			left = append(left, real(x))
		}
	}
	slices.SortFunc(left, cmp.Compare)
	for i := 0; i < len(left); i += 2 {
		chain = append(chain, bulge{x: left[i], y: left[min(i+1, len(left)-1)]})
	}
	for i := range chain {
		chain[i].f = make([]float64, 0, 3*chaseSteps)
	}
	return chain
}

// exceptional are shifts that break a cycle.
func (r *francis) exceptional(hi, k int) (shifts []complex128) {
	n, h := r.ld, r.h
	for i := hi; i > hi-k; i -= 2 {
		f := math.Abs(h[i*n+i-1]) + math.Abs(h[(i-1)*n+i-2])
		x := complex(0.75*f+h[i*n+i], math.Sqrt(0.4375)*f)
		shifts = append(shifts, x, complex(real(x), -imag(x)))
	}
	return shifts
}

// early reduces the last k rows and columns of the block lo … hi alone. The element left of them becomes a column, the spike. Where its
// elements are negligible the eigenvalues are those of the matrix: they are moved to the end, and the rest is brought back to Hessenberg
// form. It returns how many there are, and the other eigenvalues.
func (r *francis) early(lo, hi, k int) (found int, others []complex128) {
	n, s := r.ld, r.solver
	at := s.at()
	defer s.back(at)
	top := hi - k + 1
	t, w := r.window(top, k, true), make([]complex128, k)
	if !t.run(w) {
		return 0, r.exceptional(hi, k)
	}
	spike := r.h[top*n+top-1]
	stay, moved := t.undeflated(spike)
	if moved { // the order is another
		t.values(w)
	}
	if stay == k {
		return 0, w
	}
	if stay > 0 {
		t.straighten(stay)
	}
	r.h[top*n+top-1] = 0
	if stay > 0 {
		r.h[top*n+top-1] = spike * t.q[0]
	}
	r.put(t, top)
	r.around(lo, hi, top, t)
	return k - stay, w[:stay]
}

// undeflated moves the eigenvalues of a window whose elements of the spike are not negligible to its top, and returns how many they are.
func (r *francis) undeflated(spike float64) (stay int, moved bool) {
	n, h, q := r.ld, r.h, r.q
	for last := r.n - 1; last >= stay; {
		size, least := 1, math.Abs(h[last*n+last])
		weight := math.Abs(spike * q[last*n])
		if last > stay && h[last*n+last-1] != 0 {
			size = 2
			least = max(least, math.Abs(h[(last-1)*n+last-1])) +
				math.Sqrt(math.Abs(h[last*n+last-1]))*math.Sqrt(math.Abs(h[(last-1)*n+last]))
			weight = max(weight, math.Abs(spike*q[(last-1)*n]))
		}
		if least == 0 {
			least = math.Abs(spike)
		}
		if weight <= r.eps*least {
			last -= size
			continue
		}
		if !r.moveUp(last-size+1, size, stay) {
			return last + 1, true
		}
		moved = moved || last-size+1 > stay
		stay += size
	}
	return stay, moved
}

// values are the eigenvalues in the blocks of a quasi-triangle.
func (r *francis) values(w []complex128) {
	n, h := r.ld, r.h
	for i := 0; i < r.n; i++ {
		if i+1 < r.n && h[(i+1)*n+i] != 0 {
			w[i], w[i+1] = r.standardize(i)
			i++
			continue
		}
		w[i] = complex(h[i*n+i], 0)
	}
}

// straighten makes the spike of the first stay rows of a window one element again, and brings these rows back to Hessenberg form.
func (r *francis) straighten(stay int) {
	s, n, h := r.solver, r.ld, r.h
	at := s.at()
	defer s.back(at)
	u, minus := s.take(stay), s.take(stay)
	for i := range u {
		u[i] = r.q[i*n]
	}
	_, tau := reflector(stay, u, 1)
	u[0] = 1
	for i, x := range u {
		minus[i] = -tau * x
	}
	line := s.take(max(r.n, stay))
	for _, x := range [][]float64{h, r.q} {
		s.Mul(1, r.n, stay, minus, stay, 1, x, n, 1, line, r.n, false)
		s.Mul(stay, r.n, 1, u, 1, 1, line, r.n, 1, x, n, true)
	}
	s.Mul(stay, 1, stay, h, n, 1, minus, 1, 1, line, 1, false)
	s.Mul(stay, stay, 1, line, 1, 1, u, stay, 1, h, n, true)
	blocks := s.hessenberg(stay, h, n)
	s.applyBlocks(true, blocks, stay, 0, r.n-stay, h[stay:], n)
	s.applyBlocks(true, blocks, stay, 0, r.n, r.q, n)
}
