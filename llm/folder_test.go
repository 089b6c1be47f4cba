package llm

import (
	"encoding/json"
	"errors"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
)

// golden is what scripts/golden_llm/make.py wrote.
type golden struct {
	Prompt    []int
	Positions []int
	Cases     map[string]goldenCase
}

type goldenCase struct {
	Config map[string]any
	Shapes map[string][]int
	Greedy []int
	Logits [][]float32
}

var readGolden = sync.OnceValues(func() (g golden, err error) {
	data, err := os.ReadFile("testdata/families.json")
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	return g, err
})

func goldens(t testing.TB) golden {
	t.Helper()
	g, err := readGolden()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// caseNames are the cases of a test that takes long for each: all with LUCID_LONG=1, else those named.
func caseNames(t testing.TB, some ...string) []string {
	t.Helper()
	if os.Getenv("LUCID_LONG") == "" {
		return some
	}
	return slices.Sorted(maps.Keys(goldens(t).Cases))
}

// weight computes a weight from its name, as make.py does.
func weight(name string, n int, norm float32) []float32 {
	v := make([]float32, n)
	isNorm := strings.HasSuffix(name, "norm.weight") ||
		(strings.Contains(name, ".ln_") || strings.Contains(name, ".norms.")) && strings.HasSuffix(name, ".weight")
	start := crc32.ChecksumIEEE([]byte(name))
	for i := range v {
		v[i] = (float32(mixed(start, i)>>8)/(1<<24) - 0.5) * 0.4
		if isNorm {
			v[i] += norm
		}
	}
	return v
}

// mixed is a number that looks random.
func mixed(start uint32, i int) uint32 {
	x := start + uint32(i)*2654435761
	x = (x ^ x>>16) * 0x85EBCA6B
	x = (x ^ x>>13) * 0xC2B2AE35
	return x ^ x>>16
}

// weightBytes computes blocks, or their scales, from their name, as make.py does.
func weightBytes(name string, n int) []byte {
	v, start := make([]byte, n), crc32.ChecksumIEEE([]byte(name))
	for i := range v {
		if x := mixed(start, i); strings.HasSuffix(name, "_scales") {
			v[i] = byte(121 + x>>30)
		} else {
			v[i] = byte(x >> 24)
		}
	}
	return v
}

// byteTokenizer is a tokenizer.json with a token for each byte, and nothing else.
func byteTokenizer() map[string]any {
	words, n := map[string]int{}, 0
	for b := range 256 {
		r := rune(b)
		if !(b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae) {
			r = rune(256 + n)
			n++
		}
		words[string(r)] = b
	}
	return map[string]any{"version": "1.0", "added_tokens": []any{}, "normalizer": nil, "post_processor": nil,
		"pre_tokenizer": map[string]any{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
		"decoder":       map[string]any{"type": "ByteLevel"},
		"model":         map[string]any{"type": "BPE", "vocab": words, "merges": []string{}}}
}

func writeJSON(t testing.TB, path string, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// folder writes a case as a folder of Hugging Face's form.
func folder(t testing.TB, c goldenCase) string {
	t.Helper()
	dir, d := t.TempDir(), lucid.NewStateDict()
	norm := float32(1)
	if strings.HasPrefix(c.Config["model_type"].(string), "gemma") {
		norm = 0
	}
	for name, shape := range c.Shapes {
		n := 1
		for _, s := range shape {
			n *= s
		}
		if strings.HasSuffix(name, "_blocks") || strings.HasSuffix(name, "_scales") {
			d.Set(name, lucid.New(weightBytes(name, n), shape...))
			continue
		}
		d.Set(name, lucid.New(weight(name, n, norm), shape...))
	}
	if err := lucid.Save(filepath.Join(dir, "model.safetensors"), d); err != nil {
		t.Fatal(err)
	}
	writeJSON(t, filepath.Join(dir, "config.json"), c.Config)
	writeJSON(t, filepath.Join(dir, "tokenizer.json"), byteTokenizer())
	template := "{% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\n' }}{% endfor %}" +
		"{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"
	writeJSON(t, filepath.Join(dir, "tokenizer_config.json"), map[string]any{"chat_template": template})
	return dir
}

func tiny(t testing.TB) *Model {
	t.Helper()
	m, err := Load(folder(t, goldens(t).Cases["llama"]))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFolderMissing(t *testing.T) {
	_, err := Load(t.TempDir())
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "a model is a .gguf file, or a folder") {
		t.Errorf("an empty folder: %v", err)
	}
}
