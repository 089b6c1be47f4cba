package llm

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

var assetPrompts = []string{"The capital of France is", "Once upon a time, in a small village,", "def fibonacci(n):\n",
	"Water boils at a temperature of", "Dear Sir or Madam,\n\nI am writing to"}

// assetModels are the files that greedy tokens are compared of. transformers needs 12 GB for the last one.
var assetModels = []string{"smollm2-135m-instruct.gguf", "gemma3-270m.gguf", "qwen2.5-coder-0.5b.gguf", "qwen2.5-coder-1.5b.gguf"}

// TestAssets compares greedy tokens with transformers on the same weights dequantised. It needs the files of
// scripts/assets/fetch.py in LUCID_ASSETS, and in LUCID_PYTHON a Python with torch, transformers, gguf and accelerate.
func TestAssets(t *testing.T) {
	dir, python := os.Getenv("LUCID_ASSETS"), os.Getenv("LUCID_PYTHON")
	if dir == "" || python == "" {
		t.Skip("LUCID_ASSETS and LUCID_PYTHON are not set; see scripts/assets/fetch.py")
	}
	for _, name := range assetModels {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			m, err := Load(path)
			if err != nil {
				t.Fatal(err)
			}
			var prompts [][]int
			for _, p := range assetPrompts {
				prompts = append(prompts, m.Tokenizer().Encode(p))
			}
			in, err := json.Marshal(prompts)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(python, "../scripts/assets/greedy.py", path, "64")
			cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var want [][]int
			if err := json.Unmarshal(out, &want); err != nil {
				t.Fatal(err)
			}
			for i, p := range prompts {
				got := generated(t, m, p, Options{MaxTokens: 64, IgnoreEnd: true})
				t.Logf("%q", m.Tokenizer().Decode(got))
				if !slices.Equal(got, want[i]) {
					t.Errorf("%q: tokens %v, want %v", assetPrompts[i], got, want[i])
				}
			}
		})
	}
}
