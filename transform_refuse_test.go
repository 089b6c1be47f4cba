package lucid

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
)

// TestTransformsRefuse: functions that a transform cannot handle are refused when it is made, arguments when it is called.
func TestTransformsRefuse(t *testing.T) {
	type box struct{ W *Tensor }
	sum := func(x *Tensor) *Tensor { return x.Sum() }
	whole := New([]int64{1}, 1)
	var none func(*Tensor) *Tensor
	for what, f := range map[string]func(){
		"grad: nil": func() { Grad(none) }, "jacobian: nil": func() { Jacobian(none) }, "jacobian: nil, forward": func() { JacobianForward(none) }, "grad: nil, twice": func() { Hessian(none) },
		"vjp: nil": func() { VJP(none, Ones(1), Ones(1)) }, "jvp: nil": func() { JVP(none, Ones(1), Ones(1)) },
		"compile: pointer": func() { Compile(func(x *Tensor) *box { return &box{x} }) }, "vmap: function": func() { VMap(func(x *Tensor) (*Tensor, func() *Tensor) { return x, nil }) },
		"vmap: nothing": func() { VMap(func(n int) *Tensor { return Ones() }) }, "value_and_grad: no tensors": func() { ValueAndGrad(func(n int) *Tensor { return Ones() }) },
		"value_and_grad: no loss": func() { ValueAndGrad(func(x *Tensor) (int, *Tensor) { return 1, x }) }, "compile: cache": func() { Compile(sum, CompileOptions{MaxCache: -1}) },
		"jvp: whole": func() { JVP(sum, whole, whole) }, "vjp: whole": func() { VJP(sum, whole, whole) },
		"vmap: second":  func() { VMap(func(x, y *Tensor) *Tensor { return x.Add(y) })(Ones(2), Scalar(1.0)) },
		"register_hook": func() { Ones(1).RequiresGrad_(true).RegisterHook(nil) }, "register_post_accumulate_grad_hook": func() { Ones(1).RequiresGrad_(true).RegisterPostAccumulateGradHook(nil) },
		"set_memory_limit": func() { SetMemoryLimit(CPU, -1) }, "set_cache_limit": func() { SetCacheLimit(CPU, -1) }, "with_context": func() { WithContext(nil, func() {}) },
	} {
		op, _, _ := strings.Cut(what, ":")
		if err := Try(f); err == nil || !strings.HasPrefix(err.Error(), "lucid: "+op+": ") {
			t.Errorf("%s: %v", what, err)
		}
	}
	var ctx context.Context
	if err := EvalContext(ctx, Ones(1)); !errors.Is(err, ErrValue) {
		t.Errorf("no context: %v", err)
	}
}

// TestErrorsThroughTransforms: a function's error comes out of every transform as it is.
func TestErrorsThroughTransforms(t *testing.T) {
	type fn = func(x *Tensor) (*Tensor, error)
	f := func(x *Tensor) (*Tensor, error) { return nil, fs.ErrInvalid }
	for what, g := range map[string]fn{"grad": Grad(f), "vmap": VMap(f), "checkpoint": Checkpoint(f), "compile": Compile(f), "all": Compile(Grad(VMap(Checkpoint(f))))} {
		if y, err := g(Ones(2)); y != nil || err != fs.ErrInvalid {
			t.Errorf("%s: %v, %v", what, y, err)
		}
	}
}

// TestPanicClosesTransforms: what a function assigned before it panicked varies under no transform any more.
func TestPanicClosesTransforms(t *testing.T) {
	s := Zeros(2)
	f := func(x *Tensor) *Tensor { s.Assign(x.Mul(2)); panic("boom") }
	for what, g := range map[string]func(x *Tensor) *Tensor{"grad": Grad(f), "checkpoint": Checkpoint(f)} {
		func() {
			defer func() { recover() }()
			g(Ones(2))
		}()
		read := Compile(func(x *Tensor) *Tensor { return x.Add(s) })
		same(t, what, read(Ones(2)), Full([]int{2}, 3.0))
		if e := Explain(read); len(e.Steps) != 1 {
			t.Errorf("after %s: %v", what, e)
		}
	}
}

// TestScopesInScopes: a scope ends for what an inner one returned, and when its function panics.
func TestScopesInScopes(t *testing.T) {
	var inner, lost *Tensor
	got := Scope(func() []*Tensor {
		inner = Scope(func() []*Tensor { return []*Tensor{Ones(4).Mul(2)} })[0]
		return []*Tensor{inner.Sum()}
	})[0]
	func() {
		defer func() { recover() }()
		Scope(func() []*Tensor { lost = Ones(4).Mul(2).Eval(); panic("boom") })
	}()
	if got.Item() != 8 {
		t.Errorf("sum %v", got)
	}
	for _, x := range []*Tensor{inner, lost} {
		if err := Try(func() { x.Sum() }); !errors.Is(err, ErrFreed) {
			t.Errorf("after the scope: %v", err)
		}
	}
}
