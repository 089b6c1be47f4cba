package cpu

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// TestAttentionReach: keys behind the last one that a row sees cost nothing and change no bit, be they numbers or not.
func TestAttentionReach(t *testing.T) {
	const n, h, g, e, f = 1, 4, 2, 24, 40
	r := rand.New(rand.NewPCG(1, 3))
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16} {
		for _, l := range []int{1, 3, 70} {
			for _, seen := range []int{0, 1, 63, 64, 65, 300, 700, 1500} {
				run := func(s int, poison bool) []byte {
					r = rand.New(rand.NewPCG(1, uint64(seen)))
					random := func(dims ...int) backend.View {
						v := outputOf(d, dims)
						for i := range v.Numel() {
							d.Put(v.Buf.Mem, i, dtype.Scalar{Kind: dtype.KindFloat, F: r.NormFloat64()})
						}
						return v
					}
					q := random(n, h, l, e)
					cut := func(x backend.View, w int) backend.View { // the first s of 1536 rows
						x.Shape, x.Lay = shape.Of("test", n, g, s, w), &shape.Layout{Strides: []int{g * 1536 * w, 1536 * w, w, 1}}
						return x
					}
					k, v := cut(random(n, g, 1536, e), e), cut(random(n, g, 1536, f), f)
					mask := outputOf(dtype.Bool, []int{1, 1, l, s})
					clear(mask.Bytes())
					for i := range l {
						for j := range max(0, seen-l+i+1) {
							mask.Bytes()[i*s+j] = 1
						}
					}
					if poison { // what a cache holds behind its text
						for j := (seen + reachStep - 1) / reachStep * reachStep; j < s; j++ {
							for i := range e {
								d.Put(k.Buf.Mem, j*e+i, dtype.Scalar{Kind: dtype.KindFloat, F: 1e30})
							}
						}
					}
					sums := d
					if d.IsHalf() {
						sums = dtype.Float32
					}
					out := []backend.View{outputOf(d, []int{n, h, l, f}), outputOf(sums, []int{n, h, l})}
					if err := attention(testCtx(), attr.Attention{Scale: 0.2}, out, []backend.View{q, k, v, mask}); err != nil {
						t.Fatal(err)
					}
					return bytes.Clone(out[0].Bytes())
				}
				want := run(1536, false)
				if !bytes.Equal(run(1536, true), want) {
					t.Errorf("%v, %d rows, %d keys seen: keys behind them change the result", d, l, seen)
				}
				for _, s := range []int{64, 128, 512, 1024} {
					if s >= seen && !bytes.Equal(run(s, false), want) {
						t.Errorf("%v, %d rows, %d keys seen: %d keys and 1536 give different bits", d, l, seen, s)
					}
				}
			}
		}
	}
}

// TestAttentionSpans: a boolean mask, of which keys that no row of a tile sees are not read, gives the bits of the same mask in numbers, of
// which all are read.
func TestAttentionSpans(t *testing.T) {
	const n, h, g, s, e, f = 2, 8, 2, 1200, 16, 40
	r := rand.New(rand.NewPCG(1, 4))
	masks := map[string]func(b, h, i, j int) bool{
		"causal":            func(_, _, i, j int) bool { return j <= i+s-150 },
		"heads, one row":    func(_, h, _, j int) bool { return j/64 == h || j/64 == 10+h },
		"a window":          func(_, _, i, j int) bool { return j <= i+900 && j > i+850 },
		"first keys":        func(_, _, i, j int) bool { return j <= i },
		"another each head": func(b, h, i, j int) bool { return j >= 100*h+300*b && j < 520*(h+1)-i },
		"nothing for some":  func(_, _, i, j int) bool { return i%40 > 15 && j > 600 && j < 700 },
		"holes":             func(_, _, i, j int) bool { return (i+j)/90%3 == 0 },
	}
	for _, l := range []int{1, 2, 150} {
		for _, d := range []dtype.DType{dtype.Float32, dtype.Float64} {
			random := func(dims ...int) backend.View {
				v := outputOf(d, dims)
				for i := range v.Numel() {
					d.Put(v.Buf.Mem, i, dtype.Scalar{Kind: dtype.KindFloat, F: r.NormFloat64()})
				}
				return v
			}
			q, k, v := random(n, h, l, e), random(n, g, s, e), random(n, g, s, f)
			for name, sees := range masks {
				flags, numbers := outputOf(dtype.Bool, []int{n, h, l, s}), outputOf(dtype.Float64, []int{n, h, l, s})
				low := backend.Slice[float64](numbers)
				for i := range low {
					flags.Bytes()[i], low[i] = 1, 0
					if !sees(i/s/l/h, i/s/l%h, i/s%l, i%s) {
						flags.Bytes()[i], low[i] = 0, math.Inf(-1)
					}
				}
				run := func(mask backend.View) [2][]byte {
					out := []backend.View{outputOf(d, []int{n, h, l, f}), outputOf(d, []int{n, h, l})}
					if err := attention(testCtx(), attr.Attention{Scale: 0.2}, out, []backend.View{q, k, v, mask}); err != nil {
						t.Fatal(err)
					}
					return [2][]byte{out[0].Bytes(), out[1].Bytes()}
				}
				got, want := run(flags), run(numbers)
				for i, what := range []string{"results", "logarithms"} {
					if !bytes.Equal(got[i], want[i]) {
						t.Errorf("%v, %d rows, %s: other %s than with the mask in numbers", d, l, name, what)
					}
				}
			}
		}
	}
}
