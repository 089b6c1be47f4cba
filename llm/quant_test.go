package llm

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// TestQuantized asserts that a model in blocks gives what its dequantised form gives.
func TestQuantized(t *testing.T) {
	g := goldens(t)
	for _, name := range []string{"llama", "qwen2", "gemma3", "gpt2"} {
		m, err := Load(folder(t, g.Cases[name]))
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"q8_0", "q4_1", "q5_0", "bf16", "f16"} {
			path := filepath.Join(t.TempDir(), "m.gguf")
			if err := m.Save(path, SaveOptions{Format: format}); err != nil {
				t.Fatal(err)
			}
			plain, err := Load(path)
			if err != nil {
				t.Fatal(err)
			}
			blocks, err := Load(path, LoadOptions{Quantized: true, Exact: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range g.Positions {
				if e := near(row(blocks, g.Prompt, at), row(plain, g.Prompt, at)); e > 2e-5 {
					t.Errorf("%s %s: logits at %d are off by %g", name, format, at, e)
				}
			}
			o := Options{MaxTokens: 12}
			if got, want := generated(t, blocks, g.Prompt, o), generated(t, plain, g.Prompt, o); !slices.Equal(got, want) {
				t.Errorf("%s %s: tokens %v, want %v", name, format, got, want)
			}
			if err := blocks.Save(path, SaveOptions{}); name != "gpt2" && !errors.Is(err, lucid.ErrNotImplemented) {
				t.Errorf("%s %s: saved: %v", name, format, err)
			}
		}
	}
	if _, err := Load("m.gguf", LoadOptions{Quantized: true, DType: lucid.BFloat16}); !errors.Is(err, lucid.ErrNotImplemented) {
		t.Errorf("in bfloat16: %v", err)
	}
}

// TestStoredHalf asserts that matrices of a folder in a half type stay so, and that products with them are those of float32.
func TestStoredHalf(t *testing.T) {
	g := goldens(t)
	for _, name := range []string{"llama", "qwen2", "gemma3", "phi3", "stablelm"} {
		for _, d := range []lucid.DType{lucid.BFloat16, lucid.Float16} {
			dir := folder(t, g.Cases[name])
			path := filepath.Join(dir, "model.safetensors")
			weights, err := lucid.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			narrow := lucid.NewStateDict()
			for name, w := range weights.All() {
				narrow.Set(name, w.To(d))
			}
			if err := lucid.Save(path, narrow); err != nil {
				t.Fatal(err)
			}
			plain, err := Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			half, err := Load(dir, LoadOptions{Quantized: true, Exact: true})
			if err != nil {
				t.Fatal(err)
			}
			bytes := 0
			for _, b := range nn.Buffers(half.Module()) {
				if b.DType() == lucid.Uint8 {
					bytes += b.Size(0) * b.Size(1)
				}
			}
			if bytes == 0 {
				t.Errorf("%s %v: no matrix stays as it is", name, d)
			}
			for _, at := range g.Positions {
				if e := near(row(half, g.Prompt, at), row(plain, g.Prompt, at)); e > 2e-5 {
					t.Errorf("%s %v: logits at %d are off by %g", name, d, at, e)
				}
			}
		}
	}
}

// TestMapped asserts that a quantized model in a mapped file is the one that was read into memory, also after the file's name is gone
// and the collector ran.
func TestMapped(t *testing.T) {
	g := goldens(t)
	m, err := Load(folder(t, g.Cases["llama"]))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := m.Save(path, SaveOptions{Format: "q5_0"}); err != nil {
		t.Fatal(err)
	}
	mapped, err := Load(path, LoadOptions{Quantized: true})
	if err != nil {
		t.Fatal(err)
	}
	copied, err := Load(path, LoadOptions{Quantized: true, Copied: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	o := Options{MaxTokens: 12}
	want := generated(t, copied, g.Prompt, o)
	for range 2 {
		if got := generated(t, mapped, g.Prompt, o); !slices.Equal(got, want) {
			t.Errorf("tokens %v, want %v", got, want)
		}
		runtime.GC()
	}
}

// TestQuantizedFast asserts that the fast way is near the exact one, and has the same bits with one thread and with several.
func TestQuantizedFast(t *testing.T) {
	g := goldens(t)
	for _, name := range []string{"llama", "gemma3"} {
		m, err := Load(folder(t, g.Cases[name]))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "m.gguf")
		if err := m.Save(path, SaveOptions{Format: "q8_0"}); err != nil {
			t.Fatal(err)
		}
		exact, err := Load(path, LoadOptions{Quantized: true, Exact: true})
		if err != nil {
			t.Fatal(err)
		}
		fast, err := Load(path, LoadOptions{Quantized: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range g.Positions {
			got := row(fast, g.Prompt, at)
			if e := near(got, row(exact, g.Prompt, at)); e == 0 || e > 0.05 {
				t.Errorf("%s: logits at %d are off by %g", name, at, e)
			}
			old := runtime.GOMAXPROCS(1)
			alone := row(fast, g.Prompt, at)
			runtime.GOMAXPROCS(old)
			if !slices.Equal(got, alone) {
				t.Errorf("%s: logits at %d differ with one thread", name, at)
			}
		}
	}
}
