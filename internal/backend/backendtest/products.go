package backendtest

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// products are matrix products, convolutions and the like.
func products() (all []check) {
	for _, s := range [][2][]int{{{3, 4}, {4, 5}}, {{65, 70}, {70, 33}}, {{2, 3, 4}, {2, 4, 5}}, {{2, 1, 3, 4}, {5, 4, 2}}, {{4}, {4}},
		{{4}, {4, 3}}, {{3, 4}, {4}}, {{3, 0}, {0, 2}}, {{0, 3}, {3, 2}}, {{1, 300}, {300, 1}}} {
		all = append(all, check{name: "matmul", dtypes: numbers, loose: true,
			in: []input{{lo: -1, hi: 1, shape: s[0]}, {lo: -1, hi: 1, shape: s[1]}},
			f:  one(func(in []*node) *node { return ops.Matmul(in[0], in[1]) })})
	}
	for _, s := range [][2][]int{{{3, 4}, {4, 5}}, {{65, 70}, {70, 33}}, {{2, 3, 40}, {2, 40, 15}}, {{40, 600}, {600, 50}},
		{{3, 0}, {0, 2}}, {{1, 300}, {300, 1}}} {
		all = append(all, check{name: "matmul/sums", dtypes: []dtype.DType{dtype.BFloat16, dtype.Float16}, loose: true,
			in: []input{{lo: -1, hi: 1, shape: s[0]}, {lo: -1, hi: 1, shape: s[1]}},
			f:  one(func(in []*node) *node { return graph.New(op("matmul"), attr.Cast{To: dtype.Float32}, in...) })})
	}
	last := func(name string, x, w []int, f func(x, w, bias *node, o ops.ConvOptions) *node, o ops.ConvOptions) check {
		o.ChannelsLast = true
		return check{name: "conv_last/" + name, dtypes: numbers, loose: true,
			in: []input{{lo: -1, hi: 1, shape: x}, {lo: -1, hi: 1, shape: w}},
			f:  func(in []*node) []*node { return []*node{f(in[0], in[1], nil, o)} }}
	}
	conv := func(name string, x, w []int, o ops.ConvGeneralOptions) check {
		return check{name: "conv/" + name, dtypes: numbers, loose: true, in: []input{{lo: -1, hi: 1, shape: x}, {lo: -1, hi: 1, shape: w}},
			f: one(func(in []*node) *node { return ops.ConvGeneral(in[0], in[1], o) })}
	}
	return append(all,
		conv("1d", []int{2, 3, 9}, []int{4, 3, 3}, ops.ConvGeneralOptions{}),
		conv("2d", []int{2, 3, 7, 8}, []int{4, 3, 3, 2}, ops.ConvGeneralOptions{Stride: []int{2, 1}, Padding: []int{1, 2}}),
		conv("3d", []int{1, 2, 4, 5, 3}, []int{3, 2, 2, 2, 2}, ops.ConvGeneralOptions{}),
		conv("dilated", []int{1, 2, 9, 9}, []int{2, 2, 3, 3},
			ops.ConvGeneralOptions{KernelDilation: []int{2, 2}, InputDilation: []int{2, 1}, Flip: true}),
		conv("groups", []int{2, 4, 6, 6}, []int{6, 2, 3, 3}, ops.ConvGeneralOptions{Groups: number(2), Padding: []int{1, 1}}),
		conv("depthwise", []int{2, 5, 8, 8}, []int{5, 1, 3, 3}, ops.ConvGeneralOptions{Groups: number(5), Padding: []int{1, 1}}),
		last("1d", []int{2, 9, 3}, []int{4, 3, 3}, ops.Conv1d, ops.ConvOptions{Stride: []int{2}}),
		last("2d", []int{2, 7, 8, 4}, []int{6, 4, 3, 2}, ops.Conv2d, ops.ConvOptions{Stride: []int{2, 1}, Padding: []int{1, 2}}),
		last("2d/groups", []int{2, 6, 6, 4}, []int{6, 2, 3, 3}, ops.Conv2d, ops.ConvOptions{Groups: number(2), Padding: "same"}),
		last("3d", []int{1, 4, 5, 3, 2}, []int{3, 2, 2, 2, 2}, ops.Conv3d, ops.ConvOptions{}),
		conv("nothing", []int{0, 2, 5}, []int{3, 2, 2}, ops.ConvGeneralOptions{}),
		check{name: "gather_mm", dtypes: numbers, loose: true,
			in: []input{{lo: -1, hi: 1, shape: []int{3, 2, 4}}, {lo: -1, hi: 1, shape: []int{5, 4, 3}}, index([]float64{0, 2, 2, 1}, 4),
				index([]float64{4, 0, 1, 1}, 4)},
			f: one(func(in []*node) *node { return ops.GatherMm(in[0], in[1], in[2], in[3]) })},
		check{name: "gather_mm/few", dtypes: numbers, loose: true,
			in: []input{{lo: -1, hi: 1, shape: []int{3, 1, 4}}, {lo: -1, hi: 1, shape: []int{7, 5, 4}}, index([]float64{0, 2, 1}, 3),
				index([]float64{6, 2, 6}, 3)},
			f: one(func(in []*node) *node { return ops.GatherMm(in[0], ops.Transpose(in[1], 1, 2), in[2], in[3]) })},
		fastBlocks(ggml.Q4_0, 9, 64, 1), fastBlocks(ggml.Q4_1, 17, 96, 2), fastBlocks(ggml.Q5_0, 8, 4224, 3),
		fastBlocks(ggml.Q5_1, 5, 32, 8),
		fastBlocks(ggml.Q8_0, 21, 160, 11), fastBlocks(ggml.Q4_K, 33, 512, 1), fastBlocks(ggml.Q5_K, 10, 256, 4),
		fastBlocks(ggml.Q6_K, 12, 768, 17), blocks(ggml.Q4_K, 70, 512, 40),
		blocks(ggml.Q8_0, 5, 64, 3), blocks(ggml.Q4_1, 70, 96, 1), blocks(ggml.Q5_0, 9, 32, 0), blocks(ggml.Q6_K, 130, 512, 2),
		expertBlocks(ggml.Q8_0, 3, 5, 64, 4), expertBlocks(ggml.Q6_K, 4, 70, 256, 9), expertBlocks(ggml.Q4_1, 2, 9, 32, 0))
}

