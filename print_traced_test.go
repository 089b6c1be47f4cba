package lucid

import "testing"

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
