package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/par"
	"github.com/lucid-go/lucid/internal/shape"
)

// Images that are transformed in scratch, and go around the cache from there, have the bits of those that do not. Rows of 17 and 129 bins
// are no whole vectors; nor are images of 9000 numbers, the last ones, of which all are too large for the cache.
func TestTransformsAroundTheCache(t *testing.T) {
	defer func(old int) { StreamFrom = old }(StreamFrom)
	ctx := &backend.Ctx{For: par.For}
	r := rand.New(rand.NewPCG(1, 1))
	run := func(op string, a attr.Attr, in backend.View, out *shape.Shape) []byte {
		t.Helper()
		b := make([]byte, 8*out.Numel())
		z := backend.View{Buf: mem.FromGo(b), DType: dtype.Complex64, Shape: out}
		if err := Device.Table[op](ctx, a, []backend.View{z}, []backend.View{in}); err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, d := range [][]int{{5, 24, 32}, {3, 256, 256}, {2, 8, 16, 256}, {16, 128, 96}, {24, 100, 90}} {
		n, rank := 1, len(d)
		for _, v := range d {
			n *= v
		}
		x := make([]float32, 2*n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		m := d[rank-1]
		bins := append(append([]int(nil), d[:rank-1]...), m/2+1)
		var axes []int
		for a := 1; a < rank; a++ {
			axes = append(axes, a)
		}
		complexIn := hostView(x, shape.Of("test", append(append([]int(nil), d...), 2)...))
		complexIn.DType, complexIn.Shape = dtype.Complex64, shape.Of("test", d...)
		calls := func() (all [][]byte) {
			all = append(all, run("fft_c2c", attr.FFT{Axes: attr.MakeInts(axes...), Scale: 0.5}, complexIn, complexIn.Shape))
			all = append(all, run("fft_c2c", attr.FFT{Axes: attr.MakeInts(rank - 1), Inverse: true, Scale: 1}, complexIn, complexIn.Shape))
			whole := attr.FFT{Axes: attr.MakeInts(append([]int{0}, axes...)...), Inverse: true, Scale: 0.5}
			all = append(all, run("fft_c2c", whole, complexIn, complexIn.Shape))
			half := attr.HalfFFT{N: m, Axis: rank - 1, Scale: 1, Middle: 1, Others: attr.MakeInts(axes[:len(axes)-1]...)}
			all = append(all, run("fft_r2c", half, hostView(x[:n], shape.Of("test", d...)), shape.Of("test", bins...)))
			half.Inverse = true
			all = append(all, run("fft_r2c", half, hostView(x[:n], shape.Of("test", d...)), shape.Of("test", bins...)))
			half.Others = attr.MakeInts()
			return append(all, run("fft_r2c", half, hostView(x[:n], shape.Of("test", d...)), shape.Of("test", bins...)))
		}
		asmvariant.ForEach(t, "internal/backend/cpu/fft", func(name string) {
			StreamFrom = 1 << 40
			want := calls()
			StreamFrom = 1
			for k, got := range calls() {
				for i := range got {
					if got[i] != want[k][i] {
						t.Fatalf("%s: %v, call %d: byte %d differs", name, d, k, i)
					}
				}
			}
		})
	}
}
