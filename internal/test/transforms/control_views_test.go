package transforms

import (
	"path/filepath"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestStateThatIsAView checks loops whose state is a view with strides of its own after a round.
func TestStateThatIsAView(t *testing.T) {
	type T = *lucid.Tensor
	x := lucid.New([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 3)
	xs := lucid.With{DType: lucid.Float64}.Arange(4*9).Reshape(4, 3, 3)
	for name, f := range map[string]func(c, x T) T{
		"flip":           func(c, x T) T { return c.Flip(0) },
		"flip of a sum":  func(c, x T) T { return c.Add(x).Flip(-1) },
		"transpose":      func(c, x T) T { return c.T() },
		"row, repeated":  func(c, x T) T { return c.Add(x).At(1).Expand(3, 3) },
		"element":        func(c, x T) T { return x.At(0, 2).Expand(3, 3) },
		"part of a pair": func(c, x T) T { return lucid.Cat([]T{c, x}, 1).Narrow(1, 1, 3) },
	} {
		want := x
		for i := range 4 {
			want = f(want, xs.At(i))
		}
		scan := func(x, xs T) T { c, _ := lucid.Scan(func(c, e T) (T, T) { return f(c, e), c }, x, xs); return c }
		count := func(x, xs T) T {
			return lucid.ForI(0, 4, func(i, c T) T { return f(c, lucid.IndexSelect(xs, 0, i.Reshape(1)).Squeeze(0)) }, x)
		}
		for way, g := range map[string]func(x, xs T) T{"scan": scan, "loop": count} {
			for _, y := range []T{g(x, xs), lucid.Compile(g)(x, xs), lucid.Checkpoint(g)(x, xs)} {
				if !lucid.Equal(y, want) {
					t.Errorf("%s of %s: %v, want %v", way, name, y, want)
				}
			}
			_, dy := lucid.JVP(func(x T) T { return g(x, xs) }, x, x.Sin())
			_, dw := lucid.JVP(func(x T) T {
				for i := range 4 {
					x = f(x, xs.At(i))
				}
				return x
			}, x, x.Sin())
			if !lucid.AllClose(dy, dw) {
				t.Errorf("jvp of %s of %s: %v, want %v", way, name, dy, dw)
			}
		}
	}
}

// TestMappedLoopInsideOfCheckpoint pushes tangents through a loop whose counter is an example's own.
func TestMappedLoopInsideOfCheckpoint(t *testing.T) {
	f := lucid.Checkpoint(func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.ForI(0, 3, func(_, s *lucid.Tensor) *lucid.Tensor { return s.Sin() }, x)
	})
	x := lucid.New([]float64{0.1, 0.2, 0.3, 0.4}, 2, 2)
	_, dy := lucid.JVP(func(x *lucid.Tensor) *lucid.Tensor { return lucid.VMap(f)(x) }, x, x)
	_, want := lucid.JVP(func(x *lucid.Tensor) *lucid.Tensor { return x.Sin().Sin().Sin() }, x, x)
	if !lucid.AllClose(dy, want) {
		t.Errorf("%v, want %v", dy, want)
	}
}

// TestExportNestedLoops writes and reads control flow as deep as files take it.
func TestExportNestedLoops(t *testing.T) {
	f := func(x *lucid.Tensor) *lucid.Tensor { return x.Sin() }
	for range 7 {
		g := f
		f = func(x *lucid.Tensor) *lucid.Tensor {
			return lucid.Cond(x.Sum().Gt(0), g, func(x *lucid.Tensor) *lucid.Tensor { return x.Neg() }, x)
		}
	}
	path, x := filepath.Join(t.TempDir(), "f.lucid"), lucid.New([]float64{0.5, 1}, 2)
	if err := lucid.Export(path, f, x); err != nil {
		t.Fatal(err)
	}
	g, err := lucid.Import(path)
	if err != nil {
		t.Fatal(err)
	}
	if y, err := g.Call(x); err != nil || !lucid.Equal(y[0], x.Sin()) {
		t.Errorf("%v %v", y, err)
	}
}
