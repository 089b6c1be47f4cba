package files

import (
	"bufio"
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
	"github.com/lucid-go/lucid/internal/export"
	"github.com/lucid-go/lucid/internal/graph"
	F "github.com/lucid-go/lucid/nn/functional"
)

// Steps for versions that never were, to be sure of the mechanism: version 0 of ops of today, and an op that is not there any more.
func init() {
	export.RegisterRewrite("softmax", 0, func(r *export.Rewrite) { r.Rename("Dim", "Axis") })
	export.RegisterRewrite("broadcast_to", 0, func(r *export.Rewrite) { r.Rename("Sizes", "Dims") })
	export.RegisterRewrite("softplus", 0, func(r *export.Rewrite) {
		if !r.Has("Threshold") {
			r.Set("Threshold", 0.25) // what it was without a number
		}
	})
	export.RegisterRewrite("sort", 0, func(r *export.Rewrite) { r.Remove("Stable") })
	export.RegisterRewrite("where", 0, func(r *export.Rewrite) { r.In[0], r.In[1], r.In[2] = r.In[2], r.In[0], r.In[1] })
	// planted_linear 1 had no slope, 2 called it Negative; then it was split into a product, a sum and leaky_relu's parts.
	export.RegisterRewrite("planted_linear", 1, func(r *export.Rewrite) {
		if r.Kind == "" {
			r.Kind = "Bound" // any kind: it is gone before it is read
		}
		r.Set("Negative", 0.5)
	})
	export.RegisterRewrite("planted_linear", 2, func(r *export.Rewrite) { r.Rename("Negative", "Slope") })
	export.RegisterRewrite("planted_linear", 3, splitLinear)
	export.RegisterRewrite("planted_circle", 1, func(r *export.Rewrite) { r.Op, r.Version = "planted_circle", 0 })
	export.RegisterRewrite("planted_circle", 0, func(r *export.Rewrite) {})
}

func splitLinear(r *export.Rewrite) {
	out, slope := r.Out[0], r.Remove("Slope")
	like := []export.Spec{out}
	product := r.Add(export.Node{Op: "matmul", Version: 1, In: r.In[:2], Out: like})
	bias := export.Node{Op: "broadcast_to", Version: 0, In: r.In[2:3], Kind: "Shape", Out: like}
	bias.Set("Sizes", out) // an older version again
	sum := r.Add(export.Node{Op: "add", Version: 1, In: []export.Value{product, r.Add(bias)}, Out: like})
	number := export.Node{Op: "const", Version: 1, Kind: "Const", Out: []export.Spec{export.ScalarSpec(out.DType)}}
	number.Set("DType", `"float32"`)
	number.Set("Value", `{"Kind":4,"F":`+slope+`}`)
	scaled := r.Add(export.Node{Op: "mul", Version: 1, In: []export.Value{sum, r.Add(number)}, Out: like})
	r.Op, r.Version, r.Kind, r.In = "maximum", 1, "", []export.Value{sum, scaled}
}

