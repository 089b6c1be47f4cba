// Package golden reads the golden values: calls of ops with the results and gradients that PyTorch and MLX computed.
package golden

import (
	"embed"
	"encoding/base64"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"compress/gzip"

	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// files holds the golden files, so that the tests of any package can read them from any folder.
//
//go:embed testdata/*.json.gz
var files embed.FS

// Tensor is a tensor of a golden file.
type Tensor struct {
	DType string
	Shape []int
	Data  string
}

// Case is one call of an op, with what it gives.
type Case struct {
	Op, Name string
	Inputs   []*Tensor
	Attrs    map[string]any
	Outputs  []*Tensor
	Cot      []*Tensor
	Grads    []*Tensor
	Loose    bool
}

// Array makes a handle on the CPU; that of nil is nil.
func (g *Tensor) Array() *graph.Array {
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
	return door.Wrap(graph.NewStored(mem.FromGo(b), graph.Spec{Shape: shape.Of("golden", g.Shape...), DType: d}, cpu.Device))
}

// All lists every family of cases, sorted.
func All() (families []string) {
	entries, err := files.ReadDir("testdata")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		families = append(families, strings.TrimSuffix(e.Name(), ".json.gz"))
	}
	return families
}

// Families lists the families whose cases are calls by name. Type promotion and random numbers have another form.
func Families() (families []string) {
	for _, f := range All() {
		if f != "promotion" && f != "random" {
			families = append(families, f)
		}
	}
	return families
}

// Read returns the cases of a family.
func Read(t testing.TB, family string) []Case {
	t.Helper()
	f, err := files.Open("testdata/" + family + ".json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []Case }
	dec := json.NewDecoder(z)
	dec.UseNumber()
	if err := dec.Decode(&file); err != nil {
		t.Fatal(err)
	}
	for i := range file.Cases {
		for k, v := range file.Cases[i].Attrs {
			file.Cases[i].Attrs[k] = attr(v)
		}
	}
	return file.Cases
}

// attr converts a JSON value to what Call takes.
func attr(v any) any {
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
			v[i] = attr(v[i])
		}
	case map[string]any:
		if c, ok := v["complex"].([]any); ok {
			re, _ := attr(c[0]).(float64)
			im, _ := attr(c[1]).(float64)
			return complex(re, im)
		}
		for k := range v {
			v[k] = attr(v[k])
		}
	}
	return v
}
