package docs_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

type net struct {
	nn.Base
	Body *nn.Sequential
	Head *nn.Linear
}

func newNet() *net {
	return &net{
		Body: nn.NewSequential(nn.NewLinear(2, 32), nn.NewTanh()),
		Head: nn.NewLinear(32, 2),
	}
}

func (n *net) Forward(x *lucid.Tensor) *lucid.Tensor { return n.Head.Forward(n.Body.Forward(x)) }

// Tensors: a piece of docs/tutorial-go.md.
func Example_goTensors() {
	x := lucid.New([]float32{1, 2, 3, 4, 5, 6}, 2, 3) // 2 rows, 3 columns
	y := x.Mul(10).Add(x.Sum(0))                      // the sum of each column is added to every row
	fmt.Println(y)
	fmt.Println(y.Shape(), y.DType(), y.At(1, 2).Item())
	// Output:
	// tensor([[15., 27., 39.],
	//         [45., 57., 69.]])
	// [2 3] float32 69
}

// Tensors: a piece of docs/tutorial-go.md.
func Example_goTensors2() {
	m := lucid.Arange(12).Reshape(3, 4)
	fmt.Println(m.At(0))                                 // a row
	fmt.Println(m.At(lucid.Colon, -1))                   // the last column
	fmt.Println(m.At(1, lucid.Range{Start: 1, Stop: 3})) // of row 1, columns 1 and 2
	fmt.Println(m.At(m.Gt(8)))                           // all that are greater than 8
	// Output:
	// tensor([0, 1, 2, 3])
	// tensor([ 3,  7, 11])
	// tensor([5, 6])
	// tensor([ 9, 10, 11])
}

// Mistakes: a piece of docs/tutorial-go.md.
func Example_goMistakes() {
	err := lucid.Try(func() { lucid.Zeros(2, 3).MatMul(lucid.Zeros(4, 5)) })
	fmt.Println(err)
	fmt.Println(errors.Is(err, lucid.ErrShapeMismatch))
	// Output:
	// lucid: matmul: inner sizes differ: a [2 3] float32, b [4 5] float32; want a[-1] == b[-2], got 3 and 4
	// true
}

// Gradients: a piece of docs/tutorial-go.md.
func Example_goGradients() {
	square := func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(x) }
	slope := lucid.Grad(square)
	fmt.Println(slope(lucid.Scalar(3.0)).Item())
	// Output:
	// 6
}

// Gradients: a piece of docs/tutorial-go.md.
func Example_goGradients2() {
	x := lucid.New([]float32{0, 1, 2, 3}, 4)
	y := lucid.New([]float32{1, 3, 5, 7}, 4) // 2x + 1
	loss := func(a, b *lucid.Tensor) *lucid.Tensor {
		return x.Mul(a).Add(b).Sub(y).Square().Mean()
	}
	gradient := lucid.ValueAndGrad(loss, 0, 1) // of both arguments
	a, b := lucid.Scalar(0.0), lucid.Scalar(0.0)
	for range 500 {
		_, g := gradient(a, b)
		a, b = a.Sub(g[0].Mul(0.1)), b.Sub(g[1].Mul(0.1))
	}
	fmt.Printf("%.2fx + %.2f\n", a.Item(), b.Item())
	// Output:
	// 2.00x + 1.00
}

// A network: a piece of docs/tutorial-go.md.
func Example_goANetwork() {
	lucid.Seed(1)
	x := lucid.Randn(512, 2)
	label := x.At(lucid.Colon, 0).Mul(x.At(lucid.Colon, 1)).Gt(0).To(lucid.Int64) // same sign or not

	m := newNet()
	opt := optim.NewAdam(nn.Parameters(m), optim.AdamOptions{LR: 0.02})
	step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
		opt.ZeroGrad()
		loss := F.CrossEntropy(m.Forward(x), y)
		loss.Backward() // a gradient for every parameter
		opt.Step()
		return loss
	})

	loader := data.NewLoader(data.NewTensorDataset(x, label), data.LoaderOptions{BatchSize: 64, Shuffle: true, Workers: 2})
	for range 40 {
		for batch, err := range loader.All(context.Background()) {
			if err != nil {
				log.Fatal(err)
			}
			step(batch[0], batch[1])
		}
	}

	nn.Eval(m)
	right := m.Forward(x).ArgMax(-1).Eq(label).To(lucid.Float32).Mean().Item()
	fmt.Println(right > 0.95)
	// Output:
	// true
}

// Saving: a piece of docs/tutorial-go.md.
func Example_goSaving() {
	path := filepath.Join(os.TempDir(), "net.safetensors") // PyTorch reads it too
	if err := lucid.Save(path, nn.StateDict(newNet())); err != nil {
		log.Fatal(err)
	}
	defer os.Remove(path)
	state, err := lucid.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	m := newNet()
	if err := nn.LoadStateDict(m, state); err != nil { // names every key that does not fit
		log.Fatal(err)
	}
	fmt.Println(state.Names())
	// Output:
	// [body.0.weight body.0.bias head.weight head.bias]
}

// Goroutines: a piece of docs/tutorial-go.md.
func Example_goGoroutines() {
	double := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(2) })
	results := make([]float64, 4)
	var wait sync.WaitGroup
	for i := range results {
		wait.Go(func() { results[i] = double(lucid.Scalar(float64(i))).Item() })
	}
	wait.Wait()
	fmt.Println(results)
	// Output:
	// [0 2 4 6]
}
