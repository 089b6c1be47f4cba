package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/nn/utils"
)

// Clipping gradients: a piece of docs/packages/nn-utils.md.
func Example_nnUtilsClippingGradients() {
	w := lucid.New([]float32{3, 4}, 2).RequiresGrad_(true)
	w.Square().Sum().Div(2).Backward() // the gradient is w, its norm 5
	total := utils.ClipGradNorm([]*lucid.Tensor{w}, 1)
	fmt.Println(total.Item(), w.Grad())
	// Output:
	// 5 tensor([0.6000, 0.8000])
}

// A module as a function of its parameters: a piece of docs/packages/nn-utils.md.
func Example_nnUtilsFunctionalCall() {
	l := nn.NewLinear(2, 1, nn.LinearOptions{NoBias: true})
	x := lucid.New([]float32{3, 4}, 1, 2)
	grad := lucid.Grad(func(w *lucid.Tensor) *lucid.Tensor {
		var y *lucid.Tensor
		utils.FunctionalCall(l, map[string]*lucid.Tensor{"weight": w}, func() { y = l.Forward(x).Sum() })
		return y
	})
	fmt.Println(grad(lucid.Zeros(1, 2)))
	// Output:
	// tensor([[3., 4.]])
}

// Many models at once: a piece of docs/packages/nn-utils.md.
func Example_nnUtilsEnsemble() {
	net := nn.NewSequential(nn.NewLinear(2, 8), nn.NewTanh(), nn.NewLinear(8, 1))
	members := map[string]*lucid.Tensor{} // five sets of parameters, stacked
	for name, p := range nn.NamedParameters(net) {
		members[name] = lucid.Randn(append([]int{5}, p.Shape()...)...)
	}
	predict := func(p map[string]*lucid.Tensor, x *lucid.Tensor) (y *lucid.Tensor) {
		utils.FunctionalCall(net, p, func() { y = net.Forward(x) })
		return y
	}
	all := lucid.VMap(predict, lucid.VMapOptions{In: []int{0, lucid.NoAxis}})
	fmt.Println(all(members, lucid.Zeros(3, 2)).Shape())
	value, grad := lucid.ValueAndGradTree(func(p map[string]*lucid.Tensor) *lucid.Tensor {
		return all(p, lucid.Ones(3, 2)).Square().Mean()
	})(members)
	fmt.Println(value.Shape(), grad["0.weight"].Shape())
	// Output:
	// [5 3 1]
	// [] [5 8 2]
}

// Weight norm: a piece of docs/packages/nn-utils.md.
func Example_nnUtilsWeightNorm() {
	l := &nn.Linear{Weight: nn.Parameter(lucid.New([]float32{3, 4}, 1, 2))}
	utils.WeightNorm(l)
	fmt.Println(nn.StateDict(l).Names(), nn.Originals(l, "weight")[0].Item())
	utils.RemoveWeightNorm(l, "weight")
	fmt.Println(l.Weight.Detach())
	// Output:
	// [parametrizations.weight.original0 parametrizations.weight.original1] 5
	// tensor([[3., 4.]])
}

// Orthogonal weights: a piece of docs/packages/nn-utils.md.
func Example_nnUtilsOrthogonal() {
	lucid.Seed(1)
	l := nn.NewLinear(3, 5, nn.LinearOptions{NoBias: true})
	utils.Orthogonal(l)
	w := nn.Value(l, "weight").Detach()
	fmt.Println(lucid.Round(w.Transpose(0, 1).MatMul(w).Abs()))
	fmt.Println(nn.StateDict(l).Names())
	// Output:
	// tensor([[1., 0., 0.],
	//         [0., 1., 0.],
	//         [0., 0., 1.]])
	// [parametrizations.weight.original parametrizations.weight.0.base]
}
