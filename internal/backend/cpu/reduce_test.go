package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/ref"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
	"github.com/lucid-go/lucid/internal/testutil"
)

func fresh(d dtype.DType, s *shape.Shape) backend.View {
	words := make([]uint64, s.Numel()*d.Size()/8+2)
	return backend.View{Buf: mem.FromGo(dtype.Bytes(words)), DType: d, Shape: s}
}

// fill gives elements on a coarse grid, so that they tie often, with some NaN and infinities if special.
func fillNumbers(r *rand.Rand, v backend.View, special bool) backend.View {
	for i := range len(v.Buf.Mem) / v.DType.Size() {
		s := dtype.Scalar{Kind: dtype.KindFloat, F: math.Round(r.NormFloat64()*8) / 4, G: math.Round(r.NormFloat64()*8) / 4}
		if !v.DType.IsInexact() {
			s = dtype.Scalar{Kind: dtype.KindInt, I: int64(r.IntN(9)) - 4}
			if !v.DType.IsSigned() {
				s.I += 4
			}
		} else if special && r.IntN(6) == 0 {
			s.F = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}[r.IntN(4)]
		}
		v.DType.Put(v.Buf.Mem, i, s)
	}
	return v
}

// reduceLayouts gives a view of shape dims in several placements.
func reduceLayouts(r *rand.Rand, d dtype.DType, dims []int, special bool) map[string]backend.View {
	s := shape.Of("test", dims...)
	out := map[string]backend.View{"contiguous": fillNumbers(r, fresh(d, s), special)}
	if len(dims) == 0 {
		return out
	}
	rev := make([]int, len(dims))
	for i := range dims {
		rev[i] = dims[len(dims)-1-i]
	}
	t := fillNumbers(r, fresh(d, shape.Of("test", rev...)), special)
	order := make([]int, len(dims))
	for i := range order {
		order[i] = len(dims) - 1 - i
	}
	t.Lay = shape.Contiguous(t.Shape).Permute(order)
	t.Shape = s
	out["transposed"] = t
	big := make([]int, len(dims))
	start, step := make([]int, len(dims)), make([]int, len(dims))
	for i, n := range dims {
		big[i] = 2*n + 1
		start[i], step[i] = max(2*n-2, 0), -2
	}
	b := fillNumbers(r, fresh(d, shape.Of("test", big...)), special)
	b.Lay = shape.Contiguous(b.Shape).Slice(start, step)
	b.Shape = s
	out["backward"] = b
	if s.Numel() > 30000 {
		delete(out, "backward")
		return out
	}
	one := append([]int{1}, dims[1:]...)
	e := fillNumbers(r, fresh(d, shape.Of("test", one...)), special)
	e.Lay = shape.Contiguous(e.Shape).BroadcastTo(e.Shape, s)
	e.Shape = s
	out["repeated"] = e
	return out
}

// compare runs an op on both devices.
func compareWithRef(t *testing.T, op string, a attr.Attr, in []backend.View, specs ...backend.View) {
	t.Helper()
	mine, want := make([]backend.View, len(specs)), make([]backend.View, len(specs))
	for i, s := range specs {
		mine[i], want[i] = fresh(s.DType, s.Shape), fresh(s.DType, s.Shape)
	}
	if err := table[op](testCtx(), a, mine, in); err != nil {
		t.Fatalf("%s %v: %v", op, a, err)
	}
	if err := ref.Device.Table[op](testCtx(), a, want, in); err != nil {
		t.Fatal(err)
	}
	for k := range specs {
		tol := testutil.Tol(specs[k].DType, true)
		for i := range specs[k].Numel() {
			g, w := mine[k].DType.Get(mine[k].Buf.Mem, i), want[k].DType.Get(want[k].Buf.Mem, i)
			same := g == w
			if g.Kind >= dtype.KindFloat {
				same = tol.Close(g.F, w.F) && tol.Close(g.G, w.G)
				if g.Kind == dtype.KindComplex && (math.IsNaN(w.F) || math.IsInf(w.F, 0) || math.IsNaN(w.G)) {
					same = true // the parts of complex infinities are a matter of the order of operations
				}
			}
			if !same {
				t.Fatalf("%s %+v %v %v: output %d element %d is %v, want %v", op, a, in[0].Shape, in[0].DType, k, i, g, w)
			}
		}
	}
}

