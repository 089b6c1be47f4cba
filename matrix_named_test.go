package lucid

// handNamed has cases of ops that other frameworks name and PyTorch's tensor library does not.
func handNamed(add adder) {
	x := values(-1, 1, 2, 3, 4, 4)
	for _, s := range [][]int{{2, 3}, {}, {0, 3}} {
		v := values(-2, 2, s...)
		add("cbrt", nil, v)
		add("number_of_elements", attrs{"axes": []int{}}, v)
		add("gelu_exact", nil, v)
		add("gelu_approx", nil, v)
		add("gelu_fast_approx", nil, v)
		add("relu2", nil, v)
		add("rpow_scalar", attrs{"base": 1.7}, v)
		add("divmod", attrs{"other": 0.7}, v)
		add("squeeze_all", nil, v)
		for _, op := range []string{"dropout", "alpha_dropout"} {
			add(op, attrs{"p": 0.3}, v)
			add(op, attrs{"training": false}, v)
			add(op, attrs{"p": 1.0}, v)
		}
		for _, op := range []string{"uniform", "gumbel", "laplace"} {
			add(op, attrs{"size": s, "dtype": Float64})
		}
		add("truncated_normal", attrs{"lower": -1.0, "upper": 2.0, "size": s})
	}
	add("cbrt", nil, values(1, 9, 3, 1).Expand(3, 4))
	add("divmod", nil, values(1, 5, 2, 3), values(1, 2, 3))
	add("divmod", nil, whole(9, 4), whole(3, 4).Add(1))
	add("uniform", attrs{"size": []int{3}, "low": -1.0, "high": 3.0})
	add("laplace", attrs{"size": []int{3}, "loc": 1.0, "scale": 2.0})
	add("categorical", nil, values(-1, 1, 3, 4))
	add("categorical", attrs{"axis": 0, "num_samples": 5}, values(-1, 1, 3, 4))
	add("permutation", nil, values(-1, 1, 5, 2))
	add("permutation", attrs{"axis": 1}, values(-1, 1, 2, 4))
	for _, op := range []string{"feature_dropout", "feature_alpha_dropout", "drop_path"} {
		add(op, attrs{"p": 0.4}, x)
		add(op, attrs{"training": false}, x)
	}
	add("drop_block", attrs{"block_size": 2, "p": 0.3}, x)
	add("drop_block", attrs{"block_size": 2, "training": false}, x)
	add("global_response_norm", nil, x, values(-1, 1, 3), values(-1, 1, 3))
	add("global_response_norm", attrs{"eps": 0.1}, x, values(-1, 1, 3), values(-1, 1, 3))
	add("batch_norm_eval", nil, x, values(-1, 1, 3), values(0.5, 2, 3))
	add("batch_norm_eval", attrs{"eps": 0.1}, x, values(-1, 1, 3), values(0.5, 2, 3), values(-1, 1, 3), values(0, 1, 3))
	add("batch_norm_update_running_stats", attrs{"momentum": 0.3}, x, values(-1, 1, 3), values(0.5, 2, 3))
	for _, n := range []int{0, 3} {
		add("tri", attrs{"n": n})
		add("tri", attrs{"n": n, "m": 4, "k": -1})
	}
	m, at := values(-1, 1, 3, 4), New([]int64{0, 2, 1, 1, 0, 0, 3, 2, 3}, 3, 3)
	for _, op := range []string{"scatter_amax", "scatter_amin", "scatter_prod"} {
		add(op, attrs{"dim": 1}, m, at, values(-2, 2, 3, 3))
	}
	add("index_scatter", attrs{"size": 5}, values(-2, 2, 3, 3), at)
	add("index_scatter", attrs{"size": 4, "dim": 0}, values(-2, 2, 3, 3), at)
	add("interpolate_bilinear", attrs{"size": []int{5, 3}}, x)
	add("interpolate_bilinear", attrs{"scale_factor": []float64{2}, "align_corners": true}, x)
	add("interpolate_nearest_2d", attrs{"size": []int{5, 3}}, x)
	add("interpolate_trilinear", attrs{"size": []int{3, 5, 3}}, values(-1, 1, 1, 2, 2, 3, 4))
	add("interpolate_nearest_3d", attrs{"scale_factor": []float64{2, 1, 0.5}}, values(-1, 1, 1, 2, 2, 3, 4))
	add("rotate", attrs{"angle": 90.0}, x)
	add("rotate", attrs{"angle": 33.0, "mode": "bilinear", "center": []float64{1, 2.5}}, x)
	add("einops_rearrange", attrs{"pattern": "n c (h a) w -> n (c a) w h", "axes_lengths": map[string]any{"a": 2}}, x)
	add("einops_rearrange", attrs{"pattern": "... a b -> b 1 (... a)"}, x)
	for _, r := range []string{"sum", "mean", "max", "min", "prod"} {
		add("einops_reduce", attrs{"pattern": "n c (h 2) w -> n h c", "reduction": r}, x)
	}
	add("einops_repeat", attrs{"pattern": "a b -> (a 2) c b", "axes_lengths": map[string]any{"c": 3}}, values(-1, 1, 2, 3))
	for _, n := range []int{1, 8, 12, 24} {
		add("hadamard_transform", nil, values(-1, 1, 2, n))
	}
	add("hadamard_transform", attrs{"scale": 0.5}, values(-1, 1, 28))
	add("segmented_mm", nil, values(-1, 1, 3, 5), values(-1, 1, 5, 2), New([]int64{0, 2, 2, 5, 1, 1}, 3, 2))
	add("segmented_mm", nil, values(-1, 1, 3, 5), values(-1, 1, 5, 2), New([]int32{1, 4}, 2))
	handSequences(add)
	handSteppers(add)
}

