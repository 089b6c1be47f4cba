package lucid

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"
)

func savedState() *StateDict {
	d := NewStateDict()
	d.Set("z.weight", New([]float32{1, float32(math.Inf(-1)), float32(math.NaN()), math.MaxFloat32, 1e-45, float32(math.Copysign(0, -1))}, 2, 3))
	d.Set("a.bias", New([]float64{math.Pi, math.SmallestNonzeroFloat64}, 2))
	d.Set("half", Of([]float64{1.5, -2}).To(Float16))
	d.Set("brain", Of([]float64{1.5, -2}).To(BFloat16))
	d.Set("count", New([]int64{math.MinInt64, math.MaxInt64}, 2))
	d.Set("scalar", Scalar(7.5))
	d.Set("empty", Zeros(0, 3))
	d.Set("mask", New([]bool{true, false}, 2))
	d.Set("view", Arange(12).Reshape(3, 4).Permute(1, 0))
	d.SetMetadata("epoch", "3")
	return d
}

func TestSaveLoad(t *testing.T) {
	for _, name := range []string{"x.safetensors", "x.npz", "x.lucid"} {
		path := filepath.Join(t.TempDir(), name)
		d := savedState()
		if err := Save(path, d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := Load(path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got.Len() != d.Len() || got.Metadata()["epoch"] != "3" {
			t.Errorf("%s: %d tensors, metadata %v", name, got.Len(), got.Metadata())
		}
		for i, n := range got.Names() {
			if n != d.Names()[i] {
				t.Errorf("%s: place %d has %s", name, i, n)
			}
			x, y := d.Get(n), got.Get(n)
			if x.DType() != y.DType() || !sameBits(x.Contiguous().array().Peek(), y.array().Peek()) {
				t.Errorf("%s: %s came back as %v", name, n, y)
			}
		}
		// A loaded tensor is one's own: it can be changed.
		got.Get("a.bias").Add_(1)
	}
}

func TestSaveNpyAndErrors(t *testing.T) {
	dir := t.TempDir()
	d := NewStateDict()
	d.Set("x", Arange(6).Reshape(2, 3))
	path := filepath.Join(dir, "x.npy")
	if err := Save(path, d); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil || !Equal(got.Get(got.Names()[0]), d.Get("x")) {
		t.Errorf("npy: %v, %v", got, err)
	}
	d.Set("y", Zeros(1))
	if err := Save(path, d); !errors.Is(err, ErrValue) {
		t.Errorf("two tensors in .npy: %v", err)
	}
	if err := Save(filepath.Join(dir, "x.bin"), d); !errors.Is(err, ErrFormat) {
		t.Errorf("an unknown extension: %v", err)
	}
	for _, name := range []string{"no.safetensors", "no.npz", "no.lucid", "no.npy"} {
		if _, err := Load(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
		bad := filepath.Join(dir, "bad"+filepath.Ext(name))
		if err := os.WriteFile(bad, []byte("not what it says"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(bad); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestSaveSharded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	d := savedState()
	for round, size := range []int64{20, 1 << 20, 1} {
		d.Set("round", Scalar(float64(round)))
		if err := SaveSharded(dir, d, ShardOptions{ShardSize: size}); err != nil {
			t.Fatal(err)
		}
		got, err := LoadSharded(dir)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got.Names()) != fmt.Sprint(d.Names()) || got.Metadata()["epoch"] != "3" {
			t.Errorf("names %v, metadata %v", got.Names(), got.Metadata())
		}
		for name, x := range d.All() {
			if y := got.Get(name); y == nil || x.DType() != y.DType() || !sameBits(x.Contiguous().array().Peek(), y.array().Peek()) {
				t.Errorf("size %d: %s came back as %v", size, name, y)
			}
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.safetensors"))
	if len(files) < 8 || len(files) > d.Len() {
		t.Errorf("%d files are left", len(files))
	}
	if _, err := LoadSharded(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty directory: %v", err)
	}
}
