package nn_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

// Packed sequences give what each sequence gives alone.
func TestPackedEqualsAlone(t *testing.T) {
	lucid.Seed(5)
	m := nn.NewLSTM(3, 4, nn.RNNOptions{NumLayers: 2, Bidirectional: true})
	lengths := []int{2, 5, 3}
	seqs := make([]*lucid.Tensor, len(lengths))
	for i, n := range lengths {
		seqs[i] = lucid.Randn(n, 3)
	}
	y, h, c := m.ForwardPacked(nn.PackSequence(seqs, nn.PackPaddedSequenceOptions{NotSorted: true}), nil, nil)
	padded, got := nn.PadPackedSequence(y)
	if !slices.Equal(got, lengths) || fmt.Sprint(y.BatchSizes) != "[3 3 2 1 1]" {
		t.Fatalf("lengths %v, batches %v", got, y.BatchSizes)
	}
	for i, s := range seqs {
		wy, wh, wc := m.Forward(s, nil, nil)
		part := padded.At(lucid.Range{Stop: lengths[i]}, i)
		for _, p := range [][2]*lucid.Tensor{{part, wy}, {h.At(lucid.Colon, i), wh}, {c.At(lucid.Colon, i), wc}} {
			if !lucid.AllClose(p[0].Detach(), p[1].Detach()) {
				t.Errorf("sequence %d differs", i)
			}
		}
	}
}

func TestAttentionMasks(t *testing.T) {
	lucid.Seed(2)
	m := nn.NewMultiheadAttention(8, 4, nn.MultiheadAttentionOptions{BatchFirst: true})
	x := lucid.Randn(2, 5, 8)
	a, w := m.Forward(x, x, x, nn.AttentionOptions{IsCausal: true})
	b, none := m.Forward(x, x, x, nn.AttentionOptions{IsCausal: true, NoWeights: true})
	if none != nil || !lucid.AllClose(a.Detach(), b.Detach()) || w.At(0, 0, 1).Item() != 0 {
		t.Error("causal")
	}
	pad := lucid.New([]bool{false, false, false, true, true, false, false, false, false, false}, 2, 5)
	c, w := m.Forward(x, x, x, nn.AttentionOptions{KeyPaddingMask: pad, HeadWeights: true})
	short, _ := m.Forward(x.At(lucid.Range{Stop: 1}, lucid.Range{Stop: 3}), x.At(lucid.Range{Stop: 1}, lucid.Range{Stop: 3}),
		x.At(lucid.Range{Stop: 1}, lucid.Range{Stop: 3}))
	if !lucid.AllClose(c.At(0, lucid.Range{Stop: 3}).Detach(), short.At(0).Detach()) || fmt.Sprint(w.Shape()) != "[2 4 5 5]" {
		t.Error("padding")
	}
	g := nn.NewGroupedQueryAttention(8, 4, 2, nn.MultiheadAttentionOptions{BatchFirst: true})
	p, _ := g.Forward(x, x, x)
	q, _ := g.Forward(x, x, x, nn.AttentionOptions{NoWeights: true})
	if !lucid.AllClose(p.Detach(), q.Detach()) || fmt.Sprint(g.KProjWeight.Shape()) != "[4 8]" {
		t.Error("grouped queries")
	}
}

func TestLazy(t *testing.T) {
	m := nn.NewSequential(nn.NewLazyConv2d(4, []int{3}), nn.NewLazyBatchNorm2d(), nn.NewReLU(), nn.NewFlatten(), nn.NewLazyLinear(2))
	if len(nn.Parameters(m)) != 0 {
		t.Error("parameters before the first input")
	}
	if y := m.Forward(lucid.Randn(2, 3, 6, 6)); fmt.Sprint(y.Shape()) != "[2 2]" {
		t.Errorf("%v", y.Shape())
	}
	n := nn.StateDict(m).Names()
	if fmt.Sprint(n) != "[0.weight 0.bias 1.weight 1.bias 1.running_mean 1.running_var 1.num_batches_tracked 4.weight 4.bias]" {
		t.Errorf("%v", n)
	}
	nn.Eval(m)
	if m.Layers[1].(*nn.Lazy[*nn.BatchNorm2d]).Made.Training() {
		t.Error("the mode does not reach what was made")
	}
}

// A lazy layer is not made inside a compiled function, and can be made afterwards.
func TestLazyCompiled(t *testing.T) {
	m := nn.NewSequential(nn.NewLazyLinear(3), nn.NewReLU())
	f := lucid.Compile(m.Forward)
	x := lucid.Ones(2, 4)
	if err := lucid.Try(func() { f(x) }); !errors.Is(err, lucid.ErrNotImplemented) {
		t.Fatal(err)
	}
	want := m.Forward(x).Detach()
	if got := f(x).Detach(); !lucid.Equal(got, want) || nn.NumParameters(m) != 15 {
		t.Errorf("%v; want %v", got, want)
	}
}

