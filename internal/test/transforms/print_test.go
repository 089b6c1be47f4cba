package transforms

import (
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// TestPrintInsideTransforms: what is printed inside a function is printed once whenever it is computed, whatever
// transforms the function went through.
func TestPrintInsideTransforms(t *testing.T) {
	var log []string
	f := func(x *lucid.Tensor) *lucid.Tensor { return noted(x.Mul(2), "p", &log).Square().Sum() }
	x := lucid.New([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	for name, g := range map[string]func(x *lucid.Tensor) *lucid.Tensor{
		"grad": lucid.Grad(f), "vmap": lucid.VMap(f), "vmap of grad": lucid.VMap(lucid.Grad(f)), "compile": lucid.Compile(f),
		"compile of grad": lucid.Compile(lucid.Grad(f)), "compile of vmap of grad": lucid.Compile(lucid.VMap(lucid.Grad(f))),
		"vmap of compile":            lucid.VMap(lucid.Compile(f)),
		"compile of grad of vmap":    lucid.Compile(lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return lucid.VMap(f)(x).Sum() })),
		"grad of compile in compile": lucid.Compile(lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return lucid.Compile(f)(x) })),
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
	alone := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { lucid.Print("y", x.Add(1)); return x.Mul(2) })
	both := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return lucid.Print("y", x.Add(1)).Mul(2) })
	inner := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return alone(x).Add(1) })
	for name, f := range map[string]func(x *lucid.Tensor) *lucid.Tensor{"alone": alone, "both": both, "nested": inner} {
		for call := range 3 {
			x := lucid.Full([]int{2}, float64(call))
			var y *lucid.Tensor
			got := printed(func() { y = f(x).Eval() })
			if want := fmt.Sprintf("y: %v\n", x.Add(1)); got != want {
				t.Errorf("%s, call %d: %q, want %q", name, call, got, want)
			}
			if name == "alone" {
				tensortest.Same(t, name, y, x.Mul(2))
			}
		}
	}
}
