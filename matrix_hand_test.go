package lucid

import (
	"fmt"
	"math/rand/v2"
)

// attrs are named arguments of a hand-made case.
type attrs = map[string]any

// values makes doubles between lo and hi, the same every time.
func values(lo, hi float64, shape ...int) *Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	r := rand.New(rand.NewPCG(uint64(n), uint64(len(shape))))
	v := make([]float64, n)
	for i := range v {
		v[i] = lo + (hi-lo)*r.Float64()
	}
	return New(v, shape...)
}

// whole makes integers from 0 to n-1.
func whole(n int, shape ...int) *Tensor { return values(0, float64(n), shape...).Floor().To(Int64) }

// signs makes numbers that are 1 or -1.
func signs(shape ...int) *Tensor { return values(-1, 1, shape...).Sign() }

// handCases are for ops that the golden files do not have.
func handCases() (all []*matrixCase) {
	add := func(op string, a attrs, in ...*Tensor) {
		all = append(all, &matrixCase{op: op, name: fmt.Sprintf("hand%d", len(all)), attrs: a, in: in, grads: true})
	}
	handElementwise(add)
	handLosses(add)
	handMoves(add)
	handRandom(add)
	handProducts(add)
	handNamed(add)
	return all
}

type adder func(op string, a attrs, in ...*Tensor)

func handElementwise(add adder) {
	for _, s := range [][]int{{2, 3}, {}, {0, 3}} {
		x := values(-0.9, 0.9, s...)
		add("cube", nil, x)
		add("step", attrs{"threshold": 0.1}, x)
		add("stop_gradient", nil, x)
		add("depends", nil, x, values(-1, 1, 2), x)
		add("empty_like", nil, x)
		add("special_scaled_modified_bessel_k0", nil, x.Abs())
		add("special_scaled_modified_bessel_k1", nil, x.Abs())
		add("clamp_min", attrs{"min": 0.1}, x)
		add("clamp_max", attrs{"max": 0.1}, x)
		for _, p := range []string{"chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w",
			"hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p",
			"shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v", "shifted_chebyshev_polynomial_w"} {
			add("special_"+p, attrs{"n": 4}, x)
			add("special_"+p, nil, x, whole(6, 3))
		}
	}
	add("clamp_min", nil, values(-1, 1, 2, 3), values(-1, 1, 3))
	add("clamp_max", nil, values(-1, 1, 2, 1), values(-1, 1, 3))
	add("empty", attrs{"size": []int{2, 3}})
}

func handLosses(add adder) {
	add("ctc_loss", nil, LogSoftmax(values(-1, 1, 4, 2, 3), 2), New([]int64{1, 2, 2, 1}, 2, 2), New([]int64{4, 3}, 2), New([]int64{2, 1}, 2))
	x, y := values(-1, 1, 4, 3), values(-1, 1, 4, 3).Flip(0)
	for _, r := range []string{"none", "mean", "sum"} {
		o := func(more attrs) attrs {
			a := attrs{"reduction": r}
			for k, v := range more {
				a[k] = v
			}
			return a
		}
		add("cosine_embedding_loss", o(attrs{"margin": 0.2}), x, y, signs(4))
		add("margin_ranking_loss", o(attrs{"margin": 0.2}), x, y, signs(4, 3))
		add("gaussian_nll_loss", o(attrs{"full": true}), x, y, values(0.5, 2, 4, 3))
		add("hinge_embedding_loss", o(nil), x, signs(4, 3))
		add("multi_margin_loss", o(nil), x, whole(3, 4), values(0.5, 1, 3))
		add("multi_margin_loss", o(attrs{"p": 2}), x, whole(3, 4))
		add("multilabel_margin_loss", o(nil), x, New([]int64{2, -1, 0, 0, 1, -1, -1, 0, 0, 1, 2, 0}, 4, 3))
		add("multilabel_soft_margin_loss", o(nil), x, values(0, 1, 4, 3).Round().To(Float64), values(0.5, 1, 3))
		add("poisson_nll_loss", o(attrs{"full": true}), x, values(0.2, 3, 4, 3))
		add("poisson_nll_loss", o(attrs{"log_input": false}), x.Abs(), values(0.2, 3, 4, 3))
		add("soft_margin_loss", o(nil), x, signs(4, 3))
		add("triplet_margin_loss", o(nil), x, y, values(-2, 2, 3, 4).T())
		add("triplet_margin_loss", o(attrs{"swap": true, "p": 3.0}), x, y, values(-2, 2, 4, 3))
	}
}

