package transforms

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// signs makes numbers that are 1 or -1.
func signs(shape ...int) *lucid.Tensor { return tensortest.Uniform(-1, 1, shape...).Sign() }

// handCases are for ops that the golden files do not have.
func handCases() (all []*matrixCase) {
	add := func(op string, a tensortest.Attrs, in ...*lucid.Tensor) {
		all = append(all, &matrixCase{op: op, name: fmt.Sprintf("hand%d", len(all)), attrs: a, in: in, grads: true})
	}
	handElementwise(add)
	handLosses(add)
	handMoves(add)
	handRandom(add)
	handProducts(add)
	handNamed(add)
	handLinalg(add)
	return all
}

type adder func(op string, a tensortest.Attrs, in ...*lucid.Tensor)

func handElementwise(add adder) {
	for _, s := range [][]int{{2, 3}, {}, {0, 3}} {
		x := tensortest.Uniform(-0.9, 0.9, s...)
		add("cube", nil, x)
		add("step", tensortest.Attrs{"threshold": 0.1}, x)
		add("stop_gradient", nil, x)
		add("depends", nil, x, tensortest.Uniform(-1, 1, 2), x)
		add("empty_like", nil, x)
		add("special_scaled_modified_bessel_k0", nil, x.Abs())
		add("special_scaled_modified_bessel_k1", nil, x.Abs())
		y := tensortest.Uniform(0.5, 4, s...)
		add("special_gammainc", nil, y, y.Flip().Add(x.Abs()))
		add("special_gammaincc", nil, y, y.Flip().Add(x.Abs()))
		add("special_betainc", nil, y, y.Flip().Add(x.Abs()), x.Abs().Add(0.05))
		add("special_beta", nil, y, y.Flip().Add(x.Abs()))
		add("special_betaln", nil, y, y.Flip().Add(x.Abs()))
		add("special_airy_ai", nil, x.Mul(4))
		add("special_erfcinv", nil, x.Add(1))
		add("standard_gamma_grad", nil, y, y.Flip().Add(x.Abs()))
		add("dirichlet_grad", nil, x.Abs().Add(0.05), y, y.Add(2))
		add("clamp_min", tensortest.Attrs{"min": 0.1}, x)
		add("clamp_max", tensortest.Attrs{"max": 0.1}, x)
		for _, p := range []string{"chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w",
			"hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p",
			"shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
			"shifted_chebyshev_polynomial_w"} {
			add("special_"+p, tensortest.Attrs{"n": 4}, x)
			add("special_"+p, nil, x, tensortest.UniformInt(6, 3))
		}
	}
	add("clamp_min", nil, tensortest.Uniform(-1, 1, 2, 3), tensortest.Uniform(-1, 1, 3))
	add("clamp_max", nil, tensortest.Uniform(-1, 1, 2, 1), tensortest.Uniform(-1, 1, 3))
	add("empty", tensortest.Attrs{"size": []int{2, 3}})
}

