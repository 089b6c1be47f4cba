package docs_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

func Example_shapesShared() {
	w := lucid.Ones(3, 16)
	score := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(w).Tanh().Softmax(0).Sum() })
	for n := 20; n <= 300; n++ {
		score(lucid.Ones(n, 3))
	}
	x := lucid.Explain(score)
	fmt.Println(x.Traces, x.Plans)
	// Output: 281 1
}

func Example_shapesUnshared() {
	norm := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		if x.Size(0) > 100 {
			return x.Abs().Sum()
		}
		return x.Square().Sum().Sqrt()
	})
	for _, n := range []int{5, 200, 50, 1, 300} {
		norm(lucid.Ones(n))
	}
	fmt.Println(lucid.Explain(norm).Plans)
	for _, why := range lucid.Explain(norm).Unshared {
		fmt.Println(why)
	}
	// Output:
	// 3
	// the trace has 3 nodes, not 4
	// an argument or a captured tensor has shape [1], and the plan is for shapes like [5]: sizes of 0 and 1 and other ranks have their own
}

func Example_shapesNil() {
	attend := lucid.Compile(func(x, mask *lucid.Tensor) *lucid.Tensor {
		if mask == nil {
			return x.Softmax(-1)
		}
		return x.Add(mask).Softmax(-1)
	})
	x := lucid.Zeros(1, 2)
	fmt.Println(attend(x, nil), attend(x, lucid.New([]float32{0, -1e9}, 1, 2)))
	// Output: tensor([[0.5000, 0.5000]]) tensor([[1., 0.]])
}

func Example_shapesModules() {
	apply := lucid.Compile(func(m *nn.Sequential, x *lucid.Tensor) *lucid.Tensor { return m.Forward(x).Detach() })
	x := lucid.Ones(1, 4)
	for range 10 {
		apply(nn.NewSequential(nn.NewLinear(4, 4), nn.NewDropout(0.5)), x)
	}
	apply(nn.NewSequential(nn.NewLinear(4, 4), nn.NewDropout(0.1)), x)
	e := lucid.Explain(apply)
	fmt.Println(e.Traces, e.Reasons[1])
	// Output: 2 the structure or the constants of the arguments changed: argument 0.layers.1.p
}

func Example_shapesLengths() {
	lucid.Seed(1)
	gru := nn.NewGRU(2, 3)
	last := lucid.Compile(func(x, lengths *lucid.Tensor) *lucid.Tensor {
		_, h := gru.ForwardPadded(x, lengths, nil)
		return h.Detach()
	})
	x := lucid.Ones(7, 2, 2) // 7 steps, 2 sequences
	for n := int64(1); n <= 7; n++ {
		last(x, lucid.New([]int64{n, 8 - n}, 2))
	}
	fmt.Println(lucid.Explain(last).Traces, last(x, lucid.New([]int64{4, 7}, 2)).Shape())
	// Output: 1 [1 2 3]
}
