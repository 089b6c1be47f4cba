package tree_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/tree"
)

type inner struct{ W, Missing *lucid.Tensor }

type outer struct {
	A      *lucid.Tensor
	Inner  *inner
	Twice  *inner // the same pointer
	List   []*lucid.Tensor
	ByName map[string]*lucid.Tensor
	Label  string
	hidden int
}

func sample() outer {
	in := &inner{W: lucid.Ones(2)}
	return outer{A: lucid.Ones(1), Inner: in, Twice: in, List: []*lucid.Tensor{lucid.Ones(3), lucid.Ones(4)},
		ByName: map[string]*lucid.Tensor{"y": lucid.Ones(6), "x": lucid.Ones(5)}, Label: "l", hidden: 7}
}

func TestLeaves(t *testing.T) {
	got := ""
	for _, l := range tree.Leaves(sample()) {
		got += fmt.Sprintf("%s:%d ", l.Path, l.Tensor.Size(0))
	}
	if want := "a:1 inner.w:2 list.0:3 list.1:4 by_name.x:5 by_name.y:6 "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestMap(t *testing.T) {
	s := sample()
	d := tree.Map(func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(2) }, s)
	if d.Inner.W.Sum().Item() != 4 || s.Inner.W.Sum().Item() != 2 {
		t.Error("the copy has the new values, the original its own")
	}
	if d.Inner != d.Twice || d.Inner == s.Inner {
		t.Error("what is shared stays shared, in a copy")
	}
	if d.Label != "l" || d.hidden != 7 || d.Inner.Missing != nil {
		t.Error("other fields are carried along")
	}
	if n := tree.Reduce(func(n int, x *lucid.Tensor) int { return n + x.Size(0) }, 0, s); n != 21 {
		t.Errorf("reduce %d", n)
	}
	m := tree.Merge(s, outer{List: []*lucid.Tensor{nil, lucid.Zeros(4)}})
	if m.List[1].Sum().Item() != 0 || m.List[0].Sum().Item() != 3 {
		t.Errorf("merge %v", m.List)
	}
	if m := tree.Merge(outer{List: []*lucid.Tensor{nil, lucid.Zeros(4)}}, s); len(tree.Leaves(m)) != len(tree.Leaves(s)) {
		t.Errorf("merge of a tree with fewer tensors: %v", tree.Leaves(m))
	}
	one, other := outer{List: []*lucid.Tensor{nil, lucid.Zeros(4)}}, outer{List: []*lucid.Tensor{lucid.Zeros(4), nil}}
	if err := lucid.Try(func() { tree.Merge(one, other) }); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("merge of trees that both lack something: %v", err)
	}
	err := lucid.Try(func() { tree.Unflatten(s, nil) })
	if !errors.Is(err, lucid.ErrValue) {
		t.Error(err)
	}
}

// Every transform takes a module as a tree.
func TestTransforms(t *testing.T) {
	lucid.Seed(1)
	type model = nn.Linear
	m := nn.NewLinear(3, 2)
	x := lucid.Randn(4, 3)
	loss := func(m *model) *lucid.Tensor { return m.Forward(x).Square().Sum() }
	value, grads := lucid.ValueAndGradTree(loss)(m)
	nn.ZeroGrad(m)
	loss(m).Backward()
	if !lucid.AllClose(grads.Weight, m.Weight.Grad()) || !lucid.AllClose(grads.Bias, m.Bias.Grad()) {
		t.Errorf("%v, want %v", grads.Weight, m.Weight.Grad())
	}
	if value.Item() != loss(m).Item() {
		t.Error(value)
	}
	other := nn.NewLinear(3, 2)
	stacked := tree.Stack([]*model{m, other})
	outs := lucid.VMap(func(m *model) *lucid.Tensor { return m.Forward(x) })(stacked)
	if !lucid.AllClose(outs.At(1), other.Forward(x)) || !lucid.AllClose(outs.At(0), m.Forward(x)) {
		t.Error("ensemble")
	}
	if back := tree.Unstack(stacked); !lucid.AllClose(back[1].Weight, other.Weight) {
		t.Error("unstack")
	}
	again := lucid.Checkpoint(func(m *model, x *lucid.Tensor) *lucid.Tensor { return m.Forward(x) })
	if !lucid.AllClose(again(m, x), m.Forward(x)) {
		t.Error("checkpoint")
	}
	last, _ := lucid.Scan(func(c *model, _ *lucid.Tensor) (*model, *lucid.Tensor) {
		return tree.Map(func(t *lucid.Tensor) *lucid.Tensor { return t.Mul(2) }, c), c.Bias.Sum()
	}, m, lucid.Zeros(3))
	if !lucid.AllClose(last.Weight, m.Weight.Mul(8)) {
		t.Error("scan with a module as its carry")
	}
}

// A struct behind a pointer is keyed by its structure: another one needs no new trace.
func TestCompileStructs(t *testing.T) {
	type cache struct{ K, V *lucid.Tensor }
	step := lucid.Compile(func(c *cache, x *lucid.Tensor) *lucid.Tensor {
		c.K.Add_(x)
		return c.K.Mul(c.V)
	})
	for i := range 3 {
		c := &cache{lucid.Zeros(2).Contiguous(), lucid.Full([]int{2}, float64(i))}
		c.V = c.V.Contiguous()
		for range 2 {
			step(c, lucid.Ones(2))
		}
		if got := step(c, lucid.Ones(2)).Sum().Item(); got != float64(6*i) || c.K.Sum().Item() != 6 {
			t.Errorf("conversation %d: %v, keys %v", i, got, c.K)
		}
	}
	if n := lucid.Explain(step).Traces; n > 2 {
		t.Errorf("%d traces: %v", n, lucid.Explain(step))
	}
}

// A compiled function may return a struct behind a pointer, a new one at every call.
func TestCompileReturnsStructs(t *testing.T) {
	type pair struct{ A, B *lucid.Tensor }
	f := lucid.Compile(func(x *lucid.Tensor) *pair { return &pair{x.Add(1), x.Mul(2)} })
	p, q := f(lucid.Ones(2)), f(lucid.Zeros(2))
	if p.A.Sum().Item() != 4 || q.A.Sum().Item() != 2 || p == q {
		t.Errorf("%v %v", p, q)
	}
}

// TestMapWithPath tells where each tensor is, once for one that is there twice.
func TestMapWithPath(t *testing.T) {
	got := ""
	s := sample()
	d := tree.MapWithPath(func(path string, x *lucid.Tensor) *lucid.Tensor {
		got += path + " "
		if path == "list.1" {
			return x.Mul(3)
		}
		return x
	}, s)
	if want := "a inner.w list.0 list.1 by_name.x by_name.y "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if d.List[1].Sum().Item() != 12 || d.List[0] != s.List[0] {
		t.Error("one tensor is to be replaced")
	}
}
