package model

import (
	"math"
	"slices"
)

// RoPE says how rotary positions are computed. Kind is "" (default), "linear", "dynamic", "llama3", "yarn" or "longrope".
type RoPE struct {
	Kind     string
	Base     float64
	Factor   float64
	Original int // context the model was trained with, for all but linear

	// Short and Long are divisors of the frequencies, for longrope: of texts within Original, and of longer ones.
	Short, Long []float32

	LowFreq, HighFreq  float64 // llama3
	BetaFast, BetaSlow float64 // yarn
	NoTruncate         bool    // yarn: the borders between kinds of frequencies are not rounded
	Attention          float64 // yarn, longrope: cosines and sines are multiplied by it; 0: what goes with Factor

	Divisors []float32 // of the frequencies, as GGUF files store llama3; nil: none

	partial float64 // of a config.json: the part of each head that rotates; 0: all
	queries float64 // of a config.json: yarn's factor of queries and keys, which DeepSeek's models multiply scores with; 0: none
}

func (r *RoPE) check(dim int) {
	bad := func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) }
	switch {
	case bad(r.Base):
		refuse("the base of rotary positions is %v; want a positive number", r.Base)
	case r.Kind == "":
		return
	case !slices.Contains([]string{"linear", "dynamic", "llama3", "yarn", "longrope"}, r.Kind):
		unsupported("the scaling %q of rotary positions; want default, linear, dynamic, llama3, yarn or longrope", r.Kind)
	case bad(r.Factor):
		refuse("the factor of rotary positions is %v; want a positive number", r.Factor)
	case r.Kind != "linear" && r.Original < 1:
		refuse("the scaling %q of rotary positions lacks the original context", r.Kind)
	case r.Kind == "llama3" && (bad(r.LowFreq) || bad(r.HighFreq) || r.LowFreq >= r.HighFreq):
		refuse("low and high frequency factors are %v and %v; want positive numbers, the first smaller", r.LowFreq, r.HighFreq)
	case r.Kind == "yarn" && (bad(r.BetaFast) || bad(r.BetaSlow) || r.Base <= 1):
		refuse("beta_fast and beta_slow are %v and %v; want positive numbers", r.BetaFast, r.BetaSlow)
	case r.Kind == "dynamic" && (dim < 4 || r.Factor < 1):
		refuse("dynamic scaling of rotary positions by %v for %d elements; want 1 or more, for at least 4", r.Factor, dim)
	case r.Kind == "longrope" && (len(r.Short) != dim/2 || len(r.Long) != dim/2):
		refuse("short_factor and long_factor have %d and %d numbers; want %d", len(r.Short), len(r.Long), dim/2)
	}
	for _, list := range [][]float32{r.Short, r.Long} {
		for _, v := range list {
			if bad(float64(v)) {
				refuse("a factor of rotary positions is %v; want a positive number", v)
			}
		}
	}
}

// byLength reports whether texts of other lengths rotate differently.
func (r *RoPE) byLength() bool { return r.Kind == "dynamic" || r.Kind == "longrope" }

// LengthScaled reports whether texts of other lengths rotate differently, as with dynamic and longrope scaling.
func (c *Config) LengthScaled() bool { return c.RoPE.byLength() }

// Rescaled reports whether positions rotate differently in a cache of another capacity: what is in it must be evaluated again.
func (c *Config) Rescaled(from, to int) bool {
	r := &c.RoPE
	switch r.Kind {
	case "longrope":
		return (from > r.Original) != (to > r.Original)
	case "dynamic":
		return max(from, r.Original) != max(to, r.Original)
	}
	return false
}

// frequencies returns the angle of each pair per position in texts of a length, and what cosines and sines are multiplied by.
func (r *RoPE) frequencies(dim, length int) (freq []float32, scale float64) {
	freq, scale = make([]float32, dim/2), 1
	low, high, base := 0.0, 0.0, r.Base
	divisors := r.Divisors
	switch r.Kind {
	case "yarn":
		low, high = r.yarnBorders(dim)
		if scale = r.Attention; scale == 0 {
			scale = yarnScale(r.Factor, 1)
		}
	case "dynamic":
		over := float64(max(length, r.Original)) / float64(r.Original)
		base *= math.Pow(r.Factor*over-(r.Factor-1), float64(dim)/float64(dim-2))
	case "longrope":
		if scale = r.Attention; scale == 0 {
			scale = r.longScale()
		}
		if divisors = r.Short; length > r.Original {
			divisors = r.Long
		}
	}
	for i := range freq {
		f := math.Pow(base, -float64(2*i)/float64(dim))
		switch r.Kind {
		case "linear":
			f /= r.Factor
		case "llama3":
			f = r.llama3(f)
		case "yarn":
			ramp := min(1, max(0, (float64(i)-low)/(high-low)))
			f = f/r.Factor*ramp + f*(1-ramp)
		}
		if divisors != nil {
			f /= float64(divisors[i])
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

// longScale is the attention factor of longrope.
func (r *RoPE) longScale() float64 {
	if r.Factor <= 1 || r.Original < 2 {
		return 1
	}
	return math.Sqrt(1 + math.Log(r.Factor)/math.Log(float64(r.Original)))
}

// Llama3Divisors are what GGUF files store of the scaling llama3: how much longer each wave becomes.
func (c *Config) Llama3Divisors() []float32 {
	r, dim := &c.RoPE, c.rotaryDim()
	d := make([]float32, dim/2)
	for i := range d {
		f := math.Pow(r.Base, -float64(2*i)/float64(dim))
		d[i] = float32(f / r.llama3(f))
	}
	return d
}