func handMoves(add adder) {
	add("dynamic_slice", attrs{"axes": []int{0, 1}, "size": []int{2, 1}}, values(-1, 1, 4, 3), New([]int64{1, 2}, 2))
	add("dynamic_slice_update", attrs{"axes": []int{0, 1}}, values(-1, 1, 4, 3), values(-1, 1, 2, 1), New([]int64{1, 2}, 2))
	x := values(-1, 1, 3, 4)
	for _, op := range []string{"argpartition", "partition"} {
		add(op, attrs{"kth": 2}, x)
		add(op, attrs{"kth": 1, "dim": 0}, x)
		add(op, attrs{"kth": -2}, values(-1, 1, 5))
	}
	for _, op := range []string{"argmax", "argmin", "max_indices", "min_indices"} {
		add(op, attrs{"dim": -1}, values(-1, 1))
		add(op, attrs{"dim": 1}, x)
		add(op, attrs{"dim": 0, "keepdim": true}, x)
	}
	add("diagflat", nil, values(-1, 1, 3))
	add("diagflat", attrs{"offset": -1}, values(-1, 1, 2, 2))
	add("diagflat", nil, values(-1, 1))
	for _, op := range []string{"expand_as"} {
		add(op, nil, values(-1, 1, 3, 1), x)
		add(op, nil, values(-1, 1), x)
	}
	for _, op := range []string{"reshape_as", "view_as"} {
		add(op, nil, x, values(-1, 1, 2, 6))
		add(op, nil, values(-1, 1, 1), values(-1, 1))
		add(op, nil, values(-1, 1, 0, 2), values(-1, 1, 5, 0))
	}
	add("expand_dims", attrs{"axis": []int{0, 2}}, x)
	add("expand_dims", attrs{"axis": []int{-1}}, values(-1, 1))
	add("view_dtype", attrs{"dtype": Int64}, x)
	add("view_dtype", attrs{"dtype": Int32}, x)
	add("view_dtype", attrs{"dtype": Float64}, x)
	add("take_along_axis", attrs{"axis": 1}, x, whole(4, 3, 2))
	add("take_along_axis", attrs{"axis": 0}, x, whole(3, 1, 4))
	add("put_along_axis", attrs{"axis": 1}, x, New([]int64{2, 0, 1, 3, 0, 1}, 3, 2), values(-1, 1, 3, 2))
	add("put_along_axis", attrs{"axis": 1, "values": 0.5}, x, New([]int64{2, 0, 1, 3, 0, 1}, 3, 2))
	add("vecdot", nil, x, values(-2, 2, 4))
	add("vecdot", attrs{"dim": 0}, x, values(-2, 2, 3, 4))
	add("vecdot", nil, x.To(Complex128).Mul(complex(1, 0.5)), x.To(Complex128).Mul(complex(0.3, -0.5)))
	add("histogram2d", attrs{"bins": []int{3, 2}}, values(-1, 1, 9), values(-2, 1, 9))
	add("histogram2d", attrs{"bins": []int{3, 2}, "range": []float64{-1, 1, -2, 2}}, values(-1, 1, 9), values(-2, 1, 9))
}

func handRandom(add adder) {
	p := values(0.1, 0.9, 3, 4)
	for _, s := range [][]int{{2, 3}, {}, {0, 2}} {
		add("rand", attrs{"size": s})
		add("rand", attrs{"size": s, "dtype": Float64})
		add("randn", attrs{"size": s})
		add("randint", attrs{"high": 10, "size": s})
		add("randint", attrs{"high": 10, "low": -5, "size": s, "dtype": Int32})
		add("normal", attrs{"mean": 1.0, "std": 2.0, "size": s})
	}
	add("randperm", attrs{"n": 7})
	add("randperm", attrs{"n": 0})
	add("bernoulli", nil, p)
	add("poisson", nil, p.Mul(8))
	add("binomial", nil, whole(20, 3, 4).To(Float64), p)
	add("multinomial", attrs{"num_samples": 3}, p)
	add("multinomial", attrs{"num_samples": 6, "replacement": true}, p)
	add("normal", nil, p, p.Add(0.5))
	add("normal", attrs{"std": 0.5}, p)
}

