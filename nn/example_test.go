package nn_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// Classifier is a module of one's own: a struct with Base, fields and a Forward.
type Classifier struct {
	nn.Base
	Body *nn.Sequential
	Head *nn.Linear
}

// NewClassifier makes its layers.
func NewClassifier() *Classifier {
	return &Classifier{Body: nn.NewSequential(nn.NewLinear(4, 16), nn.NewReLU()), Head: nn.NewLinear(16, 3)}
}

// Forward takes (B, 4) to (B, 3).
func (c *Classifier) Forward(x *lucid.Tensor) *lucid.Tensor { return c.Head.Forward(c.Body.Forward(x)) }

// A module of one's own gets hooks and parametrizations where it is called by Call.
func ExampleCall() {
	lucid.Seed(1)
	m := NewClassifier()
	handle := nn.RegisterForwardHook(m, func(_ nn.Module, in, out []*lucid.Tensor) []*lucid.Tensor {
		fmt.Println(in[0].Shape(), "to", out[0].Shape())
		return nil
	})
	nn.Call(m, lucid.Ones(2, 4))
	handle.Remove()
	nn.Call(m, lucid.Ones(2, 4))
	// Output: [2 4] to [2 3]
}

func Example() {
	lucid.Seed(1)
	m := NewClassifier()
	fmt.Println(nn.StateDict(m).Names())

	opt := optim.NewAdamW(nn.Parameters(m), optim.AdamWOptions{LR: 0.05})
	step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
		opt.ZeroGrad()
		loss := F.CrossEntropy(m.Forward(x), y)
		loss.Backward()
		opt.Step()
		return loss
	})
	x := lucid.Randn(64, 4)
	y := x.ArgMax(-1).Remainder(3)
	first, last := step(x, y).Item(), 0.0
	for range 100 {
		last = step(x, y).Item()
	}
	fmt.Println(last < first/4, lucid.Explain(step).Traces)
	// Output:
	// [body.0.weight body.0.bias head.weight head.bias]
	// true 1
}

func ExampleSummary() {
	fmt.Print(nn.Summary(NewClassifier(), lucid.Zeros(2, 4)))
	// Output:
	// name    type        output  parameters
	// (self)  Classifier  [2 3]   0
	// body    Sequential  [2 16]  0
	// body.0  Linear      [2 16]  80
	// body.1  ReLU        [2 16]  0
	// head    Linear      [2 3]   51
	// 131 parameters, 131 of them trained
}
