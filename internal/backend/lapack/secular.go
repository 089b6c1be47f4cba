package lapack

import "math"

// secular is the equation 1 + rho·Σ z²/(d - x) = 0 for ascending d, whose k roots each are above one d. Of a bidiagonal problem d and the
// roots are squares: then gap(i, j) is (dᵢ - dⱼ)·(dᵢ + dⱼ), which does not cancel.
type secular struct {
	d, z2  []float64
	rho    float64
	square bool
	sum    float64 // of z2
	poles  func(x, z []float64, t float64) (sum, slope float64)
}

// gaps writes what the poles from the one numbered first have over pole j.
func (q *secular) gaps(z []float64, first, j int) {
	d, o := q.d[first:][:len(z)], q.d[j]
	if q.square {
		for i, x := range d {
			z[i] = (x - o) * (x + o)
		}
		return
	}
	for i, x := range d {
		z[i] = x - o
	}
}

// sums returns Σ z/(x - t) and Σ z/(x - t)².
func (q *secular) sums(x, z []float64, t float64) (sum, slope float64) {
	if q.poles != nil {
		return q.poles(x, z, t)
	}
	for i, v := range x {
		r := 1 / (v - t)
		f := z[i] * r
		sum += f
		slope += f * r
	}
	return sum, slope
}

// gap is what pole i has over pole j.
func (q *secular) gap(i, j int) float64 {
	if q.square {
		return (q.d[i] - q.d[j]) * (q.d[i] + q.d[j])
	}
	return q.d[i] - q.d[j]
}

// root finds root j, as the pole next to it and what it has over that one. delta gets the poles less the root, each precise.
func (q *secular) root(j int, delta []float64) (origin int, mu float64) {
	k := len(q.d)
	from := delta // the poles less the origin, until the end
	last := j == k-1
	lo, hi := 0.0, 0.0
	origin = j
	switch {
	case k == 1:
		mu = q.rho * q.z2[0]
		delta[0] = -mu
		return 0, mu
	case last:
		hi = q.rho * q.sum
		mu = hi / 2
	default:
		mid := q.gap(j+1, j) / 2
		q.gaps(from, 0, j)
		before, _ := q.sums(from[:j], q.z2[:j], mid)
		behind, _ := q.sums(from[j+2:], q.z2[j+2:], mid)
		rest := 1/q.rho + before + behind
		x, y := q.z2[j], q.z2[j+1]
		if rest+(y-x)/mid >= 0 {
			hi = mid
		} else {
			origin, lo = j+1, -mid
		}
		mu = guess(rest, x, y, 2*mid, origin == j)
		if !(mu > lo && mu < hi) {
			mu = lo/2 + hi/2
		}
	}
	q.gaps(from, 0, origin)
	left := min(j, k-2) // the poles next to the root
	mu = q.iterate(left, last, from, lo, hi, mu)
	for i := range delta {
		delta[i] = from[i] - mu
	}
	return origin, mu
}

// guess is the root where all but the two poles next to it are a constant, from the first or the second of them.
func guess(rest, x, y, gap float64, first bool) float64 {
	if first {
		a, b := rest*gap+x+y, x*gap
		root := math.Sqrt(math.Abs(a*a - 4*b*rest))
		if a > 0 {
			return 2 * b / (a + root)
		}
		return (a - root) / (2 * rest)
	}
	a, b := rest*gap-x-y, y*gap
	root := math.Sqrt(math.Abs(a*a + 4*b*rest))
	if a < 0 {
		return 2 * b / (a - root)
	}
	return -(a + root) / (2 * rest)
}

// iterate improves mu between lo and hi by the root of c + a/(x - dₗ) + b/(x - dₗ₊₁), which has the function's value and takes the slopes
// of both sides; where that leaves the interval, it is halved.
func (q *secular) iterate(left int, last bool, from []float64, lo, hi, mu float64) float64 {
	for range 200 {
		psi, dpsi := q.sums(from[:left+1], q.z2[:left+1], mu)
		phi, dphi := q.sums(from[left+1:], q.z2[left+1:], mu)
		f := 1 + q.rho*(psi+phi)
		if math.Abs(f) <= 0x1p-53*float64(len(from))*(1+q.rho*(math.Abs(psi)+math.Abs(phi)))/4 {
			return mu
		}
		if f < 0 {
			lo = mu
		} else {
			hi = mu
		}
		next := mu + q.step(left, last, from, mu, f, q.rho*dpsi, q.rho*dphi)
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
			// Near a pole the root is found by its order of magnitude.
			if small, big := min(math.Abs(lo), math.Abs(hi)), max(math.Abs(lo), math.Abs(hi)); small > 0 && big > 16*small {
				next = math.Copysign(math.Sqrt(small)*math.Sqrt(big), lo+hi)
			}
		}
		if next == mu || !(next > lo && next < hi) {
			return mu
		}
		mu = next
	}
	return mu
}

func (q *secular) step(left int, last bool, from []float64, mu, f, dpsi, dphi float64) float64 {
	x, y := from[left]-mu, from[left+1]-mu
	c := f - x*dpsi - y*dphi
	a := (x+y)*f - x*y*(dpsi+dphi)
	b := x * y * f
	root := math.Sqrt(math.Max(a*a-4*b*c, 0))
	if last {
		c = math.Abs(c)
		root = math.Sqrt(math.Max(a*a-4*b*c, 0))
		if a >= 0 {
			return (a + root) / (2 * c)
		}
		return 2 * b / (a - root)
	}
	if a <= 0 {
		return (a - root) / (2 * c)
	}
	return 2 * b / (a + root)
}
