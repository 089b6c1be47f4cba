package nn_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/nn/utils"
)

func TestFunctionalCall(t *testing.T) {
	lucid.Seed(1)
	m := nn.NewSequential(nn.NewLinear(3, 4), nn.NewBatchNorm1d(4), nn.NewLinear(4, 1))
	x := lucid.Randn(5, 3)
	before := nn.StateDict(m)
	loss := func(w *lucid.Tensor) *lucid.Tensor {
		var y *lucid.Tensor
		utils.FunctionalCall(m, map[string]*lucid.Tensor{"0.weight": w}, func() { y = m.Forward(x).Square().Sum() })
		return y
	}
	nn.Eval(m)
	w := lucid.Randn(4, 3)
	g := lucid.Grad(loss)(w)
	num := lucid.Zeros(4, 3)
	const h = 1e-2
	for i := range 4 {
		for j := range 3 {
			d := lucid.Zeros(4, 3).SetAt(h, i, j)
			num.SetAt((loss(w.Add(d)).Item()-loss(w.Sub(d)).Item())/(2*h), i, j)
		}
	}
	if !lucid.AllClose(g, num, lucid.CloseOptions{ATol: new(1e-2), RTol: new(1e-2)}) {
		t.Errorf("gradient %v; numerically %v", g, num)
	}
	for name, v := range nn.StateDict(m).All() {
		if !lucid.Equal(v, before.Get(name)) {
			t.Errorf("%s was left changed", name)
		}
	}
	// A buffer that is given takes the new statistics; the module's own stays.
	nn.Train(m)
	mean := lucid.Zeros(4)
	utils.FunctionalCall(m, map[string]*lucid.Tensor{"1.running_mean": mean}, func() { m.Forward(x.Add(5)) })
	if mean.Abs().Sum().Item() == 0 || !lucid.Equal(nn.GetBuffer(m, "1.running_mean"), before.Get("1.running_mean")) {
		t.Error("the statistics were written to the wrong module")
	}
	compiled := lucid.Compile(func(w *lucid.Tensor) *lucid.Tensor { return loss(w) })
	nn.Eval(m)
	for range 3 {
		w = lucid.Randn(4, 3)
		if !lucid.AllClose(compiled(w), loss(w)) {
			t.Error("compiled and eager differ")
		}
	}
	for name, f := range map[string]func(){
		"no such name": func() { utils.FunctionalCall(m, map[string]*lucid.Tensor{"7.weight": w}, func() {}) },
		"shape":        func() { utils.FunctionalCall(m, map[string]*lucid.Tensor{"0.weight": lucid.Zeros(2)}, func() {}) },
	} {
		if lucid.Try(f) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	other := nn.NewSequential(nn.NewLinear(3, 4), nn.NewBatchNorm1d(4), nn.NewLinear(4, 1))
	if err := utils.CopyParametersAndBuffers(m, other); err != nil {
		t.Fatal(err)
	}
	nn.Eval(other)
	if !lucid.Equal(other.Forward(x).Detach(), m.Forward(x).Detach()) {
		t.Error("the copy gives another result")
	}
}

// TestFunctionalCallEnsemble maps a module over stacked parameters, and over parameters that an inner gradient moved.
func TestFunctionalCallEnsemble(t *testing.T) {
	lucid.Seed(2)
	type tree = map[string]*lucid.Tensor
	m := nn.NewSequential(nn.NewLinear(3, 4), nn.NewTanh(), nn.NewLinear(4, 1))
	x := lucid.Randn(5, 3)
	call := func(p tree) (y *lucid.Tensor) {
		utils.FunctionalCall(m, p, func() { y = m.Forward(x).Square().Sum() })
		return y
	}
	moved := func(p tree) *lucid.Tensor { // one step of descent, then the loss
		_, g := lucid.ValueAndGrad(call)(p)
		q := tree{}
		for i, name := range slices.Sorted(maps.Keys(p)) {
			q[name] = p[name].Sub(g[i].Mul(0.1))
		}
		return call(q)
	}
	stacked := tree{}
	for name, p := range nn.NamedParameters(m) {
		stacked[name] = lucid.Randn(append([]int{6}, p.Shape()...)...)
	}
	for name, f := range map[string]func(tree) *lucid.Tensor{"call": call, "moved": moved} {
		for _, all := range []func(tree) *lucid.Tensor{lucid.VMap(f), lucid.Compile(lucid.VMap(f)), lucid.VMap(lucid.Compile(f))} {
			got := all(stacked)
			for i := range 6 {
				one := tree{}
				for k, v := range stacked {
					one[k] = v.At(i)
				}
				if !lucid.AllClose(got.At(i), f(one)) {
					t.Errorf("%s of member %d: %v, want %v", name, i, got.At(i), f(one))
				}
			}
		}
	}
	if w := m.Forward(x); w.Dim() != 2 || w.DType() != lucid.Float32 {
		t.Errorf("the module was left with other parameters: %v", w.Shape())
	}
}

func TestSkipInit(t *testing.T) {
	lucid.Seed(4)
	want := lucid.Randn(3)
	lucid.Seed(4)
	m := utils.SkipInit(func() *nn.Sequential { return nn.NewSequential(nn.NewLinear(3, 4), nn.NewBatchNorm1d(4)) })
	if got := lucid.Randn(3); !lucid.Equal(got, want) {
		t.Error("random numbers were used up")
	}
	for name, p := range nn.NamedParameters(m) {
		if !p.RequiresGrad() || p.Detach().Abs().Sum().Item() != 0 {
			t.Errorf("%s is %v", name, p)
		}
	}
	if got := nn.GetBuffer(m, "1.num_batches_tracked"); got.DType() != lucid.Int64 || m.Forward(lucid.Ones(2, 3)).Size(1) != 4 {
		t.Error("the module is not as it was built")
	}
}
