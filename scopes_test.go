package lucid_test

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/graph"
)

// TestScopeFreesWhatWasMade: a scope frees every tensor made inside, whatever made it, but for those it returns.
func TestScopeFreesWhatWasMade(t *testing.T) {
	x := lucid.Ones(3).Eval()
	square := func(x *lucid.Tensor) *lucid.Tensor { return x.Square().Sum() }
	for name, f := range map[string]func() *lucid.Tensor{
		"op":       func() *lucid.Tensor { return x.Add(1) },
		"clone":    func() *lucid.Tensor { return x.Clone() },
		"view":     func() *lucid.Tensor { return x.Reshape(1, 3) },
		"detached": func() *lucid.Tensor { return x.Detach() },
		"to":       func() *lucid.Tensor { return x.To(lucid.Float64) },
		"created":  func() *lucid.Tensor { return lucid.Zeros(3) },
		"grad":     func() *lucid.Tensor { return lucid.Grad(square)(x) },
		"argument of grad": func() (a *lucid.Tensor) {
			lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { a = x; return square(x) })(x)
			return a
		},
		"argument of checkpoint": func() (a *lucid.Tensor) {
			lucid.Checkpoint(func(x *lucid.Tensor) *lucid.Tensor { a = x; return square(x) })(x)
			return a
		},
		"argument of vmap": func() (a *lucid.Tensor) {
			lucid.VMap(func(x *lucid.Tensor) *lucid.Tensor { a = x; return x.Mul(2) })(x)
			return a
		},
		"compiled": func() *lucid.Tensor { return lucid.Compile(square)(x) },
	} {
		var made *lucid.Tensor
		lucid.Scope(func() []*lucid.Tensor { made = f(); return nil })
		if err := lucid.Try(func() { made.Item() }); err == nil || (*graph.Array)(made).Raw() != nil {
			t.Errorf("%s: it is still there after the scope (%v)", name, err)
		}
		returned := lucid.Scope(func() []*lucid.Tensor { return []*lucid.Tensor{x.Add(1).Clone()} })
		if got := returned[0].Sum().Item(); got != 6 {
			t.Errorf("%s: what a scope returns is %v", name, got)
		}
	}
	if got := x.Sum().Item(); got != 3 {
		t.Errorf("what was there before is %v", got)
	}
}

// TestClonesAreBounded: a chain of clones is evaluated on the way like any other, before it grows without bound.
func TestClonesAreBounded(t *testing.T) {
	x := lucid.Ones(2)
	for range 10_000 {
		x = x.Clone()
	}
	if depth := (*graph.Array)(x).Peek().PendingDepth(); depth > 4096 {
		t.Errorf("%d clones wait", depth)
	}
	if got := x.Sum().Item(); got != 2 {
		t.Errorf("it shows %v", got)
	}
}
