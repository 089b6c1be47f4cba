package ops

import (
	"fmt"
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestBagsOfExamples: bags that begin at offsets are the same under VMap, whichever operands have an example's dimension, and so are
// their gradients.
func TestBagsOfExamples(t *testing.T) {
	lucid.Seed(3)
	const size, rows, terms, bags = 3, 6, 7, 4
	table, weights := lucid.Randn(size, rows, 5), lucid.Randn(size, terms)
	at := lucid.New([]int64{0, 5, 2, 2, 1, 3, 0, 4, 4, 4, 0, 1, 2, 3, 5, 0, 5, 1, 3, 2, 2}, size, terms)
	offsets := lucid.New([]int64{0, 2, 2, 6, 0, 0, 7, 7, 0, 3, 4, 5}, size, bags)
	all := []*lucid.Tensor{table, at, offsets, weights}
	bag := func(in ...*lucid.Tensor) *lucid.Tensor {
		return F.EmbeddingBag(in[1], in[0], F.EmbeddingBagOptions{Offsets: in[2], PerSampleWeights: in[3], Mode: "sum"})
	}
	for mask := 1; mask < 16; mask++ {
		t.Run(fmt.Sprintf("%04b", mask), func(t *testing.T) {
			in, axes := make([]*lucid.Tensor, 4), make([]int, 4)
			for k, x := range all {
				if in[k], axes[k] = x, 0; mask>>k&1 == 0 {
					in[k], axes[k] = x.Select(0, 0), lucid.NoAxis
				}
			}
			example := func(i int) []*lucid.Tensor {
				one := make([]*lucid.Tensor, 4)
				for k, x := range in {
					if one[k] = x; mask>>k&1 == 1 {
						one[k] = x.Select(0, i)
					}
				}
				return one
			}
			f := func(a, b, c, d *lucid.Tensor) *lucid.Tensor { return bag(a, b, c, d) }
			g := lucid.Grad(func(a, b, c, d *lucid.Tensor) *lucid.Tensor { return bag(a, b, c, d).Square().Sum() })
			got := lucid.VMap(f, lucid.VMapOptions{In: axes})(in[0], in[1], in[2], in[3])
			slopes := lucid.VMap(g, lucid.VMapOptions{In: axes})(in[0], in[1], in[2], in[3])
			for i := range size {
				one := example(i)
				if want := bag(one...); !lucid.AllClose(got.Select(0, i), want) {
					t.Errorf("example %d: %v; want %v", i, got.Select(0, i), want)
				}
				if want := g(one[0], one[1], one[2], one[3]); !lucid.AllClose(slopes.Select(0, i), want) {
					t.Errorf("gradient of example %d: %v; want %v", i, slopes.Select(0, i), want)
				}
			}
		})
	}
}
