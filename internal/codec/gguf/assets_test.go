package gguf

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"unsafe"
)

// TestAssets compares real files with the Python reader: metadata keys, and every tensor in float32 by its hash. It needs the
// files of scripts/assets/fetch.py in LUCID_ASSETS and a Python with the gguf package in LUCID_PYTHON.
func TestAssets(t *testing.T) {
	dir, python := os.Getenv("LUCID_ASSETS"), os.Getenv("LUCID_PYTHON")
	if dir == "" || python == "" {
		t.Skip("LUCID_ASSETS and LUCID_PYTHON are not set; see scripts/assets/fetch.py")
	}
	for _, name := range []string{"smollm2-135m-instruct.gguf", "gemma3-270m.gguf"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			cmd := exec.Command(python, "../../../scripts/assets/gguf_hashes.py", path)
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var want struct {
				Keys    []string
				Tensors map[string]string
			}
			if err := json.Unmarshal(out, &want); err != nil {
				t.Fatal(err)
			}
			f, err := Open(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			for _, key := range want.Keys {
				if _, ok := f.Metadata().Get(key); !ok {
					t.Errorf("no key %q", key)
				}
			}
			if len(want.Keys) != len(f.Metadata().Keys()) || len(want.Tensors) != len(f.Infos()) {
				t.Errorf("%d keys and %d tensors, want %d and %d", len(f.Metadata().Keys()), len(f.Infos()), len(want.Keys),
					len(want.Tensors))
			}
			types := map[string]int{}
			for _, info := range f.Infos() {
				x, err := f.Floats(info.Name)
				if err != nil {
					t.Fatal(err)
				}
				if len(x) > 0 && math.IsNaN(float64(x[0])) {
					t.Errorf("%s begins with NaN", info.Name)
				}
				sum := sha256.Sum256(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x)))
				if got := hex.EncodeToString(sum[:]); got != want.Tensors[info.Name] {
					t.Errorf("%s (%s) differs", info.Name, info.Type)
				}
				types[info.Type.String()]++
			}
			t.Log(types)
		})
	}
}
