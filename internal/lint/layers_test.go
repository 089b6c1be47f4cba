package lint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/lucid-go/lucid"

// A layer is some packages and what they may import in addition to the standard library and packages of the same folder tree.
// Paths are relative to the module; "." is the root package, a trailing /... takes the folders below along.
type layer struct {
	name     string
	packages []string
	imports  []string
	outside  []string // modules of other people
}

// Groups of packages that rows refer to by name.
var groups = map[string][]string{
	"leaves": {"internal/dtype", "internal/shape", "internal/attr", "internal/fault", "internal/cpuid", "internal/asmvariant",
		"internal/par", "internal/scope", "internal/profile", "internal/migrate"},
	"numbers": {"internal/backend/special", "internal/backend/threefry", "internal/backend/lapack", "internal/ggml", "internal/quantize"},
	"backend": {"internal/backend", "internal/backend/loop"},
	"devices": {"internal/backend/ref/...", "internal/backend/cpu/...", "internal/backend/cuda/...", "internal/backend/fake/..."},
	"doors":   {"internal/door", "internal/graph", "internal/ops", "internal/tree"},
	"public": {"random", "autograd", "masked", "linalg", "fft", "special", "einops", "signal/...", "fast", "quant", "amp", "profiler",
		"doctor", "cuda",
		"io/...", "llm/...", "nn/...", "optim/...", "distributions", "data/...", "distributed", "models/...", "tokenizer/...",
		"generate", "serve"},
}