// expertBlocks multiplies pairs of m rows and of matrices of n rows of k elements in a block format.
func expertBlocks(t ggml.Type, experts, n, k, m int) check {
	b := blocks(t, experts*n, k, max(m, 1))
	l, r := make([]float64, m), make([]float64, m)
	for i := range m {
		l[i], r[i] = float64(i*i%m), float64(i*7%experts)
	}
	return check{name: "gather_block_matmul/" + t.String(), dtypes: b.dtypes, loose: true, in: append(b.in, index(l, m), index(r, m)),
		f: one(func(in []*node) *node {
			return ops.GatherBlockMatmul(in[0], ops.Reshape(in[1], experts, n, in[1].Dim(1)), in[2], in[3], t, false)
		})}
}

// blocks multiplies m rows with n rows of k elements in a block format, and dequantises them.
func blocks(t ggml.Type, n, k, m int) check {
	weights := make([]float32, n*k)
	for i := range weights {
		weights[i] = float32(i*7919%255)/128 - 1
	}
	bytes, _ := t.RowBytes(k)
	data := make([]byte, n*bytes)
	ggml.Quantize(t, data, weights)
	list := make([]float64, len(data))
	for i, b := range data {
		list[i] = float64(b)
	}
	return check{name: "block_matmul/" + t.String(), dtypes: []dtype.DType{dtype.Float32}, loose: true,
		in: []input{{lo: -1, hi: 1, shape: []int{m, k}}, {dtype: dtype.Uint8, shape: []int{n, bytes}, list: list, steady: true}},
		f: func(in []*node) []*node {
			return []*node{ops.BlockMatmul(in[0], in[1], t, false), ops.BlockDequantize(in[1], t)}
		}}
}

// fastBlocks is blocks for products that may round x to int8. Its elements are such that nothing is lost.
func fastBlocks(t ggml.Type, n, k, m int) check {
	c := blocks(t, n, k, m)
	list := make([]float64, m*k)
	for i := range list {
		list[i] = float64(i*31%255-127) / 127
		if i%32 == 5 {
			list[i] = 1
		}
	}
	c.name, c.in[0] = "block_matmul/fast_"+t.String(), input{shape: []int{m, k}, list: list, steady: true}
	c.f = func(in []*node) []*node { return []*node{ops.BlockMatmul(in[0], in[1], t, true)} }
	return c
}

