package compile

import (
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/lucid-go/lucid"
)

// quietNumber prints the same whatever it is.
type quietNumber int

func (quietNumber) String() string { return "a number" }

// TestCompileTellsConstantsApart: two calls share a trace only if the function cannot tell their constants apart: by type, by value and
// not by how they print, by what functions close over, by nil.
func TestCompileTellsConstantsApart(t *testing.T) {
	whole := lucid.New([]int64{1, 2}, 2)
	typed := lucid.Compile(func(x *lucid.Tensor, v any) *lucid.Tensor { return x.Add(v) })
	if a, b := typed(whole, 1).DType(), typed(whole, 1.0).DType(); a != lucid.Int64 || b != lucid.Float32 {
		t.Errorf("1 and 1.0 give %v and %v", a, b)
	}
	x := lucid.Zeros(1)
	is := func(what string, got *lucid.Tensor, want float64) {
		t.Helper()
		if g := got.Item(); g != want {
			t.Errorf("%s: %v, want %v", what, g, want)
		}
	}
	quiet := lucid.Compile(func(x *lucid.Tensor, v quietNumber) *lucid.Tensor { return x.Add(int(v)) })
	is("prints alike", quiet(x, 1), 1)
	is("prints alike", quiet(x, 2), 2)
	size := lucid.Compile(func(x *lucid.Tensor, m map[string]int) *lucid.Tensor { return x.Add(len(m)) })
	is("keys", size(x, map[string]int{"a": 1, "b": 2}), 2)
	is("keys", size(x, map[string]int{"a:1;b": 2}), 1)
	none := lucid.Compile(func(x *lucid.Tensor, s []int, m map[int]int) *lucid.Tensor {
		if s == nil {
			x = x.Add(1)
		}
		if m == nil {
			x = x.Add(2)
		}
		return x
	})
	is("empty", none(x, []int{}, map[int]int{}), 0)
	is("nil", none(x, nil, nil), 3)
	zero := lucid.Compile(func(x *lucid.Tensor, v float64) *lucid.Tensor { return x.Add(1).Div(v) })
	is("zero", zero(x, 0), math.Inf(1))
	is("negative zero", zero(x, math.Copysign(0, -1)), math.Inf(-1))
	made := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return lucid.Zeros(2) })
	made(x)
	home := lucid.DefaultDevice()
	lucid.SetDefaultDevice(lucid.Device{Type: "ref"})
	if d := made(x).Device(); d.Type != "ref" {
		t.Errorf("made on %v, where the default device is ref", d)
	}
	lucid.SetDefaultDevice(home)
	apply := lucid.Compile(func(f func(*lucid.Tensor) *lucid.Tensor, x *lucid.Tensor) *lucid.Tensor { return f(x) })
	mixed := lucid.Compile(func(m map[any]*lucid.Tensor) *lucid.Tensor { return m[1].Sub(m["1"]) })
	type hidden struct {
		W *lucid.Tensor
		w *lucid.Tensor
	}
	behind := lucid.Compile(func(h hidden) *lucid.Tensor { return h.W.Add(h.w) })
	for k := range 4 {
		is("closure", apply(func(x *lucid.Tensor) *lucid.Tensor { return x.Add(k) }, x), float64(k))
		is("keys of two types", mixed(map[any]*lucid.Tensor{1: lucid.Ones(1), "1": x}), 1)
		is("a field that is not exported", behind(hidden{x, lucid.Full([]int{1}, k)}), float64(k))
	}
}

// TestCompileHoldsWhatItsKeyNames: an address names a constant only while nothing else can be there.
func TestCompileHoldsWhatItsKeyNames(t *testing.T) {
	type model struct{ w *lucid.Tensor }
	f := lucid.Compile(func(m *model, x *lucid.Tensor) *lucid.Tensor { return x.Mul(m.w) })
	x := lucid.Ones(1)
	for k := range 300 {
		if got := f(&model{lucid.Scalar(float64(k)).Eval()}, x).Item(); got != float64(k) {
			t.Fatalf("call %d gives %v", k, got)
		}
		if k%10 == 0 {
			runtime.GC()
		}
	}
}

func TestCompileOwnConstants(t *testing.T) {
	f := lucid.Compile(func(x *lucid.Tensor) (*lucid.Tensor, []int, map[string]int) {
		return x.Add(1), []int{1, 2}, map[string]int{"a": 1}
	})
	_, s, m := f(lucid.Ones(1))
	s[0], m["a"] = 7, 7
	if _, s, m = f(lucid.Ones(1)); s[0] != 1 || m["a"] != 1 {
		t.Errorf("what one caller changed another got: %v %v", s, m)
	}
}

// TestMapsInOrder: gradients of a map follow its keys, numbers by size.
func TestMapsInOrder(t *testing.T) {
	_, g := lucid.ValueAndGrad(func(m map[int]*lucid.Tensor) *lucid.Tensor {
		return m[2].Mul(20).Add(m[10].Mul(100)).Add(m[-1].Mul(-10))
	})(map[int]*lucid.Tensor{
		10: lucid.Scalar(1.0), 2: lucid.Scalar(1.0), -1: lucid.Scalar(1.0)})
	if g[0].Item() != -10 || g[1].Item() != 20 || g[2].Item() != 100 {
		t.Error(g)
	}
}

// TestCompileCheckFindsFrozenEffects: a Go value may decide what is written or returned, and no value tells.
func TestCompileCheckFindsFrozenEffects(t *testing.T) {
	on := false
	w := lucid.Ones(1).RequiresGrad_(true)
	c := lucid.Zeros(1)
	for what, f := range map[string]func(x *lucid.Tensor) []*lucid.Tensor{
		"assigns": func(x *lucid.Tensor) []*lucid.Tensor {
			on := on
			if on {
				c.Add_(1)
			}
			return []*lucid.Tensor{x.Add(1)}
		},
		"returns": func(x *lucid.Tensor) []*lucid.Tensor {
			if on {
				return []*lucid.Tensor{x, x}
			}
			return []*lucid.Tensor{x}
		},
		"gradient": func(x *lucid.Tensor) []*lucid.Tensor {
			l := x.Mul(w).Sum()
			if on {
				l.Backward()
			}
			return []*lucid.Tensor{l.Detach()}
		},
		"clears": func(x *lucid.Tensor) []*lucid.Tensor {
			if on {
				w.ZeroGrad()
			}
			return []*lucid.Tensor{x.Add(1)}
		},
	} {
		for _, first := range []bool{false, true} {
			w.SetGrad(lucid.Ones(1))
			c.Assign(0)
			g := lucid.Compile(f, lucid.CompileOptions{Check: true})
			on = first
			g(lucid.Ones(1))
			g(lucid.Ones(1))
			before := c.Item()
			on = !first
			if err := lucid.Try(func() { g(lucid.Ones(1)) }); !errors.Is(err, lucid.ErrTrace) {
				t.Errorf("%s, first %v: %v", what, first, err)
			}
			if c.Item() != before {
				t.Errorf("%s: written before it was found out", what)
			}
		}
	}
	n := 1
	h := lucid.Compile(func(x *lucid.Tensor) (*lucid.Tensor, int) { return x, n }, lucid.CompileOptions{Check: true})
	h(lucid.Ones(1))
	n = 2
	if err := lucid.Try(func() { h(lucid.Ones(1)) }); !errors.Is(err, lucid.ErrTrace) {
		t.Errorf("another constant: %v", err)
	}
}
