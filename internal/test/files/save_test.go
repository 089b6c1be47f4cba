package files

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/compile"
	"github.com/lucid-go/lucid/internal/graph"
)

// indexName is what the list of a directory's shards is called.
const indexName = "model.safetensors.index.json"

func savedState() *lucid.StateDict {
	d := lucid.NewStateDict()
	d.Set("z.weight", lucid.New([]float32{1, float32(math.Inf(-1)), float32(math.NaN()), math.MaxFloat32, 1e-45,
		float32(math.Copysign(0, -1))}, 2, 3))
	d.Set("a.bias", lucid.New([]float64{math.Pi, math.SmallestNonzeroFloat64}, 2))
	d.Set("half", lucid.Of([]float64{1.5, -2}).To(lucid.Float16))
	d.Set("brain", lucid.Of([]float64{1.5, -2}).To(lucid.BFloat16))
	d.Set("count", lucid.New([]int64{math.MinInt64, math.MaxInt64}, 2))
	d.Set("scalar", lucid.Scalar(7.5))
	d.Set("empty", lucid.Zeros(0, 3))
	d.Set("mask", lucid.New([]bool{true, false}, 2))
	d.Set("view", lucid.Arange(12).Reshape(3, 4).Permute(1, 0))
	d.SetMetadata("epoch", "3")
	return d
}

