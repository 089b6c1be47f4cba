package backendtest

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/shape"
)

// checks lists the suite.
func checks() []check {
	var all []check
	for _, f := range []func() []check{elementwise, reductions, searches, rowWise, copies, scatters, products, groups, attentions,
		recurrentLayers, windows, sources} {
		all = append(all, f()...)
	}
	return all
}

func one(f func(in []*node) *node) func(in []*node) []*node {
	return func(in []*node) []*node { return []*node{f(in)} }
}

// index is an operand of positions.
func index(list []float64, shape ...int) input {
	return input{dtype: dtype.Int64, shape: shape, list: list}
}

// copies move elements: gather, concatenation, slices; views are checked by copying them.
func copies() []check {
	x := input{lo: -90, hi: 90, shape: []int{3, 4, 5}}
	y := input{lo: -90, hi: 90, shape: []int{3, 2, 5}}
	move := func(name string, f func(in []*node) *node, in ...input) check {
		return check{name: name, dtypes: every, exact: true, in: in, f: one(f)}
	}
	return []check{
		move("cat", func(in []*node) *node { return ops.Cat([]*node{in[0], in[1], in[0]}, 1) }, x, y),
		move("cat/last", func(in []*node) *node { return ops.Cat([]*node{in[0], in[0]}, -1) }, x),
		move("cat/empty", func(in []*node) *node { return ops.Cat([]*node{in[0], in[1]}, 0) }, x, input{shape: []int{0, 4, 5}}),
		move("permute", func(in []*node) *node { return ops.Contiguous(ops.Permute(in[0], 2, 0, 1)) }, x),
		move("reshape", func(in []*node) *node { return ops.Contiguous(ops.Reshape(ops.Permute(in[0], 1, 0, 2), 4, 15)) }, x),
		move("flip", func(in []*node) *node { return ops.Contiguous(ops.Flip(in[0], 0, 2)) }, x),
		move("slice", func(in []*node) *node { return ops.Contiguous(ops.SliceDim(in[0], 1, 1, 2, 2)) }, x),
		move("broadcast_to", func(in []*node) *node {
			return ops.Contiguous(ops.BroadcastTo(ops.SliceDim(in[0], 0, 1, 1, 1), 6, 4, 5))
		}, x),
		move("slice_update", func(in []*node) *node {
			return ops.SliceScatter(in[0], in[1], ops.SliceScatterOptions{Dim: 1, End: number(2)})
		}, x, y),
		move("select_update", func(in []*node) *node { return ops.SelectScatter(in[0], in[1], 2, 3) }, x, input{lo: -9, hi: 9,
			shape: []int{3, 4}}),
		move("gather", func(in []*node) *node { return ops.Gather(in[0], 1, in[1]) }, x, index([]float64{3, 0, 2, 1, 1, 0}, 3, 2, 4)),
		move("gather/last", func(in []*node) *node { return ops.Gather(in[0], -1, in[1]) }, x, index([]float64{4, 0, 2, 1}, 2, 4, 6)),
		move("take_slices", func(in []*node) *node { return ops.IndexSelect(in[0], 1, in[1]) }, x, index([]float64{3, 0, 2, 3, 3, 1,
			0}, 7)),
		move("take_slices/first", func(in []*node) *node { return ops.IndexSelect(in[0], 0, in[1]) }, x, index([]float64{2, 0, 2}, 3)),
		move("take_slices/rows", func(in []*node) *node { return ops.Embedding(in[1], in[0], ops.EmbeddingOptions{}) }, input{lo: -90,
			hi: 90, shape: []int{6, 33}}, index([]float64{5, 0, 2, 5}, 2, 2)),
		move("take", func(in []*node) *node { return ops.Take(in[0], in[1]) }, x, index([]float64{59, 0, 20, 3}, 2, 2)),
	}
}

func number(n int) *int { return &n }

// scatters write elements into a tensor.
func scatters() (all []check) {
	x := input{lo: -6, hi: 6, shape: []int{5, 4}}
	idx := index([]float64{1, 0, 3, 1, 4, 4, 2, 0}, 3, 4)
	rows := index([]float64{4, 0, 4}, 3)
	src := input{lo: -6, hi: 6, shape: []int{3, 4}}
	for _, r := range []string{"sum", "prod", "mean", "amax", "amin"} {
		all = append(all, check{name: "scatter/" + r, dtypes: numbers, loose: true, in: []input{x, idx, src},
			f: one(func(in []*node) *node { return ops.ScatterReduce(in[0], 0, in[1], in[2], r, ops.IncludeOptions{}) })})
	}
	return append(all,
		check{name: "scatter/set", dtypes: every, exact: true, in: []input{x, idx, src},
			f: one(func(in []*node) *node { return ops.Scatter(in[0], 0, in[1], in[2], ops.ScatterOptions{}) })},
		check{name: "scatter/columns", dtypes: numbers, loose: true, in: []input{x, index([]float64{1, 0, 3}, 5, 3), {lo: -6, hi: 6,
			shape: []int{5, 3}}},
			f: one(func(in []*node) *node { return ops.ScatterAdd(in[0], 1, in[1], in[2]) })},
		check{name: "put_slices/add", dtypes: numbers, loose: true, in: []input{x, rows, src},
			f: one(func(in []*node) *node { return ops.IndexAdd(in[0], 0, in[1], in[2], ops.IndexAddOptions{}) })},
		check{name: "put_slices/set", dtypes: every, exact: true, in: []input{x, index([]float64{4, 0, 1}, 3), src},
			f: one(func(in []*node) *node { return ops.IndexCopy(in[0], 0, in[1], in[2]) })},
		check{name: "put_slices/set_again", dtypes: every, exact: true, in: []input{x, rows, src},
			f: one(func(in []*node) *node { return ops.IndexCopy(in[0], 0, in[1], in[2]) })},
		check{name: "put/add", dtypes: numbers, loose: true, in: []input{x, index([]float64{7, 0, 7, 19, 3}, 5), {lo: -6, hi: 6,
			shape: []int{5}}},
			f: one(func(in []*node) *node { return ops.Put(in[0], in[1], in[2], ops.PutOptions{Accumulate: true}) })})
}

