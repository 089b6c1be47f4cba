// Package compile runs a function from stored traces: it finds the trace that was made for such arguments and whose guards
// hold, makes one if there is none, and replays its plan with the values that arguments and captured tensors show now.
package compile

import (
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/tree"
)

// Options are those of the public Compile.
type Options struct {
	Name          string
	MaxCache      int
	MaxCacheBytes int
	Check         bool
	Recompute     float64
	Disable       bool
}

// Function is a function with its traces.
type Function struct {
	fn       tree.Function
	direct   func(in []*graph.Array) []*graph.Array // instead of fn, for functions of tensors alone
	o        Options
	mu       sync.Mutex
	cache    cache
	last     atomic.Pointer[entry] // the one that was used last
	traces   int
	reasons  []string
	plans    []*exec.SharedPlan    // the most recently used last
	planned  int                   // plans made so far
	unshared []string              // why each but the first was made
	elided   map[int]string        // by number of nodes: the shapes of arguments of the last plan that writes straight into concatenations
	spare    atomic.Pointer[entry] // space of one that served one call
	running  sync.RWMutex          // calls that write state hold it alone
	// byAddress says why modules among the arguments are known by their address; nil: they are known by their structure.
	byAddress atomic.Pointer[string]
	addressed []string // reasons of that kind, for Explain
	// moving are fields of modules that a call changes itself, by their address: traces do not depend on them.
	moving       map[unsafe.Pointer]bool
	fieldsWarned bool
	lastUsed     []*tree.Fields              // of the models that the last trace used
	spareWatch   atomic.Pointer[moduleWatch] // space of one that served a trace
}

// New compiles a function of tensors alone; fn is the same one as a function of trees, for calls in which some are nil.
func New(o Options, f func(in []*graph.Array) []*graph.Array, fn tree.Function) *Function {
	return &Function{direct: f, fn: fn, o: o}
}

// NewOfTrees compiles any other function.
func NewOfTrees(o Options, f tree.Function) *Function {
	return &Function{fn: f, o: o}
}

// Disabled runs all compiled functions as they are.
var Disabled atomic.Bool

// trees holds a call's arguments as values; nil for functions of tensors alone.
type trees struct {
	args        []reflect.Value
	s           tree.Structure
	byStructure bool       // modules are known by it
	why         string     // why they are not
	fellBack    bool       // because of what the function does
	results     *tree.Walk // how the results of this call are looked into
}

// One calls a function of tensors that gives one.
func (c *Function) One(in ...*graph.Array) *graph.Array {
	k := newCall(in...)
	outs, _, err := c.run(k, nil)
	if err != nil {
		fault.Rethrow(c.o.Name, err)
	}
	r := outs[0]
	k.release()
	return r
}

// All calls a function of tensors that gives several.
func (c *Function) All(in ...*graph.Array) ([]*graph.Array, error) {
	k := newCall(in...)
	outs, _, err := c.run(k, nil)
	outs = slices.Clone(outs)
	k.release()
	return outs, err
}

// results is how results are looked into: a module among them, such as a gradient, is a tree. One among the arguments is not
// looked into: its tensors are captured.
var results = tree.Walk{All: true}

// Call calls a function of trees.
func (c *Function) Call(args []reflect.Value) ([]reflect.Value, error) {
	k := newCall(tree.FlattenAll(args)...)
	tr := &trees{args: args, results: &results}
	outs, res, err := c.run(k, tr)
	if err != nil {
		return nil, err
	}
	list := tr.results.UnflattenAll(res, outs)
	tree.OwnConstants(list)
	k.release()
	return list, nil
}

// invoke runs the user's function over tensors. Modules that are known by their structure are those of st, if it is not nil.
func (c *Function) invoke(in []*graph.Array, tr *trees, st *standIns) (outs []*graph.Array, res []reflect.Value, err error) {
	if tr == nil {
		outs = c.direct(in)
		for _, o := range outs {
			if o == nil {
				fault.Throw(fault.Value, c.o.Name, "returned a nil tensor; return one, or leave the result out")
			}
		}
		return outs, nil, nil
	}
	w := tree.Walk{As: st.asArguments(tr)}
	res, err = c.fn.Call(w.UnflattenAll(tr.args, in))
	if err != nil {
		return nil, nil, err
	}
	tr.results = &tree.Walk{All: true, As: st.asResults(tr)}
	return tr.results.FlattenAll(res), res, nil
}

// run finds or makes a trace for the arguments and replays it. Its results are good until the call is released.
func (c *Function) run(k *call, tr *trees) ([]*graph.Array, []reflect.Value, error) {
	st, in := scope.Current(), k.in
	if c.o.Disable || Disabled.Load() || st.Trace != nil || st.Anomaly || MustInline(in, !st.NoGrad) {
		return c.invoke(in, tr, nil)
	}
	if err := evalPending(in); err != nil {
		return nil, nil, err
	}
	for range mostMoves {
		outs, res, err := c.once(k, tr, c.signatureOf(k, tr, st))
		if err != errMoved && err != errShared {
			return outs, res, err
		}
	}
	return nil, nil, fault.New(fault.Trace, c.o.Name,
		"tensors it reads lay otherwise in memory each time it was about to run, %d times in a row; do not assign to them from elsewhere "+
			"while it is called", mostMoves)
}

// mostMoves is how often a call looks for a trace: a captured tensor that was pending, or that another call wrote, may be
// laid out otherwise than the trace assumes. Then nothing was done yet, and the next look sees its layout.
const mostMoves = 100

// once finds or makes a trace for the arguments and replays it.
func (c *Function) once(k *call, tr *trees, sig signature) ([]*graph.Array, []reflect.Value, error) {
	e, hash := c.find(k, tr, &sig)
	if e == nil {
		var err error
		if e, err = c.trace(k, tr, sig, hash); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case e.inline || e.writes && e.aliased(k):
		return c.invoke(k.in, tr, nil)
	case c.o.Check:
		return c.check(e, k, tr)
	}
	if tr != nil && len(e.standIns) > 0 {
		tr.results = &tree.Walk{All: true, As: e.asResults(tr)}
	}
	return c.replay(e, k)
}

// evalPending computes arguments that have no value yet: a trace depends on how they are laid out in memory.
func evalPending(in []*graph.Array) error {
	var roots []*graph.Node
	for _, t := range in {
		if n := t.Peek(); !n.Stored() {
			roots = append(roots, n)
		}
	}
	if roots == nil {
		return nil
	}
	return exec.Eval(scope.Current().Context(), roots...)
}

// MustInline reports whether an argument varies under a transform outside, which must then see the function's inside.
func MustInline(in []*graph.Array, grad bool) bool {
	for _, t := range in {
		if t == nil {
			fault.Throw(fault.Value, "compile", "a tensor among the arguments is nil; leave it out of the function, or give one")
		}
		n := t.Raw()
		if n == nil {
			continue
		}
		if n.Level() != nil || n.Trace() != nil || grad && n.Tape() {
			return true
		}
	}
	return false
}
