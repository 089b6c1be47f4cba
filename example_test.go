package lucid_test

import (
	"errors"
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// Tensors are computed when a value is asked for.
func Example() {
	x := lucid.New([]float32{1, 2, 3, 4}, 2, 2)
	y := x.MatMul(x).Add(10).ReLU()
	fmt.Println(y)
	fmt.Println(y.Sum().Item())
	// Output:
	// tensor([[17., 20.],
	//         [25., 32.]])
	// 94
}

// PyTorch's way: leaves that require a gradient, Backward, Grad.
func Example_backward() {
	w := lucid.New([]float32{1, -2}, 2).RequiresGrad_(true)
	loss := w.Square().Sum()
	loss.Backward()
	lucid.NoGrad(func() { w.Sub_(w.Grad().Mul(0.1)) })
	fmt.Println(w.Grad())
	fmt.Println(w.Detach())
	// Output:
	// tensor([ 2., -4.])
	// tensor([ 0.8000, -1.6000])
}

// Functions that take functions, in any nesting.
func Example_transforms() {
	f := func(x *lucid.Tensor) *lucid.Tensor { return x.Pow(3) }
	second := lucid.Grad(lucid.Grad(f))
	xs := lucid.New([]float32{1, 2, 3}, 3)
	fmt.Println(second(lucid.Scalar(2.0)).Item())
	fmt.Println(lucid.VMap(second)(xs))
	fmt.Println(lucid.Compile(lucid.VMap(second))(xs))
	// Output:
	// 12
	// tensor([ 6., 12., 18.])
	// tensor([ 6., 12., 18.])
}

// A compiled function sees and keeps the state it writes.
func ExampleCompile() {
	count := lucid.Zeros()
	next := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		count.Add_(1)
		return x.Mul(count)
	})
	for range 3 {
		fmt.Println(next(lucid.Scalar(10.0)).Item())
	}
	fmt.Println(lucid.Explain(next).Traces)
	// Output:
	// 10
	// 20
	// 30
	// 1
}

// Mistakes panic at the line that makes them, with the op, the values and the remedy; Try returns them as errors.
func ExampleTry() {
	a, b := lucid.Zeros(2, 3), lucid.Zeros(4, 5)
	err := lucid.Try(func() { a.MatMul(b) })
	fmt.Println(err)
	fmt.Println(errors.Is(err, lucid.ErrShapeMismatch))
	// Output:
	// lucid: matmul: inner sizes differ: a [2 3] float32, b [4 5] float32; want a[-1] == b[-2], got 3 and 4
	// true
}

// A training step is a function like any other, and compiles.
func Example_training() {
	lucid.Seed(1)
	x := lucid.Randn(256, 2)
	y := x.Sum(1).Gt(0).To(lucid.Int64)
	net := nn.NewSequential(nn.NewLinear(2, 16), nn.NewReLU(), nn.NewLinear(16, 2))
	opt := optim.NewAdam(nn.Parameters(net), optim.AdamOptions{LR: 0.01})
	step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
		opt.ZeroGrad()
		loss := F.CrossEntropy(net.Forward(x), y)
		loss.Backward()
		opt.Step()
		return loss
	})
	for range 200 {
		step(x, y)
	}
	fmt.Println(step(x, y).Item() < 0.1)
	// Output:
	// true
}
