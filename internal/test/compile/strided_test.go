package compile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestCompiledReadsStridedArguments: a compiled function reads arguments where they are, so its sums run in the order of
// the plain ones; where an argument begins makes no new trace, other strides do.
func TestCompiledReadsStridedArguments(t *testing.T) {
	base := lucid.With{DType: lucid.Float32}.Uniform(-1, 1, 65, 130).Eval()
	body := func(x *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor, *lucid.Tensor) {
		return x.Mul(1.1).Sum(), x.Sum(0), x.Add(1).Mean(1)
	}
	f := lucid.Compile(body)
	views := []*lucid.Tensor{
		base, base.At(lucid.Ellipsis, lucid.Range{Start: lucid.End, Stop: lucid.End, Step: -1}), base.T(),
		base.At(lucid.Range{Start: 3, Stop: lucid.End}, lucid.Range{Start: 1, Stop: lucid.End}),
		base.At(lucid.Range{Start: lucid.End, Stop: lucid.End, Step: -2}).T(),
		base.At(5).BroadcastTo(65, 130), base.At(lucid.Range{Start: 10, Stop: 20}), base.At(lucid.Range{Start: 30, Stop: 40}),
	}
	for i, v := range views {
		for _, pending := range []bool{true, false} {
			if !pending {
				v.Eval()
			}
			a, b, c := f(v)
			x, y, z := body(v)
			for k, p := range [][2]*lucid.Tensor{{a, x}, {b, y}, {c, z}} {
				if !tensortest.SameBits(p[0].Eval(), p[1].Eval()) {
					t.Errorf("view %d %v, pending %v, result %d: compiled %v, plain %v", i, v.Shape(), pending, k, p[0], p[1])
				}
			}
		}
	}
	// The last two differ in their offset alone.
	if n := lucid.Explain(f).Traces; n != len(views)-1 {
		t.Errorf("%d traces, want %d: %v", n, len(views)-1, lucid.Explain(f))
	}
	if s := fmt.Sprint(lucid.Explain(f)); !strings.Contains(s, "strides went from") {
		t.Errorf("the explanation does not name strides: %s", s)
	}
}

// TestCompiledReturnsViewOfArgument: a result may show an argument's memory, from where the argument begins.
func TestCompiledReturnsViewOfArgument(t *testing.T) {
	base := lucid.Arange(24).To(lucid.Float32).Reshape(4, 6).Eval()
	f := lucid.Compile(func(x *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor) {
		return x.T(), x.At(lucid.Range{Start: 1, Stop: lucid.End})
	})
	for _, v := range []*lucid.Tensor{base, base.At(lucid.Range{Start: 1, Stop: lucid.End}),
		base.At(lucid.Range{Start: 2, Stop: 4}, lucid.Range{Start: 1, Stop: 5}),
		base.At(lucid.Range{Start: lucid.End, Stop: lucid.End, Step: -1})} {
		a, b := f(v)
		if !lucid.Equal(a, v.T()) || !lucid.Equal(b, v.At(lucid.Range{Start: 1, Stop: lucid.End})) {
			t.Errorf("of %v:\n%v\n%v", v, a, b)
		}
	}
}

// TestCompiledReadsBackwards: kernels that find elements by their position in the buffer reach those before the first one too.
func TestCompiledReadsBackwards(t *testing.T) {
	back := lucid.Range{Start: lucid.End, Stop: lucid.End, Step: -1}
	x := lucid.With{DType: lucid.Float32}.Uniform(-1, 1, 7, 5).Eval().At(back, back)
	target := lucid.New([]int64{4, 0, 3, 1, 1, 2, 0}, 7).At(back)
	body := func(x, target *lucid.Tensor) *lucid.Tensor { return F.CrossEntropy(x, target) }
	f := lucid.Compile(body)
	for range 2 {
		if got, want := f(x, target).Eval(), body(x, target).Eval(); !tensortest.SameBits(got, want) {
			t.Errorf("compiled %v, plain %v", got, want)
		}
	}
}

// TestCompiledCapturesStridedTensor: captured handles that are views are read where they are, also when assigned.
func TestCompiledCapturesStridedTensor(t *testing.T) {
	w := lucid.With{DType: lucid.Float32}.Uniform(-1, 1, 40, 50).Eval()
	state := w.T()
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		y := x.MatMul(state).Sum()
		state.Assign(state.Mul(2))
		return y
	})
	x := lucid.With{DType: lucid.Float32}.Uniform(-1, 1, 8, 50).Eval()
	want := w.T()
	for range 4 {
		got := f(x).Item()
		if e := x.MatMul(want).Sum().Item(); got != e {
			t.Fatalf("got %v, want %v", got, e)
		}
		want = want.Mul(2).Eval()
		if !lucid.Equal(state, want) {
			t.Fatal("the state differs")
		}
	}
	if !lucid.Equal(w.T().Mul(16), state) {
		t.Error("the tensor that was shown was written over")
	}
}