// The layers, from the bottom up. A package imports only what its row says: three lines do most of the work. Kernels
// cannot see the graph; ops cannot see devices; the root never imports a public subpackage.
var layers = []layer{
	{name: "leaf", packages: []string{"leaves"}, imports: []string{"internal/dtype", "internal/fault"}},
	{name: "dl", packages: []string{"internal/dl/..."}, imports: []string{"internal/fault"},
		outside: []string{"github.com/ebitengine/purego", "golang.org/x/sys"}},
	{name: "arithmetic shared by kernels", packages: []string{"numbers"}, imports: []string{"leaves"}},
	{name: "format", packages: []string{"internal/format"}, imports: []string{"leaves"}},
	// Before the row of the other codecs: the sizes of its element types are those of the block formats.
	{name: "gguf", packages: []string{"internal/codec/gguf"}, imports: []string{"leaves", "internal/codec/...", "internal/ggml"}},
	{name: "codec", packages: []string{"internal/codec/..."}, imports: []string{"leaves"}},
	// Text and files of language models, usable without the engine.
	{name: "language files", packages: []string{"llm/tokenizer/...", "llm/template/...", "llm/grammar/..."},
		imports: []string{"leaves", "internal/codec/..."}, outside: []string{"golang.org/x/text/unicode/norm"}},
	{name: "mem", packages: []string{"internal/mem"}, imports: []string{"leaves"}},
	{name: "backend", packages: []string{"backend"}, imports: []string{"leaves", "internal/mem", "backend"}},
	// The kernels of factorisations, which both host devices have: each gives its own matrix products.
	{name: "factorisations", packages: []string{"internal/backend/factor"},
		imports: []string{"leaves", "internal/mem", "backend", "numbers"}},
	{name: "reference device", packages: []string{"internal/backend/ref/..."},
		imports: []string{"leaves", "internal/mem", "backend", "numbers", "internal/backend/factor"}},
	{name: "cpu device", packages: []string{"internal/backend/cpu/..."},
		imports: []string{"leaves", "internal/mem", "backend", "numbers", "internal/backend/factor"}},
	{name: "fake device", packages: []string{"internal/backend/fake/..."},
		imports: []string{"leaves", "internal/mem", "backend", "numbers"}},
	{name: "cuda device", packages: []string{"internal/backend/cuda/..."},
		imports: []string{"leaves", "internal/mem", "backend", "numbers", "internal/dl/..."}},
	{name: "conformance suite", packages: []string{"internal/backend/backendtest/..."},
		imports: []string{"leaves", "internal/mem", "backend", "numbers", "internal/backend/ref", "internal/testutil", "internal/graph",
			"internal/ops", "internal/exec"}},
	{name: "graph", packages: []string{"internal/graph"}, imports: []string{"leaves", "internal/mem", "backend"}},
	// format is for Print, which shows a value as text when it is computed.
	{name: "ops", packages: []string{"internal/ops"}, imports: []string{"leaves", "internal/format", "internal/mem", "backend", "numbers",
		"internal/graph"}},
	{name: "exec", packages: []string{"internal/exec"}, imports: []string{"leaves", "internal/mem", "backend", "internal/graph"}},
	{name: "schemas of ops", packages: []string{"internal/schema"}, imports: []string{"leaves", "internal/graph", "internal/ops"}},
	{name: "door", packages: []string{"internal/door"}, imports: []string{"leaves", "internal/graph", "internal/exec"}},
	{name: "transform", packages: []string{"internal/transform"},
		imports: []string{"leaves", "internal/mem", "backend", "internal/graph", "internal/ops", "internal/exec"}},
	{name: "simplify", packages: []string{"internal/simplify"}, imports: []string{"leaves", "internal/mem", "backend", "internal/graph",
		"internal/ops", "internal/exec"}},
	{name: "export", packages: []string{"internal/export"}, imports: []string{"leaves", "internal/codec/strictjson", "internal/graph",
		"internal/ops"}},
	{name: "tree", packages: []string{"internal/tree"}, imports: []string{"leaves", "internal/graph"}},
	{name: "compile", packages: []string{"internal/compile"},
		imports: []string{"leaves", "backend", "doors", "internal/exec", "internal/simplify", "internal/tree"}},
	{name: "comm", packages: []string{"internal/comm/..."}, imports: []string{"leaves", "internal/mem", "backend", "internal/graph",
		"internal/ops", "internal/exec", "internal/transform", "internal/dl/..."}},
	{name: "root", packages: []string{"."}, imports: []string{"leaves", "internal/mem", "backend", "doors", "internal/schema",
		"internal/exec", "internal/transform", "internal/tree", "internal/compile", "internal/export", "internal/comm/...",
		"internal/format", "internal/codec/...", "internal/backend/cpu", "internal/backend/ref"}},
	{name: "subject", packages: []string{"tree", "random", "autograd", "linalg", "fft", "special", "einops", "signal/...", "fast", "quant",
		"amp", "profiler"}, imports: []string{".", "doors", "leaves", "internal/mem"}},
	{name: "masked", packages: []string{"masked"}, imports: []string{".", "linalg", "leaves"}},
	{name: "diagnosis", packages: []string{"doctor"}, imports: []string{".", "leaves", "backend", "internal/backend/cpu"}},
	{name: "cuda", packages: []string{"cuda"}, imports: []string{".", "doors", "leaves", "internal/mem", "backend",
		"internal/backend/cuda/...", "internal/dl/..."}},
	{name: "io", packages: []string{"io/..."}, imports: []string{".", "doors", "leaves", "internal/mem", "internal/codec/..."}},
	{name: "nn parts", packages: []string{"nn/init", "nn/functional"},
		imports: []string{".", "random", "linalg", "fft", "special", "fast", "doors", "leaves"}},
	{name: "nn", packages: []string{"nn", "nn/utils/...", "nn/..."},
		imports: []string{".", "random", "linalg", "fft", "special", "fast", "amp", "autograd", "quant", "io/...", "nn/...",
			"doors", "leaves"}},
	// The modules read the description of a model in a GGUF file; llm reads and writes whole files.
	{name: "language models", packages: []string{"llm", "llm/model", "llm/tune"},
		imports: []string{"public", ".", "doors", "leaves", "internal/codec/...", "internal/ggml"}},
	{name: "language model in the program", packages: []string{"llm/tiny"}, imports: []string{".", "llm", "data/sets"}},
	{name: "language server", packages: []string{"llm/serve"}, imports: []string{".", "leaves", "llm", "llm/tokenizer", "llm/grammar"}},
	{name: "training", packages: []string{"optim/...", "distributions", "data/...", "tokenizer/...", "generate", "serve"},
		imports: []string{"public", ".", "doors", "leaves"}},
	{name: "distributed", packages: []string{"distributed"}, imports: []string{"public", ".", "doors", "leaves", "internal/comm/..."}},
	{name: "models", packages: []string{"models/..."}, imports: []string{"public", "."}},
	// The C library is the only package with cgo, behind a build tag; what it does is in internal/cabi, without cgo.
	{name: "C interface", packages: []string{"internal/cabi"}, imports: []string{".", "doors", "leaves", "internal/mem", "backend",
		"internal/exec", "internal/schema"}},
	{name: "C library", packages: []string{"cmd/liblucid"}, imports: []string{".", "cuda", "internal/cabi", "internal/schema", "leaves"}},
	{name: "command", packages: []string{"cmd/lucid/..."}, imports: []string{"public", "."}, outside: []string{"golang.org/x/term"}},
	{name: "program", packages: []string{"cmd/...", "examples/...", "bench/..."}, imports: []string{"public", "."}},
	{name: "tests on a GPU", packages: []string{"internal/testutil/gpu"}, imports: []string{".", "cuda"}},
	{name: "tests by subject", packages: []string{"internal/test/...", "internal/testutil/golden", "internal/testutil/tensortest"},
		imports: []string{"public", ".", "internal/..."}},
	{name: "test support", packages: []string{"internal/testutil/..."}, imports: []string{"leaves", "internal/graph"}},
	{name: "tool", packages: []string{"internal/gen/...", "internal/lint/...", "scripts/...", "docs/..."},
		imports: []string{"public", ".", "internal/..."}},
}