// planted are functions of a 2×3 and a 3×3 matrix and of 3 numbers, as a library of another time would have written them.
var planted = map[string]struct {
	nodes, outputs, more string
	same                 func(x, w, b *lucid.Tensor) []*lucid.Tensor
}{
	"renamed_attribute": {`{"op":"softmax","version":0,"in":[0],"attr":{"Axis":{"Dim":1}},"out":[["float32",2,3]]}`, `3`, ``,
		func(x, _, _ *lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{x.Softmax(1)} }},
	"changed_default": {`{"op":"softplus","version":0,"in":[0],"attr":{"Softplus":{"Beta":1}},"out":[["float32",2,3]]},` +
		`{"op":"softplus","version":0,"in":[3],"attr":{"Softplus":{"Beta":2,"Threshold":0.5}},"out":[["float32",2,3]]}`, `3,4`, ``,
		func(x, _, _ *lucid.Tensor) []*lucid.Tensor {
			y := F.Softplus(x, F.SoftplusOptions{Threshold: new(0.25)})
			return []*lucid.Tensor{y, F.Softplus(y, F.SoftplusOptions{Beta: 2, Threshold: new(0.5)})}
		}},
	"removed_attribute": {`{"op":"sort","version":0,"in":[0],"attr":{"Sort":{"Axis":1,"Stable":true}},"bundle":true,` +
		`"out":[["float32",2,3],["int64",2,3]]},{"item":1,"in":[3]},{"item":0,"in":[3]}`, `5,4`, ``,
		func(x, _, _ *lucid.Tensor) []*lucid.Tensor {
			v, at := lucid.Sort(x, lucid.SortOptions{Dim: new(1)})
			return []*lucid.Tensor{v, at}
		}},
	"reordered_operands": {`{"op":"neg","version":1,"in":[0],"out":[["float32",2,3]]},` +
		`{"op":"gt","version":1,"in":[0,3],"out":[["bool",2,3]]},` +
		`{"op":"where","version":0,"in":[0,3,4],"out":[["float32",2,3]]}`, `5,0`, ``,
		func(x, _, _ *lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{x.Abs(), x} }},
	"split_op": {`{"op":"planted_linear","version":1,"in":[0,1,2],"out":[["float32",2,3]]},` +
		`{"op":"planted_linear","version":3,"in":[3,1,2],"attr":{"Bound":{"Slope":0.125}},"out":[["float32",2,3]]},` +
		`{"op":"exp","version":1,"in":[4],"out":[["float32",2,3]]}`, `5,3,4`, ``,
		func(x, w, b *lucid.Tensor) []*lucid.Tensor {
			y := x.MatMul(w).Add(b)
			y = lucid.Maximum(y, y.Mul(0.5))
			z := y.MatMul(w).Add(b)
			z = lucid.Maximum(z, z.Mul(0.125))
			return []*lucid.Tensor{z.Exp(), y, z}
		}},
	// The numbers of older ops that depend on an open size: the number of rows of the first input.
	"open_sizes": {`{"op":"planted_linear","version":2,"in":[0,1,2],"attr":{"Bound":{"Negative":0.25}},` +
		`"out":[["float32",2,3]]},` +
		`{"op":"broadcast_to","version":0,"in":[2],"attr":{"Shape":{"Sizes":[2,3]}},"out":[["float32",2,3]]},` +
		`{"op":"mul","version":1,"in":[3,4],"out":[["float32",2,3]]}`, `5`,
		`,"open":{"sizes":[{"least":1,"example":2,"at":[[0,0]]}],"numbers":[{"node":0,"out":0,"index":0,"div":1,"terms":[[1,1]]},` +
			`{"node":1,"out":0,"index":0,"div":1,"terms":[[1,1]]},` +
			`{"node":1,"field":"Sizes","index":0,"div":1,"terms":[[1,1]]},` +
			`{"node":2,"out":0,"index":0,"div":1,"terms":[[1,1]]}]}`,
		func(x, w, b *lucid.Tensor) []*lucid.Tensor {
			y := x.MatMul(w).Add(b)
			return []*lucid.Tensor{lucid.Maximum(y, y.Mul(0.25)).Mul(b)}
		}},
}

func plantedFile(name string) checkpoint.Checkpoint {
	p := planted[name]
	const form = `{"functions":[{"name":%q,"inputs":[["float32",2,3],["float32",3,3],["float32",3]],"nodes":[%s],"outputs":[%s]%s}]}`
	text := fmt.Sprintf(form, name, p.nodes, p.outputs, p.more)
	return checkpoint.Checkpoint{Schema: map[string]int{"function": 3},
		Sections: []checkpoint.Section{{Name: "functions", Kind: checkpoint.JSON, Data: []byte(text)}}}
}

func plantedInputs(rows int) (x, w, b *lucid.Tensor) {
	wave := func(n int, div float64) *lucid.Tensor { return lucid.Arange(n).To(lucid.Float32).Div(div).Sin() }
	return wave(rows*3, 1.5).Reshape(rows, 3), wave(9, 0.7).Reshape(3, 3), wave(3, 0.3)
}

