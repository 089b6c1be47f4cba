package docs_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
	"github.com/lucid-go/lucid/optim/sched"
)

type Net struct {
	nn.Base
	Body *nn.Sequential
	Head *nn.Linear
}

func NewNet() *Net {
	return &Net{
		Body: nn.NewSequential(nn.NewLinear(2, 32), nn.NewReLU(), nn.NewDropout(0.1)),
		Head: nn.NewLinear(32, 2, nn.LinearOptions{NoBias: true}),
	}
}

func (n *Net) Forward(x *lucid.Tensor) *lucid.Tensor { return n.Head.Forward(n.Body.Forward(x)) }

// Autograd: a piece of docs/tutorial-pytorch.md.
func Example_pytorchAutograd() {
	w := lucid.New([]float32{1, -2}, 2).RequiresGrad_(true)
	loss := w.Square().Sum()
	loss.Backward()
	fmt.Println(w.Grad())
	// Output:
	// tensor([ 2., -4.])
}

// A module: a piece of docs/tutorial-pytorch.md.
func Example_pytorchAModule() {
	m := NewNet()
	fmt.Println(nn.StateDict(m).Names())
	fmt.Println(nn.NumParameters(m))
	// Output:
	// [body.0.weight body.0.bias head.weight]
	// 160
}

// The loop: a piece of docs/tutorial-pytorch.md.
func Example_pytorchTheLoop() {
	lucid.Seed(1)
	x := lucid.Randn(256, 2)
	y := x.Sum(1).Gt(0).To(lucid.Int64)
	loader := data.NewLoader(data.NewTensorDataset(x, y), data.LoaderOptions{BatchSize: 32, Shuffle: true})

	model := NewNet()
	opt := optim.NewAdamW(nn.Parameters(model), optim.AdamWOptions{LR: 0.02})
	schedule := sched.NewCosineAnnealingLR(opt, sched.CosineAnnealingLROptions{TMax: 20})
	step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor { // leave Compile out and it is eager
		opt.ZeroGrad()
		loss := F.CrossEntropy(model.Forward(x), y)
		loss.Backward()
		opt.Step()
		return loss
	})
	var first, last float64
	for epoch := range 20 {
		for batch, err := range loader.All(context.Background()) {
			if err != nil {
				log.Fatal(err)
			}
			last = step(batch[0], batch[1]).Item()
			if epoch == 0 && first == 0 {
				first = last
			}
		}
		schedule.Step()
	}
	fmt.Println(last < first/3)
	// Output:
	// true
}

// State dicts, both ways: a piece of docs/tutorial-pytorch.md.
func Example_pytorchStateDictsBothWays() {
	path := filepath.Join(os.TempDir(), "from-pytorch.safetensors")
	if err := lucid.Save(path, nn.StateDict(NewNet())); err != nil { // stands in for the line of Python
		log.Fatal(err)
	}
	defer os.Remove(path)
	state, err := lucid.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	state.Delete("head.weight")
	err = nn.LoadStateDict(NewNet(), state)
	fmt.Println(err)
	fmt.Println(nn.LoadStateDict(NewNet(), state, nn.LoadOptions{NotStrict: true}))
	// Output:
	// lucid: load_state_dict: the state does not fit the module; missing: head.weight
	// <nil>
}
