package files

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/codectest"
	checkpoint "github.com/lucid-go/lucid/internal/codec/lucid"
	"github.com/lucid-go/lucid/internal/compile"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

// exportedModel is a small network with a weight used twice, an indexed read and results of several kinds.
func exportedModel() func(x, idx *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor) {
	w := lucid.New([]float32{0.5, -1, 2, 0.25, 1.5, -0.75, 3, 1, -2}, 3, 3).RequiresGrad_(true)
	b := lucid.New([]float32{0.1, -0.2, 0.3}, 3)
	return func(x, idx *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor) {
		h := x.MatMul(w).Add(b).GELU()
		h = h.MatMul(w.T()).Softmax(-1)
		top, at := h.TopK(2)
		return top.Add(h.IndexSelect(1, idx).Sum()), at
	}
}

func exportedInputs() (x, idx *lucid.Tensor) {
	return lucid.New([]float32{1, 2, 3, -1, 0.5, 2}, 2, 3), lucid.New([]int64{0, 2}, 2)
}

func sameValue(t *testing.T, what string, got, want *lucid.Tensor) {
	t.Helper()
	if !compile.SameBits((*graph.Array)(got).Raw(), (*graph.Array)(want).Raw()) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestExport(t *testing.T) {
	f := exportedModel()
	x, idx := exportedInputs()
	y, at := f(x, idx)
	path := filepath.Join(t.TempDir(), "f.lucid")
	for _, fn := range []any{f, lucid.Compile(f)} {
		if err := lucid.Export(path, fn, x, idx); err != nil {
			t.Fatal(err)
		}
		g, err := lucid.Import(path)
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
		for _, in := range [][]*lucid.Tensor{{x}, {x, x}, {idx, x}, {x, idx, idx}, {x, nil}} {
			if _, err := g.Call(in...); !errors.Is(err, lucid.ErrValue) {
				t.Errorf("%d inputs: %v", len(in), err)
			}
		}
	}
	if _, err := lucid.Import(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := lucid.Load(path); err == nil {
		t.Error("a file of functions was loaded as a state")
	}
	state := filepath.Join(t.TempDir(), "state.lucid")
	d := &lucid.StateDict{}
	d.Set("x", x)
	if err := lucid.Save(state, d); err != nil {
		t.Fatal(err)
	}
	if _, err := lucid.Import(state); !errors.Is(err, lucid.ErrFormat) {
		t.Error(err)
	}
}

func TestImportedTransforms(t *testing.T) {
	w := lucid.New([]float32{1, 2, 3}, 3)
	f := func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(w).Sin().Add(x.Detach().Square()).Sum() }
	x := lucid.New([]float32{0.3, -1, 2}, 3)
	file, _, err := throughFile(f, x)
	if err != nil {
		t.Fatal(err)
	}
	g := func(x *lucid.Tensor) *lucid.Tensor {
		out, err := file.Call(x)
		if err != nil {
			panic(err)
		}
		return out[0]
	}
	xs := lucid.New([]float32{0.3, -1, 2, 1, 2, 3}, 2, 3)
	sameValue(t, "grad", lucid.Grad(g)(x), lucid.Grad(f)(x)) // Detach survives the file
	sameValue(t, "second", lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return lucid.Grad(g)(x).Square().Sum() })(x),
		lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return lucid.Grad(f)(x).Square().Sum() })(x))
	sameValue(t, "vmap", lucid.VMap(g)(xs), lucid.VMap(f)(xs))
	sameValue(t, "vmap of grad", lucid.VMap(lucid.Grad(g))(xs), lucid.VMap(lucid.Grad(f))(xs))
	sameValue(t, "compile", lucid.Compile(g)(x), f(x))
	sameValue(t, "compiled grad", lucid.Compile(lucid.Grad(g))(x), lucid.Grad(f)(x))
	_, dy := lucid.JVP(g, x, w)
	_, dz := lucid.JVP(f, x, w)
	sameValue(t, "jvp", dy, dz)
	leaf := x.Clone().Detach().RequiresGrad_(true)
	g(leaf).Backward()
	sameValue(t, "backward", leaf.Grad(), lucid.Grad(f)(x))
	// Weights can be trained.
	v := file.Weights()[0].RequiresGrad_(true)
	g(x).Backward()
	if v.Grad() == nil {
		t.Error("no gradient in the weight")
	}
	lucid.NoGrad(func() { v.Assign(v.Mul(2)) })
	sameValue(t, "assigned", g(x), func() *lucid.Tensor { return x.Mul(w.Mul(2)).Sin().Add(x.Square()).Sum() }())
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
				if err != nil || !compile.SameBits((*graph.Array)(out[0]).Raw(), (*graph.Array)(y).Raw()) {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestExporter(t *testing.T) {
	w := lucid.Full([]int{3}, 2.0)
	f := func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(w) }
	g := func(p struct{ A, B *lucid.Tensor }, n int) []*lucid.Tensor {
		return []*lucid.Tensor{p.A.Add(w).Mul(n), p.B}
	}
	one, two := lucid.Ones(3), lucid.Ones(2, 3)
	path := filepath.Join(t.TempDir(), "f.lucid")
	x := lucid.NewExporter(path)
	for _, err := range []error{x.AddNamed("f", f, one), x.AddNamed("f", f, two),
		x.AddNamed("g", g, struct{ A, B *lucid.Tensor }{one, two}, 5)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := x.AddNamed("f", f, two); !errors.Is(err, lucid.ErrValue) {
		t.Error(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := lucid.Import(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Weights()) != 1 {
		t.Errorf("%d weights; w is one", len(file.Weights()))
	}
	for _, in := range []*lucid.Tensor{one, two} {
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
	if _, err := file.Named("h"); !errors.Is(err, lucid.ErrValue) {
		t.Error(err)
	}
}

func TestExportRefuses(t *testing.T) {
	x, state := lucid.Ones(2), lucid.Ones(2).RequiresGrad_(true)
	custom := lucid.Custom(lucid.CustomFunc{Name: "mine", Forward: func(in []*lucid.Tensor) []*lucid.Tensor { return in }})
	for what, c := range map[string]struct {
		f    any
		kind error
		text string
	}{
		"backward": {func(x *lucid.Tensor) *lucid.Tensor { state.Mul(x).Sum().Backward(); return x }, lucid.ErrNotImplemented,
			"clear gradients"},
		"print":   {func(x *lucid.Tensor) *lucid.Tensor { return lucid.Print("x", x) }, lucid.ErrNotImplemented, `"print"`},
		"custom":  {func(x *lucid.Tensor) *lucid.Tensor { return custom(x)[0] }, lucid.ErrNotImplemented, `"mine"`},
		"read":    {func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(x.Sum().Item()) }, lucid.ErrTrace, "traced"},
		"error":   {func(x *lucid.Tensor) (*lucid.Tensor, error) { return nil, errRefused }, errRefused, ""},
		"shape":   {func(x *lucid.Tensor) *lucid.Tensor { return x.Add(lucid.Ones(3)) }, lucid.ErrShapeMismatch, ""},
		"no func": {3, lucid.ErrValue, ""},
		"args":    {func(x, y *lucid.Tensor) *lucid.Tensor { return x }, lucid.ErrValue, "1 examples"},
		"type":    {func(x int) *lucid.Tensor { return lucid.Ones(1) }, lucid.ErrValue, "example 0"},
		"nothing": {func(x *lucid.Tensor) int { return 1 }, lucid.ErrValue, "no tensors"},
	} {
		err := lucid.Export(filepath.Join(t.TempDir(), "f.lucid"), c.f, x)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", what, err)
		}
	}
	lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor {
		if err := lucid.Export("", func(x *lucid.Tensor) *lucid.Tensor { return x }, x); !errors.Is(err, lucid.ErrTrace) {
			t.Error(err)
		}
		return x.Sum()
	})(x)
	// Checkpoint is about memory: the function is what it computes.
	f := func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.Checkpoint(func(x *lucid.Tensor) *lucid.Tensor { return x.Sin().Exp() })(x).Sum()
	}
	g, _, err := throughFile(f, x)
	if err != nil {
		t.Fatal(err)
	}
	sameValue(t, "checkpoint", lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { out, _ := g.Call(x); return out[0] })(x), lucid.Grad(f)(x))
}

