package threefry

import "math"

// Poisson draws from the Poisson distribution: by multiplying uniforms for small rates, by transformed rejection (PTRS,
// Hörmann 1993) for others. A negative rate gives NaN.
func (s *Stream) Poisson(rate float64) float64 {
	switch {
	case rate == 0:
		return 0
	case !(rate > 0) || math.IsInf(rate, 1):
		return math.NaN()
	case rate < 10:
		limit, p, k := math.Exp(-rate), s.Float(), 0.0
		for p > limit {
			p *= s.Float()
			k++
		}
		return k
	}
	root, log := math.Sqrt(rate), math.Log(rate)
	b := 0.931 + 2.53*root
	a := -0.059 + 0.02483*b
	invAlpha := 1.1239 + 1.1328/(b-3.4)
	vr := 0.9277 - 3.6224/(b-2)
	for {
		u, v := s.Float()-0.5, s.Float()
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+b)*u + rate + 0.43)
		if us >= 0.07 && v <= vr {
			return k
		}
		if k < 0 || us < 0.013 && v > us {
			continue
		}
		g, _ := math.Lgamma(k + 1)
		if math.Log(v*invAlpha/(a/(us*us)+b)) <= k*log-rate-g {
			return k
		}
	}
}

// Binomial draws the number of successes in n trials of probability p: by inversion where few are expected, by
// transformed rejection (BTRS, Hörmann 1993) elsewhere. Arguments outside their range give NaN.
func (s *Stream) Binomial(n, p float64) float64 {
	n = math.Floor(n)
	switch {
	case !(n >= 0) || !(p >= 0 && p <= 1) || math.IsInf(n, 1):
		return math.NaN()
	case n == 0 || p == 0:
		return 0
	case p > 0.5:
		return n - s.Binomial(n, 1-p)
	case n*p < 10:
		return s.binomialInverse(n, p)
	}
	root := math.Sqrt(n * p * (1 - p))
	b := 1.15 + 2.53*root
	a := -0.0873 + 0.0248*b + 0.01*p
	c := n*p + 0.5
	vr := 0.92 - 4.2/b
	alpha := (2.83 + 5.1/b) * root
	lpq := math.Log(p / (1 - p))
	m := math.Floor((n + 1) * p)
	h := lgamma(m+1) + lgamma(n-m+1)
	for {
		u, v := s.Float()-0.5, s.Float()
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+b)*u + c)
		if us >= 0.07 && v <= vr {
			return k
		}
		if k < 0 || k > n {
			continue
		}
		if math.Log(v*alpha/(a/(us*us)+b)) <= h-lgamma(k+1)-lgamma(n-k+1)+(k-m)*lpq {
			return k
		}
	}
}

func lgamma(x float64) float64 {
	g, _ := math.Lgamma(x)
	return g
}

// binomialInverse counts geometric waiting times until they pass n.
func (s *Stream) binomialInverse(n, p float64) float64 {
	log := math.Log1p(-p)
	sum, k := 0.0, 0.0
	for {
		sum += math.Ceil(math.Log(1-s.Float()) / log)
		if sum > n {
			return k
		}
		k++
	}
}
