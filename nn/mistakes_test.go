package nn_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/nn/utils"
	"github.com/lucid-go/lucid/optim"
	"github.com/lucid-go/lucid/optim/sched"
)

type hiddenNet struct {
	nn.Base
	Body    *nn.Linear
	head    *nn.Linear
	alias   *nn.Linear
	cached  *lucid.Tensor
	Skipped *nn.Linear `nn:"-"`
}

type twoNames struct {
	nn.Base
	A *nn.Linear `nn:"fc"`
	B *nn.Linear `nn:"fc"`
}

type embedsName struct {
	nn.Base
	weighted
	Weight *lucid.Tensor
}

type weighted struct{ Weight *lucid.Tensor }

type plainField struct {
	nn.Base
	Body  *nn.Linear
	Scale *lucid.Tensor
}

// TestMistakenFields declares modules whose parameters would be lost or never trained.
func TestMistakenFields(t *testing.T) {
	lin := nn.NewLinear(2, 2)
	plain := &plainField{Body: nn.NewLinear(2, 2), Scale: lucid.Ones(2)}
	for _, c := range []struct {
		name string
		f    func()
		kind error
		say  []string
	}{
		{"two fields of one name", func() { nn.StateDict(&twoNames{A: lin, B: nn.NewLinear(2, 2)}) }, lucid.ErrValue,
			[]string{"fields A and B", `"fc"`, `nn:"-"`}},
		{"layers below none", func() { nn.NewTransformer(4, 2, nn.TransformerOptions{NumEncoderLayers: -1}) }, lucid.ErrValue,
			[]string{"-1 layers"}},
		{"embedded name", func() { nn.Parameters(&embedsName{Weight: lin.Weight}) }, lucid.ErrValue,
			[]string{"weighted.Weight and Weight"}},
		{"plain tensor", func() { nn.Parameters(plain) }, lucid.ErrGradient, []string{"scale", "nn.Parameter(t)", `nn:",buffer"`}},
	} {
		err := lucid.Try(c.f)
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, w := range c.say {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v; want %q in it", c.name, err, w)
			}
		}
	}
	plain.Scale = nn.Parameter(plain.Scale)
	plain.Scale.RequiresGrad_(false)
	if n := len(nn.Parameters(nn.Clone(plain))); n != 3 {
		t.Errorf("%d parameters with a frozen one, want 3", n)
	}
}

