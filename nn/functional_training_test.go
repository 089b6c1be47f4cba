package nn_test

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

type stack struct {
	nn.Base
	Body []nn.Layer
	Head *nn.Linear
	More map[string]nn.Module
}

func (m *stack) Forward(x *lucid.Tensor) *lucid.Tensor {
	for _, l := range m.Body {
		x = l.Forward(x)
	}
	return m.Head.Forward(x)
}

func TestUpdateModules(t *testing.T) {
	m := &stack{Body: []nn.Layer{nn.NewLinear(2, 2), nn.NewSequential(nn.NewReLU(), nn.NewLinear(2, 2))}, Head: nn.NewLinear(2, 1),
		More: map[string]nn.Module{"a": nn.NewDropout()}}
	tanh, linear, head, last := nn.NewTanh(), nn.NewLinear(2, 2), nn.NewLinear(2, 3), nn.NewIdentity()
	nn.UpdateModules(m, map[string]nn.Module{"body.1.0": tanh, "body.0": linear, "head": head, "more.a": last})
	if nn.GetModule(m, "body.1.0") != nn.Module(tanh) || m.Body[0] != nn.Layer(linear) || m.Head != head || m.More["a"] != nn.Module(last) {
		t.Errorf("%v", m)
	}
	if y := m.Forward(lucid.Ones(1, 2)); y.Size(1) != 3 {
		t.Error(y)
	}
	err := lucid.Try(func() { nn.UpdateModules(m, map[string]nn.Module{"head": tanh}) })
	if !errors.Is(err, lucid.ErrNotImplemented) {
		t.Error(err)
	}
	err = lucid.Try(func() { nn.UpdateModules(m, map[string]nn.Module{"tail": tanh}) })
	if !errors.Is(err, lucid.ErrValue) {
		t.Error(err)
	}
}

func TestModuleFunctions(t *testing.T) {
	m := &stack{Body: []nn.Layer{nn.NewSequential(nn.NewBatchNorm1d(2), nn.NewLinear(2, 2))}, Head: nn.NewLinear(2, 1)}
	doubled := nn.FilterAndMap(m, func(name string, t *lucid.Tensor) bool { return t.Dim() == 2 },
		func(t *lucid.Tensor) *lucid.Tensor { return t.Mul(2) })
	if len(doubled) != 2 || !lucid.Equal(doubled["head.weight"], m.Head.Weight.Mul(2)) {
		t.Errorf("%v", doubled)
	}
	if all := nn.FilterAndMap(m, nil, nil); len(all) != len(nn.Parameters(m))+len(nn.Buffers(m)) || all["head.bias"] != m.Head.Bias {
		t.Errorf("%v", all)
	}
	leaves := nn.LeafModules(m)
	if len(leaves) != 3 || leaves["body.0.1"] == nil || leaves["body.0"] != nil {
		t.Errorf("%v", leaves)
	}
	var names []string
	nn.ApplyToModules(m, func(name string, _ nn.Module) { names = append(names, name) })
	if got := len(names); got != 5 || names[0] != "" {
		t.Errorf("%q", names)
	}
	nn.Freeze(m, "head")
	if p := nn.TrainableParameters(m); p.Head.Weight != nil || p.Body[0].(*nn.Sequential) == m.Body[0] {
		t.Errorf("%v", p)
	}
}

// A module is a tree in every transform: its tensors are the variables, and the derivative is a module.
func TestModulesAreTrees(t *testing.T) {
	lucid.Seed(2)
	m, x := nn.NewLinear(3, 2), lucid.Randn(4, 3)
	f := func(m *nn.Linear) *lucid.Tensor { return m.Forward(x).Tanh().Sum() }
	value, want := nn.ValueAndGrad(m, f)
	same := func(name string, g *nn.Linear) {
		if !lucid.AllClose(g.Weight, want.Weight) || !lucid.AllClose(g.Bias, want.Bias) {
			t.Errorf("%s: %v; want %v", name, g.Weight, want.Weight)
		}
	}
	v, g := lucid.ValueAndGradTree(f)(m)
	same("ValueAndGradTree", g)
	if !lucid.AllClose(v, value) {
		t.Error(v, value)
	}
	_, g = lucid.Compile(func(m *nn.Linear) (*lucid.Tensor, *nn.Linear) { return lucid.ValueAndGradTree(f)(m) })(m)
	same("Compile", g)
	_, g = lucid.ValueAndGradTree(lucid.Checkpoint(f))(m)
	same("Checkpoint", g)
	_, g = lucid.ValueAndGradTree(func(m *nn.Linear) *lucid.Tensor {
		_, ys := lucid.Scan(func(m *nn.Linear, row *lucid.Tensor) (*nn.Linear, *lucid.Tensor) {
			return m, m.Forward(row.Unsqueeze(0)).Tanh().Sum()
		}, m, x)
		return ys.Sum()
	})(m)
	same("Scan", g)
	gs := lucid.VMap(func(row *lucid.Tensor) *nn.Linear {
		_, g := lucid.ValueAndGradTree(func(m *nn.Linear) *lucid.Tensor { return m.Forward(row.Unsqueeze(0)).Tanh().Sum() })(m)
		return g
	})(x)
	if gs.Weight.Dim() != 3 || !lucid.AllClose(gs.Weight.Sum(0), want.Weight, lucid.CloseOptions{ATol: new(1e-5)}) {
		t.Errorf("VMap: %v", gs.Weight)
	}
}
