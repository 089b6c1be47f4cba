package docs_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
)

func Example_controlBranch() {
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.Cond(x.Sum().Gt(0),
			func(x *lucid.Tensor) *lucid.Tensor { return x.Sqrt() },
			func(x *lucid.Tensor) *lucid.Tensor { return x.Neg() }, x)
	})
	fmt.Println(f(lucid.New([]float32{1, 4}, 2)))
	fmt.Println(f(lucid.New([]float32{-1, -4}, 2)))
	fmt.Println(lucid.Explain(f).Traces)
	// Output:
	// tensor([1., 2.])
	// tensor([1., 4.])
	// 1
}

func Example_controlWhile() {
	type state struct{ X, Err *lucid.Tensor }
	root := lucid.Compile(func(a *lucid.Tensor) *lucid.Tensor {
		end := lucid.While(
			func(s state) *lucid.Tensor { return s.Err.Gt(1e-9) },
			func(s state) state {
				next := s.X.Add(a.Div(s.X)).Mul(0.5)
				return state{next, next.Sub(s.X).Abs()}
			}, state{a, lucid.OnesLike(a)})
		return end.X
	})
	fmt.Println(root(lucid.Scalar(9.0)).Item(), root(lucid.Scalar(144.0)).Item())
	// Output: 3 12
}

func Example_controlScan() {
	decay := lucid.Scalar(0.5)
	smooth := func(xs *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor) {
		return lucid.Scan(func(h, x *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor) {
			h = h.Mul(decay).Add(x)
			return h, h
		}, lucid.Scalar(0.0), xs)
	}
	last, all := smooth(lucid.New([]float32{1, 2, 3}, 3))
	fmt.Println(last.Item(), all)
	grad := lucid.Grad(func(xs *lucid.Tensor) *lucid.Tensor { last, _ := smooth(xs); return last })
	fmt.Println(grad(lucid.New([]float32{1, 2, 3}, 3)))
	// Output:
	// 4.25 tensor([1.0000, 2.5000, 4.2500])
	// tensor([0.2500, 0.5000, 1.0000])
}

func Example_controlAssociativeScan() {
	type affine struct{ A, B *lucid.Tensor } // h → A·h + B
	then := func(f, g affine) affine { return affine{g.A.Mul(f.A), g.A.Mul(f.B).Add(g.B)} }
	xs := affine{lucid.New([]float32{0.5, 0.5, 0.5}, 3), lucid.New([]float32{1, 2, 3}, 3)}
	fmt.Println(lucid.AssociativeScan(then, xs).B)
	// Output: tensor([1.0000, 2.5000, 4.2500])
}
