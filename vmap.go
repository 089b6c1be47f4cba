package lucid

import (
	"reflect"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/transform"
	"github.com/lucid-go/lucid/internal/tree"
)

// NoAxis says that an argument is the same for all examples.
const NoAxis = -1 << 30

// Randomness says what the default generator gives inside VMap.
type Randomness uint8

// The choices; without one, drawing from the default generator inside VMap is an error.
const (
	RandomError     Randomness = iota
	RandomSame                 // every example sees the same numbers
	RandomDifferent            // every example has its own
)

// VMapOptions say along which dimensions a function is mapped. In has an entry per argument, for all tensors in it, or one
// per tensor of the arguments, in order; nil means dimension 0 of all. Out has an entry per tensor of the results; nil
// means dimension 0.
type VMapOptions struct {
	In         []int      // an entry per argument, or per tensor of the arguments; nil: dimension 0 of all
	Out        []int      // an entry per tensor of the results; nil: dimension 0
	Chunk      int        // examples that are computed at once; 0: all of them, which takes the most memory
	Randomness Randomness // whether the examples draw the same numbers; zero: drawing is refused
}

// VMap returns a function that computes f for many examples at once: f is written for one, and gets and gives tensors
// without the mapped dimension.
func VMap[F any](f F, opts ...VMapOptions) F {
	o := option("vmap", opts)
	fn := tree.FunctionOf("vmap", f)
	some := false
	for i := range fn.Type.NumIn() {
		some = some || tree.HasTensors(fn.Type.In(i), nil)
	}
	if !some {
		fault.Throw(fault.Value, "vmap", "no argument of %v holds tensors, so there is none to map", fn.Type)
	}
	if o.Chunk < 0 {
		fault.Throw(fault.Value, "vmap", "Chunk is %d; want a number of examples, or 0 for all", o.Chunk)
	}
	return tree.MakeLike[F](fn, func(args []reflect.Value) ([]reflect.Value, error) {
		in := flatten(args...)
		axes := vmapAxes(o.In, args, len(in))
		if o.Chunk > 0 {
			return vmapChunks(fn, args, in, axes, o)
		}
		return vmapCall(fn, args, in, axes, o)
	})
}

// vmapChunks is vmapCall for some examples after the others.
func vmapChunks(fn tree.Function, args []reflect.Value, in []*Tensor, axes []int, o VMapOptions) ([]reflect.Value, error) {
	size := 0
	for i, t := range in {
		if axes[i] != NoAxis && t.Dim() > 0 {
			size = t.Size(axes[i])
			break
		}
	}
	if size <= o.Chunk { // also where nothing is mapped, which is refused there
		return vmapCall(fn, args, in, axes, o)
	}
	var res []reflect.Value
	var parts [][]*Tensor
	for at := 0; at < size; at += o.Chunk {
		some := make([]*Tensor, len(in))
		for i, t := range in {
			if some[i] = t; axes[i] == NoAxis {
				continue
			}
			if n := t.Size(axes[i]); n != size {
				fault.Throw(fault.Shape, "vmap", "argument tensor %d has %d examples, another one %d; want the same of all", i, n, size)
			}
			some[i] = t.Narrow(axes[i], at, min(o.Chunk, size-at))
		}
		r, err := vmapCall(fn, args, some, axes, o)
		if err != nil {
			return nil, err
		}
		res = r
		for k, t := range flatten(r...) {
			if k == len(parts) {
				parts = append(parts, nil)
			}
			parts[k] = append(parts[k], t)
		}
	}
	outs := make([]*Tensor, len(parts))
	for k, p := range parts {
		axis := 0
		if o.Out != nil {
			axis = o.Out[k]
		}
		outs[k] = Cat(p, axis)
	}
	return unflatten(res, outs), nil
}

// vmapAxes gives the dimension of each of n tensors, from a list by tensor or by argument.
func vmapAxes(given []int, args []reflect.Value, n int) []int {
	switch {
	case given == nil:
		return make([]int, n)
	case len(given) == n:
		return given
	case len(given) != len(args):
		fault.Throw(fault.Value, "vmap", "VMapOptions.In has %d entries for %d arguments with %d tensors; want one for each of either",
			len(given), len(args), n)
	}
	axes := make([]int, 0, n)
	for i, a := range args {
		for range flatten(a) {
			axes = append(axes, given[i])
		}
	}
	return axes
}

func vmapCall(fn tree.Function, args []reflect.Value, in []*Tensor, axes []int, o VMapOptions) ([]reflect.Value, error) {
	ns := acquireAll(in)
	defer releaseAll(ns)
	size := -1
	for i, n := range ns {
		n.MustLive()
		if axes[i] != NoAxis {
			if n.Rank() == 0 {
				fault.Throw(fault.Shape, "vmap", "argument tensor %d is 0-d and has no dimension to map; give NoAxis", i)
			}
			ax := axes[i]
			if ax < 0 {
				ax += n.Rank()
			}
			if ax < 0 || ax >= n.Rank() {
				fault.Throw(fault.Index, "vmap", "dim %d is out of range for argument tensor %d of shape %v", axes[i], i, n.Shape())
			}
			if size < 0 {
				size = n.Dim(ax)
			}
		}
	}
	if size < 0 {
		fault.Throw(fault.Value, "vmap", "no argument has a mapped dimension")
	}
	parent, _ := scope.Current().Trace.(*graph.Trace)
	v := transform.NewVMap(parent, size)
	defer v.Close()
	inner := make([]*Tensor, len(ns))
	for i, n := range ns {
		inner[i] = in[i]
		if axes[i] != NoAxis {
			m := v.In(n, axes[i])
			if n.Frozen() { // a frozen parameter is frozen inside too
				m = ops.NewFrozen(m, n.Slot())
			}
			inner[i] = wrap(m)
		}
	}
	var res []reflect.Value
	var err error
	scope.With(func(s *scope.State) { s.Random = vmapRandom(o.Randomness, v) }, func() { res, err = fn.Call(unflatten(args, inner)) })
	if err != nil {
		return nil, err
	}
	outs := acquireAll(flatten(res...))
	defer releaseAll(outs)
	outAxes := o.Out
	if outAxes == nil {
		outAxes = make([]int, len(outs))
	}
	if len(outAxes) != len(outs) {
		fault.Throw(fault.Value, "vmap", "VMapOptions.Out has %d entries for %d tensors", len(outAxes), len(outs))
	}
	return unflatten(res, wrapAll(v.Out(outs, outAxes))), nil
}

// vmapRandom is how a generator behaves inside: see ops.Generator.Next.
func vmapRandom(r Randomness, v *transform.VMapTrace) any {
	switch r {
	case RandomSame:
		return func(next func() *graph.Node, _ func(n int) *graph.Node) *graph.Node { return next() }
	case RandomDifferent:
		return func(_ func() *graph.Node, split func(n int) *graph.Node) *graph.Node { return v.In(split(v.Size), 0) }
	}
	return func(func() *graph.Node, func(int) *graph.Node) *graph.Node {
		fault.Throw(fault.Value, "vmap",
			"the default generator is used inside; say VMapOptions.Randomness RandomSame or RandomDifferent, or pass keys")
		return nil
	}
}
