package transforms

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// TestTransformsRefuse: functions that a transform cannot handle are refused when it is made, arguments when it is called.
func TestTransformsRefuse(t *testing.T) {
	type box struct{ W *lucid.Tensor }
	sum := func(x *lucid.Tensor) *lucid.Tensor { return x.Sum() }
	whole := lucid.New([]int64{1}, 1)
	var none func(*lucid.Tensor) *lucid.Tensor
	for what, f := range map[string]func(){
		"grad: nil": func() { lucid.Grad(none) }, "jacobian: nil": func() { lucid.Jacobian(none) },
		"jacobian: nil, forward": func() { lucid.JacobianForward(none) }, "grad: nil, twice": func() { lucid.Hessian(none) },
		"vjp: nil":                   func() { lucid.VJP(none, lucid.Ones(1), lucid.Ones(1)) },
		"jvp: nil":                   func() { lucid.JVP(none, lucid.Ones(1), lucid.Ones(1)) },
		"compile: pointer":           func() { lucid.Compile(func(x *lucid.Tensor) **box { b := &box{x}; return &b }) },
		"vmap: function":             func() { lucid.VMap(func(x *lucid.Tensor) (*lucid.Tensor, func() *lucid.Tensor) { return x, nil }) },
		"vmap: nothing":              func() { lucid.VMap(func(n int) *lucid.Tensor { return lucid.Ones() }) },
		"value_and_grad: no tensors": func() { lucid.ValueAndGrad(func(n int) *lucid.Tensor { return lucid.Ones() }) },
		"value_and_grad: no loss":    func() { lucid.ValueAndGrad(func(x *lucid.Tensor) (int, *lucid.Tensor) { return 1, x }) },
		"compile: cache":             func() { lucid.Compile(sum, lucid.CompileOptions{MaxCache: -1}) },
		"compile: bytes":             func() { lucid.Compile(sum, lucid.CompileOptions{MaxCacheBytes: -1}) },
		"open_dims: none":            func() { lucid.OpenDims(lucid.Ones(2)) },
		"open_dims: nil":             func() { lucid.OpenDims(nil, 0) },
		"open_dims: twice":           func() { lucid.OpenDims(lucid.Ones(2), 0, -1) },
		"open_dims: axis":            func() { lucid.OpenDims(lucid.Ones(2), 1) },
		"jvp: whole":                 func() { lucid.JVP(sum, whole, whole) }, "vjp: whole": func() { lucid.VJP(sum, whole, whole) },
		"vmap: second": func() {
			lucid.VMap(func(x, y *lucid.Tensor) *lucid.Tensor { return x.Add(y) })(lucid.Ones(2), lucid.Scalar(1.0))
		},
		"register_hook":                      func() { lucid.Ones(1).RequiresGrad_(true).RegisterHook(nil) },
		"register_post_accumulate_grad_hook": func() { lucid.Ones(1).RequiresGrad_(true).RegisterPostAccumulateGradHook(nil) },
		"set_memory_limit":                   func() { lucid.SetMemoryLimit(lucid.CPU, -1) },
		"set_cache_limit":                    func() { lucid.SetCacheLimit(lucid.CPU, -1) },
		"with_context":                       func() { lucid.WithContext(nil, func() {}) },
	} {
		op, _, _ := strings.Cut(what, ":")
		if err := lucid.Try(f); err == nil || !strings.HasPrefix(err.Error(), "lucid: "+op+": ") {
			t.Errorf("%s: %v", what, err)
		}
	}
	var ctx context.Context
	if err := lucid.EvalContext(ctx, lucid.Ones(1)); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("no context: %v", err)
	}
}

// TestErrorsThroughTransforms: a function's error comes out of every transform as it is.
func TestErrorsThroughTransforms(t *testing.T) {
	type fn = func(x *lucid.Tensor) (*lucid.Tensor, error)
	f := func(x *lucid.Tensor) (*lucid.Tensor, error) { return nil, fs.ErrInvalid }
	for what, g := range map[string]fn{"grad": lucid.Grad(f), "vmap": lucid.VMap(f), "checkpoint": lucid.Checkpoint(f),
		"compile": lucid.Compile(f), "all": lucid.Compile(lucid.Grad(lucid.VMap(lucid.Checkpoint(f))))} {
		if y, err := g(lucid.Ones(2)); y != nil || err != fs.ErrInvalid {
			t.Errorf("%s: %v, %v", what, y, err)
		}
	}
}

// TestPanicClosesTransforms: what a function assigned before it panicked varies under no transform any more.
func TestPanicClosesTransforms(t *testing.T) {
	s := lucid.Zeros(2)
	f := func(x *lucid.Tensor) *lucid.Tensor { s.Assign(x.Mul(2)); panic("boom") }
	for what, g := range map[string]func(x *lucid.Tensor) *lucid.Tensor{"grad": lucid.Grad(f), "checkpoint": lucid.Checkpoint(f)} {
		func() {
			defer func() { recover() }()
			g(lucid.Ones(2))
		}()
		read := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Add(s) })
		tensortest.Same(t, what, read(lucid.Ones(2)), lucid.Full([]int{2}, 3.0))
		if e := lucid.Explain(read); len(e.Steps) != 1 {
			t.Errorf("after %s: %v", what, e)
		}
	}
}

// TestScopesInScopes: a scope ends for what an inner one returned, and when its function panics.
func TestScopesInScopes(t *testing.T) {
	var inner, lost *lucid.Tensor
	got := lucid.Scope(func() []*lucid.Tensor {
		inner = lucid.Scope(func() []*lucid.Tensor { return []*lucid.Tensor{lucid.Ones(4).Mul(2)} })[0]
		return []*lucid.Tensor{inner.Sum()}
	})[0]
	func() {
		defer func() { recover() }()
		lucid.Scope(func() []*lucid.Tensor { lost = lucid.Ones(4).Mul(2).Eval(); panic("boom") })
	}()
	if got.Item() != 8 {
		t.Errorf("sum %v", got)
	}
	for _, x := range []*lucid.Tensor{inner, lost} {
		if err := lucid.Try(func() { x.Sum() }); !errors.Is(err, lucid.ErrFreed) {
			t.Errorf("after the scope: %v", err)
		}
	}
}