// expand replaces the names of groups by their packages.
func expand(patterns []string) (all []string) {
	for _, p := range patterns {
		if g, ok := groups[p]; ok {
			all = append(all, g...)
		} else {
			all = append(all, p)
		}
	}
	return all
}

// covers reports whether a package is one of the patterns.
func covers(patterns []string, pkg string) bool {
	return slices.ContainsFunc(expand(patterns), func(p string) bool {
		tree, below := strings.CutSuffix(p, "/...")
		return pkg == tree || below && strings.HasPrefix(pkg, tree+"/")
	})
}

// find returns the first row that has the package.
func find(pkg string) *layer {
	for i := range layers {
		if covers(layers[i].packages, pkg) {
			return &layers[i]
		}
	}
	return nil
}

type imported struct {
	ImportPath string
	Imports    []string
}

// list asks the go command for the packages below dir and what they import, on one system.
func list(dir string, env ...string) ([]imported, error) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports", "./...")
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "GOFLAGS=", "GOWORK=off"), env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, &errs)
	}
	var pkgs []imported
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p imported
		if err := d.Decode(&p); err == io.EOF {
			return pkgs, nil
		} else if err != nil {
			return nil, err
		}
		pkgs = append(pkgs, p)
	}
}

// relative converts an import path to one relative to the module; ok is false for other modules.
func relative(p string) (rel string, ok bool) {
	if p == module {
		return ".", true
	}
	return strings.CutPrefix(p, module+"/")
}

// breaches lists every import the table does not allow.
func breaches(pkgs []imported) (bad []string) {
	for _, p := range pkgs {
		pkg, _ := relative(p.ImportPath)
		row := find(pkg)
		if row == nil {
			bad = append(bad, fmt.Sprintf("%s has no row in the table of layers; add it to one in internal/lint/layers_test.go", pkg))
			continue
		}
		for _, imp := range p.Imports {
			if to, ok := relative(imp); ok {
				if !covers(row.imports, to) && !sameTree(row, pkg, to) {
					bad = append(bad, fmt.Sprintf("%s imports %s: layer %q may not", pkg, to, row.name))
				}
			} else if first, _, _ := strings.Cut(imp, "/"); strings.Contains(first, ".") &&
				!slices.ContainsFunc(row.outside, func(m string) bool { return imp == m || strings.HasPrefix(imp, m+"/") }) {
				bad = append(bad, fmt.Sprintf("%s imports %s: layer %q may use the standard library alone; see docs/dependencies.md", pkg,
					imp, row.name))
			} else if imp == "C" {
				bad = append(bad, pkg+` imports "C": the project has no cgo`)
			}
		}
	}
	slices.Sort(bad)
	return slices.Compact(bad)
}