func TestSaveLoad(t *testing.T) {
	for _, name := range []string{"x.safetensors", "x.npz", "x.lucid"} {
		path := filepath.Join(t.TempDir(), name)
		d := savedState()
		if err := lucid.Save(path, d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := lucid.Load(path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got.Len() != d.Len() || got.Metadata()["epoch"] != "3" {
			t.Errorf("%s: %d tensors, metadata %v", name, got.Len(), got.Metadata())
		}
		for i, n := range got.Names() {
			if n != d.Names()[i] {
				t.Errorf("%s: position %d has %s", name, i, n)
			}
			x, y := d.Get(n), got.Get(n)
			if x.DType() != y.DType() || !compile.SameBits((*graph.Array)(x.Contiguous()).Peek(), (*graph.Array)(y).Peek()) {
				t.Errorf("%s: %s came back as %v", name, n, y)
			}
		}
		// A loaded tensor is one's own: it can be changed.
		got.Get("a.bias").Add_(1)
	}
}

func TestSaveNpyAndErrors(t *testing.T) {
	dir := t.TempDir()
	d := lucid.NewStateDict()
	d.Set("x", lucid.Arange(6).Reshape(2, 3))
	path := filepath.Join(dir, "x.npy")
	if err := lucid.Save(path, d); err != nil {
		t.Fatal(err)
	}
	got, err := lucid.Load(path)
	if err != nil || !lucid.Equal(got.Get(got.Names()[0]), d.Get("x")) {
		t.Errorf("npy: %v, %v", got, err)
	}
	d.Set("y", lucid.Zeros(1))
	if err := lucid.Save(path, d); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("two tensors in .npy: %v", err)
	}
	if err := lucid.Save(filepath.Join(dir, "x.bin"), d); !errors.Is(err, lucid.ErrFormat) {
		t.Errorf("an unknown extension: %v", err)
	}
	for _, name := range []string{"no.safetensors", "no.npz", "no.lucid", "no.npy"} {
		if _, err := lucid.Load(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
		bad := filepath.Join(dir, "bad"+filepath.Ext(name))
		if err := os.WriteFile(bad, []byte("not what it says"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := lucid.Load(bad); !errors.Is(err, lucid.ErrFormat) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestSaveSharded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model[v2]") // a name is no pattern
	d := savedState()
	for round, size := range []int64{20, 1 << 20, 1} {
		d.Set("round", lucid.Scalar(float64(round)))
		if err := lucid.SaveSharded(dir, d, lucid.ShardOptions{ShardSize: size}); err != nil {
			t.Fatal(err)
		}
		got, err := lucid.LoadSharded(dir)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got.Names()) != fmt.Sprint(d.Names()) || got.Metadata()["epoch"] != "3" {
			t.Errorf("names %v, metadata %v", got.Names(), got.Metadata())
		}
		for name, x := range d.All() {
			if y := got.Get(name); y == nil || x.DType() != y.DType() ||
				!compile.SameBits((*graph.Array)(x.Contiguous()).Peek(), (*graph.Array)(y).Peek()) {
				t.Errorf("size %d: %s came back as %v", size, name, y)
			}
		}
	}
	files, err := os.ReadDir(dir)
	if n := len(files) - 1; err != nil || n < 8 || n > d.Len() { // with the index
		t.Errorf("%d files are left, %v", n, err)
	}
	if err := lucid.SaveSharded(dir, d, lucid.ShardOptions{ShardSize: -1}); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("a negative size: %v", err)
	}
	if _, err := lucid.LoadSharded(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty directory: %v", err)
	}
}

// TestOpen reads tensors one by one, copied and mapped, from a file and from an index, also after Close.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	d := savedState()
	if err := lucid.Save(filepath.Join(dir, "x.safetensors"), d); err != nil {
		t.Fatal(err)
	}
	if err := lucid.SaveSharded(dir, d, lucid.ShardOptions{ShardSize: 20}); err != nil {
		t.Fatal(err)
	}
	whole, err := lucid.Load(filepath.Join(dir, indexName))
	if err != nil || whole.Len() != d.Len() {
		t.Fatal(err)
	}
	for _, mapped := range []bool{false, true} {
		for _, name := range []string{"x.safetensors", indexName} {
			f, err := lucid.Open(filepath.Join(dir, name), lucid.FileOptions{Mapped: mapped})
			if errors.Is(err, lucid.ErrNotImplemented) && mapped {
				t.Logf("SKIP: %v", err)
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(f.Names(), d.Names()) || f.Metadata()["epoch"] != "3" {
				t.Errorf("%s: %v, %v", name, f.Names(), f.Metadata())
			}
			got := map[string]*lucid.Tensor{}
			for _, n := range f.Names() {
				kind, shape, ok := f.Info(n)
				if got[n], err = f.Tensor(n); err != nil || !ok || kind != d.Get(n).DType() || !slices.Equal(shape, d.Get(n).Shape()) {
					t.Fatalf("%s: %s is %v %v, %v", name, n, kind, shape, err)
				}
			}
			if _, err := f.Tensor("nothing"); !errors.Is(err, lucid.ErrValue) {
				t.Errorf("a tensor that is not there: %v", err)
			}
			if err := errors.Join(f.Close(), f.Close()); err != nil {
				t.Error(err)
			}
			if _, err := f.Tensor("z.weight"); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
			runtime.GC() // a mapping whose tensors are alive must stay
			for n, x := range got {
				if !compile.SameBits((*graph.Array)(d.Get(n).Contiguous()).Peek(), (*graph.Array)(x).Peek()) {
					t.Errorf("%s, mapped %v: %s is %v", name, mapped, n, x)
				}
			}
			got["a.bias"].Add_(1) // never written into the file
			if err := lucid.Eval(got["a.bias"]); err != nil {
				t.Error(err)
			}
			runtime.KeepAlive(got)
		}
	}
	if again, err := lucid.Load(filepath.Join(dir, "x.safetensors")); err != nil || again.Get("a.bias").At(0).Item() != math.Pi {
		t.Errorf("the file changed: %v", err)
	}
	if _, err := lucid.Open(filepath.Join(dir, "x.npz")); !errors.Is(err, lucid.ErrFormat) {
		t.Errorf("another format: %v", err)
	}
	if _, err := lucid.Open(filepath.Join(dir, "none.safetensors")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestOpenUnmaps asks that a closed mapping goes with its last tensor.
func TestOpenUnmaps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.safetensors")
	if err := lucid.Save(path, savedState()); err != nil {
		t.Fatal(err)
	}
	f, err := lucid.Open(path, lucid.FileOptions{Mapped: true})
	if errors.Is(err, lucid.ErrNotImplemented) {
		t.Skip("SKIP: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	x, err := f.Tensor("z.weight")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	mapped := func() bool {
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Skip("SKIP: the system lists no mappings: ", err)
		}
		return strings.Contains(string(maps), path)
	}
	if y := x.At(0, 0).Item(); y != 1 || !mapped() {
		t.Errorf("%v, mapped: %v", y, mapped())
	}
	x = nil
	for range 200 {
		if runtime.GC(); !mapped() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("the mapping outlives its tensors")
}