// attentions compare results, log-sum-exps and all cotangents. Sizes cover several tiles and edge tiles.
func attentions() (all []check) {
	add := func(name string, causal bool, scale float64, q, k, v []int, mask ...input) {
		in := append([]input{{lo: -2, hi: 2, shape: q}, {lo: -2, hi: 2, shape: k}, {lo: -2, hi: 2, shape: v}}, mask...)
		a := attr.Attention{Causal: causal, Scale: scale}
		all = append(all, check{name: "attention/" + name, dtypes: floats, loose: true, in: in, f: func(in []*node) []*node {
			n := graph.New(op("attention"), a, in...)
			return graph.TupleItems(n)
		}}, check{name: "attention_grad/" + name, dtypes: floats, loose: true, in: in, f: func(in []*node) []*node {
			n := graph.New(op("attention"), a, in...)
			g, need := ops.Mul(graph.TupleItem(n, 0), 2), []bool{true, true, true, false}
			both := n.Op().VJP(n, []*node{g, ops.Mul(graph.TupleItem(n, 1), 0.25)}, need)[:3]
			return append(both, n.Op().VJP(n, []*node{g, nil}, need)[:3]...)
		}})
	}
	bools := func(shape ...int) input { return input{dtype: dtype.Bool, lo: 0, hi: 1, shape: shape} }
	add("plain", false, 0.5, []int{2, 3, 5, 4}, []int{2, 3, 7, 4}, []int{2, 3, 7, 6})
	add("causal", true, 0.3, []int{1, 2, 37, 8}, []int{1, 2, 37, 8}, []int{1, 2, 37, 8})
	add("causal_long", true, 0.2, []int{1, 1, 290, 3}, []int{1, 1, 290, 3}, []int{1, 1, 290, 5})
	add("causal_more_keys", true, 0.2, []int{1, 1, 130, 3}, []int{1, 1, 300, 3}, []int{1, 1, 300, 2})
	add("causal_more_rows", true, 0.2, []int{1, 1, 300, 3}, []int{1, 1, 130, 3}, []int{1, 1, 130, 2})
	add("long", false, 0.2, []int{1, 1, 15, 9}, []int{1, 1, 1100, 9}, []int{1, 1, 1100, 33})
	add("grouped", true, 0.4, []int{2, 6, 20, 4}, []int{2, 2, 20, 4}, []int{2, 2, 20, 3})
	add("one_row", false, 0.4, []int{2, 4, 1, 16}, []int{2, 1, 50, 16}, []int{2, 1, 50, 16})
	add("decode", false, 0.1, []int{2, 4, 1, 64}, []int{2, 2, 150, 64}, []int{2, 2, 150, 64}, bools(2, 1, 1, 150))
	add("decode_more", false, 0.1, []int{1, 3, 2, 128}, []int{1, 1, 140, 128}, []int{1, 1, 140, 72}, bools(1, 1, 2, 140))
	add("decode_early", false, 0.1, []int{1, 2, 1, 32}, []int{1, 1, 520, 32}, []int{1, 1, 520, 32},
		input{dtype: dtype.Bool, shape: []int{1, 1, 1, 520}, list: firstOnes(520, 130), steady: true})
	add("decode_none", false, 0.1, []int{1, 2, 1, 32}, []int{1, 1, 150, 32}, []int{1, 1, 150, 32},
		input{dtype: dtype.Bool, shape: []int{1, 1, 1, 150}, list: firstOnes(150, 0), steady: true})
	add("decode_added", true, 0.1, []int{1, 2, 3, 32}, []int{1, 2, 150, 32}, []int{1, 2, 150, 32},
		input{lo: -3, hi: 1, shape: []int{1, 1, 3, 150}})
	add("bools_tiles", false, 0.1, []int{1, 2, 70, 16}, []int{1, 1, 100, 16}, []int{1, 1, 100, 16}, bools(1, 1, 70, 100))
	add("bools_tiles_part", false, 0.1, []int{1, 1, 20, 72}, []int{1, 1, 140, 72}, []int{1, 1, 140, 72},
		input{dtype: dtype.Bool, shape: []int{1, 1, 1, 140}, list: firstOnes(140, 50), steady: true})
	add("bools", false, 0.4, []int{2, 3, 5, 4}, []int{2, 3, 7, 4}, []int{2, 3, 7, 6}, bools(2, 1, 5, 7))
	add("bools_for_keys", false, 0.4, []int{2, 3, 5, 4}, []int{2, 3, 7, 4}, []int{2, 3, 7, 6}, bools(1, 3, 1, 7))
	add("added", false, 0.4, []int{1, 3, 5, 4}, []int{1, 3, 600, 4}, []int{1, 3, 600, 6}, input{lo: -3, hi: 1, shape: []int{1, 3, 5, 600}})
	add("added_for_rows", false, 0.4, []int{2, 3, 5, 4}, []int{2, 3, 7, 4}, []int{2, 3, 7, 6},
		input{lo: -3, hi: 1, shape: []int{2, 1, 5, 1}})
	add("no_keys", false, 0.4, []int{2, 3, 5, 4}, []int{2, 3, 0, 4}, []int{2, 3, 0, 6})
	add("no_rows", true, 0.4, []int{2, 3, 0, 4}, []int{2, 3, 7, 4}, []int{2, 3, 7, 6})
	add("nothing", true, 0.4, []int{0, 3, 5, 4}, []int{0, 3, 7, 4}, []int{0, 3, 7, 6})
	add("no_values", false, 0.4, []int{1, 3, 5, 4}, []int{1, 3, 7, 4}, []int{1, 3, 7, 0})
	add("no_size", false, 0.4, []int{1, 3, 5, 0}, []int{1, 3, 7, 0}, []int{1, 3, 7, 2})
	return append(all, pagedAttentions()...)
}

