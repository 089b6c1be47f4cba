package docs_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
	"github.com/lucid-go/lucid/optim/sched"
	"github.com/lucid-go/lucid/tree"
)

// The pieces of docs/training.md.

type MLP struct {
	nn.Base
	L1, L2 *nn.Linear
}

func (m *MLP) Forward(x *lucid.Tensor) *lucid.Tensor { return m.L2.Forward(m.L1.Forward(x).Tanh()) }

// problem returns a new model and data for it: the product of two numbers.
func problem() (model *MLP, x, y *lucid.Tensor) {
	lucid.Seed(1)
	x = lucid.Randn(256, 2)
	y = x.At(lucid.Colon, 0).Mul(x.At(lucid.Colon, 1)).Unsqueeze(1)
	return &MLP{L1: nn.NewLinear(2, 32), L2: nn.NewLinear(32, 1)}, x, y
}

func Example_trainingImperative() {
	model, x, y := problem()
	opt := optim.NewAdam(nn.Parameters(model), optim.AdamOptions{LR: 0.01})
	for i := range 400 {
		opt.ZeroGrad()
		loss := F.MSELoss(model.Forward(x), y)
		loss.Backward()
		opt.Step()
		if i%100 == 99 {
			fmt.Printf("%.3f ", loss.Item())
		}
	}
	fmt.Println()
	// Output: 0.040 0.012 0.004 0.001
}

func Example_trainingFunctional() {
	model, x, y := problem()
	loss := func(m *MLP) *lucid.Tensor { return F.MSELoss(m.Forward(x), y) }
	opt := optim.NewAdam(nn.Parameters(model), optim.AdamOptions{LR: 0.01})
	for i := range 400 {
		value, grads := nn.ValueAndGrad(model, loss)
		opt.Update(model, grads)
		if i%100 == 99 {
			fmt.Printf("%.3f ", value.Item())
		}
	}
	fmt.Println()
	// Output: 0.040 0.012 0.004 0.001
}

func Example_trainingTree() {
	model, x, y := problem()
	nn.Freeze(model, "l1")
	_, grads := nn.ValueAndGrad(model, func(m *MLP) *lucid.Tensor { return F.MSELoss(m.Forward(x), y) })
	grads, norm := optim.ClipGradients(grads, 0.5)
	for _, g := range tree.Leaves(grads) {
		fmt.Println(g.Path, g.Tensor.Shape())
	}
	fmt.Println(norm.Item() > 0.5, model.L2.Weight.Grad() == nil)
	// Output:
	// l2.weight [1 32]
	// l2.bias [1]
	// true true
}

func Example_trainingCompiled() {
	model, x, y := problem()
	opt := optim.NewAdam(nn.Parameters(model), optim.AdamOptions{LR: 0.01})
	step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
		value, grads := nn.ValueAndGrad(model, func(m *MLP) *lucid.Tensor { return F.MSELoss(m.Forward(x), y) })
		opt.Update(model, grads)
		return value
	})
	for i := range 400 {
		if value := step(x, y); i%100 == 99 {
			fmt.Printf("%.3f ", value.Item())
		}
	}
	fmt.Println("in", lucid.Explain(step).Traces, "trace")
	// Output: 0.040 0.012 0.004 0.001 in 1 trace
}

func Example_trainingPure() {
	model, x, y := problem()
	opt := optim.NewAdam(nn.Parameters(model), optim.AdamOptions{LR: 0.01})
	step := lucid.Compile(func(m *MLP, x, y *lucid.Tensor) (*MLP, *lucid.Tensor) {
		value, grads := nn.ValueAndGrad(m, func(m *MLP) *lucid.Tensor { return F.MSELoss(m.Forward(x), y) })
		return optim.ApplyGradients(opt, grads, nn.TrainableParameters(m)), value
	})
	m := model
	for i := range 400 {
		var value *lucid.Tensor
		if m, value = step(m, x, y); i%100 == 99 {
			fmt.Printf("%.3f ", value.Item())
		}
	}
	fmt.Println("in", lucid.Explain(step).Traces, "trace", m == model)
	// Output: 0.040 0.012 0.004 0.001 in 1 trace false
}

func Example_trainingSchedule() {
	model, x, y := problem()
	opt := optim.NewAdam(nn.Parameters(model), optim.AdamOptions{LR: 1}) // the schedule sets it
	warm, fall := sched.LinearSchedule(0, 0.02, 50), sched.CosineDecay(0.02, 350, 0)
	sched.Attach(opt, sched.JoinSchedules([]sched.Func{warm, fall}, []int{50}))
	step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
		value, grads := nn.ValueAndGrad(model, func(m *MLP) *lucid.Tensor { return F.MSELoss(m.Forward(x), y) })
		opt.Update(model, grads)
		return value
	})
	for range 26 {
		step(x, y)
	}
	fmt.Printf("%.3f\n", opt.ParamGroups()[0].LR())
	// Output: 0.010
}

func Example_trainingEnsemble() {
	_, x, y := problem()
	members := make([]*MLP, 3)
	for i := range members {
		members[i] = &MLP{L1: nn.NewLinear(2, 32), L2: nn.NewLinear(32, 1)}
	}
	all := tree.Stack(members) // the weights of L1 are (3, 32, 2) now
	loss := func(m *MLP) *lucid.Tensor { return F.MSELoss(m.Forward(x), y) }
	losses := lucid.VMap(loss)(all)
	fmt.Println(losses.Shape(), lucid.AllClose(losses.At(1), loss(members[1])))
	// Output: [3] true
}
