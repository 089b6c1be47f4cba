package nninit_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	nninit "github.com/lucid-go/lucid/nn/init"
)

type initCase struct {
	Op                                   string
	Shape                                []int
	Kwargs                               map[string]any
	Mean, Std, Min, Max, Kurtosis, Zeros float64
	Values                               []float64
}

func (c initCase) f(name string, def float64) float64 {
	if v, ok := c.Kwargs[name].(float64); ok {
		return v
	}
	return def
}

func (c initCase) s(name string) string { v, _ := c.Kwargs[name].(string); return v }

// fill fills a tensor by PyTorch's name and keywords.
func (c initCase) fill(t *testing.T, x *lucid.Tensor) {
	gain := nninit.GainOptions{Gain: new(c.f("gain", 1))}
	kaiming := nninit.KaimingOptions{A: c.f("a", 0), Mode: c.s("mode"), Nonlinearity: c.s("nonlinearity")}
	switch c.Op {
	case "uniform":
		nninit.Uniform_(x, c.f("a", 0), c.f("b", 1))
	case "normal":
		nninit.Normal_(x, c.f("mean", 0), c.f("std", 1))
	case "trunc_normal":
		nninit.TruncNormal_(x, c.f("mean", 0), c.f("std", 1), c.f("a", -2), c.f("b", 2))
	case "xavier_uniform":
		nninit.XavierUniform_(x, gain)
	case "xavier_normal":
		nninit.XavierNormal_(x, gain)
	case "orthogonal":
		nninit.Orthogonal_(x, gain)
	case "kaiming_uniform":
		nninit.KaimingUniform_(x, kaiming)
	case "kaiming_normal":
		nninit.KaimingNormal_(x, kaiming)
	case "sparse":
		nninit.Sparse_(x, c.f("sparsity", 0), c.f("std", 0.01))
	case "constant":
		nninit.Constant_(x, c.f("val", 0))
	case "zeros":
		nninit.Zeros_(x)
	case "ones":
		nninit.Ones_(x)
	case "eye":
		nninit.Eye_(x)
	case "dirac":
		nninit.Dirac_(x, int(c.f("groups", 1)))
	default:
		t.Fatalf("no init %s", c.Op)
	}
}

