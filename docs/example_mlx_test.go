package docs_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
	"github.com/lucid-go/lucid/random"
)

// Transforms: a piece of docs/tutorial-mlx.md.
func Example_mlxTransforms() {
	f := func(x *lucid.Tensor) *lucid.Tensor { return x.Pow(3).Sum() }
	second := lucid.VMap(lucid.Grad(lucid.Grad(f)))
	fmt.Println(second(lucid.New([]float32{1, 2, 3}, 3)))
	// Output:
	// tensor([ 6., 12., 18.])
}

// Random numbers: a piece of docs/tutorial-mlx.md.
func Example_mlxRandomNumbers() {
	keys := random.Keys(random.Key(42), 2)
	x := random.Uniform(keys[0], []int{2})
	same := random.Uniform(keys[0], []int{2})
	other := random.Uniform(keys[1], []int{2})
	fmt.Println(lucid.Equal(x, same), lucid.Equal(x, other))
	// Output:
	// true false
}

// Training without modules: a piece of docs/tutorial-mlx.md.
func Example_mlxTrainingWithoutModules() {
	keys := random.Keys(random.Key(1), 2)
	truth := lucid.New([]float32{2, -3, 1}, 3)
	x := random.Normal(keys[0], []int{100, 3})
	y := x.MatMul(truth)
	w := random.Normal(keys[1], []int{3})
	loss := func(w, x, y *lucid.Tensor) *lucid.Tensor { return x.MatMul(w).Sub(y).Square().Mean() }
	gradient := lucid.ValueAndGrad(loss)
	step := lucid.Compile(func(w, x, y *lucid.Tensor) *lucid.Tensor {
		_, g := gradient(w, x, y)
		return w.Sub(g[0].Mul(0.1))
	})
	for range 200 {
		w = step(w, x, y)
	}
	fmt.Println(lucid.Round(w))
	// Output:
	// tensor([ 2., -3.,  1.])
}

// Training with modules: a piece of docs/tutorial-mlx.md.
func Example_mlxTrainingWithModules() {
	lucid.Seed(1)
	x := lucid.Randn(256, 2)
	y := x.At(lucid.Colon, 0).Mul(x.At(lucid.Colon, 1)).Unsqueeze(1)
	model := nn.NewSequential(nn.NewLinear(2, 32), nn.NewTanh(), nn.NewLinear(32, 1))
	opt := optim.NewLion(nn.Parameters(model), optim.LionOptions{LR: 0.003})
	step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
		opt.ZeroGrad()
		loss := F.MSELoss(model.Forward(x), y)
		loss.Backward()
		opt.Step()
		return loss
	})
	first := step(x, y).Item()
	for range 400 {
		step(x, y)
	}
	fmt.Println(step(x, y).Item() < first/10)
	// Output:
	// true
}
