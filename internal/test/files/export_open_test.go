package files

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/codectest"
	checkpoint "github.com/lucid-go/lucid/internal/codec/lucid"
)

// openCase is a function with open sizes, the arguments of a call, and its signature's bounds.
type openCase struct {
	f     any
	open  []any
	call  func(n, m int) []*lucid.Tensor
	least int // 0: any
	most  int
}

// openCases are functions with open sizes, and how they are called with them.
func openCases() map[string]openCase {
	w, k := lucid.Randn(3, 4), lucid.Randn(2, 1, 3, 3)
	one := func(tail ...int) func(n, m int) []*lucid.Tensor {
		return func(n, m int) []*lucid.Tensor { return []*lucid.Tensor{lucid.Randn(append([]int{n}, tail...)...)} }
	}
	six := []any{lucid.OpenDims(lucid.Zeros(6, 3), 0)}
	rows := func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(w).Tanh().Softmax(-1) }
	return map[string]openCase{
		"rows":    {rows, []any{lucid.OpenDims(lucid.Zeros(5, 3), 0)}, one(3), 1, 0},
		"example": {rows, []any{lucid.OpenDims(lucid.Zeros(1, 3), 0)}, one(3), 1, 0},
		"mean":    {func(x *lucid.Tensor) *lucid.Tensor { return x.Sub(x.Mean(0)).Square().Mean() }, six, one(3), 1, 0},
		"flat": {func(x *lucid.Tensor) *lucid.Tensor { return x.Reshape(-1).Add(1).Reshape(x.Size(0), -1) },
			[]any{lucid.OpenDims(lucid.Zeros(6, 2, 3), 0)}, one(2, 3), 1, 0},
		"first half": {func(x *lucid.Tensor) *lucid.Tensor { return x.At(lucid.Range{Stop: x.Size(0) / 2}).Sum() }, six, one(3), 1, 0},
		"grad":       {lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(w).Tanh().Mean() }), six, one(3), 1, 0},
		"images": {func(x *lucid.Tensor) *lucid.Tensor {
			return avgPool(conv(x, k))
		}, []any{lucid.OpenDims(lucid.Zeros(2, 1, 9, 11), 0, 2, 3)},
			func(n, m int) []*lucid.Tensor { return []*lucid.Tensor{lucid.Randn(n, 1, m+4, m+7)} }, 0, 0},
		"pairs": {func(x, y *lucid.Tensor) *lucid.Tensor { return x.MatMul(y.Transpose(-1, -2)).Div(float64(x.Size(1))) },
			[]any{lucid.OpenDims(lucid.Zeros(4, 5), 0, 1), lucid.OpenDims(lucid.Zeros(7, 5), 0, 1)},
			func(n, m int) []*lucid.Tensor { return []*lucid.Tensor{lucid.Randn(n, m), lucid.Randn(n+2, m)} }, 1, 0},
		"positions": {func(x *lucid.Tensor) *lucid.Tensor {
			p := lucid.Arange(x.Size(1))
			return x.Add(p.To(lucid.Float32).Div(float64(x.Size(1)))).CumSum(1)
		}, []any{lucid.OpenDims(lucid.Zeros(4, 6), 0, 1)},
			func(n, m int) []*lucid.Tensor { return []*lucid.Tensor{lucid.Randn(n, m)} }, 1, 0},
		"made inside": {func(x *lucid.Tensor) *lucid.Tensor { // two that hold the same, and positions
			half := lucid.Where(x.Gt(lucid.New([]float32{0}, 1)), lucid.Scalar(float32(0.5)), x)
			return half.Add(lucid.New([]float32{0}, 1)).IndexSelect(0, lucid.New([]int64{0, -1}, 2).Add(1))
		}, six, func(n, _ int) []*lucid.Tensor { return []*lucid.Tensor{lucid.Randn(n+1, 3)} }, 0, 0},
		"shifted": {func(x *lucid.Tensor) *lucid.Tensor {
			return lucid.Cat([]*lucid.Tensor{x.At(lucid.Range{Start: 1, Stop: x.Size(0)}), x.At(lucid.Range{Stop: 1})}, 0)
		},
			[]any{lucid.OpenDims(lucid.Zeros(4, 3), 0)}, one(3), 2, 0},
	}
}

// conv and avgPool are the ops by name: so does a file.
func conv(x, w *lucid.Tensor) *lucid.Tensor {
	out, err := lucid.Call("conv2d", []*lucid.Tensor{x, w}, map[string]any{"stride": []int{2, 2}, "padding": []int{1, 1}})
	if err != nil {
		panic(err)
	}
	return out[0]
}

func avgPool(x *lucid.Tensor) *lucid.Tensor {
	out, err := lucid.Call("avg_pool2d", []*lucid.Tensor{x}, map[string]any{"kernel_size": []int{2, 2}})
	if err != nil {
		panic(err)
	}
	return out[0]
}

