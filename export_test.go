package lucid

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/codectest"
	checkpoint "github.com/lucid-go/lucid/internal/codec/lucid"
	"github.com/lucid-go/lucid/internal/compile"
	"github.com/lucid-go/lucid/internal/dtype"
)

// exportedModel is a small network with a weight used twice, an indexed read and results of several kinds.
func exportedModel() func(x, idx *Tensor) (*Tensor, *Tensor) {
	w := New([]float32{0.5, -1, 2, 0.25, 1.5, -0.75, 3, 1, -2}, 3, 3).RequiresGrad_(true)
	b := New([]float32{0.1, -0.2, 0.3}, 3)
	return func(x, idx *Tensor) (*Tensor, *Tensor) {
		h := x.MatMul(w).Add(b).GELU()
		h = h.MatMul(w.T()).Softmax(-1)
		top, at := h.TopK(2)
		return top.Add(h.IndexSelect(1, idx).Sum()), at
	}
}

func exportedInputs() (x, idx *Tensor) {
	return New([]float32{1, 2, 3, -1, 0.5, 2}, 2, 3), New([]int64{0, 2}, 2)
}

func sameValue(t *testing.T, what string, got, want *Tensor) {
	t.Helper()
	if !compile.SameBits(got.array().Raw(), want.array().Raw()) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestExport(t *testing.T) {
	f := exportedModel()
	x, idx := exportedInputs()
	y, at := f(x, idx)
	path := filepath.Join(t.TempDir(), "f.lucid")
	for _, fn := range []any{f, Compile(f)} {
		if err := Export(path, fn, x, idx); err != nil {
			t.Fatal(err)
		}
		g, err := Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			out, err := g.Call(x, idx)
			if err != nil {
				t.Fatal(err)
			}
			sameValue(t, "values", out[0], y)
			sameValue(t, "positions", out[1], at)
		}
		if s := g.Signatures(); len(s) != 1 || s[0].String() != "(float32[2 3], int64[2]) → (float32[2 2], int64[2 2])" || s[0].Bytes == 0 {
			t.Error(s)
		}
		if n := len(g.Weights()); n != 2 {
			t.Errorf("%d weights", n)
		}
		for _, in := range [][]*Tensor{{x}, {x, x}, {idx, x}, {x, idx, idx}, {x, nil}} {
			if _, err := g.Call(in...); !errors.Is(err, ErrValue) {
				t.Errorf("%d inputs: %v", len(in), err)
			}
		}
	}
	if _, err := Import(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Load(path); err == nil {
		t.Error("a file of functions was loaded as a state")
	}
	state := filepath.Join(t.TempDir(), "state.lucid")
	d := &StateDict{}
	d.Set("x", x)
	if err := Save(state, d); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(state); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
}

func TestImportedTransforms(t *testing.T) {
	w := New([]float32{1, 2, 3}, 3)
	f := func(x *Tensor) *Tensor { return x.Mul(w).Sin().Add(x.Detach().Square()).Sum() }
	x := New([]float32{0.3, -1, 2}, 3)
	file, _, err := throughFile(f, x)
	if err != nil {
		t.Fatal(err)
	}
	g := func(x *Tensor) *Tensor {
		out, err := file.Call(x)
		if err != nil {
			panic(err)
		}
		return out[0]
	}
	xs := New([]float32{0.3, -1, 2, 1, 2, 3}, 2, 3)
	sameValue(t, "grad", Grad(g)(x), Grad(f)(x)) // Detach survives the file
	sameValue(t, "second", Grad(func(x *Tensor) *Tensor { return Grad(g)(x).Square().Sum() })(x),
		Grad(func(x *Tensor) *Tensor { return Grad(f)(x).Square().Sum() })(x))
	sameValue(t, "vmap", VMap(g)(xs), VMap(f)(xs))
	sameValue(t, "vmap of grad", VMap(Grad(g))(xs), VMap(Grad(f))(xs))
	sameValue(t, "compile", Compile(g)(x), f(x))
	sameValue(t, "compiled grad", Compile(Grad(g))(x), Grad(f)(x))
	_, dy := JVP(g, x, w)
	_, dz := JVP(f, x, w)
	sameValue(t, "jvp", dy, dz)
	leaf := x.Clone().Detach().RequiresGrad_(true)
	g(leaf).Backward()
	sameValue(t, "backward", leaf.Grad(), Grad(f)(x))
	// Weights can be trained.
	v := file.Weights()[0].RequiresGrad_(true)
	g(x).Backward()
	if v.Grad() == nil {
		t.Error("no gradient in the weight")
	}
	NoGrad(func() { v.Assign(v.Mul(2)) })
	sameValue(t, "assigned", g(x), func() *Tensor { return x.Mul(w.Mul(2)).Sin().Add(x.Square()).Sum() }())
	// And the imported function can be exported.
	again, _, err := throughFile(g, x)
	if err != nil {
		t.Fatal(err)
	}
	out, err := again.Call(x)
	if err != nil {
		t.Fatal(err)
	}
	sameValue(t, "again", out[0], g(x))
}

func TestImportedConcurrently(t *testing.T) {
	f := exportedModel()
	x, idx := exportedInputs()
	y, _ := f(x, idx)
	g, _, err := throughFile(f, x, idx)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				out, err := g.Call(x, idx)
				if err != nil || !compile.SameBits(out[0].array().Raw(), y.array().Raw()) {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestExporter(t *testing.T) {
	w := Full([]int{3}, 2.0)
	f := func(x *Tensor) *Tensor { return x.Mul(w) }
	g := func(p struct{ A, B *Tensor }, n int) []*Tensor { return []*Tensor{p.A.Add(w).Mul(n), p.B} }
	one, two := Ones(3), Ones(2, 3)
	path := filepath.Join(t.TempDir(), "f.lucid")
	x := NewExporter(path)
	for _, err := range []error{x.AddNamed("f", f, one), x.AddNamed("f", f, two), x.AddNamed("g", g, struct{ A, B *Tensor }{one, two}, 5)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := x.AddNamed("f", f, two); !errors.Is(err, ErrValue) {
		t.Error(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := Import(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Weights()) != 1 {
		t.Errorf("%d weights; w is one", len(file.Weights()))
	}
	for _, in := range []*Tensor{one, two} {
		out, err := file.Call(in)
		if err != nil {
			t.Fatal(err)
		}
		sameValue(t, "f", out[0], f(in))
	}
	part, err := file.Named("g")
	if err != nil {
		t.Fatal(err)
	}
	out, err := part.Call(one, two)
	if err != nil || len(out) != 2 || out[0].Sum().Item() != 45 || out[1].Sum().Item() != 6 {
		t.Error(out, err)
	}
	if _, err := part.Call(one); err == nil {
		t.Error("g took f's inputs")
	}
	if _, err := file.Named("h"); !errors.Is(err, ErrValue) {
		t.Error(err)
	}
}

func TestExportRefuses(t *testing.T) {
	x, state := Ones(2), Ones(2).RequiresGrad_(true)
	custom := Custom(CustomFunc{Name: "mine", Forward: func(in []*Tensor) []*Tensor { return in }})
	for what, c := range map[string]struct {
		f    any
		kind error
		text string
	}{
		"backward": {func(x *Tensor) *Tensor { state.Mul(x).Sum().Backward(); return x }, ErrNotImplemented, "clear gradients"},
		"print":    {func(x *Tensor) *Tensor { return Print("x", x) }, ErrNotImplemented, `"print"`},
		"custom":   {func(x *Tensor) *Tensor { return custom(x)[0] }, ErrNotImplemented, `"mine"`},
		"read":     {func(x *Tensor) *Tensor { return x.Mul(x.Sum().Item()) }, ErrTrace, "traced"},
		"error":    {func(x *Tensor) (*Tensor, error) { return nil, errRefused }, errRefused, ""},
		"shape":    {func(x *Tensor) *Tensor { return x.Add(Ones(3)) }, ErrShapeMismatch, ""},
		"no func":  {3, ErrValue, ""},
		"args":     {func(x, y *Tensor) *Tensor { return x }, ErrValue, "1 examples"},
		"type":     {func(x int) *Tensor { return Ones(1) }, ErrValue, "example 0"},
		"nothing":  {func(x *Tensor) int { return 1 }, ErrValue, "no tensors"},
	} {
		err := Export(filepath.Join(t.TempDir(), "f.lucid"), c.f, x)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", what, err)
		}
	}
	Grad(func(x *Tensor) *Tensor {
		if err := Export("", func(x *Tensor) *Tensor { return x }, x); !errors.Is(err, ErrTrace) {
			t.Error(err)
		}
		return x.Sum()
	})(x)
	// Checkpoint is about memory: the function is what it computes.
	f := func(x *Tensor) *Tensor { return Checkpoint(func(x *Tensor) *Tensor { return x.Sin().Exp() })(x).Sum() }
	g, _, err := throughFile(f, x)
	if err != nil {
		t.Fatal(err)
	}
	sameValue(t, "checkpoint", Grad(func(x *Tensor) *Tensor { out, _ := g.Call(x); return out[0] })(x), Grad(f)(x))
}

// TestExportOtherProcess runs a file in a process that does not have the function.
func TestExportOtherProcess(t *testing.T) {
	const name = "LUCID_TEST_IMPORT"
	x, idx := exportedInputs()
	if path := os.Getenv(name); path != "" {
		f, err := Import(path)
		if err != nil {
			t.Fatal(err)
		}
		out, err := f.Call(x, idx)
		if err != nil {
			t.Fatal(err)
		}
		d := &StateDict{}
		d.Set("y", out[0])
		d.Set("at", out[1])
		if err := Save(path+".out.safetensors", d); err != nil {
			t.Fatal(err)
		}
		return
	}
	path := filepath.Join(t.TempDir(), "f.lucid")
	f := exportedModel()
	if err := Export(path, f, x, idx); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestExportOtherProcess$")
	cmd.Env = append(os.Environ(), name+"="+path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	d, err := Load(path + ".out.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	y, at := f(x, idx)
	for name, want := range map[string]*Tensor{"y": y, "at": at} {
		got := d.Get(name)
		sameValue(t, name, got, want)
	}
}

func TestImportCorrupted(t *testing.T) {
	x, idx := exportedInputs()
	_, b, err := throughFile(exportedModel(), x, idx)
	if err != nil {
		t.Fatal(err)
	}
	codectest.Corrupt(t, b, true, func(b []byte) error {
		_, err := parseFunction(b)
		return err
	})
}

// withText is a file with right checksums around any text.
func withText(text []byte) checkpoint.Checkpoint {
	c := checkpoint.Checkpoint{Schema: map[string]int{functionSchema: functionVersion}}
	c.Sections = append(c.Sections, checkpoint.Section{Name: functionSection, Kind: checkpoint.JSON, Data: text})
	for i, d := range []dtype.DType{dtype.Float32, dtype.Int64} {
		s := codectest.Tensor(d, []int{2, 3})
		s.Name = tensorSection(i)
		c.Add(codec.Tensor(s))
	}
	return c
}

// TestImportDamagedText damages the text and gives it right checksums: what malice can do, and worse luck.
func TestImportDamagedText(t *testing.T) {
	x, idx := exportedInputs()
	_, b, err := throughFile(exportedModel(), x, idx)
	if err != nil {
		t.Fatal(err)
	}
	c, err := checkpoint.Parse(b, codec.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	text := bytes.TrimSpace(c.Sections[0].Data)
	flips := []byte{1, 2, 4, 8, 16}
	if testing.Short() {
		flips = flips[:2]
	}
	for i := range text {
		for _, x := range flips {
			d := bytes.Clone(text)
			d[i] ^= x
			c.Sections[0].Data = d
			if _, err := newFunction(c); err != nil && !codectest.Typed(err) {
				t.Fatalf("byte %d: %v", i, err)
			}
		}
		c.Sections[0].Data = text[:i]
		if _, err := newFunction(c); err == nil || !codectest.Typed(err) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
}