var testShapes = [][]int{{}, {1}, {7}, {3, 4}, {5, 1, 6}, {0, 3}, {2, 0, 3}, {2, 3, 4, 5}, {300}, {70, 33}, {9, 2100}, {70000},
	{3, 40000}, {40000, 3}}

func testSizes(t *testing.T, d dtype.DType) [][]int {
	switch {
	case testing.Short():
		return testShapes[:9]
	case d == dtype.Float32:
		return testShapes
	case d == dtype.BFloat16 || d == dtype.Int64:
		return testShapes[:11]
	}
	return testShapes[:9]
}

// TestReduceAgainstRef runs every reduction over shapes, dims, reduceLayouts and dtypes.
func TestReduceAgainstRef(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for d := dtype.Bool; d < dtype.N; d++ {
		for _, dims := range testSizes(t, d) {
			var sets [][]int
			for m := range 1 << len(dims) {
				var axes []int
				for i := range dims {
					if m>>i&1 == 1 {
						axes = append(axes, i)
					}
				}
				sets = append(sets, axes)
			}
			for layout, x := range reduceLayouts(r, d, dims, len(dims) == 2) {
				for _, axes := range sets {
					t.Run(fmt.Sprint(d, dims, layout, axes), func(t *testing.T) { reduceAll(t, x, axes) })
				}
			}
		}
	}
}

func reduceAll(t *testing.T, x backend.View, axes []int) {
	s := shape.Reduced("test", x.Shape, axes, false)
	d := x.DType
	spec := func(d dtype.DType) backend.View { return backend.View{DType: d, Shape: s} }
	a := attr.Axes{Axes: attr.MakeInts(axes...)}
	in := []backend.View{x}
	empty := false
	for _, i := range axes {
		empty = empty || x.Shape.Dim(i) == 0
	}
	compareWithRef(t, "sum", a, in, spec(d))
	if d != dtype.Bool {
		compareWithRef(t, "prod", a, in, spec(d))
	}
	compareWithRef(t, "any", a, in, spec(dtype.Bool))
	compareWithRef(t, "all", a, in, spec(dtype.Bool))
	compareWithRef(t, "count_nonzero", a, in, spec(dtype.Int64))
	if d.IsInexact() {
		compareWithRef(t, "mean", a, in, spec(d))
		compareWithRef(t, "logsumexp", a, in, spec(d))
		for _, p := range []float64{0, 0.5, 1, 2, 3, math.Inf(1), math.Inf(-1)} {
			if !empty || p > 0 && !math.IsInf(p, 0) {
				compareWithRef(t, "vector_norm", attr.Norm{Axes: a.Axes, P: p}, in, spec(d.Real()))
			}
		}
		compareWithRef(t, "var", attr.Var{Axes: a.Axes, Correction: 1}, in, spec(d.Real()))
	}
	if empty || d.IsComplex() {
		return
	}
	compareWithRef(t, "amax", a, in, spec(d))
	compareWithRef(t, "amin", a, in, spec(d))
	compareWithRef(t, "median", a, in, spec(d))
	compareWithRef(t, "nanmedian", a, in, spec(d))
	if len(axes) == 1 {
		compareWithRef(t, "argmax", a, in, spec(dtype.Int64))
		compareWithRef(t, "argmin", a, in, spec(dtype.Int64))
		if x.Shape.Dim(axes[0]) < 500 {
			compareWithRef(t, "argmode", a, in, spec(dtype.Int64))
		}
	}
}

