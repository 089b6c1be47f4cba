package backendtest

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// axes is a choice of dimensions to reduce.
type axes struct {
	name  string
	shape []int
	dims  []int
	keep  bool
}

var folds = []axes{
	{"all", []int{3, 4, 5}, nil, false}, {"last", []int{3, 4, 5}, []int{2}, true}, {"first", []int{3, 4, 5}, []int{0}, false},
	{"middle", []int{3, 4, 5}, []int{1}, false}, {"outer", []int{3, 4, 5}, []int{0, 2}, false}, {"scalar", []int{}, nil, false},
	{"long", []int{2, 1500}, []int{1}, false}, {"wide", []int{70, 40}, []int{0}, false}, {"nothing", []int{2, 0, 3}, []int{2}, false},
}

// reductions reduce dimensions.
func reductions() (all []check) {
	type fold struct {
		name  string
		f     func(x *node, a axes) *node
		empty bool // it has a value over nothing
	}
	o := func(a axes) ops.ReduceOptions { return ops.ReduceOptions{Dim: a.dims, KeepDim: a.keep} }
	list := []fold{
		{"sum", func(x *node, a axes) *node { return ops.Sum(x, o(a)) }, true},
		{"mean", func(x *node, a axes) *node { return ops.Mean(x, o(a)) }, true},
		{"prod", func(x *node, a axes) *node { return ops.Prod(x, o(a)) }, true},
		{"amax", func(x *node, a axes) *node { return ops.Amax(x, o(a)) }, false},
		{"amin", func(x *node, a axes) *node { return ops.Amin(x, o(a)) }, false},
		{"all", func(x *node, a axes) *node { return ops.All(x, o(a)) }, true},
		{"any", func(x *node, a axes) *node { return ops.Any(x, o(a)) }, true},
		{"logsumexp", func(x *node, a axes) *node { return ops.Logsumexp(x, o(a)) }, true},
		{"count_nonzero", func(x *node, a axes) *node { return ops.CountNonzero(x, ops.DimsOptions{Dim: a.dims}) }, true},
		{"var", func(x *node, a axes) *node { return ops.Var(x, ops.VarOptions{Dim: a.dims, KeepDim: a.keep}) }, true},
		{"std", func(x *node, a axes) *node { return ops.Std(x, ops.VarOptions{Dim: a.dims, KeepDim: a.keep}) }, true},
		{"vector_norm", func(x *node, a axes) *node {
			return ops.VectorNorm(x, ops.VectorNormOptions{Dim: a.dims, KeepDim: a.keep})
		}, true},
		{"vector_norm3", func(x *node, a axes) *node {
			p := 3.0
			return ops.VectorNorm(x, ops.VectorNormOptions{Ord: &p, Dim: a.dims, KeepDim: a.keep})
		}, true},
	}
	for _, r := range list {
		for _, a := range folds {
			if a.name == "nothing" && !r.empty {
				a.dims = []int{0}
			}
			in := input{lo: -1, hi: 1, shape: a.shape}
			if r.name == "prod" {
				in = input{lo: 0.9, hi: 1.1, shape: a.shape}
			}
			all = append(all, check{name: r.name + "/" + a.name, dtypes: every, loose: true, in: []input{in},
				f: func(in []*node) []*node { return []*node{r.f(in[0], a)} }})
			if a.name == "last" || a.name == "first" {
				in.special = true
				all = append(all, check{name: r.name + "/" + a.name + "/special", dtypes: floats, loose: true, in: []input{in},
					f: func(in []*node) []*node { return []*node{r.f(in[0], a)} }})
			}
		}
	}
	return all
}

