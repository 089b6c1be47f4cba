package transforms

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// handNamed has cases of ops that other frameworks name and PyTorch's tensor library does not.
func handNamed(add adder) {
	x := tensortest.Uniform(-1, 1, 2, 3, 4, 4)
	for _, s := range [][]int{{2, 3}, {}, {0, 3}} {
		v := tensortest.Uniform(-2, 2, s...)
		add("cbrt", nil, v)
		add("number_of_elements", tensortest.Attrs{"axes": []int{}}, v)
		add("gelu_exact", nil, v)
		add("gelu_approx", nil, v)
		add("gelu_fast_approx", nil, v)
		add("relu2", nil, v)
		add("rpow_scalar", tensortest.Attrs{"base": 1.7}, v)
		add("divmod", tensortest.Attrs{"other": 0.7}, v)
		add("squeeze_all", nil, v)
		for _, op := range []string{"dropout", "alpha_dropout"} {
			add(op, tensortest.Attrs{"p": 0.3}, v)
			add(op, tensortest.Attrs{"training": false}, v)
			add(op, tensortest.Attrs{"p": 1.0}, v)
		}
		for _, op := range []string{"uniform", "gumbel", "laplace"} {
			add(op, tensortest.Attrs{"size": s, "dtype": lucid.Float64})
		}
		add("truncated_normal", tensortest.Attrs{"lower": -1.0, "upper": 2.0, "size": s})
	}
	add("cbrt", nil, tensortest.Uniform(1, 9, 3, 1).Expand(3, 4))
	add("divmod", nil, tensortest.Uniform(1, 5, 2, 3), tensortest.Uniform(1, 2, 3))
	add("divmod", nil, tensortest.UniformInt(9, 4), tensortest.UniformInt(3, 4).Add(1))
	add("uniform", tensortest.Attrs{"size": []int{3}, "low": -1.0, "high": 3.0})
	add("laplace", tensortest.Attrs{"size": []int{3}, "loc": 1.0, "scale": 2.0})
	cov := tensortest.Uniform(-1, 1, 2, 3, 3)
	cov = cov.MatMul(cov.Transpose(-2, -1)).Add(lucid.With{DType: cov.DType()}.Eye(3)).Detach()
	add("multivariate_normal", tensortest.Attrs{"dtype": lucid.Float64}, tensortest.Uniform(-1, 1, 3), cov.At(0))
	add("multivariate_normal", tensortest.Attrs{"size": []int{4, 2}, "dtype": lucid.Float64}, tensortest.Uniform(-1, 1, 2, 3), cov)
	add("categorical", nil, tensortest.Uniform(-1, 1, 3, 4))
	add("categorical", tensortest.Attrs{"axis": 0, "num_samples": 5}, tensortest.Uniform(-1, 1, 3, 4))
	add("permutation", nil, tensortest.Uniform(-1, 1, 5, 2))
	add("permutation", tensortest.Attrs{"axis": 1}, tensortest.Uniform(-1, 1, 2, 4))
	for _, op := range []string{"feature_dropout", "feature_alpha_dropout", "drop_path"} {
		add(op, tensortest.Attrs{"p": 0.4}, x)
		add(op, tensortest.Attrs{"training": false}, x)
	}
	add("drop_block", tensortest.Attrs{"block_size": 2, "p": 0.3}, x)
	add("drop_block", tensortest.Attrs{"block_size": 2, "training": false}, x)
	add("global_response_norm", nil, x, tensortest.Uniform(-1, 1, 3), tensortest.Uniform(-1, 1, 3))
	add("global_response_norm", tensortest.Attrs{"eps": 0.1}, x, tensortest.Uniform(-1, 1, 3), tensortest.Uniform(-1, 1, 3))
	add("batch_norm_eval", nil, x, tensortest.Uniform(-1, 1, 3), tensortest.Uniform(0.5, 2, 3))
	add("batch_norm_eval", tensortest.Attrs{"eps": 0.1}, x, tensortest.Uniform(-1, 1, 3), tensortest.Uniform(0.5, 2, 3),
		tensortest.Uniform(-1, 1, 3), tensortest.Uniform(0, 1, 3))
	add("batch_norm_update_running_stats", tensortest.Attrs{"momentum": 0.3}, x, tensortest.Uniform(-1, 1, 3),
		tensortest.Uniform(0.5, 2, 3))
	for _, n := range []int{0, 3} {
		add("tri", tensortest.Attrs{"n": n})
		add("window_general_gaussian", tensortest.Attrs{"M": n, "p": 1.5, "sig": 2.0})
		add("tri", tensortest.Attrs{"n": n, "m": 4, "k": -1})
	}
	m, at := tensortest.Uniform(-1, 1, 3, 4), lucid.New([]int64{0, 2, 1, 1, 0, 0, 3, 2, 3}, 3, 3)
	for _, op := range []string{"scatter_amax", "scatter_amin", "scatter_prod"} {
		add(op, tensortest.Attrs{"dim": 1}, m, at, tensortest.Uniform(-2, 2, 3, 3))
	}
	add("index_scatter", tensortest.Attrs{"size": 5}, tensortest.Uniform(-2, 2, 3, 3), at)
	add("index_scatter", tensortest.Attrs{"size": 4, "dim": 0}, tensortest.Uniform(-2, 2, 3, 3), at)
	add("interpolate_bilinear", tensortest.Attrs{"size": []int{5, 3}}, x)
	add("interpolate_bilinear", tensortest.Attrs{"scale_factor": []float64{2}, "align_corners": true}, x)
	add("interpolate_nearest_2d", tensortest.Attrs{"size": []int{5, 3}}, x)
	add("interpolate_trilinear", tensortest.Attrs{"size": []int{3, 5, 3}}, tensortest.Uniform(-1, 1, 1, 2, 2, 3, 4))
	add("interpolate_nearest_3d", tensortest.Attrs{"scale_factor": []float64{2, 1, 0.5}}, tensortest.Uniform(-1, 1, 1, 2, 2, 3, 4))
	add("rotate", tensortest.Attrs{"angle": 90.0}, x)
	add("rotate", tensortest.Attrs{"angle": 33.0, "mode": "bilinear", "center": []float64{1, 2.5}}, x)
	add("einops_rearrange", tensortest.Attrs{"pattern": "n c (h a) w -> n (c a) w h", "axes_lengths": map[string]any{"a": 2}}, x)
	add("einops_rearrange", tensortest.Attrs{"pattern": "... a b -> b 1 (... a)"}, x)
	for _, r := range []string{"sum", "mean", "max", "min", "prod"} {
		add("einops_reduce", tensortest.Attrs{"pattern": "n c (h 2) w -> n h c", "reduction": r}, x)
	}
	add("einops_repeat", tensortest.Attrs{"pattern": "a b -> (a 2) c b", "axes_lengths": map[string]any{"c": 3}},
		tensortest.Uniform(-1, 1, 2, 3))
	for _, n := range []int{1, 8, 12, 24} {
		add("hadamard_transform", nil, tensortest.Uniform(-1, 1, 2, n))
	}
	add("hadamard_transform", tensortest.Attrs{"scale": 0.5}, tensortest.Uniform(-1, 1, 28))
	add("segmented_mm", nil, tensortest.Uniform(-1, 1, 3, 5), tensortest.Uniform(-1, 1, 5, 2), lucid.New([]int64{0, 2, 2, 5, 1, 1}, 3, 2))
	add("segmented_mm", nil, tensortest.Uniform(-1, 1, 3, 5), tensortest.Uniform(-1, 1, 5, 2), lucid.New([]int32{1, 4}, 2))
	for _, r := range []string{"sum", "mean", "max", "min", "prod"} {
		add("segment_reduce", tensortest.Attrs{"reduce": r}, tensortest.Uniform(-1, 1, 5, 2), lucid.New([]int64{2, 0, 3}, 3))
	}
	handSequences(add)
	handSteppers(add)
}

