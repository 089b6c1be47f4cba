package nvrtc

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

func need(t *testing.T) {
	t.Helper()
	err := Init()
	asmvariant.Feature("nvrtc", err == nil)
	if err != nil {
		t.Logf("SKIP: %v", err)
		asmvariant.Require(t, "nvrtc")
	}
}

const program = `extern "C" __global__ void twice(float *x) { x[threadIdx.x] *= 2; }`

func TestCompile(t *testing.T) {
	need(t)
	t.Logf("NVRTC %s at %s", Version, Path)
	code, err := Compile("twice", program, "sm_90")
	if err != nil || len(code) == 0 {
		t.Fatalf("%d bytes, %v", len(code), err)
	}
	_, err = Compile("broken", "__global__ void f() { nonsense(); }", "sm_90")
	if err == nil || !strings.Contains(err.Error(), "nonsense") || !strings.Contains(err.Error(), "broken.cu(1)") {
		t.Errorf("the error must hold the log: %v", err)
	}
}

func TestCache(t *testing.T) {
	need(t)
	dir := t.TempDir()
	t.Setenv("LUCID_CACHE_DIR", dir)
	get := func(compiled, hits int64) []byte {
		t.Helper()
		c, h := Compiled.Load(), Hits.Load()
		code, err := Cached(13000, "twice", program, "sm_90")
		if err != nil {
			t.Fatal(err)
		}
		if Compiled.Load()-c != compiled || Hits.Load()-h != hits {
			t.Errorf("compiled %d, took %d from disk; want %d and %d", Compiled.Load()-c, Hits.Load()-h, compiled, hits)
		}
		return code
	}
	first := get(1, 0)
	if string(get(0, 1)) != string(first) {
		t.Error("the disk gives other code")
	}
	entries, _ := filepath.Glob(filepath.Join(dir, "cuda", "*"))
	if len(entries) != 1 {
		t.Fatalf("%d entries", len(entries))
	}
	for _, damage := range []func(b []byte) []byte{
		func(b []byte) []byte { return b[:len(b)/2] },
		func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
		func([]byte) []byte { return nil },
	} {
		b, err := os.ReadFile(entries[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(entries[0], damage(b), 0o644); err != nil {
			t.Fatal(err)
		}
		get(1, 0)
		get(0, 1)
	}
	if _, err := Cached(13010, "twice", program, "sm_90"); err != nil || Compiled.Load() == 0 {
		t.Error(err)
	}
	if entries, _ = filepath.Glob(filepath.Join(dir, "cuda", "*")); len(entries) != 2 {
		t.Errorf("another driver must have its own entry; there are %d", len(entries))
	}
}

// TestEntries stores and loads entries without a compiler: damaged ones are refused, a folder that cannot be written stores
// nothing and is no error, and a reader among writers finds a whole entry.
func TestEntries(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("LUCID_CACHE_DIR", dir)
	data := []byte(strings.Repeat("code", 10000))
	Store("key", data)
	if b, ok := Load("key"); !ok || string(b) != string(data) {
		t.Fatal("what was stored is not found")
	}
	whole, err := os.ReadFile(path("key"))
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"cut": whole[:len(whole)/2], "empty": nil, "other": []byte("something else"),
		"flipped": append(append([]byte{}, whole[:len(whole)-1]...), whole[len(whole)-1]^1)} {
		if err := os.WriteFile(path("key"), b, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, ok := Load("key"); ok {
			t.Errorf("%s: a damaged entry is taken", name)
		}
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				Store("key", data)
				if b, ok := Load("key"); !ok || string(b) != string(data) {
					t.Error("an entry that others write is not whole")
				}
			}
		})
	}
	wg.Wait()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LUCID_CACHE_DIR", file) // no folder can be made in a file
	Store("key", data)
	if _, ok := Load("key"); ok || !Cold() {
		t.Error("something was stored in a file")
	}
}
