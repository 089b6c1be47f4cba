package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec"
	checkpoint "github.com/lucid-go/lucid/internal/codec/lucid"
)

// goldenFile was written by version 1 of the format. It must load for ever: never write it again; a new version of
// the format adds a file of its own. It is made by LUCID_WRITE_EXPORT=1 go test -run TestExportedFile where it is missing.
var goldenFile = filepath.Join("testdata", "v1.lucid")

// goldenFunctions are what the file holds.
func goldenFunctions() map[string]func(x, idx *lucid.Tensor) []*lucid.Tensor {
	w := lucid.New([]float32{0.5, -1, 2, 0.25, 1.5, -0.75, 3, 1, -2}, 3, 3)
	image := lucid.Arange(2*4*4).To(lucid.Float32).Div(7).Sin().Reshape(1, 2, 4, 4)
	kernel := lucid.Arange(2*2*3*3).To(lucid.Float32).Div(5).Cos().Reshape(2, 2, 3, 3)
	call := func(op string, attrs map[string]any, in ...*lucid.Tensor) *lucid.Tensor {
		out, err := lucid.Call(op, in, attrs)
		if err != nil {
			panic(err)
		}
		return out[0]
	}
	return map[string]func(x, idx *lucid.Tensor) []*lucid.Tensor{
		"arithmetic": func(x, _ *lucid.Tensor) []*lucid.Tensor {
			y := x.MatMul(w).Add(x.Mul(2).Sub(0.5)).GELU()
			return []*lucid.Tensor{y, lucid.Where(y.Gt(0), y, -1.5), y.To(lucid.BFloat16), y.Sum(),
				call("var", map[string]any{"dim": []any{1}}, y)}
		},
		"rows": func(x, _ *lucid.Tensor) []*lucid.Tensor {
			top, at := x.TopK(2)
			return []*lucid.Tensor{x.Softmax(-1), top, at, x.CumSum(1),
				call("layer_norm", map[string]any{"normalized_shape": []any{3}}, x), x.LogSumExp(0)}
		},
		"moves": func(x, idx *lucid.Tensor) []*lucid.Tensor {
			return []*lucid.Tensor{x.T(), x.IndexSelect(1, idx), lucid.Cat([]*lucid.Tensor{x, x}, 0), x.Unsqueeze(0).Expand(2, 2, 3),
				call("diagonal", nil, x)}
		},
		"images": func(x, _ *lucid.Tensor) []*lucid.Tensor {
			y := call("conv2d", map[string]any{"padding": []any{1, 1}}, image.Mul(x.Sum()), kernel)
			return []*lucid.Tensor{y, call("max_pool2d", map[string]any{"kernel_size": []any{2, 2}}, y),
				call("avg_pool2d", map[string]any{"kernel_size": []any{2, 2}}, y)}
		},
	}
}

func TestExportedFile(t *testing.T) {
	x, idx := exportedInputs()
	if _, err := os.Stat(goldenFile); err != nil && os.Getenv("LUCID_WRITE_EXPORT") != "" {
		e := lucid.NewExporter(goldenFile)
		for _, name := range []string{"arithmetic", "rows", "moves", "images"} {
			if err := e.AddNamed(name, goldenFunctions()[name], x, idx); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(filepath.Dir(goldenFile), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	file, err := lucid.Import(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range goldenFunctions() {
		part, err := file.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := part.Call(x, idx)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range f(x, idx) {
			sameValue(t, name, got[i], want)
		}
	}
}

// goldenTexts returns the texts of the golden files, as seeds.
func goldenTexts(t testing.TB) []string {
	var list []string
	for _, path := range []string{goldenFile, goldenStateFile, goldenOpenFile} {
		c, err := checkpoint.Read(path, codec.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(c.Sections[0].Data))
	}
	return list
}