// TestExportOpen: a function with open sizes does from a file what it does itself, at sizes it was never traced at.
func TestExportOpen(t *testing.T) {
	for name, c := range openCases() {
		t.Run(name, func(t *testing.T) { c.check(t, []int{2, 3, 4, 9, 17, 40}, []int{6, 13, 31}) })
	}
}

// check exports the function and compares it with the file at pairs of sizes.
func (c openCase) check(t *testing.T, ns, ms []int) {
	path := filepath.Join(t.TempDir(), "f.lucid")
	if err := lucid.Export(path, c.f, c.open...); err != nil {
		t.Fatal(err)
	}
	g, err := lucid.Import(path)
	if err != nil {
		t.Fatal(err)
	}
	s := g.Signatures()[0]
	if s.Least != c.least && c.least > 0 || s.Most != c.most || !slices.Contains(s.Inputs[0].Shape, -1) {
		t.Errorf("%v, at least %d and at most %d", s, s.Least, s.Most)
	}
	called := 0
	for _, n := range ns {
		for _, m := range ms {
			in := c.call(n, m)
			if !within(s, in) {
				continue
			}
			var want *lucid.Tensor
			switch f := c.f.(type) {
			case func(*lucid.Tensor) *lucid.Tensor:
				want = f(in[0])
			case func(x, y *lucid.Tensor) *lucid.Tensor:
				want = f(in[0], in[1])
			}
			got, err := g.Call(in...)
			if err != nil || !lucid.Equal(got[0], want) {
				t.Fatalf("at %d, %d: %v", n, m, err)
			}
			called++
		}
	}
	if called < 4 {
		t.Errorf("%d calls", called)
	}
}

// within reports whether a signature takes the sizes of inputs.
func within(s lucid.Signature, in []*lucid.Tensor) bool {
	for i, x := range in {
		for d, n := range s.Inputs[i].Shape {
			if n < 0 && (x.Size(d) < s.Least || s.Most > 0 && x.Size(d) > s.Most) {
				return false
			}
		}
	}
	return true
}

// TestExportOpenRefuses: what depends on a size otherwise than by a formula is refused by name.
func TestExportOpenRefuses(t *testing.T) {
	for what, c := range map[string]struct {
		f    func(x *lucid.Tensor) *lucid.Tensor
		text string
	}{
		"branch": {func(x *lucid.Tensor) *lucid.Tensor {
			if x.Size(0) > 8 {
				return x.Sum()
			}
			return lucid.Amax(x)
		}, "node 1 is"},
		"loop": {func(x *lucid.Tensor) *lucid.Tensor {
			for range x.Size(0) {
				x = x.Sin()
			}
			return x
		}, "nodes"},
		"far branch": {func(x *lucid.Tensor) *lucid.Tensor {
			if x.Size(0) > 30 {
				return x.Neg()
			}
			return x.Abs()
		}, "do not hold"},
		"constant": {func(x *lucid.Tensor) *lucid.Tensor { return x.Add(lucid.New(make([]float32, x.Size(0)), x.Size(0), 1)) },
			"a tensor that the function makes"},
		"number": {func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(float64(1 + x.Size(0)*x.Size(0)%7)) }, "no formula"},
		"fixed":  {func(x *lucid.Tensor) *lucid.Tensor { return x.Reshape(2, 6) }, "cannot be traced at open sizes"},
	} {
		err := lucid.Export(filepath.Join(t.TempDir(), "f.lucid"), c.f, lucid.OpenDims(lucid.Zeros(4, 3), 0))
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", what, err)
		}
	}
	path := filepath.Join(t.TempDir(), "f.lucid")
	tail := func(x *lucid.Tensor) *lucid.Tensor { return x.At(lucid.Range{Start: 1, Stop: x.Size(0)}).Sum(0) }
	if err := lucid.Export(path, tail, lucid.OpenDims(lucid.Zeros(4, 3), 0)); err != nil {
		t.Fatal(err)
	}
	g, err := lucid.Import(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*lucid.Tensor{lucid.Ones(4, 2), lucid.Ones(4, 3, 1), lucid.Ones(4, 3).To(lucid.Float64), lucid.Ones(0, 3)} {
		if _, err := g.Call(x); !errors.Is(err, lucid.ErrValue) || !strings.Contains(err.Error(), "-1 3") {
			t.Errorf("%v: %v", x.Shape(), err)
		}
	}
	if fmt.Sprint(g.Signatures()[0]) != "(float32[-1 3]) → (float32[3])" {
		t.Error(g.Signatures()[0])
	}
}

// goldenOpenFile was written by version 3 of the format. As the others it must load for ever; LUCID_WRITE_EXPORT=1 makes it where it
// is missing.
var goldenOpenFile = filepath.Join("testdata", "v3.lucid")