func handSequences(add adder) {
	q, k, v := tensortest.Uniform(-1, 1, 2, 3, 4), tensortest.Uniform(-1, 1, 2, 5, 4), tensortest.Uniform(-1, 1, 2, 5, 3)
	const attention = "scaled_dot_product_attention_with_weights"
	add(attention, nil, q, k, v)
	add(attention, tensortest.Attrs{"is_causal": true, "scale": 0.7}, q, k, v)
	add(attention, nil, q, k, v, tensortest.Uniform(-1, 1, 3, 5))
	add(attention, tensortest.Attrs{"dropout_p": 0.4}, q, k, v)
	for _, op := range []string{attention, "scaled_dot_product_attention"} {
		sinks := tensortest.Uniform(-1, 1, 2)
		add(op, tensortest.Attrs{"is_causal": true, "bottom_right": true}, q, k, v)
		add(op, nil, q, k, v, nil, sinks)
		add(op, tensortest.Attrs{"is_causal": true}, q, k, v, nil, sinks)
		add(op, tensortest.Attrs{"is_causal": true, "bottom_right": true}, q, k, v, nil, sinks)
		add(op, nil, q, k, v, tensortest.Uniform(-1, 1, 3, 5), sinks)
	}
	for _, traditional := range []bool{false, true} {
		add("rope", tensortest.Attrs{"dims": 4, "traditional": traditional, "offset": 3}, q)
		add("rope", tensortest.Attrs{"dims": 2, "traditional": traditional, "base": 100.0, "scale": 0.5}, q)
		add("rope", tensortest.Attrs{"dims": 4, "traditional": traditional}, q, tensortest.Uniform(1, 9, 2))
		add("rope", tensortest.Attrs{"dims": 4, "traditional": traditional}, q, nil, lucid.New([]int64{5, 2}, 2))
		add("rotary_pos_embedding", tensortest.Attrs{"interleaved": traditional}, q, tensortest.Uniform(-1, 1, 5, 4),
			tensortest.Uniform(-1, 1, 5, 4).Flip(0))
	}
	add("rotary_pos_embedding", nil, q, tensortest.Uniform(-1, 1, 5, 4), tensortest.Uniform(-1, 1, 5, 4).Flip(0),
		lucid.New([]int64{4, 0, 2}, 3))
	add("sinusoidal_pos_embedding", tensortest.Attrs{"positions": 3, "size": 5})
	add("sinusoidal_pos_embedding", tensortest.Attrs{"positions": 0, "size": 4, "base": 100.0})
	in, wi, wh := tensortest.Uniform(-1, 1, 3, 2, 4), tensortest.Uniform(-1, 1, 12, 4), tensortest.Uniform(-1, 1, 12, 3)
	add("lstm_forward", nil, in, wi, wh)
	add("lstm_forward", tensortest.Attrs{"reverse": true}, in, wi, wh, tensortest.Uniform(-1, 1, 2, 3), tensortest.Uniform(-2, 1, 2, 3),
		tensortest.Uniform(-1, 1, 12), tensortest.Uniform(0, 1, 12))
	add("lstm_forward", tensortest.Attrs{"batch_first": true}, in, wi, wh)
	add("lstm_forward", tensortest.Attrs{"batch_sizes": []int{3, 2, 2, 1}}, tensortest.Uniform(-1, 1, 8, 4), wi,
		tensortest.Uniform(-1, 1, 12, 2), tensortest.Uniform(-1, 1, 3, 2), tensortest.Uniform(-2, 1, 3, 3), tensortest.Uniform(-1, 1, 12),
		nil, tensortest.Uniform(-1, 1, 2, 3))
	add("lstm_forward", tensortest.Attrs{"batch_sizes": []int{3, 1}, "reverse": true}, tensortest.Uniform(-1, 1, 4, 4), wi, wh,
		tensortest.Uniform(-1, 1, 3, 3), nil, nil, tensortest.Uniform(-1, 1, 12))
	wi3, wh3 := tensortest.Uniform(-1, 1, 9, 4), tensortest.Uniform(-1, 1, 9, 3)
	add("gru_forward", nil, in, wi3, wh3)
	add("gru_forward", tensortest.Attrs{"reverse": true, "batch_first": true}, in, wi3, wh3, tensortest.Uniform(-1, 1, 3, 3),
		tensortest.Uniform(-2, 1, 9), tensortest.Uniform(-1, 1, 9))
	add("gru_forward", tensortest.Attrs{"batch_sizes": []int{3, 2, 2, 1}}, tensortest.Uniform(-1, 1, 8, 4), wi3, wh3,
		tensortest.Uniform(-1, 1, 3, 3), nil, tensortest.Uniform(-1, 1, 9))
	add("gru_forward", tensortest.Attrs{"batch_sizes": []int{2, 1}, "reverse": true}, tensortest.Uniform(-1, 1, 3, 4), wi3, wh3,
		tensortest.Uniform(-1, 1, 2, 3), tensortest.Uniform(-1, 1, 9))
	wi1, wh1 := tensortest.Uniform(-1, 1, 3, 4), tensortest.Uniform(-1, 1, 3, 3)
	add("rnn_forward", nil, in, wi1, wh1)
	add("rnn_forward", tensortest.Attrs{"reverse": true, "nonlinearity": "relu"}, in, wi1, wh1, tensortest.Uniform(-1, 1, 2, 3),
		tensortest.Uniform(-2, 1, 3), tensortest.Uniform(-1, 1, 3))
	add("rnn_forward", tensortest.Attrs{"batch_sizes": []int{3, 2, 2, 1}}, tensortest.Uniform(-1, 1, 8, 4), wi1, wh1,
		tensortest.Uniform(-1, 1, 3, 3), tensortest.Uniform(-1, 1, 3))
	add("rnn_forward", tensortest.Attrs{"batch_sizes": []int{2, 1}, "reverse": true}, tensortest.Uniform(-1, 1, 3, 4), wi1, wh1,
		tensortest.Uniform(-1, 1, 2, 3))
	add("gru_step", nil, tensortest.Uniform(-1, 1, 2, 9), tensortest.Uniform(-1, 1, 2, 3), wh3, tensortest.Uniform(-1, 1, 9))
	add("rnn_step", nil, tensortest.Uniform(-1, 1, 2, 3), tensortest.Uniform(-1, 1, 2, 3), wh1, tensortest.Uniform(-1, 1, 3))
	add("rnn_step", tensortest.Attrs{"nonlinearity": "relu"}, tensortest.Uniform(-1, 1, 2, 3), tensortest.Uniform(-1, 1, 2, 3), wh1,
		tensortest.Uniform(-1, 1, 3))
	add("lstm_step", nil, tensortest.Uniform(-1, 1, 2, 12), tensortest.Uniform(-1, 1, 2, 3), tensortest.Uniform(-2, 1, 2, 3), wh,
		tensortest.Uniform(-1, 1, 12))
	x, h := tensortest.Uniform(-1, 1, 2, 4), tensortest.Uniform(-1, 1, 2, 3)
	add("lstm_cell", nil, x, h, tensortest.Uniform(-2, 1, 2, 3), tensortest.Uniform(-1, 1, 12, 4), wh, tensortest.Uniform(-1, 1, 12))
	add("gru_cell", nil, x, h, wi3, wh3, tensortest.Uniform(-1, 1, 9), tensortest.Uniform(-2, 1, 9))
	add("rnn_tanh_cell", nil, x, h, wi1, wh1, tensortest.Uniform(-1, 1, 3), tensortest.Uniform(-2, 1, 3))
	add("rnn_relu_cell", nil, x, h, wi1, wh1)
}

func handSteppers(add adder) {
	y, k1, k2 := tensortest.Uniform(-1, 1, 2, 3), tensortest.Uniform(-2, 1, 2, 3), tensortest.Uniform(-1, 3, 2, 3)
	add("rk_combine", tensortest.Attrs{"coeffs": []float64{0.25, 0.75}, "dt": 0.1}, y, k1, k2)
	add("rk_combine", tensortest.Attrs{"coeffs": []float64{0, 2}, "dt": 0.1}, y, k1, k2)
	add("rk_error_norm", tensortest.Attrs{"coeffs": []float64{0.25, -0.5}, "dt": 0.1, "rtol": 1e-2, "atol": 1e-2}, y, k2, k1, k2)
	add("broyden_probe", nil, tensortest.Uniform(-1, 1, 4), tensortest.Uniform(-2, 1, 4, 1), tensortest.Uniform(-1, 3, 4))
	add("broyden_probe", nil, tensortest.Uniform(-1, 1, 4), tensortest.Uniform(-2, 1, 4, 1), tensortest.Uniform(-1, 3, 4),
		lucid.New([]int64{2}, 1))
}
