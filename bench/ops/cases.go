package main

import (
	"strings"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

type tensor = *lucid.Tensor

var dtypes = map[string]lucid.DType{"float32": lucid.Float32, "float64": lucid.Float64, "float16": lucid.Float16,
	"bfloat16": lucid.BFloat16}

// values are the operands; data in bench/peers/torch_ops.py makes the same.
type values struct {
	n     int
	byKey map[string]tensor
}

func newValues(n int, d lucid.DType) *values {
	side, points, steps := max(n/16, 4), max(n/4, 8), max(n/4, 8)
	r := func(seed uint32, sizes ...int) tensor { return random(seed, sizes...).To(d) }
	v := &values{n: n, byKey: map[string]tensor{
		"x": r(1, n, n), "y": r(2, n, n), "v": r(3, n), "w": r(4, n).Abs().Add(0.1),
		"i": integers(5, n, n, n), "few": integers(5, 8, n, n), "t": integers(6, n, n), "m": r(1, n, n).Gt(0),
		"img": r(7, 4, 16, side*2, side*2), "seq": r(7, 4, 16, 4*side*side), "vol": r(7, 1, 4, 8, side, side*2),
		"grid": r(8, 4, side*2, side*2, 2), "tmap": integers(6, 16, 4, side*2, side*2),
		"p": r(9, points, 32), "q": r(10, points, 32),
		"edges": lucid.Arange(64).To(d).Div(32).Sub(1), "off": lucid.Arange(0, n, 4).To(lucid.Int64),
		"lp": r(11, steps, 8, 32).LogSoftmax(-1), "labels": integers(12, 31, 8, steps/4).Add(1),
		"il": lucid.Full([]int{8}, steps).To(lucid.Int64), "tl": lucid.Full([]int{8}, steps/4).To(lucid.Int64),
		"s": r(13, 16), "r": r(14, 16),
	}}
	for _, x := range v.byKey {
		x.Eval()
	}
	return v
}

// A benchCase is an op by its name, the same in Python, and the names of the operands whose gradient is taken.
type benchCase struct {
	name, torch, of string
	do              func(at func(string) tensor, n int) []tensor
	leaves          map[string]tensor
	ones            tensor
}

// run records the op, or its gradient.
func (c *benchCase) run(v *values) []tensor {
	if c.of == "" {
		return c.do(func(k string) tensor { return v.byKey[k] }, v.n)
	}
	names := strings.Split(c.of, ",")
	if c.leaves == nil {
		c.leaves = map[string]tensor{}
		for _, k := range names {
			c.leaves[k] = v.byKey[k].Clone().Eval().Detach().RequiresGrad_(true)
		}
	}
	at := func(k string) tensor {
		if x := c.leaves[k]; x != nil {
			return x
		}
		return v.byKey[k]
	}
	y := c.do(at, v.n)[0]
	if c.ones == nil {
		c.ones = lucid.OnesLike(y).Contiguous().Eval().Detach()
	}
	var of []tensor
	for _, k := range names {
		of = append(of, c.leaves[k])
	}
	return lucid.Gradients(y, of, lucid.GradientsOptions{Gradient: c.ones})
}

var cases []*benchCase

type get = func(string) tensor

func one(f func(at get, n int) tensor) func(get, int) []tensor {
	return func(at get, n int) []tensor { return []tensor{f(at, n)} }
}

func two(f func(at get, n int) (tensor, tensor)) func(get, int) []tensor {
	return func(at get, n int) []tensor { a, b := f(at, n); return []tensor{a, b} }
}

// add adds an op and, where of names operands, its gradient.
func add(name, torch, of string, do func(get, int) []tensor) {
	cases = append(cases, &benchCase{name: name, torch: torch, do: do})
	if of != "" {
		cases = append(cases, &benchCase{name: name + "_grad", torch: torch, of: of, do: do})
	}
}

// addTwo is add of an op with two results, of which the first has a gradient.
func addTwo(name, torch string, grad bool, do func(get, int) (tensor, tensor)) {
	cases = append(cases, &benchCase{name: name, torch: torch, do: two(do)})
	if grad {
		cases = append(cases, &benchCase{name: name + "_grad", torch: torch + "[0]", of: "x", do: two(do)})
	}
}

func init() {
	losses()
	indexing()
	padding()
	ordering()
	scans()
	pooling()
	resampling()
	counting()
	moving()
	reducing()
	short()
}

func losses() {
	add("nll_loss", "F.nll_loss(x, t)", "x", one(func(at get, n int) tensor { return F.NLLLoss(at("x"), at("t")) }))
	add("nll_loss_weight", "F.nll_loss(x, t, w)", "x", one(func(at get, n int) tensor {
		return F.NLLLoss(at("x"), at("t"), F.NLLLossOptions{Weight: at("w")})
	}))
	add("nll_loss_none", "F.nll_loss(x, t, reduction='none')", "x", one(func(at get, n int) tensor {
		return F.NLLLoss(at("x"), at("t"), F.NLLLossOptions{Reduction: "none"})
	}))
	add("nll_loss_map", "F.nll_loss(img, tmap)", "img", one(func(at get, n int) tensor { return F.NLLLoss(at("img"), at("tmap")) }))
	add("cross_entropy", "F.cross_entropy(x, t)", "x", one(func(at get, n int) tensor { return F.CrossEntropy(at("x"), at("t")) }))
	add("cross_entropy_weight", "F.cross_entropy(x, t, w)", "x", one(func(at get, n int) tensor {
		return F.CrossEntropy(at("x"), at("t"), F.CrossEntropyOptions{Weight: at("w")})
	}))
	add("cross_entropy_smooth", "F.cross_entropy(x, t, label_smoothing=0.1)", "x", one(func(at get, n int) tensor {
		return F.CrossEntropy(at("x"), at("t"), F.CrossEntropyOptions{LabelSmoothing: 0.1})
	}))
	add("cross_entropy_map", "F.cross_entropy(img, tmap)", "img",
		one(func(at get, n int) tensor { return F.CrossEntropy(at("img"), at("tmap")) }))
	add("ctc_loss", "F.ctc_loss(lp, labels, il, tl)", "lp", one(func(at get, n int) tensor {
		return F.CTCLoss(at("lp"), at("labels"), at("il"), at("tl"))
	}))
	add("mse_loss", "F.mse_loss(x, y)", "x", one(func(at get, n int) tensor { return F.MSELoss(at("x"), at("y")) }))
	add("bce_logits", "F.binary_cross_entropy_with_logits(x, y)", "x", one(func(at get, n int) tensor {
		return F.BinaryCrossEntropyWithLogits(at("x"), at("y"))
	}))
	add("kl_div", "F.kl_div(x, y.abs())", "x", one(func(at get, n int) tensor { return F.KLDiv(at("x"), at("y").Abs()) }))
	add("pdist", "F.pdist(p)", "p", one(func(at get, n int) tensor { return F.Pdist(at("p")) }))
	add("cdist", "torch.cdist(p, q)", "p", one(func(at get, n int) tensor { return lucid.Cdist(at("p"), at("q")) }))
	add("cdist_plain", "torch.cdist(p, q, compute_mode='donot_use_mm_for_euclid_dist')", "p", one(func(at get, n int) tensor {
		return lucid.Cdist(at("p"), at("q"), lucid.CdistOptions{ComputeMode: "donot_use_mm_for_euclid_dist"})
	}))
	add("cdist_1", "torch.cdist(p, q, 1)", "p", one(func(at get, n int) tensor {
		return lucid.Cdist(at("p"), at("q"), lucid.CdistOptions{P: new(1.0)})
	}))
}

func indexing() {
	add("gather_rows", "torch.gather(x, 1, i)", "x", one(func(at get, n int) tensor { return at("x").Gather(1, at("i")) }))
	add("gather_columns", "torch.gather(x, 0, i)", "x", one(func(at get, n int) tensor { return at("x").Gather(0, at("i")) }))
	add("scatter_rows", "x.scatter(1, i, y)", "x,y", one(func(at get, n int) tensor { return at("x").Scatter(1, at("i"), at("y")) }))
	add("scatter_columns", "x.scatter(0, i, y)", "", one(func(at get, n int) tensor { return at("x").Scatter(0, at("i"), at("y")) }))
	add("scatter_number", "x.scatter(1, i, 2.0)", "", one(func(at get, n int) tensor { return at("x").Scatter(1, at("i"), 2.0) }))
	add("scatter_add_rows", "x.scatter_add(1, i, y)", "x,y", one(func(at get, n int) tensor {
		return at("x").ScatterAdd(1, at("i"), at("y"))
	}))
	add("scatter_add_columns", "x.scatter_add(0, i, y)", "", one(func(at get, n int) tensor {
		return at("x").ScatterAdd(0, at("i"), at("y"))
	}))
	add("scatter_add_few", "x.scatter_add(1, few, y)", "", one(func(at get, n int) tensor {
		return at("x").ScatterAdd(1, at("few"), at("y"))
	}))
	add("scatter_amax", "x.scatter_reduce(1, i, y, 'amax')", "", one(func(at get, n int) tensor {
		return at("x").ScatterReduce(1, at("i"), at("y"), "amax")
	}))
	add("index_select", "x.index_select(0, t)", "x", one(func(at get, n int) tensor { return at("x").IndexSelect(0, at("t")) }))
	add("index_select_columns", "x.index_select(1, t)", "x", one(func(at get, n int) tensor { return at("x").IndexSelect(1, at("t")) }))
	add("embedding", "F.embedding(t, x)", "x", one(func(at get, n int) tensor { return F.Embedding(at("t"), at("x")) }))
	add("index_add", "x.index_add(0, t, y)", "", one(func(at get, n int) tensor { return at("x").IndexAdd(0, at("t"), at("y")) }))
	add("index_copy", "x.index_copy(0, t, y)", "", one(func(at get, n int) tensor { return at("x").IndexCopy(0, at("t"), at("y")) }))
	add("index_put", "x.index_put((t,), y)", "", one(func(at get, n int) tensor {
		return at("x").IndexPut(at("y"), []tensor{at("t")})
	}))
	add("take", "torch.take(x, i)", "x", one(func(at get, n int) tensor { return at("x").Take(at("i")) }))
	add("bag_sum", "F.embedding_bag(t, x, off, mode='sum')", "x", one(func(at get, n int) tensor {
		return F.EmbeddingBag(at("t"), at("x"), F.EmbeddingBagOptions{Offsets: at("off"), Mode: "sum"})
	}))
	add("bag_mean", "F.embedding_bag(t, x, off, mode='mean')", "x", one(func(at get, n int) tensor {
		return F.EmbeddingBag(at("t"), at("x"), F.EmbeddingBagOptions{Offsets: at("off"), Mode: "mean"})
	}))
	add("bag_max", "F.embedding_bag(t, x, off, mode='max')", "x", one(func(at get, n int) tensor {
		return F.EmbeddingBag(at("t"), at("x"), F.EmbeddingBagOptions{Offsets: at("off"), Mode: "max"})
	}))
	add("where", "torch.where(m, x, y)", "x,y", one(func(at get, n int) tensor { return lucid.Where(at("m"), at("x"), at("y")) }))
	add("masked_fill", "x.masked_fill(m, 0.5)", "x", one(func(at get, n int) tensor { return at("x").MaskedFill(at("m"), 0.5) }))
	add("masked_select", "x.masked_select(m)", "x", one(func(at get, n int) tensor { return at("x").MaskedSelect(at("m")) }))
	add("nonzero", "m.nonzero()", "", one(func(at get, n int) tensor { return at("m").Nonzero() }))
	add("one_hot", "F.one_hot(t, n)", "", one(func(at get, n int) tensor { return F.OneHot(at("t"), F.OneHotOptions{NumClasses: n}) }))
}

func padding() {
	pad := func(name, operand, pads string, mode string, by []int) {
		add("pad_"+name+"_"+mode, "F.pad("+operand+", "+pads+", '"+mode+"')", operand, one(func(at get, n int) tensor {
			return F.Pad(at(operand), by, F.PadOptions{Mode: mode})
		}))
	}
	for _, mode := range []string{"constant", "reflect", "replicate", "circular"} {
		pad("2d", "img", "(1, 1, 1, 1)", mode, []int{1, 1, 1, 1})
		pad("1d", "seq", "(2, 3)", mode, []int{2, 3})
	}
	pad("3d", "vol", "(1, 1, 1, 1, 1, 1)", "replicate", []int{1, 1, 1, 1, 1, 1})
}

func ordering() {
	addTwo("topk", "torch.topk(x, 4)", true, func(at get, n int) (tensor, tensor) { return at("x").TopK(4) })
	addTwo("topk_columns", "torch.topk(x, 4, 0)", false, func(at get, n int) (tensor, tensor) {
		return lucid.TopK(at("x"), 4, lucid.TopKOptions{Dim: new(0)})
	})
	addTwo("topk_half", "torch.topk(x, n // 2)", false, func(at get, n int) (tensor, tensor) { return at("x").TopK(n / 2) })
	addTwo("sort", "torch.sort(x)", true, func(at get, n int) (tensor, tensor) { return at("x").Sort(-1) })
	addTwo("sort_columns", "torch.sort(x, 0)", false, func(at get, n int) (tensor, tensor) { return at("x").Sort(0) })
	add("sort_flat", "torch.sort(x.view(-1))[0]", "", one(func(at get, n int) tensor {
		v, _ := at("x").Reshape(-1).Sort(-1)
		return v
	}))
	add("argsort", "torch.argsort(x)", "", one(func(at get, n int) tensor { return at("x").ArgSort(-1) }))
	addTwo("median", "torch.median(x, 1)", true, func(at get, n int) (tensor, tensor) {
		return lucid.Median(at("x"), lucid.ArgOptions{Dim: new(1)})
	})
	add("median_flat", "torch.median(x)", "", one(func(at get, n int) tensor { v, _ := lucid.Median(at("x")); return v }))
	addTwo("kthvalue", "torch.kthvalue(x, n // 4)", false, func(at get, n int) (tensor, tensor) { return at("x").KthValue(n / 4) })
	addTwo("mode", "torch.mode(few)", false, func(at get, n int) (tensor, tensor) { return at("few").Mode(-1) })
	add("quantile", "torch.quantile(x, 0.3, 1)", "", one(func(at get, n int) tensor {
		return lucid.Quantile(at("x"), 0.3, lucid.QuantileOptions{Dim: new(1)})
	}))
	add("unique", "torch.unique(few)", "", one(func(at get, n int) tensor { v, _, _ := lucid.Unique(at("few")); return v }))
	add("unique_many", "torch.unique(x)", "", one(func(at get, n int) tensor { v, _, _ := lucid.Unique(at("x")); return v }))
	add("unique_inverse", "torch.unique(few, return_inverse=True)[1]", "", one(func(at get, n int) tensor {
		_, v, _ := lucid.Unique(at("few"), lucid.UniqueOptions{ReturnInverse: true})
		return v
	}))
	add("unique_consecutive", "torch.unique_consecutive(few)", "", one(func(at get, n int) tensor {
		v, _, _ := lucid.UniqueConsecutive(at("few"))
		return v
	}))
	add("searchsorted", "torch.searchsorted(edges, x)", "", one(func(at get, n int) tensor {
		return lucid.SearchSorted(at("edges"), at("x"))
	}))
	add("bucketize", "torch.bucketize(x, edges)", "", one(func(at get, n int) tensor { return lucid.Bucketize(at("x"), at("edges")) }))
}

func scans() {
	addTwo("cummax", "torch.cummax(x, 1)", true, func(at get, n int) (tensor, tensor) { return at("x").CumMax(1) })
	addTwo("cummin", "torch.cummin(x, 1)", false, func(at get, n int) (tensor, tensor) { return at("x").CumMin(1) })
	addTwo("cummax_columns", "torch.cummax(x, 0)", false, func(at get, n int) (tensor, tensor) { return at("x").CumMax(0) })
	add("cumsum", "torch.cumsum(x, 1)", "x", one(func(at get, n int) tensor { return at("x").CumSum(1) }))
	add("cumsum_columns", "torch.cumsum(x, 0)", "", one(func(at get, n int) tensor { return at("x").CumSum(0) }))
	add("cumprod", "torch.cumprod(x, 1)", "x", one(func(at get, n int) tensor { return at("x").CumProd(1) }))
	add("logcumsumexp", "torch.logcumsumexp(x, 1)", "x", one(func(at get, n int) tensor { return at("x").LogCumSumExp(1) }))
	add("logcumsumexp_columns", "torch.logcumsumexp(x, 0)", "", one(func(at get, n int) tensor { return at("x").LogCumSumExp(0) }))
}

func pooling() {
	add("max_pool1d", "F.max_pool1d(seq, 2)", "seq", one(func(at get, n int) tensor { return F.MaxPool1d(at("seq"), []int{2}) }))
	add("max_pool1d_3", "F.max_pool1d(seq, 3, 2, 1)", "seq", one(func(at get, n int) tensor {
		return F.MaxPool1d(at("seq"), []int{3}, F.MaxPoolOptions{Stride: []int{2}, Padding: []int{1}})
	}))
	add("max_pool2d", "F.max_pool2d(img, 2)", "img", one(func(at get, n int) tensor { return F.MaxPool2d(at("img"), []int{2}) }))
	add("max_pool2d_3", "F.max_pool2d(img, 3, 2, 1)", "img", one(func(at get, n int) tensor {
		return F.MaxPool2d(at("img"), []int{3}, F.MaxPoolOptions{Stride: []int{2}, Padding: []int{1}})
	}))
	add("max_pool3d", "F.max_pool3d(vol, 2)", "vol", one(func(at get, n int) tensor { return F.MaxPool3d(at("vol"), []int{2}) }))
	add("avg_pool1d", "F.avg_pool1d(seq, 2)", "seq", one(func(at get, n int) tensor { return F.AvgPool1d(at("seq"), []int{2}) }))
	add("avg_pool2d", "F.avg_pool2d(img, 2)", "img", one(func(at get, n int) tensor { return F.AvgPool2d(at("img"), []int{2}) }))
	add("avg_pool2d_3", "F.avg_pool2d(img, 3, 2, 1)", "img", one(func(at get, n int) tensor {
		return F.AvgPool2d(at("img"), []int{3}, F.AvgPoolOptions{Stride: []int{2}, Padding: []int{1}})
	}))
	add("avg_pool3d", "F.avg_pool3d(vol, 2)", "vol", one(func(at get, n int) tensor { return F.AvgPool3d(at("vol"), []int{2}) }))
	add("adaptive_avg_2d", "F.adaptive_avg_pool2d(img, (3, 5))", "img",
		one(func(at get, n int) tensor { return F.AdaptiveAvgPool2d(at("img"), []int{3, 5}) }))
	add("adaptive_avg_1", "F.adaptive_avg_pool2d(img, 1)", "img",
		one(func(at get, n int) tensor { return F.AdaptiveAvgPool2d(at("img"), []int{1, 1}) }))
	add("adaptive_max_2d", "F.adaptive_max_pool2d(img, (3, 5))", "img",
		one(func(at get, n int) tensor { return F.AdaptiveMaxPool2d(at("img"), []int{3, 5}) }))
	add("adaptive_max_1d", "F.adaptive_max_pool1d(seq, 7)", "seq",
		one(func(at get, n int) tensor { return F.AdaptiveMaxPool1d(at("seq"), []int{7}) }))
}

func resampling() {
	for _, mode := range []string{"nearest", "nearest-exact", "bilinear", "bicubic", "area"} {
		add("up_"+mode, "F.interpolate(img, scale_factor=2, mode='"+mode+"')", "img", one(func(at get, n int) tensor {
			return F.Interpolate(at("img"), F.InterpolateOptions{ScaleFactor: []float64{2, 2}, Mode: mode})
		}))
	}
	add("up_odd_bilinear", "F.interpolate(img, size=(n // 5 + 3, n // 3 + 2), mode='bilinear')", "img", one(func(at get, n int) tensor {
		return F.Interpolate(at("img"), F.InterpolateOptions{Size: []int{n/5 + 3, n/3 + 2}, Mode: "bilinear"})
	}))
	add("down_bilinear", "F.interpolate(img, scale_factor=0.5, mode='bilinear')", "img", one(func(at get, n int) tensor {
		return F.Interpolate(at("img"), F.InterpolateOptions{ScaleFactor: []float64{0.5, 0.5}, Mode: "bilinear"})
	}))
	add("down_antialias", "F.interpolate(img, scale_factor=0.5, mode='bilinear', antialias=True)", "img", one(func(at get, n int) tensor {
		return F.Interpolate(at("img"), F.InterpolateOptions{ScaleFactor: []float64{0.5, 0.5}, Mode: "bilinear", Antialias: true})
	}))
	add("up_linear", "F.interpolate(seq, scale_factor=2, mode='linear')", "seq", one(func(at get, n int) tensor {
		return F.Interpolate(at("seq"), F.InterpolateOptions{ScaleFactor: []float64{2}, Mode: "linear"})
	}))
	add("up_trilinear", "F.interpolate(vol, scale_factor=2, mode='trilinear')", "vol", one(func(at get, n int) tensor {
		return F.Interpolate(at("vol"), F.InterpolateOptions{ScaleFactor: []float64{2, 2, 2}, Mode: "trilinear"})
	}))
	for _, mode := range []string{"bilinear", "nearest", "bicubic"} {
		add("grid_sample_"+mode, "F.grid_sample(img, grid, '"+mode+"', align_corners=False)", "img,grid", one(func(at get, n int) tensor {
			return F.GridSample(at("img"), at("grid"), F.GridSampleOptions{Mode: mode})
		}))
	}
	add("grid_sample_border", "F.grid_sample(img, grid, padding_mode='border', align_corners=False)", "img,grid",
		one(func(at get, n int) tensor {
			return F.GridSample(at("img"), at("grid"), F.GridSampleOptions{PaddingMode: "border"})
		}))
	add("pixel_shuffle", "F.pixel_shuffle(img, 2)", "img", one(func(at get, n int) tensor { return F.PixelShuffle(at("img"), 2) }))
}

func counting() {
	add("bincount", "torch.bincount(i.view(-1))", "", one(func(at get, n int) tensor { return lucid.Bincount(at("i").Reshape(-1)) }))
	add("bincount_few", "torch.bincount(few.view(-1))", "", one(func(at get, n int) tensor {
		return lucid.Bincount(at("few").Reshape(-1))
	}))
	add("bincount_rows", "torch.bincount(t)", "", one(func(at get, n int) tensor { return lucid.Bincount(at("t")) }))
	add("histc", "torch.histc(x, 64, -1, 1)", "", one(func(at get, n int) tensor {
		return lucid.Histc(at("x"), lucid.HistcOptions{Bins: 64, Min: -1, Max: 1})
	}))
	add("histogram", "torch.histogram(x, 64, range=(-1, 1))[0]", "", one(func(at get, n int) tensor {
		v, _ := lucid.Histogram(at("x"), lucid.HistogramOptions{Bins: 64, Range: []float64{-1, 1}})
		return v
	}))
	add("count_nonzero", "torch.count_nonzero(m)", "", one(func(at get, n int) tensor { return at("m").CountNonzero() }))
}

func moving() {
	add("roll", "torch.roll(x, 3, 1)", "x", one(func(at get, n int) tensor { return at("x").Roll(3, 1) }))
	add("roll_flat", "torch.roll(x, 3)", "", one(func(at get, n int) tensor { return at("x").Roll(3) }))
	add("flip_rows", "torch.flip(x, (1,))", "x", one(func(at get, n int) tensor { return at("x").Flip(1).Contiguous() }))
	add("flip_columns", "torch.flip(x, (0,))", "", one(func(at get, n int) tensor { return at("x").Flip(0).Contiguous() }))
	add("rot90", "torch.rot90(x).contiguous()", "", one(func(at get, n int) tensor { return at("x").Rot90(1).Contiguous() }))
	add("repeat", "x.repeat(2, 2)", "x", one(func(at get, n int) tensor { return at("x").Repeat(2, 2) }))
	add("repeat_interleave", "x.repeat_interleave(2, 1)", "x", one(func(at get, n int) tensor {
		return lucid.RepeatInterleave(at("x"), 2, lucid.RepeatInterleaveOptions{Dim: new(1)})
	}))
	add("repeat_interleave_rows", "x.repeat_interleave(2, 0)", "x", one(func(at get, n int) tensor {
		return lucid.RepeatInterleave(at("x"), 2, lucid.RepeatInterleaveOptions{Dim: new(0)})
	}))
	add("cat", "torch.cat([x, y], 1)", "x,y", one(func(at get, n int) tensor { return lucid.Cat([]tensor{at("x"), at("y")}, 1) }))
	add("stack", "torch.stack([x, y], 2)", "x,y", one(func(at get, n int) tensor { return lucid.Stack([]tensor{at("x"), at("y")}, 2) }))
	add("tril", "x.tril()", "x", one(func(at get, n int) tensor { return at("x").Tril() }))
	add("transpose", "x.t().contiguous()", "", one(func(at get, n int) tensor { return at("x").Transpose(0, 1).Contiguous() }))
	add("diff", "torch.diff(x)", "x", one(func(at get, n int) tensor { return lucid.Diff(at("x")) }))
	add("unfold", "F.unfold(img, 3, padding=1)", "img", one(func(at get, n int) tensor {
		return F.Unfold(at("img"), []int{3, 3}, F.FoldOptions{Padding: []int{1, 1}})
	}))
}

func reducing() {
	add("sum_rows", "x.sum(1)", "x", one(func(at get, n int) tensor { return at("x").Sum(1) }))
	add("sum_columns", "x.sum(0)", "x", one(func(at get, n int) tensor { return at("x").Sum(0) }))
	add("var_rows", "x.var(1)", "x", one(func(at get, n int) tensor { return at("x").Var(1) }))
	add("var_columns", "x.var(0)", "x", one(func(at get, n int) tensor { return at("x").Var(0) }))
	add("var_all", "x.var()", "x", one(func(at get, n int) tensor { return at("x").Var() }))
	add("std_rows", "x.std(1)", "x", one(func(at get, n int) tensor { return at("x").Std(1) }))
	add("var_inner", "img.var(1)", "img", one(func(at get, n int) tensor { return at("img").Var(1) }))
	add("norm_rows", "x.norm(dim=1)", "x", one(func(at get, n int) tensor { return at("x").Norm(1) }))
	add("norm_columns", "x.norm(dim=0)", "x", one(func(at get, n int) tensor { return at("x").Norm(0) }))
	add("norm_all", "x.norm()", "x", one(func(at get, n int) tensor { return at("x").Norm() }))
	add("norm_inner", "img.norm(dim=1)", "img", one(func(at get, n int) tensor { return at("img").Norm(1) }))
	add("normalize", "F.normalize(x)", "x", one(func(at get, n int) tensor { return F.Normalize(at("x")) }))
	add("prod_rows", "x.prod(1)", "x", one(func(at get, n int) tensor { return at("x").Prod(1) }))
	add("max_rows", "x.amax(1)", "x", one(func(at get, n int) tensor { return at("x").Max(1) }))
	addTwo("max_indices", "torch.max(x, 1)", true, func(at get, n int) (tensor, tensor) { return at("x").MaxIndices(1) })
	addTwo("max_indices_columns", "torch.max(x, 0)", false, func(at get, n int) (tensor, tensor) { return at("x").MaxIndices(0) })
	add("argmax_rows", "x.argmax(1)", "", one(func(at get, n int) tensor { return at("x").ArgMax(1) }))
	add("logsumexp", "x.logsumexp(1)", "x", one(func(at get, n int) tensor { return at("x").LogSumExp(1) }))
	add("softmax", "x.softmax(1)", "x", one(func(at get, n int) tensor { return at("x").Softmax(1) }))
	add("softmax_columns", "x.softmax(0)", "x", one(func(at get, n int) tensor { return at("x").Softmax(0) }))
	add("group_norm", "F.group_norm(img, 4)", "img", one(func(at get, n int) tensor { return F.GroupNorm(at("img"), 4) }))
	add("layer_norm", "F.layer_norm(x, (n,))", "x", one(func(at get, n int) tensor { return F.LayerNorm(at("x"), []int{n}) }))
	add("silu", "F.silu(x)", "x", one(func(at get, n int) tensor { return F.SiLU(at("x")) }))
	add("atanh", "torch.atanh(x)", "x", one(func(at get, n int) tensor { return at("x").Atanh() }))
	add("logit", "torch.logit(y.abs())", "", one(func(at get, n int) tensor { return at("y").Abs().Logit() }))
}

// short are ops of 16 elements, whatever the size.
func short() {
	add("16_add", "s + r", "", one(func(at get, n int) tensor { return at("s").Add(at("r")) }))
	add("16_chain", "((((s + r) * 0.5 - r).abs() + 1).sqrt() / (r + 3)).neg().exp()", "s", one(func(at get, n int) tensor {
		s, r := at("s"), at("r")
		return s.Add(r).Mul(0.5).Sub(r).Abs().Add(1).Sqrt().Div(r.Add(3)).Neg().Exp()
	}))
	add("16_sum", "s.sum()", "s", one(func(at get, n int) tensor { return at("s").Sum() }))
	add("16_softmax", "s.softmax(0)", "s", one(func(at get, n int) tensor { return at("s").Softmax(0) }))
	add("16_mean_of_square", "((s - r) ** 2).mean()", "s", one(func(at get, n int) tensor {
		return at("s").Sub(at("r")).Square().Mean()
	}))
	add("16_cat", "torch.cat([s, r])", "", one(func(at get, n int) tensor { return lucid.Cat([]tensor{at("s"), at("r")}, 0) }))
	add("16_slice", "s[2:9] * 2", "", one(func(at get, n int) tensor { return at("s").At(lucid.Range{Start: 2, Stop: 9}).Mul(2) }))
}

// random returns numbers from -1 to 1 by a hash of position and seed, as noise in bench/peers/worker.py.
func random(seed uint32, sizes ...int) tensor {
	v := make([]float32, numel(sizes))
	for i := range v {
		v[i] = float32(hash(uint32(i), seed)>>8)/(1<<23) - 1
	}
	return lucid.New(v, sizes...)
}

// integers returns numbers from 0 to below.
func integers(seed uint32, below int, sizes ...int) tensor {
	v := make([]int64, numel(sizes))
	for i := range v {
		v[i] = int64(hash(uint32(i), seed) % uint32(below))
	}
	return lucid.New(v, sizes...)
}

func hash(i, seed uint32) uint32 {
	h := i*0x9E3779B1 + seed*0x85EBCA6B
	h = (h ^ h>>16) * 0x85EBCA6B
	h = (h ^ h>>13) * 0xC2B2AE35
	return h ^ h>>16
}

func numel(sizes []int) int {
	n := 1
	for _, s := range sizes {
		n *= s
	}
	return n
}
