package lucid

import (
	"reflect"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// Control flow on values: branches and loops that are part of the graph. Functions are traced once, so that a compiled function
// with a loop over a changing count has one trace. State and arguments are trees: a *Tensor, or structs, slices and maps of them.
// Tensors from outside that a function reads are inputs, tensors that it writes (Assign, in-place forms, the random generator)
// show their new values afterwards.

// Cond returns onTrue(arg) if the condition, one value, is not zero, and onFalse(arg) otherwise. Only the branch taken runs, and
// only it is differentiated. Under VMap with a condition that differs between examples both run, and values are selected.
func Cond[A, R any](condition *Tensor, onTrue, onFalse func(arg A) R, arg A) R {
	n := condition.array().Acquire()
	defer n.Unref()
	pred := ops.Predicate("cond", n)
	return switchOn("cond", pred, []func(A) R{onFalse, onTrue}, arg)
}

// Switch returns branches[index](arg). An index below 0 takes the first branch, one beyond the end the last.
func Switch[A, R any](index *Tensor, branches []func(arg A) R, arg A) R {
	n := index.array().Acquire()
	defer n.Unref()
	return switchOn("switch", n, branches, arg)
}

func switchOn[A, R any](op string, index *graph.Node, branches []func(A) R, arg A) R {
	args := acquireAll(flatten(reflect.ValueOf(&arg).Elem()))
	defer releaseAll(args)
	var res reflect.Value
	fns := make([]func([]*graph.Node) []*graph.Node, len(branches))
	for i, f := range branches {
		if f == nil {
			fault.Throw(fault.Value, op, "branch %d is nil", i)
		}
		fns[i] = func(in []*graph.Node) []*graph.Node {
			r := f(like(arg, in))
			res = reflect.ValueOf(&r).Elem()
			return treeNodes(res)
		}
	}
	outs := ops.Switch(op, index, fns, args)
	return treeOf[R](res, outs)
}

// WhileOptions say how While works; the zero value is the default.
type WhileOptions struct {
	// MaxSteps is the most rounds that the loop may take where its gradient is asked for in reverse mode, which runs and stores
	// that many; there a loop that needs more is an error. 0: the loop has a gradient in forward mode (JVP) alone.
	MaxSteps int
}

// While runs body over the state as long as condition gives a value that is not zero for it, and returns the last state. It takes
// constant memory for any number of rounds. Dtypes and shapes of the state stay as they are.
func While[S any](condition func(state S) *Tensor, body func(state S) S, init S, opts ...WhileOptions) S {
	o := option("while", opts)
	if o.MaxSteps < 0 {
		fault.Throw(fault.Value, "while", "MaxSteps is %d; want a number of rounds, or 0 for no bound", o.MaxSteps)
	}
	state := acquireAll(flatten(reflect.ValueOf(&init).Elem()))
	defer releaseAll(state)
	outs := ops.While("while", state, o.MaxSteps,
		func(in []*graph.Node) *graph.Node { return condition(like(init, in)).array().Peek() },
		func(in []*graph.Node) []*graph.Node {
			next := body(like(init, in))
			return treeNodes(reflect.ValueOf(&next).Elem())
		})
	return like(init, outs)
}

// ScanOptions say how Scan works; the zero value is the default.
type ScanOptions struct {
	Length  int  // number of steps, needed where xs has no tensors
	Reverse bool // from the last element to the first; results stay at their element
	// Checkpoint is a number of steps: where a gradient is asked for, only the carry at the start of every so many steps is
	// stored, and what is between is computed again. 0 stores the carry of every step.
	Checkpoint int
}

// Scan calls f with the carry and each element of xs along dimension 0 in turn. f returns the next carry and a result; Scan returns
// the last carry and the results of all steps, stacked along dimension 0.
func Scan[C, X, Y any](f func(carry C, x X) (C, Y), init C, xs X, opts ...ScanOptions) (C, Y) {
	o := option("scan", opts)
	carry := acquireAll(flatten(reflect.ValueOf(&init).Elem()))
	defer releaseAll(carry)
	seqs := acquireAll(flatten(reflect.ValueOf(&xs).Elem()))
	defer releaseAll(seqs)
	length := scanLength(o, seqs)
	var res reflect.Value
	step := func(c, x []*graph.Node) (next, ys []*graph.Node) {
		nc, y := f(like(init, c), like(xs, x))
		res = reflect.ValueOf(&y).Elem()
		return treeNodes(reflect.ValueOf(&nc).Elem()), treeNodes(res)
	}
	last, ys := ops.ScanCheckpointed("scan", carry, seqs, length, o.Checkpoint, o.Reverse, step)
	return like(init, last), treeOf[Y](res, ys)
}

// scanLength finds the number of steps.
func scanLength(o ScanOptions, seqs []*graph.Node) int {
	if o.Checkpoint < 0 || o.Length < 0 {
		fault.Throw(fault.Value, "scan", "Length %d and Checkpoint %d must not be negative", o.Length, o.Checkpoint)
	}
	if len(seqs) == 0 {
		return o.Length
	}
	if seqs[0].Rank() == 0 {
		fault.Throw(fault.Shape, "scan", "a sequence has 0 dimensions; want the steps along dim 0")
	}
	if n := seqs[0].Dim(0); o.Length != 0 && o.Length != n {
		fault.Throw(fault.Value, "scan", "Length is %d, the sequences have %d elements", o.Length, n)
	}
	return seqs[0].Dim(0)
}

// Map returns f of each element of xs along dimension 0, one after the other, stacked: VMap in the memory of one example.
func Map[X, Y any](f func(x X) Y, xs X) Y {
	_, ys := Scan(func(c []*Tensor, x X) ([]*Tensor, Y) { return c, f(x) }, nil, xs)
	return ys
}

// AssociativeScanOptions say how AssociativeScan works; the zero value is the default.
type AssociativeScanOptions struct {
	Reverse bool // from the last element to the first; results stay at their element
}

// AssociativeScan returns all prefixes x0, f(x0, x1), f(f(x0, x1), x2), … of the elements of xs along dimension 0, stacked. f must be
// associative: prefixes are computed in a tree of about 2·log₂ n rounds, each of them for many elements at once, where Scan takes n. It
// is written for two elements, as for VMap, and may be a cumulative sum, a product of matrices or a linear recurrence.
func AssociativeScan[X any](f func(a, b X) X, xs X, opts ...AssociativeScanOptions) X {
	const op = "associative_scan"
	o := option(op, opts)
	all := flatten(reflect.ValueOf(&xs).Elem())
	if len(all) == 0 {
		fault.Throw(fault.Value, op, "%T holds no tensors to scan", xs)
	}
	for i, t := range all {
		if t.Dim() == 0 || t.Size(0) != all[0].Size(0) {
			fault.Throw(fault.Shape, op, "tensor %d has shape %v; want the elements along dim 0, as many as in the first, %v",
				i, t.Shape(), all[0].Shape())
		}
	}
	if o.Reverse {
		g := f
		f = func(a, b X) X { return g(b, a) }
		all = each(all, func(t *Tensor) *Tensor { return t.Flip(0) })
	}
	ofTensors := func(ts []*Tensor) X {
		return unflatten([]reflect.Value{reflect.ValueOf(&xs).Elem()}, ts)[0].Interface().(X)
	}
	mapped := VMap(f)
	res := prefixes(func(a, b []*Tensor) []*Tensor {
		r := mapped(ofTensors(a), ofTensors(b))
		return flatten(reflect.ValueOf(&r).Elem())
	}, all)
	if o.Reverse {
		res = each(res, func(t *Tensor) *Tensor { return t.Flip(0) })
	}
	return ofTensors(res)
}

// prefixes is AssociativeScan of lists of tensors: pairs are combined, their prefixes are those of odd elements, and one more combination
// gives the even ones.
func prefixes(f func(a, b []*Tensor) []*Tensor, x []*Tensor) []*Tensor {
	n := x[0].Size(0)
	if n < 2 {
		return x
	}
	every := func(from, to int) func(*Tensor) *Tensor {
		return func(t *Tensor) *Tensor { return t.At(Range{Start: from, Stop: to, Step: 2}) }
	}
	odd := prefixes(f, f(each(x, every(0, n-1)), each(x, every(1, n))))
	even := each(x, func(t *Tensor) *Tensor { return Narrow(t, 0, 0, 1) })
	if n > 2 {
		before := each(odd, func(t *Tensor) *Tensor { return Narrow(t, 0, 0, (n-1)/2) })
		rest := f(before, each(x, every(2, n)))
		for i := range even {
			even[i] = Cat([]*Tensor{even[i], rest[i]}, 0)
		}
	}
	out := make([]*Tensor, len(x))
	for i := range x {
		out[i] = interleave(even[i], odd[i])
	}
	return out
}

// interleave returns a0, b0, a1, b1, …; a may have one element more.
func interleave(a, b *Tensor) *Tensor {
	m := b.Size(0)
	pairs := Stack([]*Tensor{Narrow(a, 0, 0, m), b}, 1).Flatten(0, 1)
	if a.Size(0) == m {
		return pairs
	}
	return Cat([]*Tensor{pairs, Narrow(a, 0, m, 1)}, 0)
}

func each(ts []*Tensor, f func(*Tensor) *Tensor) []*Tensor {
	out := make([]*Tensor, len(ts))
	for i, t := range ts {
		out[i] = f(t)
	}
	return out
}

// ForI runs body for i from lo to hi-1, tensors of dtype int64 or Go integers, and returns the last state. The count may differ
// from call to call of a compiled function.
func ForI[S any](lo, hi any, body func(i *Tensor, state S) S, init S, opts ...WhileOptions) S {
	type counted struct {
		I     *Tensor
		State S
	}
	at := func(v any) *Tensor {
		if t, ok := v.(*Tensor); ok {
			return t.To(Int64)
		}
		return Scalar(v).To(Int64)
	}
	end := at(hi)
	return While(func(s counted) *Tensor { return s.I.Lt(end) },
		func(s counted) counted { return counted{s.I.Add(1), body(s.I, s.State)} }, counted{at(lo), init}, opts...).State
}

// like returns a copy of a tree with other tensors.
func like[T any](tree T, nodes []*graph.Node) T {
	ts := wrapAll(nodes)
	v := unflatten([]reflect.Value{reflect.ValueOf(&tree).Elem()}, ts)[0]
	return v.Interface().(T)
}

// treeOf fills the result of a traced function with tensors.
func treeOf[R any](res reflect.Value, nodes []*graph.Node) R {
	ts := wrapAll(nodes)
	return unflatten([]reflect.Value{res}, ts)[0].Interface().(R)
}

// treeNodes lists the values of a result.
func treeNodes(v reflect.Value) (list []*graph.Node) {
	for _, t := range flatten(v) {
		list = append(list, t.array().Peek())
	}
	return list
}
