package lucid

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
	"github.com/lucid-go/lucid/internal/testutil"
)

// goldenTensor is a tensor of a golden file.
type goldenTensor struct {
	DType string
	Shape []int
	Data  string
}

type goldenCase struct {
	Op, Name string
	Inputs   []*goldenTensor
	Attrs    map[string]any
	Outputs  []*goldenTensor
	Cot      []*goldenTensor
	Grads    []*goldenTensor
	Loose    bool
}

func (g *goldenTensor) tensor() *Tensor {
	if g == nil {
		return nil
	}
	d, ok := dtype.Parse(g.DType)
	if !ok {
		panic("golden dtype " + g.DType)
	}
	raw, err := base64.StdEncoding.DecodeString(g.Data)
	if err != nil {
		panic(err)
	}
	words := make([]uint64, (len(raw)+15)/8)
	b := dtype.Bytes(words)[:len(raw)]
	copy(b, raw)
	return wrap(graph.NewStored(mem.FromGo(b), graph.Spec{Shape: shape.Of("golden", g.Shape...), DType: d}, CPU.open()))
}

func readGolden(t testing.TB, family string) []goldenCase {
	raw, err := os.ReadFile(filepath.Join("testdata", "golden", family+".json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []goldenCase }
	dec := json.NewDecoder(z)
	dec.UseNumber()
	if err := dec.Decode(&file); err != nil {
		t.Fatal(err)
	}
	for i := range file.Cases {
		for k, v := range file.Cases[i].Attrs {
			file.Cases[i].Attrs[k] = goldenAttr(v)
		}
	}
	return file.Cases
}

// goldenAttr turns a JSON value into what Call takes.
func goldenAttr(v any) any {
	switch v := v.(type) {
	case json.Number:
		if strings.ContainsAny(v.String(), ".e") {
			f, _ := v.Float64()
			return f
		}
		i, err := v.Int64()
		if err != nil {
			f, _ := v.Float64()
			return f
		}
		return int(i)
	case string:
		switch v {
		case "inf":
			return math.Inf(1)
		case "-inf":
			return math.Inf(-1)
		case "nan":
			return math.NaN()
		}
	case []any:
		for i := range v {
			v[i] = goldenAttr(v[i])
		}
	case map[string]any:
		if c, ok := v["complex"].([]any); ok {
			re, _ := goldenAttr(c[0]).(float64)
			im, _ := goldenAttr(c[1]).(float64)
			return complex(re, im)
		}
		for k := range v {
			v[k] = goldenAttr(v[k])
		}
	}
	return v
}

// differ says how two tensors differ, "" if they do not.
func differ(got, want *Tensor, tol testutil.Tolerance) string {
	if got == nil {
		return "is nil"
	}
	if got.DType() != want.DType() {
		return fmt.Sprintf("dtype %v, want %v", got.DType(), want.DType())
	}
	if fmt.Sprint(got.Shape()) != fmt.Sprint(want.Shape()) {
		return fmt.Sprintf("shape %v, want %v", got.Shape(), want.Shape())
	}
	g, w := ToSlice[complex128](got), ToSlice[complex128](want)
	for i := range w {
		if !tol.Close(real(g[i]), real(w[i])) || !tol.Close(imag(g[i]), imag(w[i])) {
			return fmt.Sprintf("element %d is %v, want %v", i, g[i], w[i])
		}
	}
	return ""
}

// TestGolden replays every golden case through Call: values, dtypes, shapes and gradients.
func TestGolden(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("testdata", "golden", "*.json.gz"))
	for _, f := range files {
		family := strings.TrimSuffix(filepath.Base(f), ".json.gz")
		if family == "promotion" || family == "random" {
			continue // of another form; they have tests of their own
		}
		t.Run(family, func(t *testing.T) {
			t.Parallel()
			missing, failed, passed := map[string]int{}, 0, 0
			for i, c := range readGolden(t, family) {
				if !testutil.InShard(i) {
					continue
				}
				if schemas[c.Op] == nil {
					missing[c.Op]++
					continue
				}
				if why := goldenWaived(family, c); why != "" {
					continue
				}
				if bad := c.run(); bad != "" {
					failed++
					if failed <= 40 {
						t.Errorf("%s %s %v: %s", c.Op, c.Name, c.Attrs, bad)
					}
					continue
				}
				passed++
			}
			var names []string
			for n := range missing {
				names = append(names, n)
			}
			sort.Strings(names)
			t.Logf("%d passed, %d failed, missing ops: %v", passed, failed, names)
			for _, n := range names {
				if goldenMissing[n] == "" {
					t.Errorf("op %s of the golden files is not there, and no reason is given", n)
				}
			}
		})
	}
}

// goldenLacks says why an op has no golden case.
var goldenLacks = map[string]string{
	"alpha_dropout": isDrawn, "binomial": isDrawn, "drop_block": isDrawn, "drop_path": isDrawn, "dropout": isDrawn, "feature_alpha_dropout": isDrawn,
	"feature_dropout": isDrawn, "multinomial": isDrawn, "poisson": isDrawn, "rand": isDrawn, "randn": isDrawn, "randperm": isDrawn,
	"empty": isAnything, "empty_like": isAnything, "argpartition": isPartial, "partition": isPartial,
	"number_of_elements": "no peer's Python has it; TestNamesOfMLX counts",
	"depends":            "it gives its input; TestDepends checks the order",
	"rotate":             "no peer has it; TestRotate checks turns by right angles",
}

const (
	isDrawn    = "PyTorch draws other numbers; random_test.go has MLX's, and moments"
	isAnything = "its values may be anything"
	isPartial  = "any order on either side of the k-th is right; TestPartitionSides checks them"
)

// TestGoldenCoversOps checks that every op has golden values, or a reason.
func TestGoldenCoversOps(t *testing.T) {
	seen := map[*schema]bool{}
	files, _ := filepath.Glob(filepath.Join("testdata", "golden", "*.json.gz"))
	for _, f := range files {
		for _, c := range readGolden(t, strings.TrimSuffix(filepath.Base(f), ".json.gz")) {
			seen[schemas[c.Op]] = true
		}
	}
	for _, o := range Ops() {
		if has, why := seen[schemas[o.Name]], goldenLacks[o.Name]; !has && why == "" {
			t.Errorf("%s has no golden case", o.Name)
		} else if has && why != "" {
			t.Errorf("%s has golden cases and a reason to have none", o.Name)
		}
	}
}

// tol is the tolerance of a result: where dtypes meet, it passed through the coarsest of them, integers becoming float32.
func (c *goldenCase) tol(d DType) testutil.Tolerance {
	t := testutil.Tol(d, c.Loose)
	if !strings.HasPrefix(c.Name, "mixed/") || !d.IsInexact() {
		return t
	}
	for _, in := range c.Inputs {
		if in != nil {
			if e, _ := dtype.Parse(in.DType); e.IsInexact() {
				t.Widen(testutil.Tol(e, c.Loose))
			} else {
				t.Widen(testutil.Tol(Float32, c.Loose))
			}
		}
	}
	return t
}

// run returns what is wrong, "" if nothing.
func (c *goldenCase) run() (bad string) {
	defer func() {
		if r := recover(); r != nil {
			bad = fmt.Sprintf("panic: %v", r)
		}
	}()
	in := make([]*Tensor, len(c.Inputs))
	hasGrad := len(c.Grads) > 0
	for i, g := range c.Inputs {
		in[i] = placed(g.tensor())
		if hasGrad && i < len(c.Grads) && c.Grads[i] != nil {
			in[i].RequiresGrad_(true)
		}
	}
	out, err := Call(c.Op, in, c.Attrs)
	if err != nil {
		return err.Error()
	}
	if len(out) < len(c.Outputs) {
		return fmt.Sprintf("%d outputs, want %d", len(out), len(c.Outputs))
	}
	for i, w := range c.Outputs {
		if w == nil {
			continue
		}
		want := w.tensor()
		if d := differ(out[i], want, c.tol(want.DType())); d != "" {
			return fmt.Sprintf("output %d: %s", i, d)
		}
	}
	if !hasGrad {
		return ""
	}
	for i, k := range c.Cot {
		if k != nil && out[i].RequiresGrad() {
			out[i].Backward(BackwardOptions{Gradient: placed(k.tensor()), RetainGraph: true})
		}
	}
	for i, w := range c.Grads {
		if w == nil {
			continue
		}
		want := w.tensor()
		g := in[i].Grad()
		if g == nil {
			g = With{DType: want.DType()}.Zeros(want.Shape()...)
		}
		if d := differ(g, want, c.tol(want.DType())); d != "" {
			return fmt.Sprintf("gradient %d: %s", i, d)
		}
	}
	return ""
}
