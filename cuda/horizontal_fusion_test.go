package cuda

import (
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestHorizontalFusion updates many parameters by one launch, also more than one launch's parameters hold, eagerly and
// captured. The bits are those of updates evaluated one by one.
func TestHorizontalFusion(t *testing.T) {
	dev := gpu(t)
	for _, count := range []int{2, 3, 148, 700} {
		for _, d := range []lucid.DType{lucid.Float32, lucid.BFloat16} {
			var want [][]float64
			for _, how := range []string{"alone", "eager", "compiled"} {
				got := joined(t, dev, d, count, how)
				if want == nil {
					want = got
				}
				for i := range want {
					if !slices.Equal(want[i], got[i]) {
						t.Fatalf("%d parameters in %v, %s: number %d is %v, alone %v", count, d, how, i, got[i][:min(4, len(got[i]))],
							want[i][:min(4, len(want[i]))])
					}
				}
			}
		}
	}
}

// joined makes steps of AdamW over so many parameters and returns their values.
func joined(t *testing.T, dev lucid.Device, d lucid.DType, count int, how string) (all [][]float64) {
	lucid.Seed(7)
	var params, grads, mean, square []*lucid.Tensor
	for i := range count {
		n := []int{64, 1, 3, 0, 1000, 4099, 300}[i%7] + i%5
		p := lucid.Randn(n).To(dev)
		g := lucid.Randn(n + 1).To(dev).To(d)
		lucid.Eval(p, g)
		if g = g.Narrow(0, i%2, n); i%11 == 5 { // unaligned, and strided
			g = lucid.Randn(n, 2).To(dev).To(d).Eval().Transpose(0, 1).Select(0, 0)
		}
		params, grads, mean, square = append(params, p), append(grads, g), append(mean, lucid.ZerosLike(p).Eval()),
			append(square, lucid.ZerosLike(p).Eval())
	}
	step := func(rate *lucid.Tensor) *lucid.Tensor {
		for i, p := range params {
			g := grads[i].To(lucid.Float32)
			mean[i].Mul_(0.9).Add_(g.Mul(0.1))
			square[i].Mul_(0.99).Add_(g.Square().Mul(0.01))
			p.Sub_(p.Mul(0.01).Add(mean[i].Div(square[i].Sqrt().Add(1e-6))).Mul(rate))
		}
		return rate.Add(1)
	}
	if how == "compiled" {
		step = lucid.Compile(step)
	}
	for k := range 4 {
		rate := lucid.Scalar(0.01 * float64(k+1)).To(dev).To(lucid.Float32).Eval()
		step(rate)
		switch state := slices.Concat(params, mean, square); how {
		case "alone":
			for i := range params {
				if err := lucid.Eval(params[i], mean[i], square[i]); err != nil {
					t.Fatal(err)
				}
			}
		case "eager":
			if err := lucid.Eval(state...); err != nil {
				t.Fatal(err)
			}
		}
	}
	if how == "compiled" {
		for _, g := range lucid.Explain(step).Graphs {
			if !strings.HasPrefix(g, "recorded: 2 launches") && !strings.HasPrefix(g, "recorded: 3 launches") {
				t.Errorf("%d parameters in %v: %s", count, d, g)
			}
		}
	}
	for _, x := range slices.Concat(params, mean, square) {
		all = append(all, lucid.ToSlice[float64](x))
	}
	return all
}
