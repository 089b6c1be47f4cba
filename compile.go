package lucid

import (
	"container/list"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
)

// CompileOptions say how Compile works; the zero value is the default.
type CompileOptions struct {
	Name     string // for messages; the function's own name by default
	MaxCache int    // traces kept for different arguments; 0 means 64
	// Check makes every call trace the function anew and run both ways, compiled and not, and panic if they differ in values or in what is
	// written: it finds Go values that the trace froze.
	Check bool
	// Recompute is the share of a run's work, from 0 to 1, that may be done twice so as to hold less: values that are cheap
	// to have again (elementwise ops, normalisations, copies) are dropped over the peak of the plan and made a second time
	// behind it, where that lowers it. 0.03 takes a third from what GPT-2 holds on a GPU. 0: nothing is computed twice.
	Recompute float64
	// Disable runs the function as it is.
	Disable bool
}

// Compile returns a function that does what f does, in one plan made once per kind of arguments: shapes, dtypes,
// devices, constants. While f is traced, tensors it reads from outside become inputs and tensors it writes (Assign,
// SetAt, in-place forms, gradients, optimizer state, the random generator) become outputs, so state is never frozen.
// That goes for arguments too. A call in which one tensor comes in two places, and is written, runs as it is.
// Other Go values are constants of the trace; see CompileOptions.Check. Calls that write state are serialised.
func Compile[F any](f F, opts ...CompileOptions) F {
	o := option("compile", opts)
	if !(o.Recompute >= 0 && o.Recompute <= 1) {
		fault.Throw(fault.Value, "compile", "Recompute is %v; want a share from 0 to 1", o.Recompute)
	}
	if o.MaxCache < 0 {
		fault.Throw(fault.Value, "compile", "MaxCache is %d; want a number of traces, or 0 for 64", o.MaxCache)
	}
	fn := functionOf("compile", f)
	if o.Name == "" {
		o.Name = functionName(fn.v)
	}
	c := &compiled{fn: fn, o: o, entries: list.New()}
	if g, ok := any(f).(func(*Tensor) *Tensor); ok {
		c.direct = func(in []*Tensor) []*Tensor { return []*Tensor{g(in[0])} }
		return remember(any(func(x *Tensor) *Tensor { return c.tensor(newCall(x)) }).(F), c)
	}
	if g, ok := any(f).(func(x, y *Tensor) *Tensor); ok {
		c.direct = func(in []*Tensor) []*Tensor { return []*Tensor{g(in[0], in[1])} }
		return remember(any(func(x, y *Tensor) *Tensor { return c.tensor(newCall(x, y)) }).(F), c)
	}
	return remember(makeLike[F](fn, c.call), c)
}

func functionName(v reflect.Value) string {
	// What a transform returned has no code of its own.
	if f := runtime.FuncForPC(v.Pointer()); f != nil && f.Name() != "reflect.makeFuncStub" {
		return f.Name()
	}
	return "a function of type " + v.Type().String()
}

// compiled is a function with its traces, the most recently used first.
type compiled struct {
	fn      function
	o       CompileOptions
	direct  func(in []*Tensor) []*Tensor // set for functions of tensors alone
	mu      sync.Mutex
	entries *list.List            // of *entry
	last    atomic.Pointer[entry] // the first of them
	traces  int
	reasons []string
	running sync.RWMutex // calls that write state hold it alone
}

// trees holds a call's arguments as values; nil for functions of tensors alone.
type trees struct{ args []reflect.Value }

// tensor calls a function of tensors that gives one.
func (c *compiled) tensor(k *call) *Tensor {
	outs, _, err := c.run(k, nil)
	if err != nil {
		throw(c.o.Name, err)
	}
	r := outs[0]
	k.release()
	return r
}

// call calls any other function.
func (c *compiled) call(args []reflect.Value) ([]reflect.Value, error) {
	k := newCall(flattenAll(args)...)
	outs, res, err := c.run(k, &trees{args})
	if err != nil {
		return nil, err
	}
	list := unflattenAll(res, outs)
	ownConstants(list)
	k.release()
	return list, nil
}

// invoke runs the user's function over tensors.
func (c *compiled) invoke(in []*Tensor, tr *trees) (outs []*Tensor, res []reflect.Value, err error) {
	if tr == nil {
		return c.direct(in), nil, nil
	}
	res, err = c.fn.call(unflattenAll(tr.args, in))
	if err != nil {
		return nil, nil, err
	}
	return flattenAll(res), res, nil
}

