package lucid

import (
	"reflect"
	"slices"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/transform"
	"github.com/lucid-go/lucid/internal/tree"
)

// flatFunc is a function over tensors in a row: what transforms work on.
type flatFunc func(in []*Tensor) ([]*Tensor, error)

// currentLevel is the innermost functional transform this goroutine is in; inside NoGrad there is none.
func currentLevel() *graph.Level {
	s := scope.Current()
	if s.Stop {
		return nil
	}
	l, _ := s.Level.(*graph.Level)
	return l
}

// underLevel runs f with the inputs that vary shown through nodes of a new level, and leaves the level open unless f panics.
func underLevel(op string, f flatFunc, in []*Tensor, vary []bool) (lvl *graph.Level, outs []*Tensor, inputs []*graph.Node, err error) {
	lvl = graph.NewLevel(currentLevel())
	lvl.Forward = op == "jvp"
	done := false
	defer func() {
		if !done {
			lvl.Close()
		}
	}()
	args := make([]*Tensor, len(in))
	for i, t := range in {
		args[i] = t
		if !vary[i] {
			continue
		}
		n := acquire(t)
		if !n.DType().IsInexact() {
			fault.Throw(fault.DType, op, "argument tensor %d is %v, which has no gradient; want a floating or complex dtype", i, n.DType())
		}
		a := ops.Alias(n)
		release(n)
		a.SetLevel(lvl)
		a.Ref() // the node must outlive the handle
		inputs = append(inputs, a)
		args[i] = wrap(a)
	}
	scope.With(func(s *scope.State) { s.Level, s.Stop = lvl, false }, func() { outs, err = f(args) })
	done = true
	return lvl, outs, inputs, err
}

// reverse computes the function and the gradients of its first output.
func reverse(op string, f flatFunc, in []*Tensor, vary []bool) (outs []*Tensor, grads []*Tensor, err error) {
	lvl, outs, inputs, err := underLevel(op, f, in, vary)
	defer lvl.Close() // also when f failed: the level is open all the same
	if err != nil {
		return nil, nil, err
	}
	if len(outs) == 0 || outs[0] == nil {
		fault.Throw(fault.Gradient, op, "the function returned no tensor")
	}
	loss := acquire(outs[0])
	defer release(loss)
	if loss.Shape().Numel() != 1 || !loss.DType().IsFloat() {
		fault.Throw(fault.Gradient, op, "the function returned %v of shape %v; want one floating number", loss.DType(), loss.Shape())
	}
	p := transform.Pullback{See: transform.OnLevel}
	if scope.Current().Anomaly {
		forwardAnomaly([]*graph.Node{loss}, transform.OnLevel)
		p.Gave = anomaly
	}
	for _, g := range p.Run([]*graph.Node{loss}, []*graph.Node{ops.OnesLike(loss)}, inputs) {
		if g == nil {
			g = ops.ZerosLike(inputs[len(grads)])
		}
		grads = append(grads, wrap(g))
	}
	return outs, grads, nil
}

// Grad returns a function that computes the gradient of f with respect to argument argnum, the first unless given. f
// returns one number; the gradient has the type of that argument, so f's result must have that type too.
func Grad[F any](f F, argnum ...int) F {
	k := 0
	if len(argnum) > 0 {
		k = argnum[0]
	}
	if len(argnum) > 1 {
		fault.Throw(fault.Value, "grad", "takes one argument number; for several use ValueAndGrad")
	}
	if g, ok := any(f).(func(*Tensor) *Tensor); ok && g != nil && k == 0 {
		return any(func(x *Tensor) *Tensor {
			_, grads, _ := reverse("grad", func(in []*Tensor) ([]*Tensor, error) { return []*Tensor{g(in[0])}, nil },
				[]*Tensor{x}, []bool{true})
			return grads[0]
		}).(F)
	}
	fn := tree.FunctionOf("grad", f)
	if k < 0 || k >= fn.Type.NumIn() {
		fault.Throw(fault.Index, "grad", "argument %d of %v, which has %d", k, fn.Type, fn.Type.NumIn())
	}
	if fn.Type.Out(0) != fn.Type.In(k) {
		fault.Throw(fault.Value, "grad",
			"the gradient has the type of argument %d, %v, but %v returns %v; use ValueAndGrad or ValueAndGradTree", k, fn.Type.In(k),
			fn.Type, fn.Type.Out(0))
	}
	return tree.MakeLike[F](fn, func(args []reflect.Value) ([]reflect.Value, error) {
		res, grads, err := gradOf("grad", fn, args, []int{k})
		if err != nil {
			return nil, err
		}
		res[0] = unflatten(args[k:k+1], grads)[0]
		return res, nil
	})
}

