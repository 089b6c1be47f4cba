package cpu

import (
	"bytes"
	"runtime"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
	"github.com/lucid-go/lucid/internal/testutil"
)

// TestAttentionCopies: operands whose rows are far apart are copied, into memory that serves the next call, too: a step of training has
// such a copy in each layer.
func TestAttentionCopies(t *testing.T) {
	const n, h, l, e, calls = 2, 10, 128, 64, 20
	filled := func(seed float64) backend.View {
		v := outputOf(dtype.Float32, []int{n, h, l, e})
		for i := range v.Numel() {
			dtype.Float32.Put(v.Buf.Mem, i, dtype.Scalar{Kind: dtype.KindFloat, F: float64(i*37%101)*0.01 - seed})
		}
		return v
	}
	apart := func(x backend.View) backend.View { // the same numbers, rows of all heads next to each other
		v := outputOf(dtype.Float32, []int{n, l, h, e})
		from, to := dtype.Slice[float32](x.Buf.Mem), dtype.Slice[float32](v.Buf.Mem)
		for i := range n * h * l {
			b, head, row := i/(h*l), i/l%h, i%l
			copy(to[((b*l+row)*h+head)*e:][:e], from[i*e:(i+1)*e])
		}
		v.Shape, v.Lay = x.Shape, &shape.Layout{Strides: []int{l * h * e, e, h * e, 1}}
		return v
	}
	g, q, k, v := filled(0.1), filled(0.3), filled(0.5), filled(0.7)
	y := []backend.View{outputOf(dtype.Float32, []int{n, h, l, e}), outputOf(dtype.Float32, []int{n, h, l})}
	a := attr.Attention{Scale: 0.125, Causal: true}
	if err := attention(testCtx(), a, y, []backend.View{q, k, v}); err != nil {
		t.Fatal(err)
	}
	grads := func(in ...backend.View) (out []backend.View) {
		for range 3 {
			out = append(out, outputOf(dtype.Float32, []int{n, h, l, e}))
		}
		if err := attentionGrad(testCtx(), a, out, in); err != nil {
			t.Fatal(err)
		}
		return out
	}
	want, far := grads(g, q, k, v, y[1], y[0]), []backend.View{apart(g), apart(q), apart(k), apart(v), y[1], apart(y[0])}
	if !slices.EqualFunc(grads(far...), want, func(x, y backend.View) bool { return bytes.Equal(x.Bytes(), y.Bytes()) }) {
		t.Error("rows that are far apart give other bits")
	}
	if testutil.Raced {
		return // pools drop what they hold there
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		grads(far...)
	}
	runtime.ReadMemStats(&after)
	own := uint64(3 * 4 * n * h * l * e) // of the results
	if got := (after.TotalAlloc - before.TotalAlloc) / calls; got > own+own/3 {
		t.Errorf("a call allocates %d bytes, of which %d are results", got, own)
	}
}
