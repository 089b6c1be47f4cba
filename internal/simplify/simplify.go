package simplify

import (
	"math"
	"reflect"
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// key identifies an expression: op, attributes and (already simplified) inputs.
type key struct {
	op   *graph.Op
	attr attr.Attr
	dev  any
	in   [3]*graph.Node
}

// Stats counts what Graph did.
type Stats struct{ Before, After, Merged, Folded, Cancelled int }

// Graph returns the roots of a smaller graph with the same values.
func Graph(roots []*graph.Node) ([]*graph.Node, Stats) {
	out, _, stats := Trace(roots)
	return out, stats
}

// Trace is Graph, and tells what became of each node, in the order of exec.Traced.
func Trace(roots []*graph.Node) ([]*graph.Node, exec.Rewritten, Stats) {
	var idx graph.Index
	idx.PostOrder(roots, func(n *graph.Node) bool { return !n.Stored() && !n.IsPlaceholder() })
	s := &simplifier{seen: map[key]*graph.Node{}, read: map[*graph.Node]bool{}, copies: map[*graph.Node]*graph.Node{}}
	s.how = make([]exec.Rewrite, len(idx.Nodes))
	s.stats.Before = len(idx.Nodes)
	val := make([]*graph.Node, len(idx.Nodes))
	for i, n := range idx.Nodes {
		if n.Stored() || n.IsPlaceholder() {
			val[i] = n
			continue
		}
		in := make([]*graph.Node, n.NumIn())
		changed := false
		for k := range in {
			in[k] = val[idx.Get(n.In(k))]
			changed = changed || in[k] != n.In(k)
		}
		val[i], s.how[i] = s.node(n, in, changed)
	}
	out := make([]*graph.Node, len(roots))
	for i, r := range roots {
		out[i] = val[idx.Get(r)]
	}
	var after graph.Index
	after.PostOrder(out, func(n *graph.Node) bool { return !n.Stored() && !n.IsPlaceholder() })
	s.stats.After = len(after.Nodes)
	return out, exec.Rewritten{Values: val, How: s.how, Copies: s.copies}, s.stats
}

type simplifier struct {
	seen  map[key]*graph.Node
	read  map[*graph.Node]bool // casts to a wider dtype that an elementwise op reads
	stats Stats

	how    []exec.Rewrite
	copies map[*graph.Node]*graph.Node // of such casts: the first of them
}

// node returns the simplified form of n over simplified inputs.
func (s *simplifier) node(n *graph.Node, in []*graph.Node, changed bool) (*graph.Node, exec.Rewrite) {
	if m, how := s.cancel(n, in); m != nil {
		s.stats.Cancelled++
		return m, how
	}
	k, ok := keyOf(n, in)
	if ok {
		if m := s.seen[k]; m != nil {
			s.stats.Merged++
			return m, exec.Merged
		}
	}
	m, how := n, exec.Recorded
	if own := s.ownCasts(n, in); own != nil {
		in, changed = own, true
	}
	if changed {
		m = graph.Rerecord(n, in)
	}
	if f := fold(m); f != nil {
		s.stats.Folded++
		m, how = f, exec.Folded
	}
	if ok {
		s.seen[k] = m
	}
	return m, how
}

// ownCasts gives an elementwise op casts to a wider dtype of its own, if others read them too: a group that made one for
// another group would store it, at twice the size of what it is made from. nil: nothing changes.
func (s *simplifier) ownCasts(n *graph.Node, in []*graph.Node) (own []*graph.Node) {
	if n.Op().Kind != graph.Elementwise {
		return nil
	}
	for k, x := range in {
		if x.Op().Role != graph.RoleCast || x.Stored() || x.NumIn() != 1 || x.Rank() == 0 || x.DType().Size() <= x.In(0).DType().Size() {
			continue
		}
		if !s.read[x] {
			s.read[x] = true
			continue
		}
		if own == nil {
			own = slices.Clone(in)
		}
		own[k] = graph.Rerecord(x, x.Ins())
		s.copies[own[k]] = x
	}
	return own
}

// constBits tells immediates apart by their bits, since -0 equals 0 and NaN not itself.
type constBits struct {
	d      dtype.DType
	i      int64
	re, im uint64
}

func keyOf(n *graph.Node, in []*graph.Node) (key, bool) {
	if len(in) > 3 {
		return key{}, false
	}
	if a := n.Attr(); a != nil && !reflect.TypeOf(a).Comparable() {
		return key{}, false
	}
	k := key{op: n.Op(), attr: n.Attr(), dev: n.Device()}
	if c, ok := n.Attr().(attr.Const); ok {
		k.attr = constBits{c.DType, c.Value.I, math.Float64bits(c.Value.F), math.Float64bits(c.Value.G)}
	}
	copy(k.in[:], in)
	return k, true
}

// cancel removes what does nothing, or undoes what its input did.
func (s *simplifier) cancel(n *graph.Node, in []*graph.Node) (*graph.Node, exec.Rewrite) {
	// Rules have done their work when a trace is complete: what they stood on is read as it is, and fuses.
	if k, ok := n.IsTupleItem(); ok && in[0].Op().Transparent {
		b := in[0]
		return b.In(b.NumIn() - b.NumOut() + k), exec.Cancelled
	}
	switch n.Op().Role {
	case graph.RoleIdentity:
		if n.Attr() == nil {
			return in[0], exec.Cancelled
		}
	case graph.RoleCast:
		// Back to where it came from, over a type that lost nothing.
		if x := in[0]; x.Op().Role == graph.RoleCast && !x.Stored() && x.NumIn() == 1 && x.In(0).DType() == n.DType() &&
			widens(n.DType(), x.DType()) && plain(x.In(0)) {
			return x.In(0), exec.Cancelled
		}
		if in[0].DType() == n.DType() {
			return in[0], exec.Cancelled
		}
	case graph.RoleReshape:
		if x := in[0]; x.Op().Role == graph.RoleReshape && !x.Stored() && x.NumIn() == 1 && plain(x.In(0)) {
			return ops.Reshape(x.In(0), n.Shape().Dims()...), exec.Cancelled
		}
		if in[0].Shape().Equal(n.Shape()) {
			return in[0], exec.Cancelled
		}
	case graph.RolePermute:
		if x := in[0]; x.Op().Role == graph.RolePermute && !x.Stored() && x.NumIn() == 1 {
			p, q := n.Attr().(attr.Perm).Order, x.Attr().(attr.Perm).Order
			order := make([]int, p.Len())
			for i := range order {
				order[i] = q.At(p.At(i))
			}
			return ops.Permute(x.In(0), order...), exec.Cancelled
		}
	case graph.RoleBroadcast:
		if x := in[0]; x.Op().Role == graph.RoleBroadcast && !x.Stored() && x.NumIn() == 1 {
			return ops.BroadcastTo(x.In(0), n.Shape().Dims()...), exec.Cancelled
		}
	}
	return withoutNeutral(n.Op().Neutral, in), exec.Neutral
}

// withoutNeutral returns x of x op e, where e is the op's neutral number; nil if no operand is that.
func withoutNeutral(e graph.Neutral, in []*graph.Node) *graph.Node {
	switch {
	case e.Right && isNumber(in[1], e.Value) && plain(in[0]):
		return in[0]
	case e.Left && isNumber(in[0], e.Value) && plain(in[1]):
		return in[1]
	}
	return nil
}

// plain reports whether n's elements are in row-major order. A view may have another order, and a reduction
// adds in the order of memory: a computation that would have put them in order must stay.
func plain(n *graph.Node) bool { return n.Op().Kind != graph.View }

// widens reports whether every value of from is one of to.
func widens(from, to dtype.DType) bool {
	if from.Kind() == to.Kind() {
		return to.Size() > from.Size()
	}
	return from == dtype.Bool || from.IsInteger() && to == dtype.Float64 && from.Size() <= 4 || from.IsInteger() && to == dtype.Float32 &&
		from.Size() <= 2
}

func isNumber(n *graph.Node, v float64) bool {
	if !n.IsConst() {
		return false
	}
	c, ok := n.Attr().(attr.Const)
	return ok && c.DType.IsFloat() && c.Value.F == v && !(v == 0 && 1/c.Value.F < 0)
}

// fold computes an elementwise op over immediates.
func fold(n *graph.Node) *graph.Node {
	if n.Op().Kind != graph.Elementwise || n.NumIn() == 0 || n.Rank() != 0 {
		return nil
	}
	for k := range n.NumIn() {
		if !n.In(k).IsConst() {
			return nil
		}
	}
	v, err := exec.HostNumber(graph.Rerecord(n, n.Ins()))
	if err != nil {
		return nil // it will fail again where the user can see it
	}
	return ops.Immediate(n.DType(), v)
}
