package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/graph"
)

var opReal, opImag, opComplex *graph.Op

func inferPart(_ attr.Attr, in []*Node) []graph.Spec {
	return []graph.Spec{{Shape: in[0].Shape(), DType: in[0].DType().Real()}}
}

func init() {
	opReal = graph.Register(graph.Op{Name: "real", Version: 1, Kind: graph.Elementwise, Infer: inferPart, VMap: vmapElementwise,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{Cast(cot[0], n.In(0).DType())} },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{Real(tan[0])} }})
	opImag = graph.Register(graph.Op{Name: "imag", Version: 1, Kind: graph.Elementwise, Infer: inferPart, VMap: vmapElementwise,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{Complex(zerosLike(cot[0]), cot[0])} },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{Imag(tan[0])} }})
	opComplex = graph.Register(graph.Op{Name: "complex", Version: 1, Kind: graph.Elementwise, VMap: vmapElementwise,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: outShape(in...), DType: in[0].DType().Complex()}}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{Real(cot[0]), Imag(cot[0])} },
		JVP: func(n *Node, tan []*Node) []*Node {
			t := withZeros(n, tan)
			return []*Node{Complex(t[0], t[1])}
		}})
}

// Real returns the real part; real numbers are their own.
//
//lucid:func
//lucid:method
func Real(x *Node) *Node {
	if !x.DType().IsComplex() {
		return x
	}
	return apply(opReal, nil, x)
}

// Imag returns the imaginary part of complex numbers.
//
//lucid:func
//lucid:method
func Imag(x *Node) *Node {
	requireKind("imag", x, x.DType().IsComplex(), "a complex dtype")
	return apply(opImag, nil, x)
}

// Complex joins a real and an imaginary part.
//
//lucid:func
func Complex(real, imag *Node) *Node {
	a, b := promote("complex", floating(real), floating(imag))
	return apply(opComplex, nil, a, b)
}
