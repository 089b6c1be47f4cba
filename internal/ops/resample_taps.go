package ops

import "math"

// ratio relates positions of an output dimension to those of an input dimension. Positions of float32 and the half types are
// computed in float32: near a whole number the rounding decides which element is meant.
type ratio struct {
	in, out int
	factor  float64 // out/in as asked for; 0: of the sizes
	corners bool
	single  bool
}

func (r ratio) round(v float64) float64 {
	if r.single {
		return float64(float32(v))
	}
	return v
}

// scale is the distance between neighbouring outputs, in elements of the input.
func (r ratio) scale() float64 {
	switch {
	case r.corners && r.out > 1:
		return r.round(float64(r.in-1) / float64(r.out-1))
	case r.corners:
		return 0
	case r.factor > 0:
		return r.round(1 / r.factor)
	}
	return r.round(float64(r.in) / float64(r.out))
}

// source is the position of output i in the input.
func (r ratio) source(i int, cubic bool) float64 {
	s := r.scale()
	if r.corners {
		return r.round(s * float64(i))
	}
	v := r.round(r.round(s*(float64(i)+0.5)) - 0.5)
	if v < 0 && !cubic {
		return 0
	}
	return v
}

func (r ratio) taps(mode string, antialias bool) []tap {
	switch {
	case mode == "nearest":
		s := r.scale()
		return []tap{{at: r.each(func(i int) float64 { return r.round(float64(i) * s) })}}
	case mode == "nearest-exact":
		s := r.scale()
		return []tap{{at: r.each(func(i int) float64 { return r.round((float64(i) + 0.5) * s) })}}
	case antialias && r.in == r.out:
		return []tap{{at: r.each(func(i int) float64 { return float64(i) })}} // as PyTorch: what keeps its size is not filtered
	case antialias && mode == "bicubic":
		return r.filtered(2, func(x float64) float64 { return cubicKernel(math.Abs(x), -0.5) })
	case antialias:
		return r.filtered(1, func(x float64) float64 { return max(0, 1-math.Abs(x)) })
	case mode == "bicubic":
		return r.cubic()
	}
	low, high := newTap(r.out), newTap(r.out)
	for i := range r.out {
		v := r.source(i, false)
		at := min(int(v), r.in-1)
		t := min(max(r.round(v-float64(at)), 0), 1)
		low.at[i], low.w[i] = at, 1-t
		high.at[i], high.w[i] = min(at+1, r.in-1), t
	}
	return []tap{low, high}
}

func newTap(n int) tap { return tap{at: make([]int, n), w: make([]float64, n)} }

// each gives the element that every output shows.
func (r ratio) each(at func(i int) float64) []int {
	v := make([]int, r.out)
	for i := range v {
		v[i] = min(int(at(i)), r.in-1)
	}
	return v
}

// cubicKernel is the convolution kernel of Keys with the parameter a, for x not below 0.
func cubicKernel(x, a float64) float64 {
	switch {
	case x < 1:
		return ((a+2)*x-(a+3))*x*x + 1
	case x < 2:
		return ((a*x-5*a)*x+8*a)*x - 4*a
	}
	return 0
}

func (r ratio) cubic() []tap {
	taps := make([]tap, 4)
	for k := range taps {
		taps[k] = newTap(r.out)
		for i := range r.out {
			v := r.source(i, true)
			whole := math.Floor(v)
			t := r.round(v - whole)
			taps[k].at[i] = min(max(int(whole)-1+k, 0), r.in-1)
			taps[k].w[i] = cubicKernel(math.Abs(t+1-float64(k)), -0.75)
		}
	}
	return taps
}

// filtered widens a kernel of the given reach when shrinking, and makes the weights of every output sum to 1.
func (r ratio) filtered(reach float64, kernel func(float64) float64) []tap {
	s := r.scale()
	wide := max(s, 1)
	support := reach * wide
	var taps []tap
	for i := range r.out {
		centre := r.round(s * (float64(i) + 0.5))
		lo := max(int(centre-support+0.5), 0)
		n := min(int(centre+support+0.5), r.in) - lo
		total := 0.0
		for j := range n {
			if j == len(taps) {
				taps = append(taps, newTap(r.out))
				taps[j].spare = true
			}
			w := kernel((float64(j+lo) - centre + 0.5) / wide)
			taps[j].at[i], taps[j].w[i] = lo+j, w
			total += w
		}
		for j := range n {
			if total != 0 {
				taps[j].w[i] /= total
			}
		}
	}
	return taps
}