// gradOf runs reverse mode over a function of trees.
func gradOf(op string, fn tree.Function, args []reflect.Value, argnums []int) (res []reflect.Value, grads []*Tensor, err error) {
	in := flatten(args...)
	vary := make([]bool, 0, len(in))
	for i, a := range args {
		wanted := false
		for _, k := range argnums {
			wanted = wanted || k == i
		}
		for range flatten(a) {
			vary = append(vary, wanted)
		}
	}
	_, grads, err = reverse(op, func(ts []*Tensor) ([]*Tensor, error) {
		var err error
		res, err = fn.Call(unflatten(args, ts))
		if err != nil {
			return nil, err
		}
		return flatten(res[0]), nil
	}, in, vary)
	return res, grads, err
}

// ValueAndGrad returns a function that computes f and the gradients with respect to the numbered arguments, the first
// unless given. Gradients of an argument that holds several tensors follow each other. An error f returns is a panic.
func ValueAndGrad[F any](f F, argnums ...int) func(args ...any) (*Tensor, []*Tensor) {
	fn := tree.FunctionOf("value_and_grad", f)
	if len(argnums) == 0 {
		argnums = []int{0}
	}
	for _, k := range argnums {
		if k < 0 || k >= fn.Type.NumIn() {
			fault.Throw(fault.Index, "value_and_grad", "argument %d of %v, which has %d", k, fn.Type, fn.Type.NumIn())
		}
		fn.MustVary("value_and_grad", k)
	}
	return func(args ...any) (*Tensor, []*Tensor) {
		vs := valuesOf("value_and_grad", fn, args)
		res, grads, err := gradOf("value_and_grad", fn, vs, argnums)
		if err != nil {
			throw("value_and_grad", err)
		}
		return flatten(res[0])[0], orderGrads(vs, argnums, grads)
	}
}

// ValueAndGradTree returns a function that computes f and its gradient, which has the form of the argument: a struct, a
// slice or a map of tensors, say, as parameters come.
func ValueAndGradTree[P any](f func(p P) *Tensor) func(p P) (value *Tensor, grad P) {
	fn := tree.FunctionOf("value_and_grad", f)
	fn.MustVary("value_and_grad", 0)
	return func(p P) (*Tensor, P) {
		args := []reflect.Value{reflect.ValueOf(&p).Elem()}
		res, grads, err := gradOf("value_and_grad", fn, args, []int{0})
		if err != nil {
			throw("value_and_grad", err)
		}
		return flatten(res[0])[0], unflatten(args[:1], grads)[0].Interface().(P)
	}
}

// orderGrads brings gradients, which come in argument order, into the order of argnums.
func orderGrads(args []reflect.Value, argnums []int, grads []*Tensor) []*Tensor {
	at := map[int][]*Tensor{}
	for i, a := range args {
		for _, k := range argnums {
			if k == i {
				n := len(flatten(a))
				at[i], grads = grads[:n], grads[n:]
				break
			}
		}
	}
	var out []*Tensor
	for _, k := range argnums {
		out = append(out, at[k]...)
	}
	return out
}

// valuesOf checks arguments against a function's parameters.
func valuesOf(op string, fn tree.Function, args []any) []reflect.Value {
	if len(args) != fn.Type.NumIn() {
		fault.Throw(fault.Value, op, "got %d arguments for %v", len(args), fn.Type)
	}
	vs := make([]reflect.Value, len(args))
	for i, a := range args {
		v := reflect.ValueOf(a)
		if !v.IsValid() {
			v = reflect.Zero(fn.Type.In(i))
		}
		if !v.Type().AssignableTo(fn.Type.In(i)) {
			fault.Throw(fault.DType, op, "argument %d is a %v; %v wants a %v", i, v.Type(), fn.Type, fn.Type.In(i))
		}
		vs[i] = v
	}
	return vs
}