// pagedAttentions have tables in which blocks follow each other, do not, and come twice.
func pagedAttentions() (all []check) {
	add := func(name string, q []int, kv, e, f, block int, table []float64, keys, seen int) {
		pool := 0
		for _, b := range table {
			pool = max(pool, (int(b)+2)*block)
		}
		mask := make([]float64, 0, q[0]*q[2]*keys)
		for n := range q[0] {
			for l := range q[2] {
				mask = append(mask, firstOnes(keys, min(keys, max(0, seen-7*n+l)))...)
			}
		}
		of := func(shape ...int) input { return input{lo: -2, hi: 2, shape: shape} }
		in := []input{of(q...), of(1, kv, pool, e), of(1, kv, pool, f),
			{dtype: dtype.Int64, shape: []int{q[0], len(table) / q[0]}, list: table, steady: true},
			{dtype: dtype.Bool, shape: []int{q[0], 1, q[2], keys}, list: mask, steady: true}}
		all = append(all, check{name: "paged_attention/" + name, dtypes: floats, loose: true, in: in, f: func(in []*node) []*node {
			ops.PagedAttention(in[0], in[1], in[2], in[3], in[4], nil, block, 0.2) // refuses dtypes
			return graph.TupleItems(graph.New(op("paged_attention"), attr.Paged{Scale: 0.2, Block: block}, in...))
		}})
	}
	add("decode", []int{2, 4, 1, 64}, 2, 64, 64, 16, []float64{3, 4, 0, 7, 1, 2, 3, 6}, 64, 50)
	add("decode_part", []int{2, 4, 1, 32}, 1, 32, 40, 16, []float64{3, 4, 0, 1, 2, 3}, 43, 43)
	add("decode_long", []int{1, 2, 1, 32}, 1, 32, 32, 32, []float64{9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 3, 4, 5, 6, 7, 8, 9, 10}, 576, 550)
	add("tiles", []int{1, 2, 70, 16}, 1, 16, 16, 32, []float64{2, 3, 0, 1}, 128, 40)
	add("rows", []int{3, 2, 20, 7}, 1, 7, 5, 8, []float64{2, 3, 0, 1, 0, 0, 4, 5, 6}, 24, 20)
	return all
}