func handSequences(add adder) {
	q, k, v := values(-1, 1, 2, 3, 4), values(-1, 1, 2, 5, 4), values(-1, 1, 2, 5, 3)
	const attention = "scaled_dot_product_attention_with_weights"
	add(attention, nil, q, k, v)
	add(attention, attrs{"is_causal": true, "scale": 0.7}, q, k, v)
	add(attention, nil, q, k, v, values(-1, 1, 3, 5))
	add(attention, attrs{"dropout_p": 0.4}, q, k, v)
	for _, traditional := range []bool{false, true} {
		add("rope", attrs{"dims": 4, "traditional": traditional, "offset": 3}, q)
		add("rope", attrs{"dims": 2, "traditional": traditional, "base": 100.0, "scale": 0.5}, q)
		add("rope", attrs{"dims": 4, "traditional": traditional}, q, values(1, 9, 2))
		add("rope", attrs{"dims": 4, "traditional": traditional}, q, nil, New([]int64{5, 2}, 2))
		add("rotary_pos_embedding", attrs{"interleaved": traditional}, q, values(-1, 1, 5, 4), values(-1, 1, 5, 4).Flip(0))
	}
	add("rotary_pos_embedding", nil, q, values(-1, 1, 5, 4), values(-1, 1, 5, 4).Flip(0), New([]int64{4, 0, 2}, 3))
	add("sinusoidal_pos_embedding", attrs{"positions": 3, "size": 5})
	add("sinusoidal_pos_embedding", attrs{"positions": 0, "size": 4, "base": 100.0})
	in, wi, wh := values(-1, 1, 3, 2, 4), values(-1, 1, 12, 4), values(-1, 1, 12, 3)
	add("lstm_forward", nil, in, wi, wh)
	add("lstm_forward", attrs{"reverse": true}, in, wi, wh, values(-1, 1, 2, 3), values(-2, 1, 2, 3), values(-1, 1, 12), values(0, 1, 12))
	add("lstm_forward", attrs{"batch_first": true}, in, wi, wh)
	add("lstm_forward", attrs{"batch_sizes": []int{3, 2, 2, 1}}, values(-1, 1, 8, 4), wi, values(-1, 1, 12, 2), values(-1, 1, 3, 2), values(-2, 1, 3, 3), values(-1, 1, 12), nil, values(-1, 1, 2, 3))
	add("lstm_forward", attrs{"batch_sizes": []int{3, 1}, "reverse": true}, values(-1, 1, 4, 4), wi, wh, values(-1, 1, 3, 3), nil, nil, values(-1, 1, 12))
	wi3, wh3 := values(-1, 1, 9, 4), values(-1, 1, 9, 3)
	add("gru_forward", nil, in, wi3, wh3)
	add("gru_forward", attrs{"reverse": true, "batch_first": true}, in, wi3, wh3, values(-1, 1, 3, 3), values(-2, 1, 9), values(-1, 1, 9))
	add("gru_forward", attrs{"batch_sizes": []int{3, 2, 2, 1}}, values(-1, 1, 8, 4), wi3, wh3, values(-1, 1, 3, 3), nil, values(-1, 1, 9))
	add("gru_forward", attrs{"batch_sizes": []int{2, 1}, "reverse": true}, values(-1, 1, 3, 4), wi3, wh3, values(-1, 1, 2, 3), values(-1, 1, 9))
	wi1, wh1 := values(-1, 1, 3, 4), values(-1, 1, 3, 3)
	add("rnn_forward", nil, in, wi1, wh1)
	add("rnn_forward", attrs{"reverse": true, "nonlinearity": "relu"}, in, wi1, wh1, values(-1, 1, 2, 3), values(-2, 1, 3), values(-1, 1, 3))
	add("rnn_forward", attrs{"batch_sizes": []int{3, 2, 2, 1}}, values(-1, 1, 8, 4), wi1, wh1, values(-1, 1, 3, 3), values(-1, 1, 3))
	add("rnn_forward", attrs{"batch_sizes": []int{2, 1}, "reverse": true}, values(-1, 1, 3, 4), wi1, wh1, values(-1, 1, 2, 3))
	add("gru_step", nil, values(-1, 1, 2, 9), values(-1, 1, 2, 3), wh3, values(-1, 1, 9))
	add("rnn_step", nil, values(-1, 1, 2, 3), values(-1, 1, 2, 3), wh1, values(-1, 1, 3))
	add("rnn_step", attrs{"nonlinearity": "relu"}, values(-1, 1, 2, 3), values(-1, 1, 2, 3), wh1, values(-1, 1, 3))
	add("lstm_step", nil, values(-1, 1, 2, 12), values(-1, 1, 2, 3), values(-2, 1, 2, 3), wh, values(-1, 1, 12))
}

func handSteppers(add adder) {
	y, k1, k2 := values(-1, 1, 2, 3), values(-2, 1, 2, 3), values(-1, 3, 2, 3)
	add("rk_combine", attrs{"coeffs": []float64{0.25, 0.75}, "dt": 0.1}, y, k1, k2)
	add("rk_combine", attrs{"coeffs": []float64{0, 2}, "dt": 0.1}, y, k1, k2)
	add("rk_error_norm", attrs{"coeffs": []float64{0.25, -0.5}, "dt": 0.1, "rtol": 1e-2, "atol": 1e-2}, y, k2, k1, k2)
	add("broyden_probe", nil, values(-1, 1, 4), values(-2, 1, 4, 1), values(-1, 3, 4))
	add("broyden_probe", nil, values(-1, 1, 4), values(-2, 1, 4, 1), values(-1, 3, 4), New([]int64{2}, 1))
}
