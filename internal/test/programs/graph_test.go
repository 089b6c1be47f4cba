package programs

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// Random graphs computed in several ways: all at once and fused, op by op, partly evaluated on the way, compiled, and
// on the reference device. On one device every way gives the same bits.

// nodeOp is one op of a random graph: tensors by their number, inputs first.
type nodeOp struct {
	op    string
	in    []int
	attrs map[string]any
}

func (o nodeOp) String() string { return fmt.Sprintf("%s%v%v", o.op, o.in, o.attrs) }

// randomGraph is a straight program.
type randomGraph struct {
	rng    *rand.Rand
	dtype  lucid.DType
	inputs []*lucid.Tensor
	ops    []nodeOp
	outs   []int
	rough  bool // it has jumps: other rounding may give another result
	shapes [][]int
	kinds  []lucid.DType
	limit  int
}

func newRandomGraph(seed uint64) *randomGraph {
	g := &randomGraph{rng: rand.New(rand.NewPCG(seed, 99)), limit: 4000}
	g.dtype = []lucid.DType{lucid.Float32, lucid.Float32, lucid.Float64, lucid.BFloat16}[g.rng.IntN(4)]
	dims := []int{1, 2, 3, 4, 5, 8, 17}
	if g.rng.IntN(12) == 0 {
		dims, g.limit = []int{1, 3, 40, 129, 700}, 300000 // long enough for several tiles and workers
	}
	for range 2 + g.rng.IntN(2) {
		var s []int
		n := 1
		for range g.rng.IntN(4) {
			if d := dims[g.rng.IntN(len(dims))]; n*d <= g.limit {
				s = append(s, d)
				n *= d
			}
		}
		v := make([]float64, n)
		for i := range v {
			v[i] = 4*g.rng.Float64() - 2
		}
		g.inputs = append(g.inputs, lucid.New(v, s...).To(g.dtype).Eval())
	}
	vals := append([]*lucid.Tensor(nil), g.inputs...)
	for _, x := range vals {
		g.note(x)
	}
	for range 4 + g.rng.IntN(24) {
		for _, o := range g.pick() {
			out, err := lucid.Call(o.op, g.args(o, vals), o.attrs)
			if err != nil || out[0].NumElement() > g.limit {
				break // the op does not fit the shapes; what was added so far stands
			}
			g.ops = append(g.ops, o)
			vals = append(vals, out[0])
			g.note(out[0])
		}
	}
	for range 3 {
		g.outs = append(g.outs, g.rng.IntN(len(vals)))
	}
	g.outs = append(g.outs, len(vals)-1)
	return g
}

func (g *randomGraph) note(x *lucid.Tensor) {
	g.shapes, g.kinds = append(g.shapes, x.Shape()), append(g.kinds, x.DType())
}

func (g *randomGraph) args(o nodeOp, vals []*lucid.Tensor) (in []*lucid.Tensor) {
	for _, i := range o.in {
		in = append(in, vals[i])
	}
	return in
}

// float picks a value of the graph's dtype, late ones more often.
func (g *randomGraph) float() int {
	for {
		i := g.rng.IntN(len(g.shapes))
		i = max(i, g.rng.IntN(len(g.shapes)))
		if g.kinds[i] == g.dtype {
			return i
		}
	}
}

// like picks a value that broadcasts with value x, x itself if there is none.
func (g *randomGraph) like(x int) int {
	for range 12 {
		y := g.float()
		if n := min(len(g.shapes[x]), len(g.shapes[y])); fmt.Sprint(g.shapes[x][len(g.shapes[x])-n:]) ==
			fmt.Sprint(g.shapes[y][len(g.shapes[y])-n:]) {
			return y
		}
	}
	return x
}

func (g *randomGraph) dim(x int) int { return g.rng.IntN(max(len(g.shapes[x]), 1)) }

