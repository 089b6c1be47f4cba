package cuda

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestMoves compares gathers, scatters and copies with the CPU in cases that small shapes do not reach: several elements a
// thread, segments of long slices, many values for few indices.
func TestMoves(t *testing.T) {
	dev := gpu(t)
	lucid.Seed(8)
	x := lucid.RandInt(-100, 100, 7, 61, 67, 5).Eval()
	wide := lucid.Randn(9, 4099).Eval()
	tall := lucid.RandInt(0, 9, 70000).Eval()
	picture := lucid.Randn(2, 12, 33, 31).Eval()
	grid := lucid.Rand(2, 20, 21, 2).Mul(2.4).Sub(1.2).Eval()
	for name, f := range map[string]func(on func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor{
		"windows": func(on func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			return on(x).Unfold(1, 3, 1).Unfold(2, 3, 2).Contiguous()
		},
		"windows of bytes": func(on func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			return on(x.To(lucid.Int8)).Unfold(1, 3, 1).Contiguous()
		},
		"windows of bfloat16": func(on func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			return on(x.To(lucid.BFloat16)).Unfold(1, 5, 1).Contiguous()
		},
		"windows of complex numbers": func(on func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			return on(x.To(lucid.Complex64)).Unfold(1, 3, 1).Contiguous().Real()
		},
		"transposed": func(on func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			return on(x).Permute(2, 3, 0, 1).Contiguous()
		},
		"upside down": func(on func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor { return on(x).Flip(1, 3).Contiguous() },
		"long slices": func(on func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			return on(wide).IndexSelect(0, on(tall.Narrow(0, 3, 40)))
		},
		"of columns": func(on func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			return on(wide).Transpose(0, 1).IndexSelect(1, on(tall.Narrow(0, 3, 40)))
		},
		"gathered": func(on func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			return on(wide).Gather(0, on(tall.Narrow(0, 0, 9*4000).Reshape(9, 4000)))
		},
		"gathered, 3": func(on func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			return on(x.Reshape(7, 61, 335)).Transpose(1, 2).Gather(2, on(tall.Narrow(0, 0, 7*300*9).Reshape(7, 300, 9)))
		},
		"bincount": func(on func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor { return lucid.Bincount(on(tall)) },
		"histc": func(on func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			return on(tall.To(lucid.Float32).Mul(0.37)).Histc(13)
		},
		"sums": func(on func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			return on(lucid.Ones(9)).IndexAdd(0, on(tall), on(tall.To(lucid.Float32)))
		},
		"sums of many": func(on func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			return on(lucid.Ones(9, 4)).ScatterAdd(0, on(tall.Reshape(-1, 4)), on(tall.To(lucid.Float32).Reshape(4, -1)).Transpose(0, 1))
		},
		"bilinear": func(on func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			return F.Interpolate(on(picture), F.InterpolateOptions{Size: []int{50, 64}, Mode: "bilinear"})
		},
		"bicubic": func(on func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			return F.Interpolate(on(picture), F.InterpolateOptions{Size: []int{20, 77}, Mode: "bicubic"})
		},
		"grid_sample": func(on func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			return F.GridSample(on(picture), on(grid))
		},
	} {
		want := f(func(x *lucid.Tensor) *lucid.Tensor { return x })
		got := f(func(x *lucid.Tensor) *lucid.Tensor { return x.To(dev) }).To(lucid.CPU)
		tol := 0.0
		if name == "bilinear" || name == "bicubic" || name == "grid_sample" {
			tol = 1e-5
		}
		if fmt.Sprint(got.Shape()) != fmt.Sprint(want.Shape()) ||
			!lucid.AllClose(got.To(lucid.Float64), want.To(lucid.Float64), lucid.CloseOptions{RTol: &tol, ATol: &tol}) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	// Under Deterministic, floats are added in the order of their indices.
	at, src := tall.To(dev), lucid.Randn(70000).To(dev).Eval()
	var bits [][]float32
	for range 10 {
		lucid.Deterministic(func() { bits = append(bits, lucid.ToSlice[float32](lucid.Zeros(9).To(dev).ScatterAdd(0, at, src))) })
		if fmt.Sprint(bits[0]) != fmt.Sprint(bits[len(bits)-1]) {
			t.Fatalf("%v, then %v", bits[0], bits[len(bits)-1])
		}
	}
}

// TestSetSlices writes rows to a cache as language models do: up to some thousand positions, of which some come twice, from rows in another
// order.
func TestSetSlices(t *testing.T) {
	dev := gpu(t)
	for _, count := range []int{1, 3, 64, 700, 5000} {
		lucid.Seed(5)
		x, src := lucid.Randn(1, 3, 4000, 24), lucid.Randn(1, count, 3, 24)
		at := lucid.RandInt(0, 4000, count)
		run := func(dev lucid.Device) []float32 {
			return lucid.ToSlice[float32](x.To(dev).IndexCopy(2, at.To(dev), src.To(dev).Transpose(1, 2)).To(lucid.CPU).Reshape(-1))
		}
		if got, want := run(dev), run(lucid.CPU); !slices.Equal(got, want) {
			t.Errorf("%d positions: other values than on the CPU", count)
		}
	}
}