func handProducts(add adder) {
	add("convolve", nil, values(-1, 1, 5), values(-1, 1, 3))
	add("convolve", attrs{"mode": "same"}, values(-1, 1, 5), values(-1, 1, 3))
	add("convolve", attrs{"mode": "valid"}, values(-1, 1, 3), values(-1, 1, 5))
	a, b := values(-1, 1, 3, 2, 4), values(-1, 1, 5, 4, 3)
	add("gather_mm", nil, a, values(-1, 1, 3, 4, 2))
	add("gather_mm", nil, a, b, New([]int64{0, 2, 2, 1}, 4), New([]int64{4, 0, 1, 1}, 4))
	add("gather_mm", nil, a, b, nil, New([]int64{4, 0, 4}, 3))
	add("gather_mm", nil, a, b, New([]int64{0, 2}, 2, 1), New([]int64{4, 0, 1}, 3))
	x, y := values(-1, 1, 5, 4), values(-1, 1, 4, 3)
	keep := func(shape ...int) *Tensor { return values(-1, 1, shape...).Gt(0) }
	add("block_masked_mm", attrs{"block_size": 2}, x, y, keep(3, 2), keep(3, 2), keep(2, 2))
	add("block_masked_mm", attrs{"block_size": 2}, x, y, nil, values(0, 1, 3, 2), values(0, 1, 2, 2))
	add("block_masked_mm", attrs{"block_size": 3}, x, y, values(0, 1, 2, 1))
	image, w := values(-1, 1, 2, 2, 5), values(-1, 1, 3, 2, 2)
	add("conv_general", nil, image, w)
	add("conv_general", attrs{"stride": []int{2}, "padding": []int{1}, "kernel_dilation": []int{2}, "input_dilation": []int{2}, "flip": true}, image, w)
	add("conv_general", attrs{"groups": 2, "padding": []int{1, 0}, "stride": []int{1, 2}}, values(-1, 1, 1, 4, 3, 4), values(-1, 1, 2, 2, 2, 2))
	add("conv1d", attrs{"channels_last": true, "padding": 1}, values(-1, 1, 2, 5, 2), w, values(-1, 1, 3))
	add("conv2d", attrs{"channels_last": true, "groups": 2, "stride": []int{1, 2}}, values(-1, 1, 2, 4, 3, 4), values(-1, 1, 2, 2, 2, 2))
	add("batch_norm", attrs{"training": true, "channels_last": true}, values(-1, 1, 3, 2, 4), nil, nil, values(0.5, 1, 4), values(-1, 1, 4))
	add("embedding_renorm", attrs{"max_norm": 0.5, "norm_type": 2.0}, values(-1, 1, 5, 3), New([]int64{0, 2, 2}, 3))
	add("matrix_transpose", nil, values(-1, 1, 2, 3, 4))
	q, k, v := values(-1, 1, 2, 4, 3, 2), values(-1, 1, 2, 2, 5, 2), values(-1, 1, 2, 2, 5, 3)
	add("scaled_dot_product_attention", attrs{"enable_gqa": true, "is_causal": true, "scale": 0.7}, q, k, v)
	add("scaled_dot_product_attention", attrs{"enable_gqa": true}, q, k, v, values(-1, 1, 4, 3, 1))
	add("scaled_dot_product_attention", attrs{"enable_gqa": true}, q, k, v, keep(2, 1, 3, 5))
	add("scaled_dot_product_attention", nil, values(-1, 1, 3, 2), values(-1, 1, 2, 4, 2), values(-1, 1, 4, 3))
	add("scaled_dot_product_attention", nil, values(-1, 1, 2, 2), values(-1, 1, 3, 2), values(-1, 1, 3, 2), values(-1, 1, 2, 1, 2, 3))
}
