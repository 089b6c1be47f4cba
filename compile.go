package lucid

import (
	"os"
	"reflect"

	"github.com/lucid-go/lucid/internal/compile"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/tree"
)

// CompileOptions say how Compile works; the zero value is the default.
type CompileOptions struct {
	Name     string // for messages; the function's own name by default
	MaxCache int    // traces stored for different arguments; 0: as many as there is memory for
	// MaxCacheBytes is how much memory they may take, 64 MiB if it is 0. What was not used for longest is dropped; a warning is
	// printed once if it must be traced again and again.
	MaxCacheBytes int
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

// Compile returns a function that does what f does, in one plan. f runs once per kind of arguments (shapes, dtypes, devices, constants,
// which tensors are nil) to be traced; traces that differ in sizes alone share a plan, so a new size costs little more than running f
// once. While f is traced, tensors it reads from outside become inputs and tensors it writes (Assign,
// SetAt, in-place forms, gradients, optimizer state, the random generator) become outputs, so state is never frozen.
// That goes for arguments too, and for the tensors of modules among them: a module is known by its structure and the Go values in its
// fields, so another one like it is no new trace. See Explanation.Address for those that are known by their address.
// A call in which one tensor is two arguments, and is written, runs as it is.
// Of modules that f holds, the Go values in their fields and in those of the model around them are compared at each call: f is traced anew
// when one changed, such as a rate, a layer or a tensor that was exchanged. The model is known once it was walked over, as nn.Parameters
// and nn.Eval do. Other Go values are constants of the trace; see CompileOptions.Check. Calls that write state are serialised.
func Compile[F any](f F, opts ...CompileOptions) F {
	o := option("compile", opts)
	if !(o.Recompute >= 0 && o.Recompute <= 1) {
		fault.Throw(fault.Value, "compile", "Recompute is %v; want a share from 0 to 1", o.Recompute)
	}
	if o.MaxCache < 0 {
		fault.Throw(fault.Value, "compile", "MaxCache is %d; want a number of traces, or 0 for no bound", o.MaxCache)
	}
	if o.MaxCacheBytes < 0 {
		fault.Throw(fault.Value, "compile", "MaxCacheBytes is %d; want a number of bytes, or 0 for 64 MiB", o.MaxCacheBytes)
	}
	fn := tree.FunctionOf("compile", f)
	if o.Name == "" {
		o.Name = fn.Name()
	}
	co := compile.Options(o)
	switch g := any(f).(type) {
	case func(*Tensor) *Tensor:
		c := compile.New(co, func(in []*graph.Array) []*graph.Array {
			return []*graph.Array{g((*Tensor)(in[0])).array()}
		}, fn)
		missing := any(tree.MakeLike[F](fn, c.Call)).(func(*Tensor) *Tensor)
		return remember(any(func(x *Tensor) *Tensor {
			if x == nil {
				return missing(x)
			}
			return (*Tensor)(c.One(x.array()))
		}).(F), c)
	case func(x, y *Tensor) *Tensor:
		c := compile.New(co, func(in []*graph.Array) []*graph.Array {
			return []*graph.Array{g((*Tensor)(in[0]), (*Tensor)(in[1])).array()}
		}, fn)
		missing := any(tree.MakeLike[F](fn, c.Call)).(func(x, y *Tensor) *Tensor)
		return remember(any(func(x, y *Tensor) *Tensor {
			if x == nil || y == nil {
				return missing(x, y)
			}
			return (*Tensor)(c.One(x.array(), y.array()))
		}).(F), c)
	}
	c := compile.NewOfTrees(co, fn)
	return remember(tree.MakeLike[F](fn, c.Call), c)
}

// DisableCompile makes all functions that Compile made run as they are, in the whole process, until EnableCompile is called: to look
// for a mistake with a debugger, or to compare. The environment variable LUCID_DISABLE_COMPILE does so from the start, unless it
// is empty or 0.
func DisableCompile() { compile.Disabled.Store(true) }

// EnableCompile undoes DisableCompile.
func EnableCompile() { compile.Disabled.Store(false) }

func init() {
	tree.GuardCell = reflect.TypeFor[GuardCell]()
	if v := os.Getenv("LUCID_DISABLE_COMPILE"); v != "" && v != "0" {
		DisableCompile()
	}
}

func remember[F any](f F, c *compile.Function) F {
	compile.Remember(f, c)
	return f
}

// GuardCell is Go state that traces depend on, such as a module's training mode: a trace that read it is made anew when
// it changed. The zero value holds 0.
type GuardCell struct{ cell compile.GuardCell }

// Load returns the value; a trace that calls it depends on it.
func (c *GuardCell) Load() int64 { return c.cell.Load() }

// Store sets the value.
func (c *GuardCell) Store(v int64) { c.cell.Store(v) }

// SetReason sets what Explain says of a trace that is made anew because the value changed. A cell that has a reason keeps it.
func (c *GuardCell) SetReason(why string) {
	if c.cell.What == "" {
		c.cell.What = why
	}
}
