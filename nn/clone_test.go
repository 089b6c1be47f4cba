package nn_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/nn/utils"
	"github.com/lucid-go/lucid/nn/utils/prune"
	"github.com/lucid-go/lucid/optim"
)

// cloneNet has what a module of one's own may have.
type cloneNet struct {
	nn.Base
	Tok    *nn.Embedding
	Norm   nn.Layer
	Heads  map[string]*nn.Linear
	Inline nn.Linear
	RNN    *nn.GRU
	Dict   *nn.ModuleDict
	Sizes  []int
	Steps  *lucid.Tensor `nn:",buffer"`
	Parent *cloneNet     `nn:"-"`
	again  []nn.Layer    // some of the above
	mu     sync.Mutex
	cache  *lucid.Tensor
	act    func(*lucid.Tensor) *lucid.Tensor
}

func newCloneNet() *cloneNet {
	m := &cloneNet{
		Tok: nn.NewEmbedding(7, 4), Norm: nn.NewBatchNorm1d(4),
		Heads: map[string]*nn.Linear{"a": nn.NewLinear(4, 7), "b": nn.NewLinear(4, 2)},
		RNN:   nn.NewGRU(4, 4), Dict: nn.NewModuleDict().Set("x", nn.NewLinear(4, 4)), Sizes: []int{1, 2},
		Steps: lucid.Scalar(int64(3)), cache: lucid.Ones(2), act: func(x *lucid.Tensor) *lucid.Tensor { return x.Tanh() },
	}
	inner := nn.NewLinear(4, 4)
	m.Inline.Weight, m.Inline.Bias = inner.Weight, inner.Bias
	m.Heads["a"].Weight = m.Tok.Weight // tied
	m.Parent = m
	m.again = []nn.Layer{m.Heads["b"], &m.Inline}
	return m
}

func (m *cloneNet) Forward(ids *lucid.Tensor) *lucid.Tensor {
	x := m.Norm.(*nn.BatchNorm1d).Forward(m.Tok.Forward(ids))
	y, _ := m.RNN.Forward(m.act(m.Inline.Forward(x)).Unsqueeze(1), nil)
	return m.Heads["a"].Forward(m.Dict.Get("x").(*nn.Linear).Forward(y.Squeeze(1)))
}

func stateBits(t *testing.T, m nn.Module) map[string][]float64 {
	t.Helper()
	got := map[string][]float64{}
	for name, x := range nn.StateDict(m).All() {
		got[name] = lucid.ToSlice[float64](x.To(lucid.Float64))
	}
	return got
}

func TestCloneIsWholeAndApart(t *testing.T) {
	lucid.Seed(1)
	m := newCloneNet()
	nn.Freeze(m, "heads.b")
	nn.Eval(m.Norm)
	ids := lucid.New([]int64{1, 2, 6}, 3)
	F.CrossEntropy(m.Forward(ids), ids).Backward()
	before, names := stateBits(t, m), nn.StateDict(m).Names()
	m.mu.Lock()
	c := nn.Clone(m)
	m.mu.Unlock()

	if !c.mu.TryLock() {
		t.Error("the copy's lock is held")
	}
	if got := nn.StateDict(c).Names(); !slices.Equal(got, names) {
		t.Fatalf("names %v, want %v", got, names)
	}
	if c.Heads["a"].Weight != c.Tok.Weight || c.Tok.Weight == m.Tok.Weight {
		t.Error("tied weights are not tied in the copy, or not copied")
	}
	if c.Parent != c || c.again[0] != nn.Layer(c.Heads["b"]) || c.again[1] != nn.Layer(&c.Inline) || c.cache == m.cache {
		t.Error("fields that are not part of the module lead to the old one")
	}
	if c.Norm.(*nn.BatchNorm1d).Training() || !c.Training() {
		t.Error("the modes differ")
	}
	if c.Heads["b"].Weight.RequiresGrad() || !lucid.Equal(c.Tok.Weight.Grad(), m.Tok.Weight.Grad()) {
		t.Error("what is frozen, or a gradient, differs")
	}
	if !lucid.Equal(c.Forward(ids), m.Forward(ids)) {
		t.Error("the copy computes something else")
	}

	nn.Train(c)
	c.Sizes[0] = 9
	lucid.NoGrad(func() { c.cache.Add_(1) })
	opt := optim.NewAdam(nn.Parameters(c), optim.AdamOptions{LR: 0.1})
	step := lucid.Compile(func(ids *lucid.Tensor) *lucid.Tensor {
		opt.ZeroGrad()
		loss := F.CrossEntropy(c.Forward(ids), ids)
		loss.Backward()
		opt.Step()
		return loss
	})
	first := step(ids).Item()
	for range 5 {
		step(ids)
	}
	if last := step(ids).Item(); !(last < first) {
		t.Errorf("the copy does not learn: loss %v, then %v", first, last)
	}
	if got := fmt.Sprint(stateBits(t, m)); got != fmt.Sprint(before) {
		t.Error("training the copy changed the original")
	}
	if fmt.Sprint(stateBits(t, c)) == fmt.Sprint(before) || m.Sizes[0] != 1 || m.cache.Sum().Item() != 2 {
		t.Error("the two are not apart")
	}
}

