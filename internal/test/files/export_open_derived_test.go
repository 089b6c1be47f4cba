package files

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/codectest"
	checkpoint "github.com/lucid-go/lucid/internal/codec/lucid"
)

// sizeRule is a number made of two sizes at random, out of what functions do with them.
func sizeRule(r *rand.Rand, depth int) (f func(n, m int) int, text string) {
	c := 1 + r.IntN(12)
	if depth == 0 {
		switch r.IntN(4) {
		case 0:
			return func(_, m int) int { return m }, "m"
		case 1:
			return func(_, _ int) int { return c }, fmt.Sprint(c)
		}
		return func(n, _ int) int { return n }, "n"
	}
	a, x := sizeRule(r, depth-1)
	b, y := sizeRule(r, 0)
	switch r.IntN(7) {
	case 0:
		return func(n, m int) int { return min(a(n, m), b(n, m)) }, fmt.Sprintf("min(%s, %s)", x, y)
	case 1:
		return func(n, m int) int { return max(a(n, m), b(n, m)) }, fmt.Sprintf("max(%s, %s)", x, y)
	case 2:
		return func(n, m int) int { return min(a(n, m), c) }, fmt.Sprintf("min(%s, %d)", x, c)
	case 3:
		return func(n, m int) int { return max(a(n, m), c) }, fmt.Sprintf("max(%s, %d)", x, c)
	case 4:
		return func(n, m int) int { return a(n, m) / c }, fmt.Sprintf("(%s)/%d", x, c)
	case 5:
		return func(n, m int) int { return (a(n, m) + c - 1) / c * c }, fmt.Sprintf("up(%s, %d)", x, c)
	}
	return func(n, m int) int { return a(n, m) + b(n, m) }, fmt.Sprintf("%s + %s", x, y)
}

// TestExportOpenRules: what a file does with numbers made at random is what the function does, at sizes of all magnitudes; a number for
// which there is no formula is refused by name.
func TestExportOpenRules(t *testing.T) {
	rules := 150
	if testing.Short() {
		rules = 60
	}
	found := 0
	for seed := range rules {
		r := rand.New(rand.NewPCG(5, uint64(seed)))
		rule, text := sizeRule(r, 1+r.IntN(2))
		f := func(x *lucid.Tensor) []*lucid.Tensor {
			k := rule(x.Size(0), x.Size(1))
			return []*lucid.Tensor{lucid.Arange(k + 1), x.Narrow(0, 0, min(k, x.Size(0))).Sum(), x.Mul(float64(k)).Mean()}
		}
		path := filepath.Join(t.TempDir(), "f.lucid")
		err := lucid.Export(path, f, lucid.OpenDims(lucid.Zeros(3+r.IntN(12), 16+r.IntN(12)), 0, 1))
		if err != nil {
			if !errors.Is(err, lucid.ErrNotImplemented) {
				t.Errorf("%s: %v", text, err)
			}
			t.Logf("%s: %.300v", text, err)
			continue
		}
		found++
		g, err := lucid.Import(path)
		if err != nil {
			t.Fatal(text, err)
		}
		for range 40 {
			n, m := 1+r.IntN(1<<(2+r.IntN(6))), 1+r.IntN(1<<(2+r.IntN(6)))
			x := lucid.Ones(n, m)
			got, err := g.Call(x)
			if errors.Is(err, lucid.ErrValue) && !within(g.Signatures()[0], []*lucid.Tensor{x}) {
				continue
			}
			if err != nil {
				t.Fatalf("%s at %d, %d: %v", text, n, m, err)
			}
			for i, want := range f(x) {
				if !lucid.Equal(got[i], want) {
					t.Fatalf("%s at %d, %d: result %d is %v, want %v", text, n, m, i, got[i], want)
				}
			}
		}
	}
	t.Logf("%d of %d", found, rules)
	if found < rules*6/10 {
		t.Errorf("formulas for %d of %d", found, rules)
	}
}

// goldenDerivedFile was written by version 4 of the format. As the others it must load for ever; LUCID_WRITE_EXPORT=1 makes it where it
// is missing.
var goldenDerivedFile = filepath.Join("testdata", "v4.lucid")

// goldenDerived has a minimum, a clamped size, a product of quotients, a largest size, and an argument that is changed.
func goldenDerived(table *lucid.Tensor) func(x, seen *lucid.Tensor) []*lucid.Tensor {
	return func(x, seen *lucid.Tensor) []*lucid.Tensor {
		n, m := x.Size(0), x.Size(1)
		head := x.Narrow(0, 0, min(n, 5)).Add(table.Narrow(0, 0, m)).Sum(1)
		grid := x.Unfold(0, 2, 2).Unfold(1, 2, 2).Reshape(-1)
		seen.Assign(seen.Add(float64(max(3, min(n, 9)))))
		return []*lucid.Tensor{head, grid}
	}
}