// TestExportOtherProcess runs a file in a process that does not have the function.
func TestExportOtherProcess(t *testing.T) {
	const name = "LUCID_TEST_IMPORT"
	x, idx := exportedInputs()
	if path := os.Getenv(name); path != "" {
		f, err := lucid.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		out, err := f.Call(x, idx)
		if err != nil {
			t.Fatal(err)
		}
		d := &lucid.StateDict{}
		d.Set("y", out[0])
		d.Set("at", out[1])
		if err := lucid.Save(path+".out.safetensors", d); err != nil {
			t.Fatal(err)
		}
		return
	}
	path := filepath.Join(t.TempDir(), "f.lucid")
	f := exportedModel()
	if err := lucid.Export(path, f, x, idx); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestExportOtherProcess$")
	cmd.Env = append(os.Environ(), name+"="+path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	d, err := lucid.Load(path + ".out.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	y, at := f(x, idx)
	for name, want := range map[string]*lucid.Tensor{"y": y, "at": at} {
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

// Parts of a file with functions, as package lucid writes them.
const (
	functionSchema  = "function"
	functionVersion = 4
	functionSection = "functions"
)

// withText is a file with right checksums around any text.
func withText(text []byte) checkpoint.Checkpoint {
	c := checkpoint.Checkpoint{Schema: map[string]int{functionSchema: functionVersion}}
	c.Sections = append(c.Sections, checkpoint.Section{Name: functionSection, Kind: checkpoint.JSON, Data: text})
	for i, d := range []dtype.DType{dtype.Float32, dtype.Int64} {
		s := codectest.Tensor(d, []int{2, 3})
		s.Name = fmt.Sprintf("tensor.%d", i)
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