func TestCloneHooksAndParametrizations(t *testing.T) {
	lucid.Seed(2)
	l := nn.NewLinear(3, 3)
	utils.WeightNorm(l)
	pruned := nn.NewLinear(3, 3)
	prune.L1Unstructured(pruned, "weight", prune.Share(0.5))
	m := nn.NewSequential(l, pruned, nn.NewLazyLinear(2))
	x := lucid.Randn(4, 3)
	m.Forward(x)
	calls := 0
	h := nn.RegisterForwardHook(m, func(nn.Module, []*lucid.Tensor, []*lucid.Tensor) []*lucid.Tensor { calls++; return nil })
	c := nn.Clone(m)
	h.Remove()
	if !lucid.Equal(m.Forward(x), c.Forward(x)) {
		t.Error("the copy computes something else")
	}
	if calls != 1 {
		t.Errorf("the hook ran %d times; want once, on the copy", calls)
	}
	if got, want := nn.StateDict(c).Names(), nn.StateDict(m).Names(); !slices.Equal(got, want) {
		t.Errorf("names %v, want %v", got, want)
	}
	before := fmt.Sprint(stateBits(t, m))
	c.Forward(x).Sum().Backward()
	if err := optim.NewSGD(nn.Parameters(c), optim.SGDOptions{LR: 1}).TryStep(); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(stateBits(t, m)) != before || lucid.Equal(m.Forward(x), c.Forward(x)) {
		t.Error("the two are not apart")
	}
	lazy := nn.Clone(nn.NewLazyLinear(5))
	if y := lazy.Forward(x); y.Size(1) != 5 {
		t.Errorf("a lazy copy gave %v", y.Shape())
	}
}

func TestCloneKindsOfModules(t *testing.T) {
	for _, m := range []nn.Module{
		nn.NewTransformerEncoderLayer(8, 2), nn.NewMultiheadAttention(8, 2),
		nn.NewLSTM(3, 4, nn.RNNOptions{NumLayers: 2, Bidirectional: true}),
		nn.NewConv2d(2, 4, []int{3}), nn.NewConvTranspose2d(2, 4, []int{3}), nn.NewParameterList(lucid.Ones(2)),
		nn.NewParameterDict().Set("p", lucid.Ones(3)),
		nn.NewAdaptiveLogSoftmaxWithLoss(4, 10, []int{3}), nn.NewPReLU(), nn.NewGroupNorm(2, 4), nn.NewLSTMCell(2, 3),
	} {
		c := nn.Clone(m)
		if fmt.Sprintf("%T", c) != fmt.Sprintf("%T", m) || fmt.Sprint(stateBits(t, c)) != fmt.Sprint(stateBits(t, m)) {
			t.Errorf("%T is not copied whole", m)
		}
		old := map[*lucid.Tensor]bool{}
		for _, p := range append(nn.Parameters(m), nn.Buffers(m)...) {
			old[p] = true
		}
		for _, p := range append(nn.Parameters(c), nn.Buffers(c)...) {
			if old[p] {
				t.Errorf("%T shares a tensor with its copy", m)
			}
		}
	}
}

func ExampleClone() {
	lucid.Seed(1)
	online := nn.NewSequential(nn.NewLinear(4, 8), nn.NewReLU(), nn.NewLinear(8, 2))
	target := nn.Clone(online) // of a Q-network: follows slowly, and is not trained itself
	nn.Freeze(target)
	lucid.NoGrad(func() {
		ps, ts := nn.Parameters(online), nn.Parameters(target)
		ps[0].Add_(1)
		for i, t := range ts {
			t.Assign(t.Mul(0.99).Add(ps[i].Mul(0.01)))
		}
		fmt.Printf("%.2f\n", ps[0].Sub(ts[0]).Mean().Item())
	})
	// Output:
	// 0.99
}
