package transforms

import (
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/shape"
	"github.com/lucid-go/lucid/internal/simplify"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// TestVerify checks the graphs that transforms and passes leave.
func TestVerify(t *testing.T) {
	w := lucid.New([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	f := func(x *lucid.Tensor) *lucid.Tensor {
		v, _ := x.MatMul(w).Tanh().Sort(-1)
		return v.Softmax(-1).Mul(v).Sum()
	}
	x := lucid.New([]float32{0.5, -1, 2, 0.25}, 2, 2)
	xs := lucid.Stack([]*lucid.Tensor{x, x.Mul(2), x.Neg()}, 0)
	check := func(what string, ts ...*lucid.Tensor) {
		t.Helper()
		if err := tensortest.Verify(ts...); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		simple, _ := simplify.Graph(tensortest.Nodes(ts...))
		if err := graph.Verify(simple, nil); err != nil {
			t.Errorf("%s, simplified: %v", what, err)
		}
	}
	check("plain", f(x))
	check("grad", lucid.Grad(f)(x))
	check("second", lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return lucid.Grad(f)(x).Square().Sum() })(x))
	y, dy := lucid.JVP(f, x, x)
	check("jvp", y, dy)
	check("vmap", lucid.VMap(f)(xs))
	check("vmap of grad", lucid.VMap(lucid.Grad(f))(xs))
	check("grad of vmap", lucid.Grad(func(xs *lucid.Tensor) *lucid.Tensor { return lucid.VMap(f)(xs).Sum() })(xs))
	check("jacobian", lucid.Jacobian(func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(w).Exp() })(x))
	check("hessian", lucid.Hessian(f)(x))
	check("checkpoint", lucid.Grad(lucid.Checkpoint(f))(x))
	leaf := x.Clone().Detach().RequiresGrad_(true)
	f(leaf).Backward()
	check("backward", leaf.Grad())
}

// TestVerifySees plants what must not be.
func TestVerifySees(t *testing.T) {
	x := ops.Arange64(6)
	wrong := graph.Make1(graph.Lookup("neg"), nil, shape.Of("test", 7), x.DType(), x)
	if err := graph.Verify([]*graph.Node{wrong}, nil); err == nil || !strings.Contains(err.Error(), "Infer says") {
		t.Error(err)
	}
	dropped := ops.Neg(x)
	dropped.Ref()
	dropped.DropInputs()
	if err := graph.Verify([]*graph.Node{dropped}, nil); err == nil || !strings.Contains(err.Error(), "neither value nor inputs") {
		t.Error(err)
	}
	slice := graph.Make1(graph.Lookup("slice"), attr.Slice{Start: attr.MakeInts(5), Size: attr.MakeInts(4), Step: attr.MakeInts(1)},
		shape.Of("test", 4), x.DType(), x)
	if err := tensortest.Verify((*lucid.Tensor)(door.Wrap(slice))); err == nil || !strings.Contains(err.Error(), "4 elements from 5") {
		t.Error(err)
	}
}

func TestDump(t *testing.T) {
	x := lucid.Ones(2, 3).Eval()
	v, _ := x.Add(1.5).Sort(-1)
	got := lucid.Dump(v.Sum(1), x)
	want := `%0 = stored float32 [2 3]
%1 = const(float32 1.5) float32 []
%2 = add(%0, %1) float32 [2 3]
%3 = sort(%2, {Axis:1 Descending:false}) float32 [2 3] int64 [2 3]
%4 = %3.0 float32 [2 3]
%5 = sum(%4, {Axes:[1] Keep:false}) float32 [2]
return %5 %0
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}