func read(t *testing.T) (f struct {
	Cases []initCase
	Gains map[string]float64
}) {
	raw, err := os.ReadFile("../testdata/inits.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// Our numbers and PyTorch's are two samples of one distribution: their moments differ by no more than six standard
// errors of the difference, bounds hold, and the same seed gives the same numbers.
func TestMoments(t *testing.T) {
	list := read(t).Cases
	if len(list) < 60 {
		t.Fatalf("%d cases", len(list))
	}
	for i, c := range list {
		t.Run(fmt.Sprint(c.Op, "/", i), func(t *testing.T) {
			lucid.Seed(uint64(i))
			x := lucid.With{DType: lucid.Float64}.Zeros(c.Shape...)
			c.fill(t, x)
			v := lucid.ToSlice[float64](x)
			if c.Values != nil {
				if !slices.Equal(v, c.Values) {
					t.Errorf("%v: %v; want %v", c.Kwargs, v, c.Values)
				}
				return
			}
			lucid.Seed(uint64(i))
			y := lucid.With{DType: lucid.Float64}.Zeros(c.Shape...)
			c.fill(t, y)
			if !lucid.Equal(x, y) {
				t.Error("the same seed gave other numbers")
			}
			compareMoments(t, c, v)
		})
	}
}

func compareMoments(t *testing.T, c initCase, v []float64) {
	n := float64(len(v))
	mean, zeros := 0.0, 0.0
	for _, x := range v {
		mean += x / n
		if x == 0 {
			zeros++
		}
	}
	m2, m4 := 0.0, 0.0
	for _, x := range v {
		d := (x - mean) * (x - mean)
		m2 += d / n
		m4 += d * d / n
	}
	std, kurt := math.Sqrt(m2), m4/(m2*m2)
	// Standard errors of mean, deviation and kurtosis of n numbers, twice for the difference.
	if e := 6 * math.Sqrt2 * c.Std / math.Sqrt(n); math.Abs(mean-c.Mean) > e {
		t.Errorf("%v: mean %v; want %v within %v", c.Kwargs, mean, c.Mean, e)
	}
	if e := 6 * math.Sqrt2 * c.Std * math.Sqrt((c.Kurtosis-1)/4/n); math.Abs(std-c.Std) > e {
		t.Errorf("%v: deviation %v; want %v within %v", c.Kwargs, std, c.Std, e)
	}
	if e := 6 * math.Sqrt2 * math.Sqrt(24/n) * max(1, c.Kurtosis*c.Kurtosis/9); math.Abs(kurt-c.Kurtosis) > e {
		t.Errorf("%v: kurtosis %v; want %v within %v", c.Kwargs, kurt, c.Kurtosis, e)
	}
	if c.Op == "sparse" && zeros != math.Round(c.Zeros*n) {
		t.Errorf("%v: %v are zero; want %v", c.Kwargs, zeros, math.Round(c.Zeros*n))
	}
	if strings.Contains(c.Op, "uniform") || c.Op == "trunc_normal" { // bounded: the ends of so many numbers are near the bounds
		span := c.Max - c.Min
		if low, high := slices.Min(v), slices.Max(v); math.Abs(low-c.Min) > 0.01*span || math.Abs(high-c.Max) > 0.01*span {
			t.Errorf("%v: from %v to %v; want %v to %v", c.Kwargs, low, high, c.Min, c.Max)
		}
	}
}

func TestGains(t *testing.T) {
	for name, want := range read(t).Gains {
		name, slope, ok := strings.Cut(name, " ")
		got := nninit.CalculateGain(name)
		if ok {
			var p float64
			fmt.Sscan(slope, &p)
			got = nninit.CalculateGain(name, p)
		}
		if math.Abs(got-want) > 1e-15*want {
			t.Errorf("%s: %v; want %v", name, got, want)
		}
	}
}

func TestOrthogonal(t *testing.T) {
	for _, s := range [][]int{{5, 8}, {8, 5}, {6, 6}, {4, 2, 3}} {
		x := nninit.Orthogonal_(lucid.With{DType: lucid.Float64}.Zeros(s...), nninit.GainOptions{Gain: new(3.0)})
		m := x.Reshape(s[0], -1)
		if m.Size(0) > m.Size(1) {
			m = m.Transpose(0, 1)
		}
		if !lucid.AllClose(m.MatMul(m.Transpose(0, 1)), lucid.With{DType: lucid.Float64}.Eye(m.Size(0)).Mul(9),
			lucid.CloseOptions{ATol: new(1e-9)}) {
			t.Errorf("%v: rows are not orthogonal", s)
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, f := range map[string]func(){
		"no fans":   func() { nninit.XavierUniform_(lucid.Zeros(3)) },
		"eye":       func() { nninit.Eye_(lucid.Zeros(3)) },
		"dirac":     func() { nninit.Dirac_(lucid.Zeros(3, 3), 1) },
		"groups":    func() { nninit.Dirac_(lucid.Zeros(3, 3, 3), 2) },
		"gain":      func() { nninit.CalculateGain("swish") },
		"mode":      func() { nninit.KaimingNormal_(lucid.Zeros(2, 2), nninit.KaimingOptions{Mode: "fan"}) },
		"vector":    func() { nninit.Orthogonal_(lucid.Zeros(3)) },
		"no matrix": func() { nninit.Sparse_(lucid.Zeros(3), 0.1, 1) },
		"sparsity":  func() { nninit.Sparse_(lucid.Zeros(3, 3), 1.5, 1) },
		"interval":  func() { nninit.TruncNormal_(lucid.Zeros(3), 0, 1, 2, -2) },
		"deviation": func() { nninit.Normal_(lucid.Zeros(3), 0, -1) },
	} {
		if lucid.Try(f) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