// TestMistakes makes the mistakes that people who come from PyTorch make, and looks for the word that helps.
func TestMistakes(t *testing.T) {
	lucid.Seed(1)
	ints := lucid.With{DType: lucid.Int64}
	lin, x := nn.NewLinear(3, 2), lucid.Randn(4, 3)
	net := nn.NewSequential(nn.NewConv2d(1, 4, []int{3}), nn.NewReLU(), nn.NewFlatten(), nn.NewLinear(100, 10))
	leaf := func() *lucid.Tensor { return lucid.Ones(2).RequiresGrad_(true) }
	adam := optim.AdamOptions{LR: 1e-3}
	pt := filepath.Join("..", "internal", "codec", "torch", "testdata", "module.pt") // a whole module, not its tensors
	for _, c := range []struct {
		name string
		f    func()
		kind error
		say  string
	}{
		{"float targets", func() { F.CrossEntropy(lin.Forward(x), lucid.Zeros(4)) }, lucid.ErrShapeMismatch, "To(lucid.Int64)"},
		{"targets of (B, 1)", func() { F.CrossEntropy(lin.Forward(x), ints.Zeros(4, 1)) }, lucid.ErrShapeMismatch, "want target [4]"},
		{"class out of range", func() { F.CrossEntropy(lin.Forward(x), lucid.New([]int64{0, 1, 2, 0}, 4)).Item() }, lucid.ErrIndex,
			"target 2 is out of range for 2 classes (at mistakes_test.go:99)"},
		{"all pairs", func() { F.MSELoss(lucid.Zeros(4, 1), lucid.Zeros(4)) }, lucid.ErrShapeMismatch, "Unsqueeze(1)"},
		{"all pairs, module", func() { nn.NewHuberLoss().Forward(lucid.Zeros(4), lucid.Zeros(4, 1)) }, lucid.ErrShapeMismatch, "[4 4]"},
		{"logits and targets of other sizes", func() { F.BinaryCrossEntropyWithLogits(lucid.Zeros(4, 1), lucid.Zeros(4)) },
			lucid.ErrShapeMismatch, "[4 1]"},
		{"image without channels", func() { net.Forward(lucid.Zeros(28, 28)) }, lucid.ErrShapeMismatch,
			"without a batch; in layer 0, *nn.Conv2d"},
		{"channels last", func() { nn.NewConv2d(3, 4, []int{3}).Forward(lucid.Zeros(2, 28, 28, 3)) }, lucid.ErrShapeMismatch, "Permute"},
		{"wrong size behind a flatten", func() { net.Forward(lucid.Zeros(2, 1, 28, 28)) }, lucid.ErrShapeMismatch,
			"2704 features, weight [10 100] takes 100"},
		{"float indices", func() { nn.NewEmbedding(5, 3).Forward(lucid.Ones(2)) }, lucid.ErrDType, "want an integer dtype"},
		{"index out of range", func() { nn.NewEmbedding(5, 3).Forward(lucid.New([]int64{7}, 1)).Sum().Item() }, lucid.ErrIndex,
			"7 is out of range for size 5"},
		{"in place on a leaf", func() { leaf().Add_(1) }, lucid.ErrGradient, "inside NoGrad"},
		{"writing to a leaf", func() { leaf().SetAt(1, 0) }, lucid.ErrGradient, "inside NoGrad"},
		{"backward of a vector", func() { leaf().Mul(2).Backward() }, lucid.ErrGradient, "BackwardOptions.Gradient"},
		{"backward twice", func() { l := leaf().Square().Sum(); l.Backward(); l.Backward() }, lucid.ErrGradient, "RetainGraph"},
		{"backward of data", func() { lucid.Ones(2).Sum().Backward() }, lucid.ErrGradient, "RequiresGrad_(true)"},
		{"backward of what NoGrad computed", func() { w := leaf(); lucid.NoGrad(func() { w.Sum().Backward() }) },
			lucid.ErrGradient, "inside NoGrad"},
		{"gradient of an unused input", func() { lucid.Gradients(leaf().Sum(), []*lucid.Tensor{leaf()}) },
			lucid.ErrGradient, "AllowUnused"},
		{"integers that want a gradient", func() { lucid.Arange(3).RequiresGrad_(true) }, lucid.ErrDType, "floating"},
		{"Item in a compiled function", func() {
			lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(x.Sum().Item()) })(x)
		}, nil, "read it outside, or use lucid.Print"},
		{"a mask in a compiled function", func() {
			lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.At(x.Gt(0)) })(x)
		}, nil, "Where"},
		{"a schedule in a compiled function", func() {
			s := sched.NewStepLR(optim.NewAdam(nn.Parameters(lin), adam), sched.StepLROptions{StepSize: 1})
			lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { s.Step(); return x })(x)
		}, nil, "step it outside"},
		{"Item of many", func() { x.Item() }, nil, "only one element"},
		{"a GPU without its import", func() { x.To(lucid.CUDA(0)) }, lucid.ErrDevice, "lucid-go/lucid/cuda"},
		{"no parameters", func() { optim.NewAdam(nil, adam) }, nil, "exported fields"},
		{"no rate", func() { optim.NewSGD(nn.Parameters(lin), optim.SGDOptions{}) }, nil, "such as 0.01"},
		{"the same parameter twice", func() { optim.NewAdam([]*lucid.Tensor{lin.Bias, lin.Bias}, adam) }, nil, "twice"},
		{"a computed parameter", func() { optim.NewAdam([]*lucid.Tensor{lin.Weight.Mul(2)}, adam) }, nil, "want leaves"},
		{"batch norm of one", func() { nn.NewBatchNorm1d(3).Forward(lucid.Ones(1, 3)) }, nil, "training needs more"},
		{"dropout in per cent", func() { nn.NewDropout(50) }, nil, "from 0 to 1"},
		{"heads that do not divide", func() { nn.NewMultiheadAttention(10, 3) }, nil, "do not divide"},
		{"state of another batch", func() { nn.NewGRU(3, 4).Forward(lucid.Ones(5, 2, 3), lucid.Ones(1, 1, 4)) },
			lucid.ErrShapeMismatch, "want [1 2 4]"},
		{"mean of integers", func() { lucid.Arange(3).Mean() }, lucid.ErrDType, "cast first"},
		{"gradients without end", func() {
			w := leaf()
			w.SetGrad(lucid.New([]float32{1, 1}, 2).Div(0))
			utils.ClipGradNorm([]*lucid.Tensor{w}, 1, utils.NormOptions{ErrorIfNonfinite: true})
		}, nil, "scale the loss down"},
		{"a pickled module", func() {
			if _, err := lucid.Load(pt); err != nil {
				panic(err)
			}
		}, lucid.ErrNotImplemented, "save a dict of tensors"},
		{"another net's weights", func() {
			if err := nn.LoadStateDict(nn.NewLinear(3, 5), nn.StateDict(lin)); err != nil {
				panic(err)
			}
		}, lucid.ErrShapeMismatch, "weight has shape [2 3], want [5 3]"},
	} {
		var err error
		func() {
			defer func() { err, _ = recover().(error) }()
			c.f()
		}()
		if err == nil || !strings.Contains(err.Error(), c.say) || c.kind != nil && !errors.Is(err, c.kind) {
			t.Errorf("%s: %v; want %v with %q", c.name, err, c.kind, c.say)
		}
	}
}

func TestSummaryNamesHiddenLayers(t *testing.T) {
	m := &hiddenNet{Body: nn.NewLinear(2, 2), head: nn.NewLinear(2, 3), cached: lucid.Ones(4), Skipped: nn.NewLinear(1, 1)}
	m.alias = m.Body
	got := nn.Summary(m)
	if want := "not part of the model, because the field is not exported: head (9 parameters)\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant at the end\n%s", got, want)
	}
	m.head = nil
	if got := nn.Summary(m); strings.Contains(got, "not part") {
		t.Errorf("nothing is hidden:\n%s", got)
	}
}
