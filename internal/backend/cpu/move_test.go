package cpu

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

var moveTypes = []dtype.DType{dtype.Bool, dtype.Uint8, dtype.Int16, dtype.BFloat16, dtype.Float16, dtype.Float32, dtype.Int32,
	dtype.Float64, dtype.Int64, dtype.Complex64, dtype.Complex128}

// moveDims draws a shape: often small, now and then large enough for several blocks, sometimes empty.
func moveDims(r *rand.Rand, least int) []int {
	d := make([]int, least+r.IntN(4))
	for i := range d {
		d[i] = r.IntN(7)
		if r.IntN(4) > 0 {
			d[i]++
		}
	}
	if len(d) > 0 && r.IntN(5) == 0 {
		d[r.IntN(len(d))] = 100 + r.IntN(100)
	}
	return d
}

func randomIndex(r *rand.Rand, dims []int, size int) backend.View {
	v := randomView(r, dtype.Int64, dims)
	e := dtype.Slice[int64](v.Buf.Mem)
	for i := range e {
		e[i] = int64(r.IntN(max(size, 1)))
	}
	return v
}

func TestMoveMatchesRef(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 600 {
		d := moveTypes[r.IntN(len(moveTypes))]
		dims := moveDims(r, 0)
		checkKernel(t, "copy", nil, dims, randomView(r, d, dims))
		if len(dims) == 0 {
			continue
		}
		axis := r.IntN(len(dims))
		var parts []backend.View
		all := slices.Clone(dims)
		all[axis] = 0
		for range 1 + r.IntN(3) {
			p := slices.Clone(dims)
			p[axis] = r.IntN(4)
			all[axis] += p[axis]
			parts = append(parts, randomView(r, d, p))
		}
		checkKernel(t, "cat", attr.Axis{Axis: axis}, all, parts...)
		start, size, step := make([]int, len(dims)), make([]int, len(dims)), make([]int, len(dims))
		for i, n := range dims {
			step[i] = 1 + r.IntN(2)
			if r.IntN(3) == 0 {
				step[i] = -step[i]
			}
			if n > 0 {
				start[i] = r.IntN(n)
				room := (n - 1 - start[i]) / max(step[i], 1)
				if step[i] < 0 {
					room = start[i] / -step[i]
				}
				size[i] = 1 + r.IntN(room+1)
			}
		}
		a := attr.Slice{Start: attr.MakeInts(start...), Size: attr.MakeInts(size...), Step: attr.MakeInts(step...)}
		checkKernel(t, "slice_update", a, dims, randomView(r, d, dims), randomView(r, d, size))
		one := randomView(r, d, []int{1}) // padding: one value, perhaps zero, around a part
		if r.IntN(2) == 0 {
			one.Buf = bufferOf(d, one.Offset()+1)
		}
		for i, n := range dims {
			start[i], step[i] = r.IntN(n-size[i]+1), 1
		}
		a.Start, a.Step = attr.MakeInts(start...), attr.MakeInts(step...)
		board := backend.View{Buf: one.Buf, Shape: shape.Of("pad", dims...), DType: d,
			Lay: &shape.Layout{Strides: make([]int, len(dims)), Offset: one.Offset()}}
		checkKernel(t, "slice_update", a, dims, board, randomView(r, d, size))
	}
	for _, d := range moveTypes {
		big := randomView(r, d, []int{3, 150, 210})
		big.Lay = &shape.Layout{Strides: []int{150 * 210, 1, 150}}
		big.Buf = bufferOf(d, 3*150*210)
		fillRandom(r, d, big.Buf.Mem, 3*150*210)
		checkKernel(t, "copy", nil, []int{3, 150, 210}, big)
	}
}