// VJP computes f(x) and the product of cotangent with f's Jacobian at x.
func VJP(f func(*Tensor) *Tensor, x, cotangent *Tensor) (y, grad *Tensor) {
	tree.FunctionOf("vjp", f)
	ys, grads := VJPN(func(in []*Tensor) []*Tensor { return []*Tensor{f(in[0])} }, []*Tensor{x}, []*Tensor{cotangent})
	return ys[0], grads[0]
}

// VJPN is VJP for several inputs and outputs.
func VJPN(f func([]*Tensor) []*Tensor, xs, cotangents []*Tensor) (ys, grads []*Tensor) {
	tree.FunctionOf("vjp", f)
	lvl, ys, inputs, _ := underLevel("vjp", func(in []*Tensor) ([]*Tensor, error) { return f(in), nil }, xs, all(len(xs)))
	defer lvl.Close()
	outs, cots := acquireAll(ys), acquireAll(cotangents)
	defer releaseAll(outs)
	defer releaseAll(cots)
	checkPairs("vjp", "cotangent", outs, cots)
	p := transform.Pullback{See: transform.OnLevel}
	for i, g := range p.Run(outs, cots, inputs) {
		if g == nil {
			g = ops.ZerosLike(inputs[i])
		}
		grads = append(grads, wrap(g))
	}
	return ys, grads
}

// JVP computes f(x) and the product of f's Jacobian at x with tangent.
func JVP(f func(*Tensor) *Tensor, x, tangent *Tensor) (y, dy *Tensor) {
	tree.FunctionOf("jvp", f)
	ys, dys := JVPN(func(in []*Tensor) []*Tensor { return []*Tensor{f(in[0])} }, []*Tensor{x}, []*Tensor{tangent})
	return ys[0], dys[0]
}

// JVPN is JVP for several inputs and outputs.
func JVPN(f func([]*Tensor) []*Tensor, xs, tangents []*Tensor) (ys, dys []*Tensor) {
	tree.FunctionOf("jvp", f)
	tans := acquireAll(tangents)
	defer releaseAll(tans)
	lvl, ys, inputs, _ := underLevel("jvp", func(in []*Tensor) ([]*Tensor, error) { return f(in), nil }, xs, all(len(xs)))
	defer lvl.Close()
	checkPairs("jvp", "tangent", inputs, tans)
	outs := acquireAll(ys)
	defer releaseAll(outs)
	for i, d := range transform.Pushforward(outs, inputs, tans) {
		if d == nil {
			d = ops.ZerosLike(outs[i])
		}
		dys = append(dys, wrap(d))
	}
	return ys, dys
}

func all(n int) []bool {
	b := make([]bool, n)
	for i := range b {
		b[i] = true
	}
	return b
}

// checkPairs refuses tangents or cotangents that do not fit, and casts those that do.
func checkPairs(op, what string, xs, ts []*graph.Node) {
	if len(xs) != len(ts) {
		fault.Throw(fault.Value, op, "got %d %ss for %d tensors", len(ts), what, len(xs))
	}
	for i := range xs {
		if !xs[i].Shape().Equal(ts[i].Shape()) {
			fault.Throw(fault.Shape, op, "%s %d has shape %v, its tensor %v", what, i, ts[i].Shape(), xs[i].Shape())
		}
		if ts[i].DType() != xs[i].DType() {
			fault.Throw(fault.DType, op, "%s %d is %v, its tensor %v; cast it", what, i, ts[i].DType(), xs[i].DType())
		}
	}
}

// Checkpoint returns a function that computes what f does but keeps nothing from inside for the gradient: it is
// computed again when asked for. Random numbers come out the same.
func Checkpoint[F any](f F) F {
	fn := tree.FunctionOf("checkpoint", f)
	return tree.MakeLike[F](fn, func(args []reflect.Value) (res []reflect.Value, err error) {
		if t, ok := scope.Current().Trace.(*graph.Trace); ok && t.Exports() {
			return fn.Call(args)
		}
		in := acquireAll(flatten(args...))
		defer releaseAll(in)
		outs := transform.Checkpoint(func(ns []*graph.Node) []*graph.Node {
			ts := make([]*Tensor, len(ns))
			for i, n := range ns {
				ts[i] = wrap(n)
			}
			res, err = fn.Call(unflatten(args, ts))
			if err != nil {
				return nil
			}
			var out []*graph.Node
			for _, t := range flatten(res...) {
				out = append(out, t.array().Peek())
			}
			return out
		}, in)
		if err != nil {
			return nil, err
		}
		return unflatten(res, wrapAll(outs)), nil
	})
}

