package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

// nextByteModel writes a Llama that continues every byte with the next one, as a Hugging Face folder.
func nextByteModel(t *testing.T, template string) string {
	t.Helper()
	const n = 256
	dir, eye, w := t.TempDir(), lucid.Eye(n), lucid.NewStateDict()
	w.Set("model.embed_tokens.weight", eye)
	w.Set("lm_head.weight", lucid.Cat([]*lucid.Tensor{lucid.Narrow(eye, 0, n-1, 1), lucid.Narrow(eye, 0, 0, n-1)}, 0))
	for _, name := range []string{"self_attn.q", "self_attn.k", "self_attn.v", "self_attn.o", "mlp.gate", "mlp.up", "mlp.down"} {
		w.Set("model.layers.0."+name+"_proj.weight", lucid.Zeros(n, n))
	}
	for _, name := range []string{"model.layers.0.input_layernorm", "model.layers.0.post_attention_layernorm", "model.norm"} {
		w.Set(name+".weight", lucid.Ones(n))
	}
	if err := lucid.Save(filepath.Join(dir, "model.safetensors"), w); err != nil {
		t.Fatal(err)
	}
	words, other := map[string]int{}, 0
	for b := range n {
		r := rune(b)
		if !(b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae) {
			r = rune(n + other)
			other++
		}
		words[string(r)] = b
	}
	for name, v := range map[string]any{
		"config.json": map[string]any{"architectures": []string{"LlamaForCausalLM"}, "vocab_size": n, "hidden_size": n,
			"intermediate_size": n,
			"num_hidden_layers": 1, "num_attention_heads": 4, "max_position_embeddings": 64, "eos_token_id": 'z'},
		"tokenizer.json": map[string]any{"pre_tokenizer": map[string]any{"type": "ByteLevel", "add_prefix_space": false},
			"decoder": map[string]any{"type": "ByteLevel"}, "model": map[string]any{"type": "BPE", "vocab": words, "merges": []string{}}},
		"tokenizer_config.json": map[string]any{"chat_template": template},
	} {
		data, err := json.Marshal(v)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRun(t *testing.T) {
	plain := nextByteModel(t, "")
	chat := nextByteModel(t, "{% for m in messages %}{{ m.content }}{% endfor %}")
	status, out, errs := lucidRun("run", plain, "abc", "--max-tokens", "4")
	want := regexp.MustCompile(`^defg\n\[prompt: 3 tokens, [0-9.]+ tokens/s; text: 4 tokens, [0-9.]+ tokens/s\]\n$`)
	if status != 0 || !want.MatchString(out) {
		t.Errorf("status %d, %q %q", status, out, errs)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{plain, "wx", "--quiet"}, "y\n"}, // z ends the text
		{[]string{chat, "456", "--quiet", "--system", "123", "--max-tokens", "2"}, "78\n"},
		{[]string{chat, "456", "--quiet", "--raw", "--max-tokens", "2", "--temperature", "0.001", "--top-k", "3"}, "78\n"},
		{[]string{chat, "456", "--quiet", "--max-tokens", "2", "--dtype", "bfloat16"}, "78\n"},
		{[]string{chat, "456", "--quiet", "--max-tokens", "2", "--lookup", "2", "--guesses", "3"}, "78\n"},
		{[]string{chat, "456", "--quiet", "--max-tokens", "2", "--draft", plain}, "78\n"},
		{[]string{chat, "456", "--quiet", "--max-tokens", "2", "--cache-bits", "8"}, "78\n"},
		{[]string{chat, "!", "--quiet", "--max-tokens", "20", "--window", "16", "--keep", "2"}, "\"#$%&'()*+,-./012345\n"},
	} {
		if status, out, errs := lucidRun(append([]string{"run"}, tt.args...)...); status != 0 || out != tt.want {
			t.Errorf("%v: status %d, %q %q", tt.args[1:], status, out, errs)
		}
	}
	runInput = strings.NewReader("abc\nmno\n\"\"\"\nxyz\nbcd\n\"\"\"\n/clear\nabc\n\nnever read\n")
	defer func() { runInput = os.Stdin }()
	status, out, errs = lucidRun("run", chat, "--quiet", "--max-tokens", "3")
	_, out, _ = strings.Cut(out, "\n") // what to type
	if want := "> def\n> pqr\n> . . . efg\n> > def\n> \n"; status != 0 || out != want {
		t.Errorf("chat: status %d, %q %q; want %q", status, out, errs, want)
	}
}

func TestRunMistakes(t *testing.T) {
	plain := nextByteModel(t, "")
	for _, tt := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"run", "none.gguf", "a"}, 2, "there is no model at none.gguf; try: lucid run"},
		{[]string{"run", plain}, 2, "no chat template"},
		{[]string{"run", plain, "a", "--dtype", "int8"}, 2, "try: lucid run"},
		{[]string{"run", plain, "a", "--device", "tpu"}, 2, "try: lucid run"},
		{[]string{"run", plain, "a", "--top-p", "2"}, 1, "TopP is 2"},
		{[]string{"run", plain, ""}, 1, "no tokens"},
		{[]string{"run", plain, "a", "--cache-bits", "3"}, 1, "a cache of 3 bits"},
		{[]string{"run", plain, "a", "--draft", "none.gguf"}, 2, "there is no model at none.gguf"},
		{[]string{"run", plain, "a", "--keep", "3"}, 1, "Rotate"},
		{[]string{"run", plain, "a", "--guesses", "3"}, 1, "Speculate.Tokens"},
		{[]string{"info"}, 2, "try: lucid info"},
		{[]string{"info", "none"}, 2, "try: lucid info"},
	} {
		if status, _, errs := lucidRun(tt.args...); status != tt.status || !strings.Contains(errs, tt.says) {
			t.Errorf("%v: status %d, %q; want %d with %q", tt.args, status, errs, tt.status, tt.says)
		}
	}
}

func TestInfo(t *testing.T) {
	plain := nextByteModel(t, "")
	status, out, _ := lucidRun("info", plain)
	for _, want := range []string{"family", "llama", "1 of width 256", "64 tokens"} {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("status %d, no %q in:\n%s", status, want, out)
		}
	}
	status, out, _ = lucidRun("info", plain, "--json")
	var got struct {
		Config struct{ Family string }
		Tokens int
	}
	if err := json.Unmarshal([]byte(out), &got); status != 0 || err != nil || got.Config.Family != "llama" || got.Tokens != 256 {
		t.Errorf("status %d, %v, %s", status, err, out)
	}
}

// TestRunLoadsDraft asserts that a draft is loaded as its own file asks for, not as that of the model does.
func TestRunLoadsDraft(t *testing.T) {
	for _, tt := range []struct {
		path, draft string
		load, then  bool // matrices as they are stored
	}{
		{"tiny", "small.gguf", true, true}, {"a.gguf", "a.safetensors", true, false}, {"a.safetensors", "tiny", false, true},
	} {
		r := &runFlags{}
		if err := r.parse(find("run"), []string{tt.path, "x", "--draft", tt.draft}, io.Discard); err != nil {
			t.Fatal(err)
		}
		was := r.load.Quantized
		if err := r.source(&r.draft); err != nil || was != tt.load || r.load.Quantized != tt.then {
			t.Errorf("%+v: stored %v, then %v; %v", tt, was, r.load.Quantized, err)
		}
	}
}