func TestPositions(t *testing.T) {
	lucid.Seed(8)
	r := nn.NewRotaryEmbedding(8, 16)
	q := lucid.Randn(2, 4, 10, 8)
	a, b := r.Forward(q, q)
	if !lucid.Equal(a, b) || !lucid.AllClose(a.Norm(-1), q.Norm(-1), lucid.CloseOptions{ATol: new(1e-5)}) ||
		!lucid.Equal(a.At(lucid.Ellipsis, 0, lucid.Colon), q.At(lucid.Ellipsis, 0, lucid.Colon)) {
		t.Error("a rotation changes lengths, or position 0")
	}
	// A score depends on the distance alone.
	v := lucid.Randn(1, 8).Expand(10, 8)
	x, y := r.Forward(v, v)
	s := x.MatMul(y.Permute(1, 0))
	if !lucid.AllClose(s.At(2, 5), s.At(6, 9), lucid.CloseOptions{ATol: new(1e-4)}) {
		t.Error("scores depend on the absolute position")
	}
	if y := nn.NewTimestepEmbedding(8, 6).Forward(lucid.New([]int64{0, 10}, 2)); fmt.Sprint(y.Shape()) != "[2 6]" {
		t.Errorf("%v", y.Shape())
	}
	if e := nn.NewSinusoidalEmbedding(5, 4).Forward(lucid.New([]int64{0}, 1)); fmt.Sprint(lucid.ToSlice[float64](e)) != "[0 1 0 1]" {
		t.Errorf("%v", e)
	}
	n := nn.NewNoisyLinear(4, 3)
	z := lucid.Randn(2, 4)
	one := n.Forward(z).Detach().Eval()
	if n.ResetNoise(); lucid.Equal(one, n.Forward(z).Detach()) {
		t.Error("the noise did not change")
	}
	nn.Eval(n)
	if !lucid.Equal(n.Forward(z).Detach(), F.Linear(z, n.WeightMu, F.LinearOptions{Bias: n.BiasMu}).Detach()) {
		t.Error("noise in evaluation")
	}
	vq := nn.NewVectorQuantizer(16, 4)
	in := lucid.Randn(3, 5, 4).RequiresGrad_(true)
	out, loss, codes := vq.Forward(in)
	out.Sum().Add(loss).Backward()
	if fmt.Sprint(out.Shape(), codes.Shape()) != "[3 5 4] [3 5]" || in.Grad() == nil || vq.Weight.Grad() == nil {
		t.Error("vector quantizer")
	}
}

// Sequences come back from packing and padding as they went in.
func TestUnpack(t *testing.T) {
	lucid.Seed(6)
	var seqs []*lucid.Tensor
	for _, n := range []int{2, 4, 1, 3} {
		seqs = append(seqs, lucid.Randn(n, 2))
	}
	for name, got := range map[string][]*lucid.Tensor{
		"packed": nn.UnpackSequence(nn.PackSequence(seqs, nn.PackPaddedSequenceOptions{NotSorted: true})),
		"padded": nn.UnpadSequence(nn.PadSequence(seqs), []int{2, 4, 1, 3}),
		"padded batch": nn.UnpadSequence(nn.PadSequence(seqs, nn.PadSequenceOptions{BatchFirst: true}), []int{2, 4, 1, 3},
			nn.PadSequenceOptions{BatchFirst: true}),
	} {
		for i, s := range seqs {
			if !lucid.Equal(got[i], s) {
				t.Errorf("%s: sequence %d is %v; want %v", name, i, got[i], s)
			}
		}
	}
	m := nn.NewGRU(2, 3)
	p := nn.PackSequence(seqs, nn.PackPaddedSequenceOptions{NotSorted: true})
	for name, f := range map[string]func(){
		"no sequences":      func() { nn.PackPaddedSequence(lucid.Zeros(3, 0, 2), nil) },
		"lengths":           func() { nn.UnpadSequence(lucid.Zeros(3, 2, 2), []int{1}) },
		"length":            func() { nn.UnpadSequence(lucid.Zeros(3, 1, 2), []int{4}) },
		"state":             func() { m.ForwardPacked(p, lucid.Zeros(1, 1, 3)) },
		"input":             func() { nn.NewGRU(5, 3).ForwardPacked(p, nil) },
		"nothing packed":    func() { nn.PadPackedSequence(nn.PackedSequence{}) },
		"sizes do not fall": func() { nn.PadPackedSequence(nn.PackedSequence{Data: lucid.Zeros(3, 1), BatchSizes: []int{1, 2}}) },
	} {
		if err := lucid.Try(f); !errors.Is(err, lucid.ErrShapeMismatch) && !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