// CustomFunc is a function with rules of its own. VJP gets the inputs, the outputs and the outputs' cotangents, and
// gives the inputs' cotangents (nil: zero). JVP gets inputs and their tangents and gives the outputs' tangents. One that is
// missing is derived from Forward, as if it were no custom function.
//
// VMap gets the inputs of size examples, along the first dimension of those that are batched, and gives the outputs with
// the examples along theirs; the other rules are vectorised by themselves. Without it Forward is.
type CustomFunc struct {
	Name    string
	Forward func(in []*Tensor) []*Tensor
	VJP     func(in, out, cot []*Tensor) []*Tensor
	JVP     func(in, tan []*Tensor) []*Tensor
	VMap    func(in []*Tensor, batched []bool, size int) []*Tensor
}

// Custom returns the function with its rules in place.
func Custom(c CustomFunc) func(in ...*Tensor) []*Tensor {
	if c.Forward == nil {
		fault.Throw(fault.Value, "custom", "needs Forward")
	}
	if c.Name == "" {
		c.Name = "custom"
	}
	return func(in ...*Tensor) []*Tensor {
		ns := acquireAll(in)
		defer releaseAll(ns)
		inner := make([]*Tensor, len(ns))
		for i, n := range ns {
			inner[i] = wrap(ops.StopGradient(n))
		}
		outs := acquireAll(c.Forward(inner))
		defer releaseAll(outs)
		r := &ops.Rules{Name: c.Name, In: len(ns)}
		if c.VJP != nil {
			r.VJP = func(in, out, cot []*graph.Node, _ []bool) []*graph.Node {
				g := c.VJP(wrapAll(in), wrapAll(out), wrapAll(cot))
				return c.checked("VJP", "cotangents", peekAll(g), "inputs", specsLike(in))
			}
		} else {
			r.VJP = func(in, _, cot []*graph.Node, need []bool) []*graph.Node { return ops.Pull(c.onNodes, in, cot, need) }
		}
		if c.JVP != nil {
			want := specsLike(outs) // the rule outlives the outputs
			r.JVP = func(in, tan []*graph.Node) []*graph.Node {
				return c.checked("JVP", "tangents", peekAll(c.JVP(wrapAll(in), wrapAll(tan))), "outputs", want)
			}
		} else {
			r.JVP = func(in, tan []*graph.Node) []*graph.Node { return ops.Push(c.onNodes, in, tan) }
		}
		if c.VMap != nil {
			r.VMap = func(in []*graph.Node, batched []bool, size int) []*graph.Node {
				inner := make([]*Tensor, len(in))
				for i, n := range in {
					inner[i] = wrap(ops.StopGradient(n))
				}
				return peekAll(c.VMap(inner, slices.Clone(batched), size))
			}
		}
		return wrapAll(ops.WithRules(r, ns, outs))
	}
}

// onNodes is Forward, for rules that are derived from it.
func (c *CustomFunc) onNodes(in []*graph.Node) []*graph.Node { return peekAll(c.Forward(wrapAll(in))) }

// checked is what a rule gave, if there is one for each value and of its shape; dtypes are brought to the values'.
func (c *CustomFunc) checked(rule, what string, got []*graph.Node, of string, values []graph.Spec) []*graph.Node {
	if len(got) != len(values) {
		fault.Throw(fault.Gradient, c.Name, "%s gave %d %s for %d %s", rule, len(got), what, len(values), of)
	}
	for i, g := range got {
		if g == nil {
			continue
		}
		x := values[i]
		if !g.Shape().Equal(x.Shape) {
			fault.Throw(fault.Gradient, c.Name, "%s gave one of shape %v among its %s, where number %d of the %s has shape %v", rule,
				g.Shape(), what, i, of, x.Shape)
		}
		if g.DType() != x.DType && x.DType.IsInexact() {
			got[i] = ops.Cast(g, x.DType)
		}
	}
	return got
}

func specsLike(ns []*graph.Node) []graph.Spec {
	s := make([]graph.Spec, len(ns))
	for i, n := range ns {
		s[i] = graph.Spec{Shape: n.Shape(), DType: n.DType()}
	}
	return s
}

func peekAll(ts []*Tensor) []*graph.Node {
	ns := make([]*graph.Node, len(ts))
	for i, t := range ts {
		if t != nil {
			ns[i] = t.array().Peek()
		}
	}
	return ns
}
