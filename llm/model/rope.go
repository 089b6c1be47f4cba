package model

import "math"

// RoPE says how rotary positions are computed. Kind is "" (default), "linear", "llama3" or "yarn".
type RoPE struct {
	Kind     string
	Base     float64
	Factor   float64
	Original int // context the model was trained with, for llama3 and yarn

	LowFreq, HighFreq  float64 // llama3
	BetaFast, BetaSlow float64 // yarn
	NoTruncate         bool    // yarn: the borders between kinds of frequencies are not rounded
	Attention          float64 // yarn: cosines and sines are multiplied by it; 0: 0.1·ln(Factor)+1

	Divisors []float32 // of the frequencies, as GGUF files store llama3; nil: none
}

func (r *RoPE) check() {
	bad := func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) }
	switch {
	case bad(r.Base):
		refuse("the base of rotary positions is %v; want a positive number", r.Base)
	case r.Kind == "":
		return
	case r.Kind != "linear" && r.Kind != "llama3" && r.Kind != "yarn":
		unsupported("the scaling %q of rotary positions; want default, linear, llama3 or yarn", r.Kind)
	case bad(r.Factor):
		refuse("the factor of rotary positions is %v; want a positive number", r.Factor)
	case r.Kind != "linear" && r.Original < 1:
		refuse("the scaling %q of rotary positions lacks the original context", r.Kind)
	case r.Kind == "llama3" && (bad(r.LowFreq) || bad(r.HighFreq) || r.LowFreq >= r.HighFreq):
		refuse("low and high frequency factors are %v and %v; want positive numbers, the first smaller", r.LowFreq, r.HighFreq)
	case r.Kind == "yarn" && (bad(r.BetaFast) || bad(r.BetaSlow) || r.Base <= 1):
		refuse("beta_fast and beta_slow are %v and %v; want positive numbers", r.BetaFast, r.BetaSlow)
	}
}

// frequencies returns the angle of each pair per position, and what cosines and sines are multiplied by.
func (r *RoPE) frequencies(dim int) (freq []float32, scale float64) {
	freq, scale = make([]float32, dim/2), 1
	low, high := 0.0, 0.0
	if r.Kind == "yarn" {
		low, high = r.yarnBorders(dim)
		if scale = r.Attention; scale == 0 {
			scale = yarnScale(r.Factor, 1)
		}
	}
	for i := range freq {
		f := math.Pow(r.Base, -float64(2*i)/float64(dim))
		switch r.Kind {
		case "linear":
			f /= r.Factor
		case "llama3":
			f = r.llama3(f)
		case "yarn":
			ramp := min(1, max(0, (float64(i)-low)/(high-low)))
			f = f/r.Factor*ramp + f*(1-ramp)
		}
		if r.Divisors != nil {
			f /= float64(r.Divisors[i])
		}
		freq[i] = float32(f)
	}
	return freq, scale
}

// llama3 stretches long waves by the factor, leaves short ones, and blends between.
func (r *RoPE) llama3(f float64) float64 {
	waves := float64(r.Original) * f / (2 * math.Pi) // waves in the original context
	switch {
	case waves < r.LowFreq:
		return f / r.Factor
	case waves > r.HighFreq:
		return f
	}
	s := (waves - r.LowFreq) / (r.HighFreq - r.LowFreq)
	return (1-s)*f/r.Factor + s*f
}

// yarnBorders are the pairs between which frequencies go from unchanged to stretched.
func (r *RoPE) yarnBorders(dim int) (low, high float64) {
	at := func(waves float64) float64 {
		return float64(dim) * math.Log(float64(r.Original)/(waves*2*math.Pi)) / (2 * math.Log(r.Base))
	}
	low, high = at(r.BetaFast), at(r.BetaSlow)
	if !r.NoTruncate {
		low, high = math.Floor(low), math.Ceil(high)
	}
	low, high = max(low, 0), min(high, float64(dim-1))
	if low == high {
		high += 0.001
	}
	return low, high
}

// yarnScale is the attention factor that goes with a factor of the context.
func yarnScale(factor, m float64) float64 {
	if factor <= 1 {
		return 1
	}
	return 0.1*m*math.Log(factor) + 1
}

// Llama3Divisors are what GGUF files store of the scaling llama3: how much longer each wave becomes.
func (r *RoPE) Llama3Divisors(dim int) []float32 {
	d := make([]float32, dim/2)
	for i := range d {
		f := math.Pow(r.Base, -float64(2*i)/float64(dim))
		d[i] = float32(f / r.llama3(f))
	}
	return d
}