// pick chooses the next op, or a few that belong together.
func (g *randomGraph) pick() []nodeOp {
	x, next := g.float(), len(g.shapes)
	one := func(op string, attrs map[string]any, in ...int) []nodeOp { return []nodeOp{{op, in, attrs}} }
	choose := func(names ...string) string { return names[g.rng.IntN(len(names))] }
	switch g.rng.IntN(18) {
	case 0, 1, 2:
		return one(choose("tanh", "sigmoid", "neg", "abs", "relu", "softplus", "silu", "erf", "atan", "gelu"), nil, x)
	case 17: // of a large number the smallest difference would show
		return []nodeOp{{"tanh", []int{x}, nil}, {choose("sin", "cos"), []int{next}, nil}}
	case 3: // held within bounds
		return []nodeOp{{"abs", []int{x}, nil}, {"add", []int{next}, map[string]any{"other": 0.5}},
			{choose("sqrt", "log", "reciprocal", "rsqrt"), []int{next + 1}, nil}}
	case 4, 5, 6:
		return one(choose("add", "sub", "mul", "maximum", "minimum", "add"), nil, x, g.like(x))
	case 7:
		return one(choose("add", "mul"), map[string]any{"other": float64(g.rng.IntN(9)-4) / 4}, x)
	case 8:
		return []nodeOp{{choose("mean", "amax", "amin", "logsumexp"), []int{x}, map[string]any{"dim": g.dim(x), "keepdim": true}},
			{choose("sub", "add", "mul"), []int{x, next}, nil}}
	case 9:
		return one(choose("mean", "amax", "amin", "logsumexp", "sum"), map[string]any{"dim": g.dim(x), "keepdim": g.rng.IntN(2) == 0}, x)
	case 10:
		return one(choose("softmax", "log_softmax", "cumsum", "logcumsumexp"), map[string]any{"dim": g.dim(x)}, x)
	case 11, 12:
		return g.view(x)
	case 13:
		return g.product(x, next)
	case 14:
		return g.moved(x, next)
	case 15:
		g.rough = true
		y := g.like(x)
		return []nodeOp{{choose("gt", "le", "eq"), []int{x, y}, nil}, {"where", []int{next, x, y}, nil}}
	}
	g.rough = true
	return []nodeOp{{"to", []int{x}, map[string]any{"dtype": []lucid.DType{lucid.Float32, lucid.BFloat16, lucid.Float16}[g.rng.IntN(3)]}},
		{"to", []int{next}, map[string]any{"dtype": g.dtype}}}
}

func (g *randomGraph) view(x int) []nodeOp {
	s := g.shapes[x]
	one := func(op string, attrs map[string]any) []nodeOp { return []nodeOp{{op, []int{x}, attrs}} }
	d := g.dim(x)
	switch g.rng.IntN(8) {
	case 0:
		return one("reshape", map[string]any{"shape": []int{-1}})
	case 1:
		return one("permute", map[string]any{"dims": g.rng.Perm(len(s))})
	case 2:
		return one("flip", map[string]any{"dims": []int{d}})
	case 3:
		if len(s) > 0 {
			start := g.rng.IntN(s[d])
			return one("narrow", map[string]any{"dim": d, "start": start, "length": 1 + g.rng.IntN(s[d]-start)})
		}
	case 4:
		return one("unsqueeze", map[string]any{"dim": d})
	case 5:
		return one("expand", map[string]any{"size": append([]int{2}, s...)})
	case 6:
		if len(s) > 0 {
			return one("select", map[string]any{"dim": d, "index": g.rng.IntN(s[d])})
		}
	}
	return one("squeeze", nil)
}

// product multiplies matrices; tanh keeps the numbers small.
func (g *randomGraph) product(x, next int) []nodeOp {
	n := len(g.shapes[x])
	if n < 2 {
		return []nodeOp{{"mul", []int{x, x}, nil}, {"tanh", []int{next}, nil}}
	}
	return []nodeOp{{"transpose", []int{x}, map[string]any{"dim0": n - 1, "dim1": n - 2}}, {"matmul", []int{x, next}, nil},
		{"tanh", []int{next + 1}, nil}}
}

