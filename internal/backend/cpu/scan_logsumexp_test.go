package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// TestLogCumSumExpRows holds rows of several tiles against the reference: numbers near each other and further apart than exponentials
// reach, and what is not a number in every tile.
func TestLogCumSumExpRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	inf := math.Inf(1)
	odd := map[string][]float64{"numbers": nil, "none": {-inf}, "infinite": {inf}, "NaN": {math.NaN()}, "all": {inf, -inf, math.NaN()}}
	for _, n := range []int{1, 255, 256, 257, 900} {
		for _, spread := range []float64{0.01, 1, 30, 400, 1e30} {
			for name, special := range odd {
				x := fresh(dtype.Float32, shape.Of("test", 3, n))
				for i := range x.Numel() {
					v := spread * r.NormFloat64()
					if len(special) > 0 && (r.IntN(200) == 0 || i > n && i < n+300) {
						v = special[r.IntN(len(special))]
					}
					x.DType.Put(x.Buf.Mem, i, dtype.Scalar{Kind: dtype.KindFloat, F: v})
				}
				t.Run(fmt.Sprint(n, spread, name), func(t *testing.T) {
					for _, back := range []bool{false, true} {
						compareWithRef(t, "logcumsumexp", attr.Scan{Axis: 1, Reverse: back}, []backend.View{x},
							backend.View{DType: x.DType, Shape: x.Shape})
					}
				})
			}
		}
	}
}