func handLosses(add adder) {
	add("ctc_loss", nil, lucid.LogSoftmax(tensortest.Uniform(-1, 1, 4, 2, 3), 2), lucid.New([]int64{1, 2, 2, 1}, 2, 2),
		lucid.New([]int64{4, 3}, 2), lucid.New([]int64{2, 1}, 2))
	x, y := tensortest.Uniform(-1, 1, 4, 3), tensortest.Uniform(-1, 1, 4, 3).Flip(0)
	for _, r := range []string{"none", "mean", "sum"} {
		o := func(more tensortest.Attrs) tensortest.Attrs {
			a := tensortest.Attrs{"reduction": r}
			for k, v := range more {
				a[k] = v
			}
			return a
		}
		add("cosine_embedding_loss", o(tensortest.Attrs{"margin": 0.2}), x, y, signs(4))
		add("margin_ranking_loss", o(tensortest.Attrs{"margin": 0.2}), x, y, signs(4, 3))
		add("gaussian_nll_loss", o(tensortest.Attrs{"full": true}), x, y, tensortest.Uniform(0.5, 2, 4, 3))
		add("hinge_embedding_loss", o(nil), x, signs(4, 3))
		add("multi_margin_loss", o(nil), x, tensortest.UniformInt(3, 4), tensortest.Uniform(0.5, 1, 3))
		add("multi_margin_loss", o(tensortest.Attrs{"p": 2}), x, tensortest.UniformInt(3, 4))
		add("multilabel_margin_loss", o(nil), x, lucid.New([]int64{2, -1, 0, 0, 1, -1, -1, 0, 0, 1, 2, 0}, 4, 3))
		add("multilabel_soft_margin_loss", o(nil), x, tensortest.Uniform(0, 1, 4, 3).Round().To(lucid.Float64),
			tensortest.Uniform(0.5, 1, 3))
		add("poisson_nll_loss", o(tensortest.Attrs{"full": true}), x, tensortest.Uniform(0.2, 3, 4, 3))
		add("poisson_nll_loss", o(tensortest.Attrs{"log_input": false}), x.Abs(), tensortest.Uniform(0.2, 3, 4, 3))
		add("soft_margin_loss", o(nil), x, signs(4, 3))
		add("triplet_margin_loss", o(nil), x, y, tensortest.Uniform(-2, 2, 3, 4).T())
		add("triplet_margin_loss", o(tensortest.Attrs{"swap": true, "p": 3.0}), x, y, tensortest.Uniform(-2, 2, 4, 3))
	}
}

func handMoves(add adder) {
	strided := tensortest.Attrs{"size": []int{2, 2}, "stride": []int{1, 5}, "storage_offset": 1}
	add("as_strided_scatter", strided, tensortest.Uniform(-1, 1, 3, 4), tensortest.Uniform(-1, 1, 2, 2))
	for _, s := range [][]int{{3, 4}, {5, 2}, {2, 2, 2}} {
		add("fill_diagonal", tensortest.Attrs{"fill_value": 0.5, "wrap": len(s) == 2}, tensortest.Uniform(-1, 1, s...))
	}
	add("dynamic_slice", tensortest.Attrs{"axes": []int{0, 1}, "size": []int{2, 1}}, tensortest.Uniform(-1, 1, 4, 3),
		lucid.New([]int64{1, 2}, 2))
	add("dynamic_slice_update", tensortest.Attrs{"axes": []int{0, 1}}, tensortest.Uniform(-1, 1, 4, 3), tensortest.Uniform(-1, 1, 2, 1),
		lucid.New([]int64{1, 2}, 2))
	x := tensortest.Uniform(-1, 1, 3, 4)
	for _, op := range []string{"argpartition", "partition"} {
		add(op, tensortest.Attrs{"kth": 2}, x)
		add(op, tensortest.Attrs{"kth": 1, "dim": 0}, x)
		add(op, tensortest.Attrs{"kth": -2}, tensortest.Uniform(-1, 1, 5))
	}
	for _, op := range []string{"argmax", "argmin", "max_indices", "min_indices"} {
		add(op, tensortest.Attrs{"dim": -1}, tensortest.Uniform(-1, 1))
		add(op, tensortest.Attrs{"dim": 1}, x)
		add(op, tensortest.Attrs{"dim": 0, "keepdim": true}, x)
	}
	add("diagflat", nil, tensortest.Uniform(-1, 1, 3))
	add("diagflat", tensortest.Attrs{"offset": -1}, tensortest.Uniform(-1, 1, 2, 2))
	add("diagflat", nil, tensortest.Uniform(-1, 1))
	for _, op := range []string{"expand_as"} {
		add(op, nil, tensortest.Uniform(-1, 1, 3, 1), x)
		add(op, nil, tensortest.Uniform(-1, 1), x)
	}
	for _, op := range []string{"reshape_as", "view_as"} {
		add(op, nil, x, tensortest.Uniform(-1, 1, 2, 6))
		add(op, nil, tensortest.Uniform(-1, 1, 1), tensortest.Uniform(-1, 1))
		add(op, nil, tensortest.Uniform(-1, 1, 0, 2), tensortest.Uniform(-1, 1, 5, 0))
	}
	add("expand_dims", tensortest.Attrs{"axis": []int{0, 2}}, x)
	add("expand_dims", tensortest.Attrs{"axis": []int{-1}}, tensortest.Uniform(-1, 1))
	add("view_dtype", tensortest.Attrs{"dtype": lucid.Int64}, x)
	add("view_dtype", tensortest.Attrs{"dtype": lucid.Int32}, x)
	add("view_dtype", tensortest.Attrs{"dtype": lucid.Float64}, x)
	add("take_along_axis", tensortest.Attrs{"axis": 1}, x, tensortest.UniformInt(4, 3, 2))
	add("take_along_axis", tensortest.Attrs{"axis": 0}, x, tensortest.UniformInt(3, 1, 4))
	add("put_along_axis", tensortest.Attrs{"axis": 1}, x, lucid.New([]int64{2, 0, 1, 3, 0, 1}, 3, 2), tensortest.Uniform(-1, 1, 3, 2))
	add("put_along_axis", tensortest.Attrs{"axis": 1, "values": 0.5}, x, lucid.New([]int64{2, 0, 1, 3, 0, 1}, 3, 2))
	add("vecdot", nil, x, tensortest.Uniform(-2, 2, 4))
	add("vecdot", tensortest.Attrs{"dim": 0}, x, tensortest.Uniform(-2, 2, 3, 4))
	add("vecdot", nil, x.To(lucid.Complex128).Mul(complex(1, 0.5)), x.To(lucid.Complex128).Mul(complex(0.3, -0.5)))
	add("histogram2d", tensortest.Attrs{"bins": []int{3, 2}}, tensortest.Uniform(-1, 1, 9), tensortest.Uniform(-2, 1, 9))
	add("histogram2d", tensortest.Attrs{"bins": []int{3, 2}, "range": []float64{-1, 1, -2, 2}}, tensortest.Uniform(-1, 1, 9),
		tensortest.Uniform(-2, 1, 9))
}