// searches find or sort elements and give their indices.
func searches() (all []check) {
	type along struct {
		name string
		f    func(x *node, dim int) []*node
	}
	pair := func(a, b *node) []*node { return []*node{a, b} }
	list := []along{
		{"argmax", func(x *node, d int) []*node { return []*node{ops.Argmax(x, ops.ArgOptions{Dim: &d})} }},
		{"argmin", func(x *node, d int) []*node { return []*node{ops.Argmin(x, ops.ArgOptions{Dim: &d})} }},
		{"argpartition", func(x *node, d int) []*node {
			if x.Dim(d) == 0 {
				return []*node{ops.Argsort(x, ops.SortOptions{Dim: &d})} // nothing to part
			}
			return []*node{ops.Argpartition(x, x.Dim(d)/2, ops.DimOptions{Dim: &d}), ops.Argpartition(x, 0, ops.DimOptions{Dim: &d})}
		}},
		{"argsort", func(x *node, d int) []*node { return []*node{ops.Argsort(x, ops.SortOptions{Dim: &d})} }},
		{"sort", func(x *node, d int) []*node { return pair(ops.Sort(x, ops.SortOptions{Dim: &d})) }},
		{"sort_descending", func(x *node, d int) []*node { return pair(ops.Sort(x, ops.SortOptions{Dim: &d, Descending: true})) }},
		{"topk", func(x *node, d int) []*node { return pair(ops.Topk(x, min(2, x.Dim(d)), ops.TopKOptions{Dim: &d})) }},
		{"topk_smallest", func(x *node, d int) []*node {
			return pair(ops.Topk(x, min(3, x.Dim(d)), ops.TopKOptions{Dim: &d, Smallest: true}))
		}},
		{"median", func(x *node, d int) []*node { return pair(ops.Median(x, ops.ArgOptions{Dim: &d})) }},
		{"nanmedian", func(x *node, d int) []*node { return pair(ops.Nanmedian(x, ops.ArgOptions{Dim: &d})) }},
		{"mode", func(x *node, d int) []*node { return pair(ops.Mode(x, ops.ModeOptions{Dim: &d})) }},
		{"cummax", func(x *node, d int) []*node { return pair(ops.Cummax(x, d, ops.ReverseOptions{})) }},
		{"cummin", func(x *node, d int) []*node { return pair(ops.Cummin(x, d, ops.ReverseOptions{Reverse: true})) }},
	}
	for _, r := range list {
		for d, name := range []string{"first", "middle", "last"} {
			f := func(in []*node) []*node { return r.f(in[0], d) }
			all = append(all, check{name: r.name + "/" + name, dtypes: every, exact: true,
				in: []input{{lo: -6, hi: 6, shape: []int{3, 5, 7}}}, f: f},
				check{name: r.name + "/" + name + "/special", dtypes: floats,
					in: []input{{lo: -6, hi: 6, shape: []int{3, 9, 4}, special: true}}, f: f})
		}
		all = append(all, check{name: r.name + "/long", dtypes: numbers, exact: true, in: []input{{lo: -90, hi: 90, shape: []int{2, 1300}}},
			f: func(in []*node) []*node { return r.f(in[0], 1) }})
	}
	for _, special := range []bool{false, true} {
		all = append(all, check{name: fmt.Sprintf("median/all/%v", special), dtypes: reals, exact: true,
			in:     []input{{lo: -9, hi: 9, special: special}},
			shapes: [][]int{{3, 5, 7}, {}, {1, 1300}}, f: func(in []*node) []*node {
				m, _ := ops.Median(in[0], ops.ArgOptions{})
				n, _ := ops.Nanmedian(in[0], ops.ArgOptions{})
				return []*node{m, n}
			}})
	}
	lex := func(in []*node) []*node { return []*node{graph.New(op("lexsort"), nil, in[0])} }
	find := func(right bool) func(in []*node) []*node {
		return func(in []*node) []*node {
			sorted, _ := ops.Sort(in[0], ops.SortOptions{})
			return []*node{ops.Searchsorted(sorted, in[1], nil, ops.SearchOptions{Right: right})}
		}
	}
	return append(all,
		check{name: "lexsort", dtypes: reals, exact: true, in: []input{{lo: 0, hi: 3, shape: []int{9, 4}}}, f: lex},
		check{name: "searchsorted", dtypes: numbers, exact: true,
			in: []input{{lo: -6, hi: 6, shape: []int{9}}, {lo: -7, hi: 7, shape: []int{3, 4}}}, f: find(false)},
		check{name: "searchsorted_right", dtypes: numbers, exact: true,
			in: []input{{lo: -6, hi: 6, shape: []int{3, 9}}, {lo: -7, hi: 7, shape: []int{3, 4}}}, f: find(true)},
		check{name: "isin", dtypes: numbers, exact: true,
			in: []input{{lo: -3, hi: 3, shape: []int{3, 4}}, {lo: -3, hi: 3, shape: []int{5}}},
			f:  func(in []*node) []*node { return []*node{ops.Isin(in[0], in[1], ops.IsInOptions{})} }})
}