// TestOlderOps imports the committed files of older versions of ops. They are never written again; LUCID_WRITE_EXPORT=1 makes one that
// is missing.
func TestOlderOps(t *testing.T) {
	for name, p := range planted {
		path := filepath.Join("testdata", "ops", name+".lucid")
		if _, err := os.Stat(path); err != nil && os.Getenv("LUCID_WRITE_EXPORT") != "" {
			if err := checkpoint.Write(path, plantedFile(name)); err != nil {
				t.Fatal(err)
			}
		}
		f, err := lucid.Import(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		rows := []int{2}
		if name == "open_sizes" {
			rows = []int{2, 1, 7}
		}
		for _, n := range rows {
			x, w, b := plantedInputs(n)
			got, err := f.Call(x, w, b)
			if err != nil {
				t.Errorf("%s, %d rows: %v", name, n, err)
				continue
			}
			for i, want := range p.same(x, w, b) {
				if !lucid.AllClose(got[i], want, lucid.CloseOptions{RTol: new(1e-6)}) {
					t.Errorf("%s, %d rows, result %d: %v; want %v", name, n, i, got[i], want)
				}
			}
		}
	}
}

// TestOlderOpsInControlFlow rewrites nodes of subgraphs.
func TestOlderOpsInControlFlow(t *testing.T) {
	f := func(x *lucid.Tensor) *lucid.Tensor {
		soft := func(x *lucid.Tensor) *lucid.Tensor { return x.Softmax(1) }
		return lucid.Cond(x.Sum().Gt(0), soft, (*lucid.Tensor).Neg, x)
	}
	x, _, _ := plantedInputs(2)
	e := newExporter()
	if err := e.Add(f, x); err != nil {
		t.Fatal(err)
	}
	b, err := e.bytes()
	if err != nil {
		t.Fatal(err)
	}
	c, err := checkpoint.Parse(b, codec.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	const now, then = `"op":"softmax","version":1,`, `"op":"softmax","version":0,`
	text := strings.Replace(string(c.Sections[0].Data), now, then, 1)
	text = strings.Replace(text, `{"Axis":{"Axis":1}}`, `{"Axis":{"Dim":1}}`, 1)
	if !strings.Contains(text, then) || !strings.Contains(text, "Dim") {
		t.Fatal(text)
	}
	c.Sections[0].Data = []byte(text)
	g, err := newFunction(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*lucid.Tensor{x, x.Neg()} {
		got, err := g.Call(x)
		if err != nil || !lucid.Equal(got[0], f(x)) {
			t.Error(got, err)
		}
	}
}

// TestAttentionGrad1 imports a file that an earlier state of this library wrote, with version 1 of attention's gradient.
func TestAttentionGrad1(t *testing.T) {
	file, err := lucid.Import(filepath.Join("testdata", "ops", "attention_grad_v1.lucid"))
	if err != nil {
		t.Fatal(err)
	}
	wave := func(n int, div float64, shape ...int) *lucid.Tensor {
		return lucid.Arange(n).To(lucid.Float32).Div(div).Sin().Reshape(shape...)
	}
	in := []*lucid.Tensor{wave(48, 3, 2, 2, 3, 4), wave(40, 5, 2, 1, 5, 4), wave(40, 7, 2, 1, 5, 4)}
	mask := wave(15, 2, 1, 1, 3, 5)
	for _, name := range []string{"plain", "masked", "causal"} {
		part, err := file.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := part.Call(append(slices.Clone(in), mask)...)
		if err != nil {
			t.Fatal(err)
		}
		var m *lucid.Tensor
		if name == "masked" {
			m = mask
		}
		f := func(in []*lucid.Tensor) []*lucid.Tensor {
			return []*lucid.Tensor{F.ScaledDotProductAttention(in[0], in[1], in[2],
				F.ScaledDotProductAttentionOptions{AttnMask: m, EnableGQA: true, IsCausal: name == "causal"})}
		}
		outs, grads := lucid.VJPN(f, in, []*lucid.Tensor{f(in)[0].Cos()})
		for i, want := range append(outs, grads...) {
			if !lucid.AllClose(got[i], want, lucid.CloseOptions{RTol: new(1e-5), ATol: new(1e-6)}) {
				t.Errorf("%s, result %d: %v; want %v", name, i, got[i], want)
			}
		}
	}
}

// TestUnknownVersions asks for errors that say the op, the version in the file, the known ones, and what to do.
func TestUnknownVersions(t *testing.T) {
	for _, c := range []struct {
		op, version string
		words       []string
	}{
		{"tanh", `,"version":0`, []string{`version 0 of op "tanh"`, "knows version 1", "save it again"}},
		{"tanh", ``, []string{`version 0 of op "tanh"`}},
		{"softmax", `,"version":7`, []string{`version 7 of op "softmax"`, "versions 0 to 1", "update"}},
		{"planted_linear", `,"version":0`, []string{`version 0 of op "planted_linear"`, "versions 1 to 3"}},
		{"planted_linear", `,"version":4`, []string{`version 4 of op "planted_linear"`, "update"}},
		{"planted_circle", `,"version":1`, []string{"planted_circle", "never end"}},
	} {
		text := fmt.Sprintf(`{"op":%q%s,"in":[0],"out":[["float32",2,3]]}`, c.op, c.version)
		_, err := newFunction(checkpoint.Checkpoint{Schema: map[string]int{"function": 3},
			Sections: []checkpoint.Section{{Name: "functions", Kind: checkpoint.JSON, Data: []byte(fileText(text))}}})
		if err == nil || !errors.Is(err, lucid.ErrVersion) && !strings.Contains(text, "circle") {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for _, w := range c.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%v does not say %q", err, w)
			}
		}
	}
}

// TestOlderOpsMutated changes numbers in the planted files: every outcome is a function or a typed error.
func TestOlderOpsMutated(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	tries := 100
	if testing.Short() {
		tries = 30
	}
	old, err := checkpoint.Read(filepath.Join("testdata", "ops", "attention_grad_v1.lucid"), codec.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	files := []checkpoint.Checkpoint{old}
	for name := range planted {
		files = append(files, plantedFile(name))
	}
	for _, file := range files {
		text := string(file.Sections[0].Data)
		for range tries {
			file.Sections[0].Data = []byte(mutate(r, text))
			g, err := newFunction(file)
			if err != nil {
				if !codectest.Typed(err) {
					t.Fatalf("%v\n%s", err, file.Sections[0].Data)
				}
				continue
			}
			runSmall(t, g, string(file.Sections[0].Data))
		}
	}
}

// TestReleasedOps asks that every op, in every version that a file may hold it in, can still be read. The list is written at a release:
// LUCID_WRITE_EXPORT=1 adds what is missing, and nothing is ever taken out.
func TestReleasedOps(t *testing.T) {
	path := filepath.Join("testdata", "ops", "released.txt")
	readable := func(name string, version int) bool {
		op, from := graph.Lookup(name), export.Rewritten(name)
		if op == nil {
			return slices.Contains(from, version)
		}
		for ; version < op.Version; version++ {
			if !slices.Contains(from, version) {
				return false
			}
		}
		return version == op.Version
	}
	listed := map[string]bool{}
	if b, err := os.ReadFile(path); err == nil {
		for in := bufio.NewScanner(strings.NewReader(string(b))); in.Scan(); {
			var name string
			var version int
			if _, err := fmt.Sscan(in.Text(), &name, &version); err != nil {
				t.Fatalf("%q: %v", in.Text(), err)
			}
			if listed[in.Text()] = true; !readable(name, version) {
				t.Errorf("files with version %d of op %q cannot be read any more: add a step in internal/export/rewrites.go", version, name)
			}
		}
	} else if os.Getenv("LUCID_WRITE_EXPORT") == "" {
		t.Fatal(err)
	}
	var lines []string
	for _, op := range graph.Ops() {
		if op.NotInFiles != "" || strings.HasPrefix(op.Name, "planted_") {
			continue
		}
		for v := 1; v <= op.Version; v++ {
			if !readable(op.Name, v) {
				t.Errorf("no step leads from version %d of op %q to %d: add it in internal/export/rewrites.go", v, op.Name, op.Version)
			}
		}
		lines = append(lines, fmt.Sprintf("%s %d", op.Name, op.Version))
	}
	for l := range listed {
		lines = append(lines, l)
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	if os.Getenv("LUCID_WRITE_EXPORT") != "" {
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
