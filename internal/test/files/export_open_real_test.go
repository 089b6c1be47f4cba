package files

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

// openReal are functions whose numbers are minima, maxima, quotients in products or multiples of a number, and some that only cut and
// join: what sums, products and quotients of sizes do not give, or gave at small sizes alone.
func openReal() map[string]openCase {
	lucid.Seed(7)
	same := nn.NewConv2d(3, 2, []int{3}, nn.ConvOptions{Padding: "same"})
	table, k := lucid.Randn(64, 3), lucid.Randn(5, 3, 16, 16)
	vec := func(n, _ int) []*lucid.Tensor { return []*lucid.Tensor{lucid.Randn(n, 3)} }
	open := func(n int) []any { return []any{lucid.OpenDims(lucid.Zeros(n, 3), 0)} }
	two := func(n, m int) []*lucid.Tensor { return []*lucid.Tensor{lucid.Randn(n, 3), lucid.Randn(m, 3)} }
	openTwo := []any{lucid.OpenDims(lucid.Zeros(6, 3), 0), lucid.OpenDims(lucid.Zeros(9, 3), 0)}
	image := func(n, m int) []*lucid.Tensor { return []*lucid.Tensor{lucid.Randn(1, 3, n+32, m+32)} }
	openImage := []any{lucid.OpenDims(lucid.Zeros(1, 3, 40, 56), 2, 3)}
	rows := func(x *lucid.Tensor) int { return x.Size(0) }
	return map[string]openCase{
		"first five":      {func(x *lucid.Tensor) *lucid.Tensor { return x.At(lucid.Range{Stop: min(rows(x), 5)}) }, open(4), vec, 1, 0},
		"first five of 8": {func(x *lucid.Tensor) *lucid.Tensor { return x.Narrow(0, 0, min(rows(x), 5)).Sum(0) }, open(8), vec, 1, 0},
		"last five": {func(x *lucid.Tensor) *lucid.Tensor { return x.Narrow(0, max(rows(x)-5, 0), min(rows(x), 5)) },
			open(4), vec, 1, 0},
		"at most 512": {func(x *lucid.Tensor) *lucid.Tensor { return x.Narrow(0, 0, min(rows(x), 512)) }, open(4), vec, 1, 0},
		"mean of the last": {func(x *lucid.Tensor) *lucid.Tensor {
			return x.At(lucid.Range{Start: max(rows(x)-7, 0), Stop: rows(x)}).Mean(0)
		}, open(5), vec, 1, 0},
		"half, at most 9": {func(x *lucid.Tensor) *lucid.Tensor { return x.Narrow(0, 0, max(min(rows(x)/2, 9), 1)).CumSum(0) },
			open(6), vec, 1, 0},
		"clamped": {func(x *lucid.Tensor) *lucid.Tensor {
			return lucid.Arange(min(max(rows(x), 4), 20)).To(lucid.Float32).Mul(x.Mean())
		}, open(9), vec, 1, 0},
		"band": {func(x *lucid.Tensor) *lucid.Tensor {
			return lucid.Tril(lucid.Triu(x.MatMul(x.Transpose(0, 1)), lucid.TriOptions{Diagonal: -min(rows(x)-1, 4)}),
				lucid.TriOptions{Diagonal: min(rows(x)-1, 6)})
		}, open(5), vec, 0, 0},
		"multiple of 8": {func(x *lucid.Tensor) *lucid.Tensor {
			return F.Pad(x, []int{0, 0, 0, 1 + (8-rows(x)%8)%8}).Sin()
		}, open(5), vec, 1, 0},
		"chunks": {func(x *lucid.Tensor) *lucid.Tensor { return lucid.Chunk(x, 2, 0)[0] }, open(6), vec, 0, 0},
		"roll":   {func(x *lucid.Tensor) *lucid.Tensor { return x.Roll(3, 0) }, open(7), vec, 0, 0},
		"variance": {func(x *lucid.Tensor) *lucid.Tensor { return x.Var(0).Add(x.Square().Sum(0).Div(float64(rows(x) - 1))) },
			open(6), func(n, m int) []*lucid.Tensor { return vec(n+1, m) }, 0, 0},
		"windows": {func(x *lucid.Tensor) *lucid.Tensor {
			return x.Unfold(0, 4, 3).Reshape(-1).Div(float64((rows(x)-4)/3 + 1))
		}, open(10), vec, 4, 0},
		"table of 64 rows": {func(x *lucid.Tensor) *lucid.Tensor { return x.Add(table.Narrow(0, 0, rows(x))) }, open(16), vec, 1, 64},
		"longer of two": {func(x, y *lucid.Tensor) *lucid.Tensor {
			n := max(rows(x), rows(y))
			return F.Pad(x, []int{0, 0, 0, n + 1 - rows(x)}).Add(F.Pad(y, []int{0, 0, 0, n + 1 - rows(y)}))
		}, openTwo, two, 0, 0},
		"shorter of two": {func(x, y *lucid.Tensor) *lucid.Tensor {
			n := min(rows(x), rows(y))
			return x.Narrow(0, 0, n).Mul(y.Narrow(0, 0, n)).Mean(0)
		}, openTwo, two, 0, 0},
		"shorter of two and ten": {func(x, y *lucid.Tensor) *lucid.Tensor {
			n := min(rows(x), rows(y), 10)
			return x.Narrow(0, 0, n).MatMul(y.Transpose(0, 1).Narrow(1, 0, n)).Reshape(-1)
		}, openTwo, two, 0, 0},
		"patches": {func(x *lucid.Tensor) *lucid.Tensor {
			y, err := lucid.Call("conv2d", []*lucid.Tensor{x, k}, map[string]any{"stride": []int{16, 16}})
			if err != nil {
				panic(err)
			}
			return y[0].Flatten(2, 3).Transpose(1, 2)
		}, openImage, image, 0, 0},
		"pool, rounded up": {func(x *lucid.Tensor) *lucid.Tensor {
			return nn.NewMaxPool2d([]int{3}, F.MaxPoolOptions{Stride: []int{2}, CeilMode: true}).Forward(x).Flatten(1)
		}, openImage, image, 0, 0},
		"padded grid": {func(x *lucid.Tensor) *lucid.Tensor { return F.Pad(x, []int{1, 2, 3, 4}).Flatten() }, openImage, image, 0, 0},
		"same": {func(x *lucid.Tensor) *lucid.Tensor {
			return same.Forward(x).Flatten()
		}, openImage, image, 0, 0},
		"twice as large": {func(x *lucid.Tensor) *lucid.Tensor {
			return F.Interpolate(x, F.InterpolateOptions{ScaleFactor: []float64{2}})
		}, openImage, image, 0, 0},
	}
}

// TestExportOpenReal: functions of real models whose numbers are more than sums, products and quotients of sizes.
func TestExportOpenReal(t *testing.T) {
	for name, c := range openReal() {
		t.Run(name, func(t *testing.T) {
			c.check(t, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 19, 20, 21, 37, 63, 64, 65, 97, 513}, []int{1, 6, 10, 11, 23})
		})
	}
}
