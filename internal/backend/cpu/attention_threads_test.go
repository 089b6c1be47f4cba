package cpu

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// TestAttentionThreads: heads that pack their keys themselves, and those whose keys are packed for all blocks, give the same bits. Which it
// is depends on the number of threads.
func TestAttentionThreads(t *testing.T) {
	const h, e = 5, 24
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16} {
		for _, s := range []int{32, 129, 200} {
			for _, causal := range []bool{false, true} {
				filled := func(seed int) backend.View {
					v := outputOf(d, []int{1, h, s, e})
					for i := range v.Numel() {
						d.Put(v.Buf.Mem, i, dtype.Scalar{Kind: dtype.KindFloat, F: float64((i*37+seed)%101)*0.02 - 1})
					}
					return v
				}
				mask := outputOf(dtype.Bool, []int{1, 1, 1, s})
				for i := range s {
					mask.Buf.Mem[i] = byte(min(1, i%7))
				}
				mask.Shape, mask.Lay = shape.Of("attention", 1, h, s, s), &shape.Layout{Strides: []int{0, 0, 0, 1}}
				in := []backend.View{filled(1), filled(2), filled(3), mask}
				run := func(threads int) (out []backend.View) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
					out = []backend.View{outputOf(d, []int{1, h, s, e}), outputOf(dtype.Float32, []int{1, h, s})}
					if d == dtype.Float64 {
						out[1] = outputOf(d, []int{1, h, s})
					}
					if err := attention(testCtx(), attr.Attention{Scale: 0.2, Causal: causal}, out, in); err != nil {
						t.Fatal(err)
					}
					return out
				}
				alone, shared := run(1), run(8)
				for i := range alone {
					if !bytes.Equal(alone[i].Bytes(), shared[i].Bytes()) {
						t.Errorf("%v, %d keys, causal %v: result %d has other bits with 8 threads than with one", d, s, causal, i)
					}
				}
			}
		}
	}
}