// goldenOpen is what it holds: sizes, bounds, a divisor and a quotient that are open.
func goldenOpen(x *lucid.Tensor) []*lucid.Tensor {
	y := x.Sub(x.Mean(0)).Mul(1 / float64(x.Size(0))).Reshape(-1)
	return []*lucid.Tensor{y, x.At(lucid.Range{Stop: (x.Size(0) + 1) / 2}), x.CumSum(0).Add(lucid.Arange(x.Size(1)).To(lucid.Float32))}
}

func TestExportedOpenFile(t *testing.T) {
	if _, err := os.Stat(goldenOpenFile); err != nil && os.Getenv("LUCID_WRITE_EXPORT") != "" {
		if err := lucid.Export(goldenOpenFile, goldenOpen, lucid.OpenDims(lucid.Zeros(6, 4), 0, 1)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := lucid.Import(goldenOpenFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{2, 3, 8, 33} {
		x := lucid.Arange(n*(n+3)).To(lucid.Float32).Sin().Reshape(n, n+3)
		got, err := f.Call(x)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range goldenOpen(x) {
			sameValue(t, fmt.Sprint(n), got[i], want)
		}
	}
}

// TestImportHostileOpen: open sizes that do not belong to their graph are refused, and those that pass cannot harm.
func TestImportHostileOpen(t *testing.T) {
	c, err := checkpoint.Read(goldenOpenFile, codec.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(c.Sections[0].Data)
	for what, to := range map[string][2]string{
		"least 0":             {`"least":2`, `"least":0`},
		"least over example":  {`"least":2`, `"least":1000`},
		"other example":       {`"example":6`, `"example":5`},
		"no such input":       {`"at":[[0,0]]`, `"at":[[1,0]]`},
		"no such dimension":   {`"at":[[0,0]]`, `"at":[[0,2]]`},
		"negative dimension":  {`"at":[[0,0]]`, `"at":[[0,-1]]`},
		"twice":               {`"at":[[0,0]]`, `"at":[[0,0],[0,0]]`},
		"nowhere":             {`"at":[[0,0]]`, `"at":[]`},
		"no sizes":            {`"open":{"sizes":[`, `"open":{"numbers":[],"sizes":[`},
		"no such node":        {`{"node":0,`, `{"node":999,`},
		"negative node":       {`{"node":0,`, `{"node":-1,`},
		"no such output":      {`"out":0,"index":0`, `"out":7,"index":0`},
		"no such index":       {`"out":0,"index":0`, `"out":0,"index":9`},
		"no such field":       {`"field":"Dims"`, `"field":"Dimensions"`},
		"a field of two":      {`"field":"Dims"`, `"out":0,"field":"Dims"`},
		"division by nothing": {`"div":1`, `"div":0`},
		"another divisor":     {`"div":2`, `"div":3`},
		"huge divisor":        {`"div":2`, `"div":9223372036854775807`},
		"another coefficient": {`"terms":[[1,`, `"terms":[[2,`},
		"huge coefficient":    {`"terms":[[1,`, `"terms":[[9223372036854775807,`},
		"no terms":            {`"terms":[[1,1,0]]`, `"terms":[]`},
		"an empty term":       {`"terms":[[1,1,0]]`, `"terms":[[]]`},
		"powers of three":     {`"terms":[[1,1,0]]`, `"terms":[[1,1,0,0]]`},
		"a large power":       {`"terms":[[1,1,0]]`, `"terms":[[1,99,0]]`},
		"a negative power":    {`"terms":[[1,1,0]]`, `"terms":[[1,-1,0]]`},
		"unknown key":         {`"terms":`, `"words":`},
		"infinite scale":      {`"scale":1`, `"scale":"+Inf"`},
		"other scale":         {`"scale":1`, `"scale":2`},
		"other rounding":      {`"round":"float32"`, `"round":"int64"`},
	} {
		if !strings.Contains(text, to[0]) {
			t.Errorf("%s: the file has no %s", what, to[0])
			continue
		}
		c.Sections[0].Data = []byte(strings.Replace(text, to[0], to[1], 1))
		if _, err := newFunction(c); err == nil || !codectest.Typed(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	passed := 0
	mutants := 3000
	if testing.Short() {
		mutants = 1000
	}
	for range mutants {
		c.Sections[0].Data = []byte(mutate(r, text))
		f, err := newFunction(c)
		if err != nil {
			if !codectest.Typed(err) {
				t.Fatalf("%v\n%s", err, c.Sections[0].Data)
			}
			continue
		}
		passed++
		for _, dims := range [][]int{{6, 4}, {2, 3}, {1, 1}, {7, 12}} {
			if _, err := f.Call(lucid.Ones(dims...)); err != nil && !codectest.Typed(err) {
				t.Fatalf("%v\n%s", err, c.Sections[0].Data)
			}
		}
	}
	t.Logf("%d texts pass", passed)
}
