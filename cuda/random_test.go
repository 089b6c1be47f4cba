package cuda

import (
	"fmt"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/distributions"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestRandom compares random numbers with the CPU's: fused RNG with any length of the two parts, and numbers that are
// stored first because they are outputs too, have another layout, are reduced, or have several keys.
func TestRandom(t *testing.T) {
	dev := gpu(t)
	p := 0.3
	chance := []float64{0, 0.25, 1, 0.5, 0.75}
	for name, f := range map[string]func(n int) *lucid.Tensor{
		"uniform":    func(n int) *lucid.Tensor { return lucid.Rand(n) },
		"of doubles": func(n int) *lucid.Tensor { return lucid.Rand(n).To(lucid.Float64).Add(rand64(n)) },
		"between":    func(n int) *lucid.Tensor { return lucid.Rand(n).Mul(3).Sub(1) },
		"dropout": func(n int) *lucid.Tensor {
			return F.Dropout(lucid.Arange(0, n, 1).To(lucid.Float32), F.DropoutOptions{P: &p})
		},
		"columns": func(n int) *lucid.Tensor { return lucid.Rand(n, 6).Mul(lucid.Arange(0, 6, 1)) },
		"transposed": func(n int) *lucid.Tensor {
			return lucid.Rand(n, 6).Add(lucid.Arange(0, 6*n, 1).Reshape(6, n).Transpose(0, 1))
		},
		"of bfloat16": func(n int) *lucid.Tensor { return lucid.Rand(n).To(lucid.BFloat16) },
		"a mask":      func(n int) *lucid.Tensor { return lucid.Rand(n, 5).Lt(lucid.New(chance, 5).To(lucid.Float32)) },
		"bernoulli":   func(n int) *lucid.Tensor { return lucid.Bernoulli(lucid.Full([]int{n}, 0.4)) },
		"integers":    func(n int) *lucid.Tensor { return lucid.RandInt(-5, 1000, n) },
		"few":         func(n int) *lucid.Tensor { return lucid.RandInt(0, 3, n).To(lucid.Int32) },
		"permuted":    func(n int) *lucid.Tensor { return lucid.RandPerm(n) },
		"two":         func(n int) *lucid.Tensor { return lucid.Rand(n).Sub(lucid.Rand(n)) },
	} {
		for _, n := range []int{1, 2, 5, 12, 1000, 4097, 5000} {
			for _, compiled := range []bool{false, true} {
				var got [2][]float64
				for k, d := range []lucid.Device{lucid.CPU, dev} {
					lucid.Seed(11)
					lucid.WithDevice(d, func() {
						g := f
						if compiled {
							g = func(n int) *lucid.Tensor {
								h := lucid.Compile(func([]*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{f(n)} })
								h(nil)
								return h(nil)[0]
							}
						}
						x := g(n)
						if x.Device() != d {
							t.Fatalf("%s: made on %v, want %v", name, x.Device(), d)
						}
						got[k] = lucid.ToSlice[float64](x.To(lucid.Float64))
					})
				}
				for i := range got[0] {
					if got[0][i] != got[1][i] {
						t.Fatalf("%s, %d numbers, compiled %v: the %d-th is %v on the CPU, %v on the GPU", name, n, compiled, i,
							got[0][i], got[1][i])
					}
				}
			}
		}
	}
}

// rand64 is 64-bit numbers.
func rand64(n int) (x *lucid.Tensor) {
	old := lucid.DefaultDType()
	lucid.SetDefaultDType(lucid.Float64)
	defer lucid.SetDefaultDType(old)
	return lucid.Rand(n)
}

// TestNormal compares with the CPU's numbers up to the last bits of erfinv, and checks that they are normal.
func TestNormal(t *testing.T) {
	dev := gpu(t)
	const n = 1 << 16
	var got [2][]float64
	for k, d := range []lucid.Device{lucid.CPU, dev} {
		lucid.Seed(3)
		lucid.WithDevice(d, func() { got[k] = lucid.ToSlice[float64](lucid.Randn(n).To(lucid.Float64)) })
	}
	sum, square := 0.0, 0.0
	for i, v := range got[1] {
		if math.Abs(v-got[0][i]) > 1e-5*(1+math.Abs(v)) {
			t.Fatal(fmt.Sprintf("the %d-th is %v on the CPU, %v on the GPU", i, got[0][i], v))
		}
		sum, square = sum+v, square+v*v
	}
	if m, v := sum/n, square/n; math.Abs(m) > 0.02 || math.Abs(v-1) > 0.02 {
		t.Errorf("mean %v, variance %v", m, v)
	}
}

// TestSamples compares samplers that draw again where the first attempt fails with the CPU: several numbers a thread, rows that are
// shorter and longer than a warp, and rows of tiny numbers.
func TestSamples(t *testing.T) {
	dev := gpu(t)
	for name, f := range map[string]func() *lucid.Tensor{
		"gamma": func() *lucid.Tensor { return distributions.NewGamma(lucid.Rand(300001).Mul(3).Add(0.05), 1.0).Sample() },
		"beta": func() *lucid.Tensor {
			return distributions.NewBeta(lucid.Rand(150001).Mul(3).Add(0.05), lucid.Rand(150001).Add(0.5)).Sample()
		},
		"dirichlet": func() *lucid.Tensor { return distributions.NewDirichlet(lucid.Rand(30001, 5).Add(0.3)).Sample() },
		"tiny": func() *lucid.Tensor {
			return distributions.NewDirichlet(lucid.Rand(30001, 3).Mul(0.01).Add(1e-4)).Sample()
		},
		"long":   func() *lucid.Tensor { return distributions.NewDirichlet(lucid.Rand(301, 70).Add(0.3)).Sample() },
		"normal": func() *lucid.Tensor { return distributions.NewNormal(lucid.Rand(5000), 2.0).Sample() },
	} {
		var got [2][]float32
		for k, d := range []lucid.Device{lucid.CPU, dev} {
			lucid.Seed(7)
			lucid.WithDevice(d, func() { got[k] = lucid.ToSlice[float32](f()) })
		}
		for i := range got[0] {
			if got[0][i] != got[1][i] {
				t.Errorf("%s: the %d-th is %v on the CPU, %v on the GPU", name, i, got[0][i], got[1][i])
				break
			}
		}
	}
}