// sources have no tensor input: random numbers from a key, ranges. The bits are the same on every device.
func sources() (all []check) {
	key := input{dtype: dtype.Uint32, shape: []int{2}, list: []float64{17, 4711}}
	keys := input{dtype: dtype.Uint32, shape: []int{3, 2}, list: []float64{17, 4711, 1, 2, 3, 4}}
	sh := shape.Of("conformance", 5, 301)
	for _, width := range []int{1, 2, 4, 8} {
		all = append(all, check{name: "random_bits/" + string(rune('0'+width)), dtypes: integers[:1], exact: true, in: []input{key, keys},
			f: func(in []*node) []*node {
				return []*node{ops.RandomBits(in[0], sh, width), ops.RandomBits(in[1], shape.Of("conformance", 3), width)}
			}})
	}
	for _, d := range floats {
		all = append(all, check{name: "random_uniform/" + d.String(), dtypes: []dtype.DType{d}, exact: true, in: []input{key},
			f: one(func(in []*node) *node { return ops.RandomUniform(in[0], sh, 0, 1, d) })},
			check{name: "random_normal/" + d.String(), dtypes: []dtype.DType{d}, loose: true, in: []input{key},
				f: one(func(in []*node) *node { return ops.RandomNormal(in[0], sh, 0, 1, d) })})
	}
	return append(all,
		check{name: "random_int", dtypes: integers, exact: true, in: []input{key},
			f: one(func(in []*node) *node { return ops.RandomInt(in[0], sh, 0, 100, dtype.Int64) })},
		check{name: "random_poisson", dtypes: floats, in: []input{key, {lo: 0.5, hi: 30, shape: []int{4, 5}}},
			f: one(func(in []*node) *node { return ops.RandomPoisson(in[0], in[1]) })},
		check{name: "random_binomial", dtypes: floats, in: []input{key, {lo: 20, hi: 20, shape: []int{4, 5}}, {lo: 0.1, hi: 0.9,
			shape: []int{4, 5}}},
			f: one(func(in []*node) *node { return ops.RandomBinomial(in[0], in[1], in[2]) })},
		check{name: "random_gamma", dtypes: floats, in: []input{key, {lo: 0.1, hi: 20, shape: []int{4, 5}}},
			f: one(func(in []*node) *node { return ops.RandomGamma(in[0], in[1]) })},
		check{name: "random_poisson/many", dtypes: floats, in: []input{key, {lo: 12, hi: 12, shape: []int{700}}},
			f: one(func(in []*node) *node { return ops.RandomPoisson(in[0], in[1]) })},
		check{name: "random_binomial/many", dtypes: floats, in: []input{key, {lo: 100, hi: 100, shape: []int{700}}, {lo: 0.7, hi: 0.7,
			shape: []int{700}}},
			f: one(func(in []*node) *node { return ops.RandomBinomial(in[0], in[1], in[2]) })},
		check{name: "random_gamma/many", dtypes: floats, in: []input{key, {lo: 0.5, hi: 1.5, shape: []int{700}}},
			f: one(func(in []*node) *node { return ops.RandomGamma(in[0], in[1]) })},
		check{name: "random_von_mises", dtypes: floats, in: []input{key, {lo: 0.1, hi: 20, shape: []int{4, 5}}},
			f: one(func(in []*node) *node { return ops.RandomVonMises(in[0], in[1]) })},
		check{name: "random_dirichlet", dtypes: floats, in: []input{key, {lo: 0.1, hi: 20, shape: []int{40, 5}}},
			f: one(func(in []*node) *node { return ops.RandomDirichlet(in[0], in[1]) })},
		check{name: "random_dirichlet/long", dtypes: floats, in: []input{key, {lo: 1e-4, hi: 1e-3, shape: []int{3, 700}}},
			f: one(func(in []*node) *node { return ops.RandomDirichlet(in[0], in[1]) })},
		check{name: "arange", dtypes: every, loose: true, f: func([]*node) []*node {
			var out []*node
			for _, d := range every {
				if d != dtype.Bool && !d.IsComplex() {
					out = append(out, ops.Arange(40, ops.ArangeOptions{DType: d}))
				}
			}
			return out
		}})
}