func TestIndexMatchesRef(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	reductions := []attr.Reduction{attr.ReduceSet, attr.ReduceAdd, attr.ReduceMul, attr.ReduceMax, attr.ReduceMin}
	rounds := 600
	if testing.Short() {
		rounds = 300
	}
	for round := range rounds {
		d := moveTypes[r.IntN(len(moveTypes))]
		dims := moveDims(r, 1)
		axis := r.IntN(len(dims))
		dims[axis] = max(dims[axis], 1)
		if round%50 == 0 { // several blocks of each kind
			dims = [][]int{{40000}, {70, 2000}, {2000, 70}, {50, 60, 50}}[r.IntN(4)]
			axis = r.IntN(len(dims))
		}
		x := randomView(r, d, dims)
		s := attr.Scatter{Axis: axis, Reduce: reductions[r.IntN(5)]}
		if d.IsComplex() || s.Reduce == attr.ReduceMul && d.Size() < 4 { // products of many half-type numbers overflow or underflow
			s.Reduce = reductions[r.IntN(2)]
		}
		id := moveDims(r, 0)[:]
		if len(id) > 2 {
			id = id[:2]
		}
		if round%50 == 0 {
			id = []int{90000 / max(1, x.Shape.Numel()/dims[axis])}
		}
		src := slices.Concat(dims[:axis], id, dims[axis+1:])
		idx := randomIndex(r, id, dims[axis])
		checkKernel(t, "take_slices", attr.Axis{Axis: axis}, src, x, idx)
		checkKernel(t, "put_slices", s, dims, x, idx, randomView(r, d, src))
		gd := slices.Clone(dims)
		for i := range gd {
			if i == axis {
				gd[i] = r.IntN(2*gd[i] + 1)
			} else {
				gd[i] = gd[i] - r.IntN(2)*r.IntN(gd[i]+1)
			}
		}
		at := randomIndex(r, gd, dims[axis])
		checkKernel(t, "gather", attr.Axis{Axis: axis}, gd, x, at)
		checkKernel(t, "scatter", s, dims, x, at, randomView(r, d, gd))
	}
}

// TestTallyMatchesRef adds many single elements to few indices, by histogram tables.
func TestTallyMatchesRef(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	const n, k = 37, 3*tallyChunk - 5
	z, idx, src := fresh(dtype.Int64, shape.Of("test", n)), fresh(dtype.Int64, shape.Of("test", k)), fresh(dtype.Int64, shape.Of("test", k))
	for i := range k {
		backend.Slice[int64](idx)[i], backend.Slice[int64](src)[i] = int64(r.IntN(n)), int64(r.Uint64())
	}
	for i := range n {
		backend.Slice[int64](z)[i] = int64(i)
	}
	compareWithRef(t, "put_slices", attr.Scatter{Reduce: attr.ReduceAdd}, []backend.View{z, idx, src},
		backend.View{DType: dtype.Int64, Shape: z.Shape})
}

// TestWritesOfOneValue writes a value that has the shape of the positions by strides of 0.
func TestWritesOfOneValue(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 11))
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Int64, dtype.Uint8, dtype.BFloat16, dtype.Complex128} {
		for _, reduce := range []attr.Reduction{attr.ReduceSet, attr.ReduceAdd} {
			for _, dims := range [][]int{{40000}, {300, 170}, {3, 40, 50}} {
				z := randomView(r, d, dims)
				for axis := range dims {
					s := attr.Scatter{Axis: axis, Reduce: reduce}
					at := fresh(dtype.Int64, z.Shape)
					for i := range at.Numel() {
						dtype.Int64.Put(at.Buf.Mem, i, dtype.Scalar{Kind: dtype.KindInt, I: int64(r.IntN(dims[axis]))})
					}
					one := randomView(r, d, []int{1})
					one.Shape, one.Lay = z.Shape, &shape.Layout{Strides: make([]int, len(dims))}
					compareWithRef(t, "scatter", s, []backend.View{z, at, one}, backend.View{DType: d, Shape: z.Shape})
					rows := fresh(dtype.Int64, shape.Of("test", 2*dims[axis]))
					for i := range rows.Numel() {
						dtype.Int64.Put(rows.Buf.Mem, i, dtype.Scalar{Kind: dtype.KindInt, I: int64(r.IntN(dims[axis]))})
					}
					wide := slices.Clone(dims)
					wide[axis] = rows.Numel()
					one.Shape = shape.Of("test", wide...)
					compareWithRef(t, "put_slices", s, []backend.View{z, rows, one}, backend.View{DType: d, Shape: z.Shape})
				}
			}
		}
	}
}

// TestPositionsAreChecked: kernels that look at positions block by block name the first that is out of range.
func TestPositionsAreChecked(t *testing.T) {
	const rows, n = 300, 500
	x, idx, z := fresh(dtype.Float32, shape.Of("test", rows, n)), fresh(dtype.Int64, shape.Of("test", rows, n)),
		fresh(dtype.Float32, shape.Of("test", rows, n))
	at := backend.Slice[int64](idx)
	at[40000], at[140000] = n, -1
	for name, in := range map[string][]backend.View{"gather": {x, idx}, "scatter": {x, idx, x}} {
		var a attr.Attr = attr.Axis{Axis: 1}
		if name == "scatter" {
			a = attr.Scatter{Axis: 1}
		}
		err := table[name](testCtx(), a, []backend.View{z}, in)
		if err == nil || !strings.Contains(err.Error(), "position 500 is out of range for size 500") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
