package lucid

import (
	"errors"
	"math"
	"runtime"
	"testing"
)

// quietNumber prints the same whatever it is.
type quietNumber int

func (quietNumber) String() string { return "a number" }

// TestCompileTellsConstantsApart: two calls share a trace only if the function cannot tell their constants apart: by type, by value and
// not by how they print, by what functions close over, by nil.
func TestCompileTellsConstantsApart(t *testing.T) {
	whole := New([]int64{1, 2}, 2)
	typed := Compile(func(x *Tensor, v any) *Tensor { return x.Add(v) })
	if a, b := typed(whole, 1).DType(), typed(whole, 1.0).DType(); a != Int64 || b != Float32 {
		t.Errorf("1 and 1.0 give %v and %v", a, b)
	}
	x := Zeros(1)
	is := func(what string, got *Tensor, want float64) {
		t.Helper()
		if g := got.Item(); g != want {
			t.Errorf("%s: %v, want %v", what, g, want)
		}
	}
	quiet := Compile(func(x *Tensor, v quietNumber) *Tensor { return x.Add(int(v)) })
	is("prints alike", quiet(x, 1), 1)
	is("prints alike", quiet(x, 2), 2)
	size := Compile(func(x *Tensor, m map[string]int) *Tensor { return x.Add(len(m)) })
	is("keys", size(x, map[string]int{"a": 1, "b": 2}), 2)
	is("keys", size(x, map[string]int{"a:1;b": 2}), 1)
	none := Compile(func(x *Tensor, s []int, m map[int]int) *Tensor {
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
	zero := Compile(func(x *Tensor, v float64) *Tensor { return x.Add(1).Div(v) })
	is("zero", zero(x, 0), math.Inf(1))
	is("negative zero", zero(x, math.Copysign(0, -1)), math.Inf(-1))
	made := Compile(func(x *Tensor) *Tensor { return Zeros(2) })
	made(x)
	home := DefaultDevice()
	SetDefaultDevice(Device{Type: "ref"})
	if d := made(x).Device(); d.Type != "ref" {
		t.Errorf("made on %v, where the default device is ref", d)
	}
	SetDefaultDevice(home)
	apply := Compile(func(f func(*Tensor) *Tensor, x *Tensor) *Tensor { return f(x) })
	mixed := Compile(func(m map[any]*Tensor) *Tensor { return m[1].Sub(m["1"]) })
	type hidden struct {
		W *Tensor
		w *Tensor
	}
	behind := Compile(func(h hidden) *Tensor { return h.W.Add(h.w) })
	for k := range 4 {
		is("closure", apply(func(x *Tensor) *Tensor { return x.Add(k) }, x), float64(k))
		is("keys of two types", mixed(map[any]*Tensor{1: Ones(1), "1": x}), 1)
		is("a field that is not exported", behind(hidden{x, Full([]int{1}, k)}), float64(k))
	}
}

// TestCompileHoldsWhatItsKeyNames: an address names a constant only while nothing else can lie there.
func TestCompileHoldsWhatItsKeyNames(t *testing.T) {
	type model struct{ w *Tensor }
	f := Compile(func(m *model, x *Tensor) *Tensor { return x.Mul(m.w) })
	x := Ones(1)
	for k := range 300 {
		if got := f(&model{Scalar(float64(k)).Eval()}, x).Item(); got != float64(k) {
			t.Fatalf("call %d gives %v", k, got)
		}
		if k%10 == 0 {
			runtime.GC()
		}
	}
}

func TestCompileOwnConstants(t *testing.T) {
	f := Compile(func(x *Tensor) (*Tensor, []int, map[string]int) { return x.Add(1), []int{1, 2}, map[string]int{"a": 1} })
	_, s, m := f(Ones(1))
	s[0], m["a"] = 7, 7
	if _, s, m = f(Ones(1)); s[0] != 1 || m["a"] != 1 {
		t.Errorf("what one caller changed another got: %v %v", s, m)
	}
}

// TestMapsInOrder: gradients of a map follow its keys, numbers by size.
func TestMapsInOrder(t *testing.T) {
	_, g := ValueAndGrad(func(m map[int]*Tensor) *Tensor { return m[2].Mul(20).Add(m[10].Mul(100)).Add(m[-1].Mul(-10)) })(map[int]*Tensor{
		10: Scalar(1.0), 2: Scalar(1.0), -1: Scalar(1.0)})
	if g[0].Item() != -10 || g[1].Item() != 20 || g[2].Item() != 100 {
		t.Error(g)
	}
}

// TestCompileCheckFindsFrozenEffects: a Go value may decide what is written or returned, and no value tells.
func TestCompileCheckFindsFrozenEffects(t *testing.T) {
	on := false
	w := Ones(1).RequiresGrad_(true)
	c := Zeros(1)
	for what, f := range map[string]func(x *Tensor) []*Tensor{
		"assigns": func(x *Tensor) []*Tensor {
			on := on
			if on {
				c.Add_(1)
			}
			return []*Tensor{x.Add(1)}
		},
		"returns": func(x *Tensor) []*Tensor {
			if on {
				return []*Tensor{x, x}
			}
			return []*Tensor{x}
		},
		"gradient": func(x *Tensor) []*Tensor {
			l := x.Mul(w).Sum()
			if on {
				l.Backward()
			}
			return []*Tensor{l.Detach()}
		},
		"clears": func(x *Tensor) []*Tensor {
			if on {
				w.ZeroGrad()
			}
			return []*Tensor{x.Add(1)}
		},
	} {
		for _, first := range []bool{false, true} {
			w.SetGrad(Ones(1))
			c.Assign(0)
			g := Compile(f, CompileOptions{Check: true})
			on = first
			g(Ones(1))
			g(Ones(1))
			before := c.Item()
			on = !first
			if err := Try(func() { g(Ones(1)) }); !errors.Is(err, ErrTrace) {
				t.Errorf("%s, first %v: %v", what, first, err)
			}
			if c.Item() != before {
				t.Errorf("%s: written before it was found out", what)
			}
		}
	}
	n := 1
	h := Compile(func(x *Tensor) (*Tensor, int) { return x, n }, CompileOptions{Check: true})
	h(Ones(1))
	n = 2
	if err := Try(func() { h(Ones(1)) }); !errors.Is(err, ErrTrace) {
		t.Errorf("another constant: %v", err)
	}
}
