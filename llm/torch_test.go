package llm

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/codectest"
	"github.com/lucid-go/lucid/internal/codec/safetensors"
)

// TestPyTorchFolder asserts that a folder whose weights are files of torch.save is the model that it is as safetensors.
func TestPyTorchFolder(t *testing.T) {
	g := goldens(t)
	want := generated(t, tiny(t), g.Prompt, Options{MaxTokens: 8})
	dir := folder(t, g.Cases["llama"])
	path := filepath.Join(dir, "model.safetensors")
	f, err := safetensors.Read(path, safetensors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, f codec.File) {
		if err := os.WriteFile(filepath.Join(dir, name), codectest.Torch(f), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	check := func() {
		t.Helper()
		m, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := generated(t, m, g.Prompt, Options{MaxTokens: 8}); !slices.Equal(got, want) || m.Info().Format != "PyTorch" {
			t.Errorf("%v from %s, want %v", got, m.Info().Format, want)
		}
	}
	write("pytorch_model.bin", f)
	check()
	if d, err := lucid.Load(filepath.Join(dir, "pytorch_model.bin")); err != nil || d.Len() != len(f.Tensors) {
		t.Error(err)
	}
	if _, err := lucid.Open(filepath.Join(dir, "pytorch_model.bin"), lucid.FileOptions{Mapped: true}); !errors.Is(err,
		lucid.ErrNotImplemented) {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(dir, "pytorch_model.bin")); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "pytorch_model.bin") {
		t.Error(err)
	}
	half := len(f.Tensors) / 2
	index := map[string]string{}
	for i, part := range [][]codec.Tensor{f.Tensors[:half], f.Tensors[half:]} {
		name := []string{"pytorch_model-00001-of-00002.bin", "pytorch_model-00002-of-00002.bin"}[i]
		write(name, codec.File{Tensors: part})
		for _, t := range part {
			index[t.Name] = name
		}
	}
	writeJSON(t, filepath.Join(dir, "pytorch_model.bin.index.json"), map[string]any{"weight_map": index})
	check()
	index["x"] = "../x.bin"
	writeJSON(t, filepath.Join(dir, "pytorch_model.bin.index.json"), map[string]any{"weight_map": index})
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "../x.bin") {
		t.Error(err)
	}
}
