package learn

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

// input brings examples of any dtype near 0.
type input struct {
	nn.Base
	Mean  *lucid.Tensor `nn:",buffer"`
	Std   *lucid.Tensor `nn:",buffer"`
	shape []int         // of a batch
}

// Forward returns x as float32, less the mean, over the deviation.
func (m *input) Forward(x *lucid.Tensor) *lucid.Tensor {
	return x.Reshape(m.shape...).To(lucid.Float32).Sub(m.Mean).Div(m.Std)
}

// newModel makes the model of a configuration. It gives (B, classes) for examples, (B, 1) for a regression,
// (B·T, 256) for texts.
func newModel(c Config, s Spec) (m nn.Layer, err error) {
	if err := checkSpec(c, s); err != nil {
		return nil, err
	}
	err = lucid.Try(func() {
		switch c.Model {
		case "gpt":
			m = newGPT(c)
		case "mlp":
			m = newMLP(s)
		default:
			m = newCNN(s)
		}
	})
	return m, err
}

// checkSpec bounds what a checkpoint may say.
func checkSpec(c Config, s Spec) error {
	size, dims := 1, 1
	for _, n := range s.Shape {
		if n < 1 || n > 1<<24 || size > 1<<26/n {
			return lucid.Errorf(lucid.ErrFormat, "train", "examples of shape %v are too large", s.Shape)
		}
		size *= n
	}
	if c.Model == "cnn" {
		dims = 3
	}
	if len(s.Shape) != dims && !(c.Model == "mlp" && len(s.Shape) == 3) {
		return lucid.Errorf(lucid.ErrFormat, "train", "a %s cannot have examples of shape %v", c.Model, s.Shape)
	}
	if g := s.Target; g != nil {
		if c.Model != "mlp" || len(s.Shape) != 1 || len(s.Classes) > 0 || !(g.Std > 0) || math.IsInf(g.Std, 0) || math.IsInf(g.Mean, 0) ||
			math.IsNaN(g.Mean) {
			return lucid.Errorf(lucid.ErrFormat, "train", "a %s with %d classes cannot predict a number of mean %v and deviation %v",
				c.Model, len(s.Classes), g.Mean, g.Std)
		}
		return nil
	}
	if !c.Text() && len(s.Classes) == 0 {
		return lucid.Errorf(lucid.ErrFormat, "train", "there are no classes to tell apart")
	}
	if c.Model == "cnn" && (s.Shape[1] < 4 || s.Shape[2] < 4) {
		return hint("lucid train --model mlp --data "+c.Data, "images are %d × %d; a cnn wants at least 4 × 4", s.Shape[1], s.Shape[2])
	}
	return nil
}

// newInput returns the first layer; a checkpoint brings its values back.
func newInput(s Spec) *input {
	n := 1
	if len(s.Shape) == 1 {
		n = s.Shape[0]
	}
	return &input{Mean: lucid.Zeros(n), Std: lucid.Ones(n), shape: slices.Concat([]int{-1}, s.Shape)}
}

// newCNN makes a convolutional net: pairs of convolutions and pools until an image is small.
func newCNN(s Spec) nn.Layer {
	c, h, w := s.Shape[0], s.Shape[1], s.Shape[2]
	pad := nn.ConvOptions{Padding: []int{1}}
	m := nn.NewSequential(newInput(s), nn.NewConv2d(c, 16, []int{3}, pad), nn.NewReLU())
	c = 16
	for out := 32; min(h, w) >= 8 || out == 32; out = 64 {
		m.Append(nn.NewConv2d(c, out, []int{3}, pad), nn.NewReLU(), nn.NewMaxPool2d([]int{2}))
		c, h, w = out, h/2, w/2
	}
	m.Append(nn.NewConv2d(c, 64, []int{3}, pad), nn.NewReLU(), nn.NewMaxPool2d([]int{2}))
	h, w = h/2, w/2
	return m.Append(nn.NewFlatten(), nn.NewDropout(0.25), nn.NewLinear(64*h*w, s.Outputs()))
}

// newMLP makes a net of three linear layers.
func newMLP(s Spec) nn.Layer {
	n := 1
	for _, d := range s.Shape {
		n *= d
	}
	m := nn.NewSequential(newInput(s), nn.NewFlatten(), nn.NewLinear(n, 128), nn.NewReLU())
	if s.Target == nil { // for a regression, noise in the hidden layer is an error of the prediction
		m.Append(nn.NewDropout(0.2))
	}
	return m.Append(nn.NewLinear(128, 64), nn.NewReLU(), nn.NewLinear(64, s.Outputs()))
}

// gpt is a byte-level transformer. B is the batch, T the bytes it sees, C the width.
type gpt struct {
	nn.Base
	Bytes     *nn.Embedding
	Positions *nn.Embedding
	Blocks    []*block
	Norm      *nn.LayerNorm
	Head      *nn.Linear
}

type block struct {
	nn.Base
	Norm1, Norm2 *nn.LayerNorm
	QKV          *nn.Linear `nn:"qkv"`
	Out          *nn.Linear
	Up, Down     *nn.Linear
	heads        int
}

func newGPT(c Config) *gpt {
	norm := func() *nn.LayerNorm { return nn.NewLayerNorm([]int{c.Width}) }
	m := &gpt{Bytes: nn.NewEmbedding(256, c.Width), Positions: nn.NewEmbedding(c.Context, c.Width), Norm: norm(),
		Head: nn.NewLinear(c.Width, 256, nn.LinearOptions{NoBias: true})}
	for range c.Depth {
		m.Blocks = append(m.Blocks, &block{Norm1: norm(), Norm2: norm(), heads: c.Heads,
			QKV: nn.NewLinear(c.Width, 3*c.Width), Out: nn.NewLinear(c.Width, c.Width),
			Up: nn.NewLinear(c.Width, 4*c.Width), Down: nn.NewLinear(4*c.Width, c.Width)})
	}
	lucid.NoGrad(func() {
		for _, e := range []*nn.Embedding{m.Bytes, m.Positions} {
			e.Weight.Mul_(0.1)
		}
	})
	return m
}

// Forward maps bytes (B, T) to scores of the byte after each, (B·T, 256).
func (m *gpt) Forward(x *lucid.Tensor) *lucid.Tensor {
	h := m.Bytes.Forward(x).Add(m.Positions.Weight)
	for _, b := range m.Blocks {
		h = b.Forward(h)
	}
	return m.Head.Forward(m.Norm.Forward(h)).Reshape(-1, 256)
}

// Forward maps (B, T, C) to the same: attention, then two linear layers, each added to what came in.
func (b *block) Forward(x *lucid.Tensor) *lucid.Tensor {
	shape := x.Shape()
	split := slices.Concat(shape[:2], []int{3, b.heads, shape[2] / b.heads})
	qkv := b.QKV.Forward(b.Norm1.Forward(x)).Reshape(split...).Permute(2, 0, 3, 1, 4) // (3, B, heads, T, C/heads)
	a := F.ScaledDotProductAttention(qkv.At(0), qkv.At(1), qkv.At(2), F.ScaledDotProductAttentionOptions{IsCausal: true})
	x = x.Add(b.Out.Forward(a.Transpose(1, 2).Reshape(shape...)))
	return x.Add(b.Down.Forward(F.GELU(b.Up.Forward(b.Norm2.Forward(x)))))
}