// TestScanAndSortAgainstRef runs what works along one dimension.
func TestScanAndSortAgainstRef(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for d := dtype.Bool; d < dtype.N; d++ {
		for _, dims := range append(testSizes(t, d), []int{140000}) {
			if len(dims) == 0 || len(dims) == 1 && dims[0] == 140000 && d != dtype.Float32 && d != dtype.Float64 {
				continue
			}
			for layout, x := range reduceLayouts(r, d, dims, len(dims) == 2) {
				if testing.Short() && len(dims) == 1 && dims[0] == 140000 && layout != "contiguous" {
					continue
				}
				for axis := range dims {
					t.Run(fmt.Sprint(d, dims, layout, axis), func(t *testing.T) { alongAll(t, x, axis) })
				}
			}
		}
	}
}

func alongAll(t *testing.T, x backend.View, axis int) {
	d, in, n := x.DType, []backend.View{x}, x.Shape.Dim(axis)
	same, indices := backend.View{DType: d, Shape: x.Shape}, backend.View{DType: dtype.Int64, Shape: x.Shape}
	for _, back := range []bool{false, true} {
		s := attr.Scan{Axis: axis, Reverse: back}
		if n < 400 {
			compareWithRef(t, "cumsum", s, in, same)
			if d != dtype.Bool && n < 20 {
				compareWithRef(t, "cumprod", s, in, same)
			}
			if d.IsInexact() {
				if n < 20 {
					compareWithRef(t, "linear_scan", s, []backend.View{x, x}, same)
				}
				compareWithRef(t, "logcumsumexp", s, in, same)
			}
		}
		if d.IsComplex() {
			continue
		}
		compareWithRef(t, "argcummax", s, in, indices)
		compareWithRef(t, "argcummin", s, in, indices)
		o := attr.Sort{Axis: axis, Descending: back}
		compareWithRef(t, "argsort", o, in, indices)
		compareWithRef(t, "sort", o, in, same, indices)
		for _, k := range []int{0, n / 3, n - 1} {
			if k >= 0 && k < n && !back {
				compareWithRef(t, "argpartition", attr.TopK{Axis: axis, K: k, Smallest: true}, in, indices)
			}
		}
		for _, k := range []int{0, 1, 5, n / 3, n} {
			if k <= n && (n < 10000 || k == 5 || k == n/3) {
				dims := x.Shape.Clone()
				dims[axis] = k
				sh := shape.Of("test", dims...)
				compareWithRef(t, "topk", attr.TopK{Axis: axis, K: k, Smallest: back}, in, backend.View{DType: d, Shape: sh},
					backend.View{DType: dtype.Int64, Shape: sh})
			}
		}
	}
	if !d.IsComplex() && x.Shape.Rank() >= 2 && axis == 0 && x.Shape.Numel() > 0 {
		compareWithRef(t, "lexsort", nil, in, backend.View{DType: dtype.Int64,
			Shape: shape.Of("test", x.Shape.Dims()[:x.Shape.Rank()-1]...)})
	}
}

// TestTies64 sorts keys that differ in few of their upper bits, in many rows and in one that several workers share.
func TestTies64(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, dims := range [][]int{{40, 20}, {9, 300}, {3, 9000}, {150000}} {
		x := fresh(dtype.Int64, shape.Of("test", dims...))
		v := dtype.Slice[int64](x.Buf.Mem)[:x.Numel()]
		for i := range v {
			v[i] = int64(r.IntN(5)-2)<<60 | int64(r.IntN(9))<<20 | int64(r.IntN(3))
		}
		indices := backend.View{DType: dtype.Int64, Shape: x.Shape}
		axis := len(dims) - 1
		for _, back := range []bool{false, true} {
			compareWithRef(t, "sort", attr.Sort{Axis: axis, Descending: back}, []backend.View{x},
				backend.View{DType: x.DType, Shape: x.Shape}, indices)
			for _, k := range []int{3, dims[axis] / 3} {
				sh := x.Shape.Clone()
				sh[axis] = k
				s := shape.Of("test", sh...)
				compareWithRef(t, "topk", attr.TopK{Axis: axis, K: k, Smallest: back}, []backend.View{x},
					backend.View{DType: x.DType, Shape: s}, backend.View{DType: dtype.Int64, Shape: s})
			}
		}
	}
}