// sameTree reports whether both packages are in one folder tree of a row, as cpu and cpu/simd do.
func sameTree(row *layer, pkg, to string) bool {
	return slices.ContainsFunc(expand(row.packages), func(p string) bool {
		return strings.HasSuffix(p, "/...") && covers([]string{p}, pkg) && covers([]string{p}, to)
	})
}

// TestLayers reads the import graph of every kind of build. Tests may import anything.
func TestLayers(t *testing.T) {
	builds := [][]string{
		{"GOOS=linux", "GOARCH=amd64"},
		{"GOOS=darwin", "GOARCH=arm64"},
		{"GOOS=windows", "GOARCH=amd64", "GOFLAGS=-tags=purego"},
	}
	for _, env := range builds {
		pkgs, err := list("../..", append(env, "CGO_ENABLED=0")...)
		if err != nil {
			t.Fatal(err)
		}
		edges := 0
		for _, p := range pkgs {
			edges += len(p.Imports)
		}
		if len(pkgs) < 20 || edges < 100 {
			t.Fatalf("%v: go list found %d packages with %d imports; the project has more", env, len(pkgs), edges)
		}
		for _, b := range breaches(pkgs) {
			t.Errorf("%v: %s", env, b)
		}
	}
}

// TestPlantedBreaches runs the same check on a small module with known faults.
func TestPlantedBreaches(t *testing.T) {
	pkgs, err := list("testdata/planted")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`internal/backend/cpu imports internal/graph: layer "cpu device" may not`,
		`internal/graph imports example.com/other: layer "graph" may use the standard library alone; see docs/dependencies.md`,
		`stray has no row in the table of layers; add it to one in internal/lint/layers_test.go`,
	}
	if got := breaches(pkgs); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestLayerTable pins the lines that do most of the work, whatever the table becomes.
func TestLayerTable(t *testing.T) {
	devices := []string{"internal/backend/ref", "internal/backend/cpu", "internal/backend/cpu/simd", "internal/backend/cuda",
		"internal/backend/cuda/driver", "internal/backend/fake"}
	forbidden := [][2]string{
		{"internal/graph", "internal/backend/cpu"}, {"internal/graph", "internal/ops"}, {"internal/graph", "internal/exec"},
		{"internal/ops", "internal/backend/cpu"}, {"internal/ops", "internal/backend/ref"}, {"internal/ops", "internal/exec"},
		{"internal/exec", "internal/ops"}, {"internal/exec", "internal/backend/cpu"}, {"internal/exec", "internal/transform"},
		{".", "random"}, {".", "nn"}, {".", "cuda"}, {".", "internal/backend/cuda"}, {".", "internal/dl"},
		{"cmd/lucid", "internal/graph"}, {"examples/quickstart", "internal/ops"}, {"models/gpt2", "internal/graph"},
		{"internal/backend/cpu", "internal/dl"}, {"io/npz", "internal/dl"}, {"nn", "internal/exec"}, {"linalg", "nn"},
		{"internal/dtype", "internal/mem"},
	}
	for _, d := range devices {
		forbidden = append(forbidden, [2]string{d, "internal/graph"}, [2]string{d, "internal/ops"}, [2]string{d, "internal/exec"})
		for _, e := range devices {
			if a, b := device(d), device(e); a != b {
				forbidden = append(forbidden, [2]string{d, e})
			}
		}
	}
	for _, f := range forbidden {
		if got := breaches([]imported{{module + "/" + f[0], []string{module + "/" + f[1]}}}); f[0] != "." && len(got) != 1 {
			t.Errorf("%s may import %s", f[0], f[1])
		}
		if f[0] == "." && len(breaches([]imported{{module, []string{module + "/" + f[1]}}})) != 1 {
			t.Errorf("the root may import %s", f[1])
		}
	}
	for _, d := range []string{"internal/backend/cuda/driver", "internal/comm", "cuda"} {
		if got := breaches([]imported{{module + "/" + d, []string{module + "/internal/dl"}}}); len(got) != 0 {
			t.Error(got)
		}
	}
}

// device is the folder of the device a package belongs to.
func device(pkg string) string { return path.Join(strings.Split(pkg, "/")[:3]...) }