// run finds or makes a trace for the arguments and replays it. Its results are good until the call is released.
func (c *compiled) run(k *call, tr *trees) ([]*Tensor, []reflect.Value, error) {
	st, in := scope.Current(), k.in
	if c.o.Disable || st.Trace != nil || st.Anomaly || mustInline(in, !st.NoGrad) {
		return c.invoke(in, tr)
	}
	if err := evalPending(in); err != nil {
		return nil, nil, err
	}
	sig := signatureOf(tr, st)
	for range mostMoves {
		outs, res, err := c.once(k, tr, sig)
		if err != errMoved {
			return outs, res, err
		}
	}
	return nil, nil, fault.New(fault.Trace, c.o.Name, "tensors it reads lay otherwise in memory each time it was about to run, %d times in a row; do not assign to them from elsewhere while it is called", mostMoves)
}

// mostMoves is how often a call looks for a trace: a captured tensor that was pending, or that another call wrote, may turn
// out to lie otherwise than the trace assumes. Then nothing was done yet, and the next look sees how it lies.
const mostMoves = 100

// once finds or makes a trace for the arguments and replays it.
func (c *compiled) once(k *call, tr *trees, sig signature) ([]*Tensor, []reflect.Value, error) {
	e := c.find(k.in, &sig)
	if e == nil {
		var err error
		if e, err = c.trace(k.in, tr, sig); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case e.inline || len(e.written) > 0 && e.meets(k.in):
		return c.invoke(k.in, tr)
	case c.o.Check:
		return c.check(e, k, tr)
	}
	return c.replay(e, k)
}

// evalPending computes arguments that have no value yet: a trace depends on how they lie in memory.
func evalPending(in []*Tensor) error {
	var roots []*graph.Node
	for _, t := range in {
		if n := t.array().Peek(); !n.Stored() {
			roots = append(roots, n)
		}
	}
	if roots == nil {
		return nil
	}
	return exec.Eval(scope.Current().Context(), roots...)
}

// mustInline reports whether an argument varies under a transform outside, which must then see the function's inside.
func mustInline(in []*Tensor, grad bool) bool {
	for _, t := range in {
		if t == nil {
			fault.Throw(fault.Value, "compile", "a tensor among the arguments is nil; leave it out of the function, or give one")
		}
		n := t.array().Raw()
		if n == nil {
			continue
		}
		if n.Level() != nil || n.Trace() != nil || grad && n.Tape() {
			return true
		}
	}
	return false
}

// find returns the trace made for such arguments whose guards hold.
func (c *compiled) find(in []*Tensor, sig *signature) *entry {
	if e := c.last.Load(); e != nil && e.differs(in, sig) == "" && e.guardsFail() == "" {
		return e
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	why := ""
	for el := c.entries.Front(); el != nil; el = el.Next() {
		e := el.Value.(*entry)
		w := e.differs(in, sig)
		if w == "" {
			w = e.guardsFail()
		}
		if w == "" {
			c.entries.MoveToFront(el)
			c.last.Store(e)
			return e
		}
		if why == "" {
			why = w
		}
	}
	if why == "" {
		why = "first call"
	}
	c.reasons = append(c.reasons, why)
	if len(c.reasons) > 100 {
		c.reasons = c.reasons[1:]
	}
	return nil
}

func (c *compiled) add(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.traces++
	c.entries.PushFront(e)
	c.last.Store(e)
	limit := c.o.MaxCache
	if limit <= 0 {
		limit = 64
	}
	for c.entries.Len() > limit {
		c.entries.Remove(c.entries.Back())
	}
}

// registry of compiled functions, for Explain: functions cannot be compared, their code and data pointer can.
var compiledFuncs sync.Map // uintptr → *compiled

func remember[F any](f F, c *compiled) F {
	p := funcPointer(f)
	compiledFuncs.Store(uintptr(p), c)
	// When nobody holds the function any more, its traces go. By then another function may lie at the same address.
	key := uintptr(p)
	runtime.AddCleanup((*byte)(p), func(c *compiled) { compiledFuncs.CompareAndDelete(key, c) }, c)
	return f
}
