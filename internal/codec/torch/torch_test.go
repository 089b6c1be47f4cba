package torch

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/codectest"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

type fact struct {
	DType  string
	Shape  []int
	Values []float64
}

// numbers reads the elements, a complex one as two.
func numbers(t codec.Tensor) (out []float64) {
	d := t.DType
	if d.IsComplex() {
		d = d.Real()
	}
	for i := range len(t.Data) / d.Size() {
		out = append(out, d.Get(t.Data, i).Float())
	}
	return out
}

// TestGolden reads what torch.save wrote, of every dtype, with views and shared storages, in three forms.
func TestGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/want.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]fact
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"archive.pt", "archive4.pt", "old.pt"} {
		path := filepath.Join("testdata", name)
		all, err := Read(path, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(all.Tensors) != len(want) {
			t.Errorf("%s: %d tensors, want %d", name, len(all.Tensors), len(want))
		}
		for _, got := range all.Tensors {
			w, ok := want[got.Name]
			if !ok || got.DType.String() != w.DType || !slices.Equal(got.Shape, w.Shape) || !slices.Equal(numbers(got), w.Values) {
				t.Errorf("%s: %s is %v %v %v, want %+v", name, got.Name, got.DType, got.Shape, numbers(got), w)
			}
		}
		meta := map[string]string{"epoch": "3", "lr": "0.125", "name": "tést", "on": "true", "large": "1099511627776", "negative": "-7",
			"size.0": "2", "size.1": "3"}
		if !maps.Equal(all.Metadata, meta) {
			t.Errorf("%s: metadata %v", name, all.Metadata)
		}
		f, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		one, err := f.Tensor("views.block")
		if err != nil || !slices.Equal(numbers(one), want["views.block"].Values) {
			t.Errorf("%s: %v, %v", name, one, err)
		}
		if s, ok := f.Info("types.bfloat16"); !ok || s.Size != 10 || !slices.Equal(s.Shape, []int{5}) {
			t.Errorf("%s: %+v", name, s)
		}
		if _, err := f.Tensor("none"); err == nil {
			t.Error("a tensor that is not there")
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if all, err := Read("testdata/lone.pt", Options{}); err != nil || len(all.Tensors) != 1 || all.Tensors[0].Name != "tensor" {
		t.Error(all, err)
	}
}

// TestRefused asserts that files with anything but tensors are refused, and that the error names it.
func TestRefused(t *testing.T) {
	for name, word := range map[string]string{"module.pt": "torch.nn.modules.linear.Linear",
		"sparse.pt": "torch._utils._rebuild_sparse_tensor",
		"script.pt": "TorchScript", "want.json": "begins with"} {
		_, err := Read(filepath.Join("testdata", name), Options{})
		if err == nil || !strings.Contains(err.Error(), word) || !codectest.Typed(err) {
			t.Errorf("%s: %v; want %q", name, err, word)
		}
	}
	if _, err := Read("testdata/none.pt", Options{}); !codectest.Typed(err) {
		t.Error(err)
	}
}

// TestCorrupt damages files everywhere. An archive has checksums on its entries, but not on every byte.
func TestCorrupt(t *testing.T) {
	for _, name := range []string{"lone.pt", "old.pt"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if testing.Short() && name == "old.pt" {
			continue
		}
		codectest.Corrupt(t, data, false, func(b []byte) error {
			f, err := Parse(b, Options{})
			if err == nil {
				_, err = f.All()
			}
			return err
		})
	}
}

// FuzzFile looks for panics and untyped errors.
func FuzzFile(f *testing.F) {
	for _, name := range []string{"archive.pt", "old.pt", "lone.pt", "sparse.pt"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := Parse(b, Options{Limits: codec.Limits{MaxBytes: 1 << 26}})
		if err == nil {
			_, err = x.All()
		}
		if err != nil && !codectest.Typed(err) {
			t.Fatal(err)
		}
	})
}

// FuzzPickle puts right checksums around the fuzzer's pickle, which it could not make by itself.
func FuzzPickle(f *testing.F) {
	for _, p := range []string{small, "\x80\x02}(X\x01\x00\x00\x00aK\x01u.", "\x80\x02](h\x00."} {
		f.Add([]byte(p))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		x, err := Parse(archiveOf(t, string(p)), Options{Limits: codec.Limits{MaxBytes: 1 << 26}})
		if err == nil {
			_, err = x.All()
		}
		if k, _ := fault.KindOf(err); err != nil && (!codectest.Typed(err) || k == fault.Internal) {
			t.Fatal(err)
		}
	})
}

// TestWritten reads what tests of other packages use as files of torch.save.
func TestWritten(t *testing.T) {
	want := codectest.File([]dtype.DType{dtype.Float32, dtype.BFloat16, dtype.Int64, dtype.Bool})
	f, err := Parse(codectest.Torch(want), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.All(); err != nil || codectest.Diff(got, want, true) != "" {
		t.Error(err, codectest.Diff(got, want, true))
	}
}