func handRandom(add adder) {
	p := tensortest.Uniform(0.1, 0.9, 3, 4)
	for _, s := range [][]int{{2, 3}, {}, {0, 2}} {
		add("rand", tensortest.Attrs{"size": s})
		add("rand", tensortest.Attrs{"size": s, "dtype": lucid.Float64})
		add("randn", tensortest.Attrs{"size": s})
		add("randint", tensortest.Attrs{"high": 10, "size": s})
		add("randint", tensortest.Attrs{"high": 10, "low": -5, "size": s, "dtype": lucid.Int32})
		add("normal", tensortest.Attrs{"mean": 1.0, "std": 2.0, "size": s})
	}
	add("randperm", tensortest.Attrs{"n": 7})
	add("randperm", tensortest.Attrs{"n": 0})
	add("bernoulli", nil, p)
	for _, op := range []string{"cauchy", "exponential", "log_normal"} {
		add(op, nil, p)
	}
	add("geometric", tensortest.Attrs{"p": 0.25}, p)
	add("poisson", nil, p.Mul(8))
	add("binomial", nil, tensortest.UniformInt(20, 3, 4).To(lucid.Float64), p)
	add("multinomial", tensortest.Attrs{"num_samples": 3}, p)
	add("multinomial", tensortest.Attrs{"num_samples": 6, "replacement": true}, p)
	add("normal", nil, p, p.Add(0.5))
	add("normal", tensortest.Attrs{"std": 0.5}, p)
}

