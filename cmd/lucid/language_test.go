package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

// byteEmbedder writes an encoder whose vector of a text is the mean of those of its bytes, as a Hugging Face folder.
func byteEmbedder(t *testing.T) string {
	t.Helper()
	const n, h = 256, 32
	dir, w := t.TempDir(), lucid.NewStateDict()
	lucid.Seed(1)
	w.Set("embeddings.word_embeddings.weight", lucid.Randn(n, h))
	w.Set("embeddings.position_embeddings.weight", lucid.Zeros(64, h))
	w.Set("embeddings.token_type_embeddings.weight", lucid.Zeros(2, h))
	for _, p := range []string{"embeddings.LayerNorm", "encoder.layer.0.attention.output.LayerNorm", "encoder.layer.0.output.LayerNorm"} {
		w.Set(p+".weight", lucid.Ones(h))
		w.Set(p+".bias", lucid.Zeros(h))
	}
	for _, p := range []string{"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
		"intermediate.dense", "output.dense"} {
		w.Set("encoder.layer.0."+p+".weight", lucid.Zeros(h, h))
		w.Set("encoder.layer.0."+p+".bias", lucid.Zeros(h))
	}
	if err := lucid.Save(filepath.Join(dir, "model.safetensors"), w); err != nil {
		t.Fatal(err)
	}
	tok, err := os.ReadFile(filepath.Join(nextByteModel(t, ""), "tokenizer.json"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "tokenizer.json"), tok, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	config, _ := json.Marshal(map[string]any{"architectures": []string{"BertModel"}, "vocab_size": n, "hidden_size": h,
		"intermediate_size": h, "num_hidden_layers": 1, "num_attention_heads": 4, "max_position_embeddings": 64})
	if err := os.WriteFile(filepath.Join(dir, "config.json"), config, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// must runs a command that shall succeed.
func must(t *testing.T, args ...string) string {
	t.Helper()
	status, out, errs := lucidRun(args...)
	if status != 0 {
		t.Fatalf("%v: status %d, %q", args, status, errs)
	}
	return out
}

// withInput gives a command an input.
func withInput(t *testing.T, text string) {
	runInput = strings.NewReader(text)
	t.Cleanup(func() { runInput = os.Stdin })
}

func TestEmbed(t *testing.T) {
	model := byteEmbedder(t)
	withInput(t, "abc\n\nabd\r\n")
	for i, out := range []string{must(t, "embed", model, "abc", "abd"), must(t, "embed", model)} {
		lines := strings.Split(strings.TrimSpace(out), "\n")
		var got struct {
			Index     int
			Embedding []float64
		}
		err := json.Unmarshal([]byte(lines[len(lines)-1]), &got)
		if err != nil || len(lines) != 2 || got.Index != 1 || len(got.Embedding) != 32 {
			t.Errorf("%d: %v, %s", i, err, out)
		}
	}
	out := must(t, "embed", model, "abc", "cba", "xyz", "--similar")
	if lines := strings.Split(out, "\n"); lines[0] != "1.0000  abc" || lines[1] != "1.0000  cba" || strings.HasPrefix(lines[2], "1.0000") {
		t.Errorf("%q", out)
	}
	file := filepath.Join(t.TempDir(), "e.gguf")
	if out := must(t, "quantize", model, file, "q8_0"); !strings.Contains(out, "bits a weight") {
		t.Errorf("%q", out)
	}
	if out := must(t, "embed", file, "abc", "cba", "--similar", "--exact"); !strings.Contains(out, "1.0000  cba") {
		t.Errorf("%q", out)
	}
	if out := must(t, "info", file); !strings.Contains(out, "bert") {
		t.Errorf("%q", out)
	}
}

func TestTokenize(t *testing.T) {
	model := nextByteModel(t, "")
	withInput(t, "ab")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{model, "Hé", "--ids"}, "[72,195,169]\n"}, {[]string{model, "Hé", "--count"}, "3\n"},
		{[]string{model, "a b"}, "     97  \"a\"\n     32  \"Ġ\"\n     98  \"b\"\n"},
		{[]string{model, "--decode", "[72, 195 169]"}, "Hé\n"}, {[]string{model, "--ids"}, "[97,98]\n"},
		{[]string{filepath.Join(model, "tokenizer.json"), "x", "--ids", "--plain"}, "[120]\n"},
	} {
		if out := must(t, append([]string{"tokenize"}, tt.args...)...); out != tt.want {
			t.Errorf("%v: %q, want %q", tt.args[1:], out, tt.want)
		}
	}
}

func TestPerplexityQuantizeConvert(t *testing.T) {
	model, dir := nextByteModel(t, ""), t.TempDir()
	text := filepath.Join(dir, "text.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("abcdefgh", 12)), 0o644); err != nil {
		t.Fatal(err)
	}
	first := must(t, "perplexity", model, text)
	if !strings.HasPrefix(first, "perplexity ") || !strings.HasSuffix(first, " over 96 tokens\n") {
		t.Errorf("%q", first)
	}
	if out := must(t, "perplexity", model, text, "--tokens", "32", "--window", "16"); !strings.HasSuffix(out, " over 32 tokens\n") {
		t.Errorf("%q", out)
	}
	whole, small, folder := filepath.Join(dir, "a.gguf"), filepath.Join(dir, "b.gguf"), filepath.Join(dir, "folder")
	if out := must(t, "convert", model, whole); !strings.Contains(out, "32.00 bits a weight") {
		t.Errorf("%q", out)
	}
	if out := must(t, "quantize", whole, small); !strings.Contains(out, "a weight") {
		t.Errorf("%q", out)
	}
	must(t, "convert", whole, folder)
	for _, m := range []string{whole, folder} {
		if out := must(t, "perplexity", m, text, "--exact"); out != first {
			t.Errorf("%s: %q, want %q", m, out, first)
		}
	}
	if out := must(t, "run", small, "abc", "--quiet", "--max-tokens", "3"); out != "def\n" {
		t.Errorf("quantized: %q", out)
	}
	for _, tt := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"quantize", whole}, 2, "try: lucid quantize"}, {[]string{"quantize", whole, "x.gguf", "q9"}, 2, "q4_k_m"},
		{[]string{"quantize", whole, small}, 2, "--force"}, {[]string{"quantize", "none.gguf", "x.gguf"}, 2, "there is no model"},
		{[]string{"convert", whole}, 2, "try: lucid convert"}, {[]string{"convert", whole, folder}, 2, "is there already"},
		{[]string{"convert", model, "new"}, 2, ".gguf"}, {[]string{"convert", model, "x.gguf", "--format", "q9"}, 2, "q4_k_m"},
		{[]string{"convert", model, "x.gguf", "--tokenizer", "t"}, 2, "folders"},
		{[]string{"convert", whole, "new", "--format", "q8_0"}, 2, ".gguf files"},
		{[]string{"perplexity", model}, 2, "try: lucid perplexity"}, {[]string{"perplexity", model, "none.txt"}, 1, "none.txt"},
		{[]string{"perplexity", "none", text}, 2, "there is no model"}, {[]string{"perplexity", model, text, "--window", "1"}, 1, "Window"},
		{[]string{"embed"}, 2, "try: lucid embed"}, {[]string{"embed", "none", "x"}, 2, "there is no model"},
		{[]string{"embed", model, "x"}, 1, "llm.Load"}, {[]string{"tokenize"}, 2, "try: lucid tokenize"},
		{[]string{"tokenize", "none", "x"}, 2, "there is no model"}, {[]string{"tokenize", model, "--decode", "x"}, 2, "is no id"},
	} {
		if status, _, errs := lucidRun(tt.args...); status != tt.status || !strings.Contains(errs, tt.says) {
			t.Errorf("%v: status %d, %q; want %d with %q", tt.args, status, errs, tt.status, tt.says)
		}
	}
	must(t, "quantize", whole, small, "Q8_0", "--force")
	_, out, _ := lucidRun("help", "serve")
	if strings.Contains(out, "--quantized") || !strings.Contains(out, "--exact") {
		t.Errorf("serve and run differ in how they multiply:\n%s", out)
	}
}