// recurrentLayers compare all results and all cotangents of recurrent layers. Sizes cover several blocks of units, rows and
// depth.
func recurrentLayers() (all []check) {
	inputs := 19
	add := func(name string, a attr.Recurrent, hidden, state int, sizes ...int) {
		inputs, memory := inputs, a.Memory // a cotangent of the memories too
		a.Runs, a.Memory = attr.MakeRuns(sizes), false
		n, g := 0, a.Cell.Gates()
		for _, k := range sizes {
			n += k
		}
		of := func(shape ...int) input { return input{lo: -1, hi: 1, shape: shape} }
		w := input{lo: -2 / float64(hidden+1), hi: 2 / float64(hidden+1), shape: []int{g * hidden, state}}
		in := []input{of(n, g*hidden), w, of(sizes[0], state)}
		if a.Input {
			in[0] = of(n, inputs)
		}
		if a.Cell == attr.CellLSTM {
			in = append(in, of(sizes[0], hidden))
		}
		if a.Biased {
			in = append(in, of(g*hidden))
		}
		if a.Project = hidden != state; a.Project {
			in = append(in, input{lo: -2 / float64(hidden+1), hi: 2 / float64(hidden+1), shape: []int{state, hidden}})
		}
		if a.Input {
			in = append(in, input{lo: -0.2, hi: 0.2, shape: []int{g * hidden, inputs}}, of(g*hidden))
		}
		all = append(all, check{name: "recurrent/" + name, dtypes: floats, loose: true, in: in, f: func(in []*node) []*node {
			return graph.TupleItems(graph.New(op("recurrent"), a, in...))
		}}, check{name: "recurrent_grad/" + name, dtypes: floats, loose: true, in: in, f: func(in []*node) []*node {
			a := a
			a.Keep = true
			n := graph.New(op("recurrent"), a, in...)
			cot := make([]*node, n.NumOut())
			cot[0] = ops.Mul(graph.TupleItems(n)[0], 2)
			if memory {
				cot[1] = ops.Mul(graph.TupleItem(n, 1), 0.5)
			}
			need := make([]bool, len(in))
			for i := range need {
				need[i] = true
			}
			return n.Op().VJP(n, cot, need)
		}})
	}
	tanh, relu, lstm, gru :=
		attr.Recurrent{}, attr.Recurrent{Cell: attr.CellReLU}, attr.Recurrent{Cell: attr.CellLSTM}, attr.Recurrent{Cell: attr.CellGRU}
	back := func(a attr.Recurrent) attr.Recurrent { a.Reverse = true; return a }
	saving := func(a attr.Recurrent) attr.Recurrent { a.Keep = true; return a }
	biased := func(a attr.Recurrent) attr.Recurrent { a.Biased = true; return a }
	memory := func(a attr.Recurrent) attr.Recurrent { a.Memory = true; return a }
	add("tanh", tanh, 5, 5, 3, 3, 3)
	add("tanh_deep", tanh, 260, 260, 1, 1)
	add("tanh_packed", back(tanh), 33, 33, 17, 16, 16, 3, 1)
	add("relu", back(relu), 40, 40, 2, 2)
	add("relu_packed", relu, 7, 7, 5, 4, 2)
	add("lstm", saving(lstm), 6, 6, 3, 3, 3)
	add("lstm_reverse", back(lstm), 48, 48, 15, 15)
	add("lstm_wide", saving(lstm), 10, 10, 67, 66)
	add("lstm_packed", memory(saving(lstm)), 33, 33, 5, 4, 4, 1)
	add("lstm_packed_reverse", memory(back(saving(lstm))), 9, 9, 30, 14, 14, 2)
	add("lstm_projected", saving(lstm), 37, 5, 4, 4, 4)
	add("lstm_projected_packed", memory(back(saving(lstm))), 6, 34, 3, 2)
	add("lstm_one", saving(lstm), 67, 67, 1, 1, 1)
	add("gru", saving(gru), 6, 6, 3, 3, 3)
	add("gru_biased", biased(saving(gru)), 50, 50, 29, 29)
	add("gru_packed", biased(gru), 33, 33, 5, 4, 4, 1)
	add("gru_packed_reverse", back(biased(saving(gru))), 8, 8, 20, 14, 2, 2)
	input := func(a attr.Recurrent) attr.Recurrent { a.Input = true; return a }
	add("tanh_input", input(tanh), 35, 35, 16, 16, 3)
	add("relu_input", back(input(relu)), 7, 7, 5, 4)
	add("lstm_input_packed", memory(saving(input(lstm))), 33, 33, 17, 4, 4, 1)
	add("lstm_input_projected", back(input(lstm)), 37, 5, 4, 4, 4)
	add("gru_input", biased(saving(input(gru))), 34, 34, 20, 14, 2)
	add("gru_input_unbiased", input(gru), 6, 6, 3, 3)
	inputs = 530
	add("lstm_input_deep", saving(input(lstm)), 5, 5, 3, 3)
	inputs = 0
	add("lstm_input_none", saving(input(lstm)), 5, 5, 3, 3)
	inputs = 3
	for i, a := range []attr.Recurrent{tanh, saving(lstm), biased(saving(gru)), saving(input(lstm))} {
		name := []string{"tanh", "lstm", "gru", "lstm_input"}[i]
		add(name+"_empty_batch", a, 4, 4, 0, 0)
		add(name+"_nothing", a, 0, 0, 2, 2)
	}
	add("lstm_projected_to_nothing", saving(lstm), 4, 0, 2, 2)
	return all
}