func TestExportedDerivedFile(t *testing.T) {
	table := lucid.Arange(40).To(lucid.Float32).Cos()
	if _, err := os.Stat(goldenDerivedFile); err != nil && os.Getenv("LUCID_WRITE_EXPORT") != "" {
		x := lucid.OpenDims(lucid.Zeros(6, 8), 0, 1)
		if err := lucid.Export(goldenDerivedFile, goldenDerived(table), x, lucid.Zeros(2)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := lucid.Import(goldenDerivedFile)
	if err != nil {
		t.Fatal(err)
	}
	if s := f.Signatures()[0]; s.Most != 40 || fmt.Sprint(s.Changes) != "[1]" {
		t.Errorf("at most %d, changes %v", s.Most, s.Changes)
	}
	for _, n := range []int{2, 3, 4, 5, 6, 9, 33} {
		x := lucid.Arange(n*(n+3)).To(lucid.Float32).Sin().Reshape(n, n+3)
		seen, seenToo := lucid.Ones(2), lucid.Ones(2)
		got, err := f.Call(x, seen)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range goldenDerived(table)(x, seenToo) {
			sameValue(t, fmt.Sprint(n), got[i], want)
		}
		sameValue(t, fmt.Sprint(n), seen, seenToo)
	}
}

// TestExportVersions: a file says the first version that has what it uses, so that an older program refuses it by name.
func TestExportVersions(t *testing.T) {
	plain := func(x *lucid.Tensor) *lucid.Tensor { return x.Reshape(-1) }
	few := func(x *lucid.Tensor) *lucid.Tensor { return x.Narrow(0, 0, min(x.Size(0), 5)) }
	count := func(x *lucid.Tensor) *lucid.Tensor { x.Assign(x.Add(1)); return x.Sum() }
	open := lucid.OpenDims(lucid.Zeros(4, 3), 0)
	for _, c := range [][]any{{1, plain, lucid.Zeros(4, 3)}, {3, plain, open}, {4, few, open}, {4, count, lucid.Zeros(4, 3)}} {
		path := filepath.Join(t.TempDir(), "f.lucid")
		if err := lucid.Export(path, c[1], c[2:]...); err != nil {
			t.Fatal(err)
		}
		file, err := checkpoint.Read(path, codec.Limits{})
		if err != nil || file.Schema[functionSchema] != c[0] {
			t.Errorf("version %d, want %d: %v", file.Schema[functionSchema], c[0], err)
		}
	}
}

// TestImportHostileDerived: derived sizes and changes that do not belong to their graph are refused.
func TestImportHostileDerived(t *testing.T) {
	c, err := checkpoint.Read(goldenDerivedFile, codec.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(c.Sections[0].Data)
	for what, to := range map[string][2]string{
		"neither min nor max": {`"take":"min"`, `"take":"sum"`},
		"the other":           {`"take":"min"`, `"take":"max"`},
		"several of nothing":  {`"take":"min",`, ``},
		"none":                {`"of":[{"div":1,"terms":[[1,0,1],[-1,0,0]]}]`, `"of":[]`},
		"no formulas":         {`"derived":[`, `"derived":[{"of":[]},`},
		"of itself":           {`"derived":[`, `"derived":[{"of":[{"div":1,"terms":[[1,0,0,1]]}]},`},
		"of few powers":       {`"derived":[`, `"derived":[{"of":[{"div":1,"terms":[[1,0]]}]},`},
		"not whole":           {`"derived":[`, `"derived":[{"of":[{"scale":1,"up":[0,0],"down":[0,0]}]},`},
		"huge":                {`"derived":[`, `"derived":[{"of":[{"div":1,"terms":[[9007199254740993,4,4]]}]},`},
		"most below example":  {`"most":40`, `"most":5`},
		"negative most":       {`"most":40`, `"most":-1`},
		"no such input":       {`"changes":[[1,`, `"changes":[[2,`},
		"another shape":       {`"changes":[[1,`, `"changes":[[0,`},
		"no such value":       {`"changes":[[1,`, `"changes":[[1,9`},
		"changed twice":       {`"changes":[`, `"changes":[[1,1],`},
	} {
		if !strings.Contains(text, to[0]) {
			if what != "none" {
				t.Errorf("%s: the file has no %s", what, to[0])
			}
			continue
		}
		c.Sections[0].Data = []byte(strings.Replace(text, to[0], to[1], 1))
		if _, err := newFunction(c); err == nil || !codectest.Typed(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		c.Sections[0].Data = []byte(mutate(r, text))
		f, err := newFunction(c)
		for _, dims := range [][]int{{6, 8}, {2, 3}, {1, 1}, {7, 12}} {
			if err == nil {
				if _, err := f.Call(lucid.Ones(dims...), lucid.Ones(2)); err != nil && !codectest.Typed(err) {
					t.Fatalf("%v\n%s", err, c.Sections[0].Data)
				}
			} else if !codectest.Typed(err) {
				t.Fatalf("%v\n%s", err, c.Sections[0].Data)
			}
		}
	}
}
