package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// embedTexts are short, long, in several scripts, and with special tokens written out.
var embedTexts = []string{"A man is eating food.", "Someone eats a meal.", "The girl carries a baby.", "x", "",
	"Größe, naïve, Ünïcödé, 漢字 и кириллица",
	"special [SEP] tokens </s> in <pad> a text [PAD] of a user", strings.Repeat("The quick brown fox jumps over the lazy dog. ", 12)}

// TestEmbedAssets compares vectors of real models with transformers. It needs the files of scripts/assets/fetch.py in LUCID_ASSETS,
// and in LUCID_PYTHON a Python with torch and transformers.
func TestEmbedAssets(t *testing.T) {
	dir, python := os.Getenv("LUCID_ASSETS"), os.Getenv("LUCID_PYTHON")
	if dir == "" || python == "" {
		t.Skip("LUCID_ASSETS and LUCID_PYTHON are not set; see scripts/assets/fetch.py")
	}
	for _, name := range []string{"all-minilm-l6-v2", "all-mpnet-base-v2"} {
		path := filepath.Join(dir, name)
		in, err := json.Marshal(embedTexts)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(python, "../scripts/assets/embed.py", path)
		cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var want [][]float32
		if err := json.Unmarshal(out, &want); err != nil {
			t.Fatal(err)
		}
		e, err := LoadEmbedder(path)
		if err != nil {
			t.Fatal(err)
		}
		check := func(e *Embedder, least float64) {
			t.Helper()
			got, err := e.Embed(context.Background(), embedTexts, EmbedOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if c := cosine(got[i], want[i]); c < least {
					t.Errorf("%s, text %d: the cosine is %.7f; want at least %g", name, i, c, least)
				}
			}
		}
		check(e, 0.999999)
		if name != "all-minilm-l6-v2" {
			continue
		}
		for format, least := range map[string]float64{"f32": 0.999999, "q8_0": 0.998} {
			path := filepath.Join(t.TempDir(), "m.gguf")
			if err := e.Save(path, SaveOptions{Format: format}); err != nil {
				t.Fatal(err)
			}
			for _, o := range []LoadOptions{{}, {Quantized: true}} {
				back, err := LoadEmbedder(path, o)
				if err != nil {
					t.Fatal(err)
				}
				check(back, least)
			}
		}
	}
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+float64(a[i])*float64(b[i]), aa+float64(a[i])*float64(a[i]), bb+float64(b[i])*float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}