// windows are ops with sliding windows over the last dimensions: pooling, folding.
func windows() []check {
	x := input{lo: -3, hi: 3, shape: []int{2, 3, 7, 8}}
	o := ops.MaxPoolOptions{Stride: []int{2, 1}, Padding: []int{1, 0}, Dilation: []int{1, 2}, ReturnIndices: true}
	// Sixteen channels behind the windows: vectors of any dtype.
	channels := input{lo: -3, hi: 3, shape: []int{2, 7, 8, 16}}
	last := ops.MaxPoolOptions{Stride: []int{2, 1}, Padding: []int{1, 1}, ReturnIndices: true, ChannelsLast: true}
	// pool_mean_t, which spreads a cotangent, is reached by the rule of the mean.
	spread := func(in []*node) *node {
		y := ops.AvgPool2d(in[0], []int{3, 2}, ops.AvgPoolOptions{Padding: []int{1, 1}, ExcludePad: true})
		return y.Op().VJP(y, []*node{ops.Mul(y, 2)}, []bool{true})[0]
	}
	resized := func(mode string, size ...int) func(in []*node) *node {
		return func(in []*node) *node {
			return ops.Interpolate(in[0], ops.InterpolateOptions{Mode: mode, Size: size})
		}
	}
	grid := input{lo: -1.3, hi: 1.3, shape: []int{2, 5, 4, 2}}
	sampled := func(mode string) func(in []*node) *node {
		return func(in []*node) *node { return ops.GridSample(in[0], in[1], ops.GridSampleOptions{Mode: mode}) }
	}
	bagged := func(mode string) func(in []*node) *node {
		return func(in []*node) *node {
			return ops.EmbeddingBag(in[1], in[0], in[2], nil, ops.EmbeddingBagOptions{Mode: mode})
		}
	}
	bags := func(shape ...int) []input {
		return []input{{lo: -3, hi: 3, shape: shape}, index([]float64{3, 8, 0, 3, 3, 1, 7, 2}, 8), index([]float64{0, 3, 3, 7}, 4)}
	}
	wide, line := input{lo: -3, hi: 3, shape: []int{1, 2, 6, 40}}, input{lo: -3, hi: 3, shape: []int{5, 4, 9}}
	return []check{
		{name: "mix", dtypes: floats, loose: true, in: []input{x}, f: one(resized("bicubic", 11, 5))},
		{name: "mix/wide", dtypes: floats, loose: true, in: []input{wide}, f: one(resized("bilinear", 9, 37))},
		{name: "mix/line", dtypes: floats, loose: true, in: []input{line}, f: one(resized("linear", 14))},
		{name: "mix/one", dtypes: floats, loose: true, in: []input{{lo: -3, hi: 3, shape: []int{1, 1, 9}}}, f: one(resized("linear", 14))},
		{name: "mix/transposed", dtypes: floats, loose: true, in: []input{x},
			f: one(func(in []*node) *node { return pullback(resized("bilinear", 3, 11)(in)) })},
		{name: "mix/nothing", dtypes: floats, loose: true, in: []input{wide},
			f: one(func(in []*node) *node { return pullback(resized("nearest", 2, 40)(in)) })},
		{name: "bag", dtypes: floats, loose: true, in: []input{{lo: -3, hi: 3, shape: []int{2, 9, 3, 4}}, grid},
			f: one(sampled("bilinear"))},
		{name: "bag/one", dtypes: floats, loose: true, in: []input{{lo: -3, hi: 3, shape: []int{2, 9, 3, 4}}, grid},
			f: one(sampled("nearest"))},
		{name: "bag/wide", dtypes: floats, loose: true, in: []input{{lo: -3, hi: 3, shape: []int{2, 70, 3, 4}}, grid},
			f: one(sampled("bicubic"))},
		{name: "bag/plain", dtypes: floats, loose: true, in: []input{{lo: -3, hi: 3, shape: []int{9, 70}},
			index([]float64{3, 8, 0, 3, 3, 1, 7, 2, 0, 0, 5, 6, 4, 2, 8, 1, 3, 5, 0, 7, 1, 2, 6, 4, 8, 8}, 2, 13)},
			f: one(func(in []*node) *node {
				return ops.EmbeddingBag(in[1], in[0], nil, nil, ops.EmbeddingBagOptions{Mode: "sum"})
			})},
		{name: "ragged_bag", dtypes: floats, loose: true, in: bags(9, 70), f: one(bagged("sum"))},
		{name: "ragged_bag/mean", dtypes: floats, loose: true, in: bags(9, 5), f: one(bagged("mean"))},
		{name: "ragged_bag/transposed", dtypes: floats, loose: true, in: bags(9, 33),
			f: one(func(in []*node) *node { return pullback(bagged("sum")(in)) })},
		{name: "pool_max", dtypes: reals, exact: true, in: []input{x}, f: func(in []*node) []*node {
			v, i := ops.MaxPool2d(in[0], []int{3, 2}, o)
			return []*node{v, i}
		}},
		{name: "pool_max_t", dtypes: floats, loose: true, in: []input{x}, f: one(func(in []*node) *node {
			_, i := ops.MaxPool2d(in[0], []int{3, 2}, o)
			return graph.New(op("pool_max_t"), i.In(0).Attr(), ops.Cast(ops.Add(i, 1), in[0].DType()), i)
		})},
		{name: "pool_max/last", dtypes: reals, exact: true, in: []input{channels}, f: func(in []*node) []*node {
			v, i := ops.MaxPool2d(in[0], []int{3, 2}, last)
			return []*node{v, i}
		}},
		{name: "pool_max_t/last", dtypes: floats, loose: true, in: []input{channels}, f: one(func(in []*node) *node {
			v, _ := ops.MaxPool2d(in[0], []int{3, 2}, last)
			return pullback(v)
		})},
		{name: "pool_max_t/adaptive", dtypes: floats, loose: true, in: []input{x}, f: one(func(in []*node) *node {
			v, _ := ops.AdaptiveMaxPool2d(in[0], []int{3, 5}, ops.AdaptiveMaxPoolOptions{})
			return pullback(v)
		})},
		{name: "pool_mean", dtypes: floats, loose: true, in: []input{x},
			f: one(func(in []*node) *node {
				return ops.AvgPool2d(in[0], []int{3, 2}, ops.AvgPoolOptions{Padding: []int{1, 1}})
			})},
		{name: "pool_mean/adaptive", dtypes: floats, loose: true, in: []input{x},
			f: one(func(in []*node) *node { return ops.AdaptiveAvgPool2d(in[0], []int{3, 5}) })},
		{name: "pool_mean_t", dtypes: floats, loose: true, in: []input{x}, f: one(spread)},
		{name: "pool_unfold", dtypes: every, exact: true, in: []input{x},
			f: one(func(in []*node) *node {
				return ops.UnfoldImage(in[0], []int{3, 2}, ops.FoldOptions{Padding: []int{1, 0}, Stride: []int{2, 1}})
			})},
		{name: "pool_fold", dtypes: numbers, loose: true, in: []input{{lo: -3, hi: 3, shape: []int{2, 12, 30}}},
			f: one(func(in []*node) *node { return ops.Fold(in[0], []int{6, 7}, []int{2, 2}, ops.FoldOptions{}) })},
		{name: "table", dtypes: floats[:1], exact: true, f: func([]*node) []*node {
			return []*node{graph.New(op("table"), attr.Table{DType: dtype.Int16, Dims: attr.MakeInts(2, 2),
				Data: "\x01\x00\x02\x00\x03\x00\x04\x00"})}
		}},
	}
}

// firstOnes is k ones, then zeros, n in all.
func firstOnes(n, k int) []float64 {
	list := make([]float64, n)
	for i := range k {
		list[i] = 1
	}
	return list
}