// moved copies elements to other positions.
func (g *randomGraph) moved(x, next int) []nodeOp {
	s, d := g.shapes[x], g.dim(x)
	if len(s) == 0 {
		return []nodeOp{{"unsqueeze", []int{x}, map[string]any{"dim": 0}}}
	}
	switch g.rng.IntN(5) {
	case 0:
		return []nodeOp{{"cat", []int{x, x}, map[string]any{"dim": d}}}
	case 1:
		return []nodeOp{{"stack", []int{x, g.like(x)}, map[string]any{"dim": d}}}
	case 2:
		return []nodeOp{{"pad", []int{x}, map[string]any{"pad": []int{1, 2}}}}
	case 3:
		return []nodeOp{{"roll", []int{x}, map[string]any{"shifts": []int{1}, "dims": []int{d}}}}
	}
	return []nodeOp{{"arange", nil, map[string]any{"end": 1 + g.rng.IntN(6)}}, {"remainder", []int{next}, map[string]any{"other": s[d]}},
		{"index_select", []int{x, next + 1}, map[string]any{"dim": d}}}
}

// run computes the graph; after is called with every value made.
func (g *randomGraph) run(inputs []*lucid.Tensor, after func(*lucid.Tensor)) (outs []*lucid.Tensor) {
	vals := append([]*lucid.Tensor(nil), inputs...)
	for _, o := range g.ops {
		out, err := lucid.Call(o.op, g.args(o, vals), o.attrs)
		if err != nil {
			fault.Rethrow(o.op, err)
		}
		after(out[0])
		vals = append(vals, out[0])
	}
	for _, i := range g.outs {
		outs = append(outs, vals[i])
	}
	return outs
}

func (g *randomGraph) String() string {
	var b strings.Builder
	for i, x := range g.inputs {
		fmt.Fprintf(&b, "  %d: %v%v\n", i, x.DType(), x.Shape())
	}
	for i, o := range g.ops {
		fmt.Fprintf(&b, "  %d: %v → %v%v\n", len(g.inputs)+i, o, g.kinds[len(g.inputs)+i], g.shapes[len(g.inputs)+i])
	}
	return b.String() + fmt.Sprintf("  outputs %v", g.outs)
}

// differ computes the graph in every way and says where two ways differ.
func (g *randomGraph) differ() (bad string) {
	defer func() {
		if r := recover(); r != nil {
			bad = fmt.Sprintf("panic: %v", r)
		}
	}()
	nothing := func(*lucid.Tensor) {}
	fused := g.run(g.inputs, nothing)
	tensortest.EvalAll(fused)
	stepwise := g.run(g.inputs, func(x *lucid.Tensor) { x.Eval() })
	if bad := tensortest.EqualBits(stepwise, fused); bad != "" {
		return "op by op: " + bad
	}
	partly := g.run(g.inputs, func(x *lucid.Tensor) {
		if g.rng.IntN(4) == 0 {
			x.Eval()
		}
	})
	if bad := tensortest.EqualBits(partly, fused); bad != "" {
		return "partly: " + bad
	}
	compiled := lucid.Compile(func(in []*lucid.Tensor) []*lucid.Tensor { return g.run(in, nothing) })
	for k := range 2 {
		if bad := tensortest.EqualBits(compiled(g.inputs), fused); bad != "" {
			return fmt.Sprintf("compiled, call %d: %s", k+1, bad)
		}
	}
	if g.rough || g.dtype == lucid.BFloat16 {
		return ""
	}
	ref := lucid.Device{Type: "ref"}
	there := make([]*lucid.Tensor, len(g.inputs))
	for i, x := range g.inputs {
		there[i] = x.To(ref)
	}
	var outs []*lucid.Tensor
	lucid.WithDevice(ref, func() { outs = g.run(there, nothing) })
	tol := 1e-9
	if g.dtype == lucid.Float32 {
		tol = 1e-3
	}
	if bad := tensortest.NearAll(fused, outs, tol); bad != "" {
		return "reference device: " + bad
	}
	return ""
}

func TestNoDiff(t *testing.T) {
	n := 300
	if testutil.Long() {
		n = 10000
	}
	var next, failed atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				seed := uint64(next.Add(1))
				if seed > uint64(n) || failed.Load() >= 5 {
					return
				}
				g := newRandomGraph(seed)
				if bad := g.differ(); bad != "" {
					failed.Add(1)
					t.Errorf("graph %d: %s\n%v", seed, bad, g)
				}
			}
		}()
	}
	wg.Wait()
}
