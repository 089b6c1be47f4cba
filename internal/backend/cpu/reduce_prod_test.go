package cpu

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// TestProdRuns holds products of long rows against exact ones: every length around the lanes, odd splits of the tree, and
// more than a tile; and a zero, an infinity or a NaN wherever it is.
func TestProdRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	var lengths []int
	for n := runFrom - 9; n <= runFrom+33; n++ {
		lengths = append(lengths, n)
	}
	lengths = append(lengths, 511, 512, 513, 1000, tileElems-1, tileElems, tileElems+1, 2*tileElems+runFrom+5)
	asmvariant.ForEach(t, "simd", func(variant string) {
		for _, d := range []dtype.DType{dtype.Float32, dtype.Float64} {
			for _, n := range lengths {
				x := fresh(d, shape.Of("test", n))
				exact := big.NewFloat(1).SetPrec(200)
				for i := range n {
					v := math.Exp((r.Float64() - 0.5) / 4)
					if d == dtype.Float32 {
						v = float64(float32(v))
					}
					if r.IntN(2) == 0 {
						v = -v
					}
					d.Put(x.Buf.Mem, i, dtype.Scalar{Kind: dtype.KindFloat, F: v})
					exact.Mul(exact, big.NewFloat(v).SetPrec(200))
				}
				want, _ := exact.Float64()
				eps := float64(n) * 0x1p-53
				if d == dtype.Float32 {
					eps = 0x1p-23
				}
				if got := prodOfView(t, x); !(math.Abs(got-want) <= eps*math.Abs(want)) {
					t.Fatalf("%s, %v, %d elements: %v, want %v", variant, d, n, got, want)
				}
				for _, odd := range []float64{0, math.Inf(1), math.NaN()} {
					at := r.IntN(n)
					old := d.Get(x.Buf.Mem, at)
					d.Put(x.Buf.Mem, at, dtype.Scalar{Kind: dtype.KindFloat, F: odd})
					want := math.Copysign(1, want) * math.Copysign(1, old.F) * odd
					if got := prodOfView(t, x); got != want && (got == got || want == want) {
						t.Fatalf("%s, %v, %d elements, %v at %d: %v, want %v", variant, d, n, odd, at, got, want)
					}
					d.Put(x.Buf.Mem, at, old)
				}
			}
		}
	})
}

func prodOfView(t *testing.T, x backend.View) float64 {
	t.Helper()
	z := fresh(x.DType, shape.Of("test"))
	runKernel(t, "prod", attr.Axes{Axes: attr.MakeInts(0)}, []backend.View{z}, x)
	return x.DType.Get(z.Buf.Mem, 0).F
}
