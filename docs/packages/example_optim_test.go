package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// A step: a piece of docs/packages/optim.md.
func Example_optimAStep() {
	w := lucid.New([]float32{5}, 1).RequiresGrad_(true)
	opt := optim.NewSGD([]*lucid.Tensor{w}, optim.SGDOptions{LR: 0.1, Momentum: 0.9})
	for range 100 {
		opt.ZeroGrad()
		w.Square().Sum().Backward()
		opt.Step()
	}
	fmt.Printf("%.1f\n", w.Abs().Sum().Item())
	// Output:
	// 0.0
}

// Gradients as values: a piece of docs/packages/optim.md.
func Example_optimGradientsAsValues() {
	model := nn.NewLinear(2, 1)
	opt := optim.NewAdamW(nn.Parameters(model), optim.AdamWOptions{LR: 0.1, NoBiasCorrection: true})
	x, y := lucid.Ones(4, 2), lucid.Zeros(4, 1)
	for range 100 {
		_, grads := nn.ValueAndGrad(model, func(m *nn.Linear) *lucid.Tensor { return F.MSELoss(m.Forward(x), y) })
		grads, _ = optim.ClipGradients(grads, 1)
		opt.Update(model, grads)
	}
	fmt.Printf("%.1f\n", model.Forward(x).Abs().Max().Item())
	// Output:
	// 0.0
}

// An average of the weights: a piece of docs/packages/optim.md.
func Example_optimAverage() {
	w := lucid.Zeros(1)
	mean := optim.NewEMA([]*lucid.Tensor{w}, optim.EMAOptions{Decay: new(0.5)})
	for _, v := range []float64{8, 4, 2} {
		w.Assign(v)
		mean.Update()
	}
	mean.With(func() { fmt.Println(w.Detach()) })
	fmt.Println(w.Detach())
	// Output:
	// tensor([4.])
	// tensor([2.])
}

// Training in float16: a piece of docs/packages/optim.md.
func Example_optimGradScaler() {
	w := lucid.New([]float32{4}, 1).RequiresGrad_(true)
	opt := optim.NewSGD([]*lucid.Tensor{w}, optim.SGDOptions{LR: 0.1})
	scaler := optim.NewGradScaler(optim.GradScalerOptions{InitScale: 1e6})
	for range 8 {
		opt.ZeroGrad()
		var loss *lucid.Tensor
		lucid.Autocast(lucid.Float16, func() { loss = F.Linear(w.Unsqueeze(0), w.Unsqueeze(0)).Sum() }) // a product, in float16
		scaler.Scale(loss).Backward()
		scaler.Step(opt)
		scaler.Update()
	}
	fmt.Printf("%.2f, scale %.0f\n", w.Abs().Sum().Item(), scaler.GetScale())
	// Output:
	// 2.56, scale 15625
}