// rowWise are ops along a dimension whose result has that dimension: softmax, scans, norms.
func rowWise() (all []check) {
	type along struct {
		name string
		f    func(x *node, dim int) *node
	}
	list := []along{
		{"softmax", func(x *node, d int) *node { return ops.Softmax(x, d, ops.SoftmaxOptions{}) }},
		{"log_softmax", func(x *node, d int) *node { return ops.LogSoftmax(x, d, ops.SoftmaxOptions{}) }},
		{"cumsum", func(x *node, d int) *node { return ops.Cumsum(x, d, ops.CumulativeOptions{}) }},
		{"cumsum_reverse", func(x *node, d int) *node {
			return ops.Cumsum(x, d, ops.CumulativeOptions{Reverse: true, Exclusive: true})
		}},
		{"cumprod", func(x *node, d int) *node { return ops.Cumprod(x, d, ops.CumulativeOptions{}) }},
		{"logcumsumexp", func(x *node, d int) *node { return ops.Logcumsumexp(x, d, ops.DirectionOptions{}) }},
		{"linear_scan", func(x *node, d int) *node {
			x = ops.Mul(x, 1.0) // floats
			return graph.New(op("linear_scan"), attr.Scan{Axis: d}, x, ops.Mul(x, 2))
		}},
		{"layer_norm", func(x *node, d int) *node {
			return ops.LayerNorm(x, x.Shape().Dims()[d:], nil, nil, ops.EpsOptions{})
		}},
		{"rms_norm", func(x *node, d int) *node { return ops.RmsNorm(x, x.Shape().Dims()[d:], nil, ops.RMSNormOptions{}) }},
		{"softmax_grad", func(x *node, d int) *node { return pullback(ops.Softmax(x, d, ops.SoftmaxOptions{})) }},
		{"layer_norm_grad", func(x *node, d int) *node {
			return pullback(ops.LayerNorm(x, x.Shape().Dims()[d:], nil, nil, ops.EpsOptions{}))
		}},
		{"rms_norm_grad", func(x *node, d int) *node {
			return pullback(ops.RmsNorm(x, x.Shape().Dims()[d:], nil, ops.RMSNormOptions{}))
		}},
	}
	for _, r := range list {
		for d, name := range []string{"first", "middle", "last"} {
			all = append(all, check{name: r.name + "/" + name, dtypes: every, loose: true, in: []input{{lo: -1, hi: 1}},
				shapes: [][]int{{3, 5, 7}, {2, 0, 3}, {1, 1, 1}, {2, 3, 700}},
				f:      func(in []*node) []*node { return []*node{r.f(in[0], d)} }})
		}
	}
	for d, name := range []string{"first", "middle", "last"} {
		transform := func(op string, dtypes []dtype.DType, f func(x *node) *node) {
			all = append(all, check{name: op + "/" + name, dtypes: dtypes, loose: true, in: []input{{lo: -1, hi: 1}},
				shapes: [][]int{{3, 5, 7}, {2, 2, 2}, {3, 17, 34}}, f: func(in []*node) []*node { return []*node{f(in[0])} }})
		}
		wide := []dtype.DType{dtype.Float32, dtype.Float64}
		transform("fft_c2c", append(wide, dtype.Complex64, dtype.Complex128),
			func(x *node) *node { return ops.FFT(x, ops.FFTOptions{Dim: &d}) })
		transform("fft_r2c", wide, func(x *node) *node { return ops.RFFT(x, ops.FFTOptions{Dim: &d}) })
		transform("fft_c2r", wide, func(x *node) *node { return ops.IRFFT(x, ops.FFTOptions{Dim: &d}) })
		transform("fft_r2c/others", wide, func(x *node) *node {
			return ops.RFFTN(x, ops.FFTNOptions{Dim: [][]int{{1, 2}, {0, 2}, {2, 0}}[d]})
		})
	}
	w := []input{{lo: -1, hi: 1, shape: []int{4, 9}}, {lo: -1, hi: 1, shape: []int{9}}, {lo: -1, hi: 1, shape: []int{9}}}
	channels := func(name string, shape ...int) {
		x, m := input{lo: -1, hi: 3, shape: shape}, input{lo: 0, hi: 2, shape: shape[1:2]}
		all = append(all,
			check{name: "channel_moments/" + name, dtypes: floats, loose: true, in: []input{x}, f: func(in []*node) []*node {
				return graph.TupleItems(graph.New(op("channel_moments"), nil, in[0]))
			}},
			check{name: "channel_dots/" + name, dtypes: floats, loose: true, in: []input{{lo: -1, hi: 2, shape: shape}, x, m},
				f: func(in []*node) []*node {
					mean := in[2]
					if mean.DType().IsHalf() {
						mean = ops.Cast(mean, dtype.Float32)
					}
					return graph.TupleItems(graph.New(op("channel_dots"), nil, in[0], in[1], mean))
				}})
	}
	// One value a channel broadcast over planes: shorter than a tile, longer, and neither a multiple of a vector.
	affine := func(name string, shape ...int) {
		v := input{lo: -1, hi: 2, shape: []int{shape[1], 1}}
		all = append(all, check{name: "channel_affine/" + name, dtypes: floats, loose: true,
			in: []input{{lo: -1, hi: 3, shape: shape}, v, v, v, v, v}, f: func(in []*node) []*node {
				y := ops.Add(ops.Mul(ops.Sub(in[0], in[1]), in[2]), in[3])
				return []*node{ops.Mul(ops.Add(y, in[4]), in[5])}
			}})
	}
	affine("short", 4, 21, 49)
	affine("middle", 3, 5, 529)
	affine("long", 2, 3, 9001)
	channels("planes", 3, 5, 4, 6)
	channels("columns", 700, 24)
	channels("column", 900, 3)
	channels("wide", 5, 300)
	channels("long", 2, 3, 5000)
	channels("short", 37, 45, 7, 7)
	channels("huge", 1, 2, 40000)
	channels("one", 1, 2)
	return append(all,
		check{name: "layer_norm/weights", dtypes: floats, loose: true, in: w, f: func(in []*node) []*node {
			return []*node{ops.LayerNorm(in[0], []int{9}, in[1], in[2], ops.EpsOptions{})}
		}},
		check{name: "rms_norm/weight", dtypes: floats, loose: true, in: w[:2], f: func(in []*node) []*node {
			return []*node{ops.RmsNorm(in[0], []int{9}, in[1], ops.RMSNormOptions{})}
		}},
		// Large enough to run behind an event, its input's buffer serving the value in between.
		check{name: "taken_over", dtypes: floats[:1], loose: true, in: []input{{lo: -1, hi: 0, shape: []int{8, 5000}}},
			f: func(in []*node) []*node { return []*node{ops.Cumsum(ops.Exp(in[0]), 1, ops.CumulativeOptions{})} }},
		check{name: "class_nll_grad/last", dtypes: floats, loose: true,
			in: []input{{lo: -3, hi: 3, shape: []int{4, 7}}, {lo: 2, hi: 3, shape: []int{4, 1}},
				{dtype: dtype.Int64, shape: []int{4, 1}, list: []float64{6, 0, 3, 1}}, {lo: -1, hi: 1, shape: []int{4, 1}},
				{lo: -1, hi: 1, shape: []int{4, 1}}},
			f: func(in []*node) []*node {
				return []*node{graph.New(op("class_nll_grad"), attr.Axis{Axis: 1}, in...)}
			}},
		check{name: "class_nll_grad/middle", dtypes: floats, loose: true,
			in: []input{{lo: -3, hi: 3, shape: []int{2, 7, 3}}, {lo: 2, hi: 3, shape: []int{2, 1, 3}},
				{dtype: dtype.Int64, shape: []int{2, 1, 3}, list: []float64{6, 0, 3, 1, 2, 5}}, {lo: -1, hi: 1, shape: []int{2, 1, 3}},
				{lo: -1, hi: 1, shape: []int{2, 1, 3}}},
			f: func(in []*node) []*node {
				return []*node{graph.New(op("class_nll_grad"), attr.Axis{Axis: 1}, in...)}
			}},
		check{name: "class_loss", dtypes: floats, loose: true,
			in: []input{{lo: -3, hi: 3, shape: []int{2, 7, 3}},
				{dtype: dtype.Int64, shape: []int{2, 3}, list: []float64{6, 0, 3, 1, 2, 5}}},
			f: func(in []*node) []*node {
				a := attr.ClassLoss{Axis: 1, Ignore: 3}
				return graph.TupleItems(graph.New(op("class_loss"), a, in...))[:1]
			}},
		check{name: "class_loss_grad", dtypes: floats, loose: true,
			in: []input{{lo: -1, hi: 1, shape: []int{2, 3}},
				{dtype: dtype.Int64, shape: []int{2, 3}, list: []float64{6, 0, 3, 1, 2, 5}},
				{lo: -3, hi: 3, shape: []int{2, 7, 3}}},
			f: func(in []*node) []*node {
				wide := in[0].DType()
				if wide.IsHalf() {
					wide = dtype.Float32
				}
				total := ops.Sum(ops.Cast(in[2], wide), ops.ReduceOptions{})
				a := attr.ClassLoss{Axis: 1, Ignore: 3, Fold: attr.LossNone}
				return []*node{graph.New(op("class_loss_grad"), a, append(in, total)...)}
			}},
		check{name: "class_nll", dtypes: floats, loose: true,
			in: []input{{lo: -3, hi: 3, shape: []int{4, 7}}, {dtype: dtype.Int64, shape: []int{4, 1}, list: []float64{6, 0, 3, 1}}},
			f: func(in []*node) []*node {
				return graph.TupleItems(graph.New(op("class_nll"), attr.Axis{Axis: 1}, in...))
			}})
}

// pullback applies the rule of the op that made y to a cotangent that varies, and gives the first input's.
func pullback(y *node) *node {
	n, cot := y, []*node{ops.Mul(ops.Add(y, 0.25), y)}
	if _, ok := y.IsTupleItem(); ok {
		n = y.In(0)
		cot = append(cot, make([]*node, n.NumOut()-1)...)
	}
	need := make([]bool, n.NumIn())
	need[0] = true
	return n.Op().VJP(n, cot, need)[0]
}
