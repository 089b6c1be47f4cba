package lucid

import (
	"fmt"
	"io"
	"os"
	"testing"
)

// TestPrintInsideTransforms: what is printed inside a function is printed once whenever it is computed, whatever
// transforms the function went through.
func TestPrintInsideTransforms(t *testing.T) {
	var log []string
	f := func(x *Tensor) *Tensor { return noted(x.Mul(2), "p", &log).Square().Sum() }
	x := New([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	for name, g := range map[string]func(x *Tensor) *Tensor{
		"grad": Grad(f), "vmap": VMap(f), "vmap of grad": VMap(Grad(f)), "compile": Compile(f),
		"compile of grad": Compile(Grad(f)), "compile of vmap of grad": Compile(VMap(Grad(f))),
		"vmap of compile":            VMap(Compile(f)),
		"compile of grad of vmap":    Compile(Grad(func(x *Tensor) *Tensor { return VMap(f)(x).Sum() })),
		"grad of compile in compile": Compile(Grad(func(x *Tensor) *Tensor { return Compile(f)(x) })),
	} {
		for call := range 3 {
			log = nil
			g(x).Eval()
			if len(log) != 1 {
				t.Errorf("%s, call %d: printed %d times", name, call, len(log))
			}
		}
	}
}

// TestPrintWithoutResult: a compiled function prints at every call, also if it does not go on with what Print returns, and once if it does.
func TestPrintWithoutResult(t *testing.T) {
	printed := func(f func()) string {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		old := os.Stdout
		os.Stdout = w
		defer func() { os.Stdout = old }()
		f()
		w.Close()
		b, _ := io.ReadAll(r)
		return string(b)
	}
	alone := Compile(func(x *Tensor) *Tensor { Print("y", x.Add(1)); return x.Mul(2) })
	both := Compile(func(x *Tensor) *Tensor { return Print("y", x.Add(1)).Mul(2) })
	inner := Compile(func(x *Tensor) *Tensor { return alone(x).Add(1) })
	for name, f := range map[string]func(x *Tensor) *Tensor{"alone": alone, "both": both, "nested": inner} {
		for call := range 3 {
			x := Full([]int{2}, float64(call))
			var y *Tensor
			got := printed(func() { y = f(x).Eval() })
			if want := fmt.Sprintf("y: %v\n", x.Add(1)); got != want {
				t.Errorf("%s, call %d: %q, want %q", name, call, got, want)
			}
			if name == "alone" {
				same(t, name, y, x.Mul(2))
			}
		}
	}
}