func handProducts(add adder) {
	add("convolve", nil, tensortest.Uniform(-1, 1, 5), tensortest.Uniform(-1, 1, 3))
	add("convolve", tensortest.Attrs{"mode": "same"}, tensortest.Uniform(-1, 1, 5), tensortest.Uniform(-1, 1, 3))
	add("convolve", tensortest.Attrs{"mode": "valid"}, tensortest.Uniform(-1, 1, 3), tensortest.Uniform(-1, 1, 5))
	a, b := tensortest.Uniform(-1, 1, 3, 2, 4), tensortest.Uniform(-1, 1, 5, 4, 3)
	add("gather_mm", nil, a, tensortest.Uniform(-1, 1, 3, 4, 2))
	add("gather_mm", nil, a, b, lucid.New([]int64{0, 2, 2, 1}, 4), lucid.New([]int64{4, 0, 1, 1}, 4))
	add("gather_mm", nil, a, b, nil, lucid.New([]int64{4, 0, 4}, 3))
	add("gather_mm", nil, a, b, lucid.New([]int64{0, 2}, 2, 1), lucid.New([]int64{4, 0, 1}, 3))
	x, y := tensortest.Uniform(-1, 1, 5, 4), tensortest.Uniform(-1, 1, 4, 3)
	keep := func(shape ...int) *lucid.Tensor { return tensortest.Uniform(-1, 1, shape...).Gt(0) }
	add("block_masked_mm", tensortest.Attrs{"block_size": 2}, x, y, keep(3, 2), keep(3, 2), keep(2, 2))
	add("block_masked_mm", tensortest.Attrs{"block_size": 2}, x, y, nil, tensortest.Uniform(0, 1, 3, 2), tensortest.Uniform(0, 1, 2, 2))
	add("block_masked_mm", tensortest.Attrs{"block_size": 3}, x, y, tensortest.Uniform(0, 1, 2, 1))
	image, w := tensortest.Uniform(-1, 1, 2, 2, 5), tensortest.Uniform(-1, 1, 3, 2, 2)
	add("conv_general", nil, image, w)
	add("conv_general", tensortest.Attrs{"stride": []int{2}, "padding": []int{1}, "kernel_dilation": []int{2}, "input_dilation": []int{2},
		"flip": true}, image, w)
	add("conv_general", tensortest.Attrs{"groups": 2, "padding": []int{1, 0}, "stride": []int{1, 2}}, tensortest.Uniform(-1, 1, 1, 4, 3, 4),
		tensortest.Uniform(-1, 1, 2, 2, 2, 2))
	add("conv1d", tensortest.Attrs{"channels_last": true, "padding": 1}, tensortest.Uniform(-1, 1, 2, 5, 2),
		w, tensortest.Uniform(-1, 1, 3))
	add("conv2d", tensortest.Attrs{"channels_last": true, "groups": 2, "stride": []int{1, 2}}, tensortest.Uniform(-1, 1, 2, 4, 3, 4),
		tensortest.Uniform(-1, 1, 2, 2, 2, 2))
	add("batch_norm", tensortest.Attrs{"training": true, "channels_last": true}, tensortest.Uniform(-1, 1, 3, 2, 4), nil, nil,
		tensortest.Uniform(0.5, 1, 4), tensortest.Uniform(-1, 1, 4))
	add("embedding_renorm", tensortest.Attrs{"max_norm": 0.5, "norm_type": 2.0}, tensortest.Uniform(-1, 1, 5, 3),
		lucid.New([]int64{0, 2, 2}, 3))
	add("matrix_transpose", nil, tensortest.Uniform(-1, 1, 2, 3, 4))
	q, k, v := tensortest.Uniform(-1, 1, 2, 4, 3, 2), tensortest.Uniform(-1, 1, 2, 2, 5, 2), tensortest.Uniform(-1, 1, 2, 2, 5, 3)
	add("scaled_dot_product_attention", tensortest.Attrs{"enable_gqa": true, "is_causal": true, "scale": 0.7}, q, k, v)
	add("scaled_dot_product_attention", tensortest.Attrs{"enable_gqa": true}, q, k, v, tensortest.Uniform(-1, 1, 4, 3, 1))
	add("scaled_dot_product_attention", tensortest.Attrs{"enable_gqa": true}, q, k, v, keep(2, 1, 3, 5))
	add("scaled_dot_product_attention", nil, tensortest.Uniform(-1, 1, 3, 2), tensortest.Uniform(-1, 1, 2, 4, 2),
		tensortest.Uniform(-1, 1, 4, 3))
	add("scaled_dot_product_attention", nil, tensortest.Uniform(-1, 1, 2, 2), tensortest.Uniform(-1, 1, 3, 2),
		tensortest.Uniform(-1, 1, 3, 2), tensortest.Uniform(-1, 1, 2, 1, 2, 3))
}
