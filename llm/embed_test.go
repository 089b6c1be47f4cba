package llm

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec/gguf"
)

// encoderGolden is what scripts/golden_llm/encoders.py wrote.
type encoderGolden struct {
	Texts [][]int
	Cases map[string]struct {
		Config  map[string]any
		Shapes  map[string][]int
		Vectors []map[string][]float32
	}
}

var readEncoders = sync.OnceValues(func() (g encoderGolden, err error) {
	data, err := os.ReadFile("testdata/encoders.json")
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	return g, err
})

func encoders(t testing.TB) encoderGolden {
	t.Helper()
	g, err := readEncoders()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// encoderWeights computes the weights of a case from their names.
func encoderWeights(shapes map[string][]int) *lucid.StateDict {
	d := lucid.NewStateDict()
	for name, shape := range shapes {
		v := weight(name, int(elements(shape)), 0)
		if strings.HasSuffix(name, "LayerNorm.weight") {
			for i := range v {
				v[i]++
			}
		}
		d.Set(name, lucid.New(v, shape...))
	}
	return d
}

// encoderFolder writes a case as a folder; prefix is put before the names of weights.
func encoderFolder(t testing.TB, name, prefix string) string {
	t.Helper()
	c, dir := encoders(t).Cases[name], t.TempDir()
	d := lucid.NewStateDict()
	for name, w := range encoderWeights(c.Shapes).All() {
		d.Set(prefix+name, w)
	}
	if err := lucid.Save(filepath.Join(dir, "model.safetensors"), d); err != nil {
		t.Fatal(err)
	}
	writeJSON(t, filepath.Join(dir, "config.json"), c.Config)
	tok := byteTokenizer()
	// As BERT's: a token before the text and one behind it.
	special := func(id string) map[string]any {
		return map[string]any{"SpecialToken": map[string]any{"id": id, "type_id": 0}}
	}
	tok["post_processor"] = map[string]any{"type": "TemplateProcessing",
		"single": []any{special("A"), map[string]any{"Sequence": map[string]any{"id": "A", "type_id": 0}}, special("B")},
		"pair":   []any{},
		"special_tokens": map[string]any{"A": map[string]any{"id": "A", "ids": []int{65}, "tokens": []string{"A"}},
			"B": map[string]any{"id": "B", "ids": []int{66}, "tokens": []string{"B"}}}}
	writeJSON(t, filepath.Join(dir, "tokenizer.json"), tok)
	return dir
}

func tinyEmbedder(t testing.TB) *Embedder {
	t.Helper()
	e, err := LoadEmbedder(encoderFolder(t, "bert", ""))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestEncoders compares vectors of every family and pooling with transformers: texts in one batch, and alone with the same bits.
func TestEncoders(t *testing.T) {
	ctx, g, raw := context.Background(), encoders(t), new(bool)
	for name, c := range g.Cases {
		t.Run(name, func(t *testing.T) {
			e, err := LoadEmbedder(encoderFolder(t, name, ""))
			if err != nil {
				t.Fatal(err)
			}
			for _, pooling := range []string{"mean", "cls", "max", "last", "unit"} {
				o := EmbedOptions{Pooling: pooling, Normalize: raw}
				if pooling == "unit" {
					o = EmbedOptions{}
				}
				all, err := e.EmbedIDs(ctx, g.Texts, o)
				if err != nil {
					t.Fatal(err)
				}
				for i, want := range c.Vectors {
					if worst := near(all[i], want[pooling]); worst > 2e-6 {
						t.Errorf("text %d, %s: off by %g", i, pooling, worst)
					}
					alone, err := e.EmbedIDs(ctx, g.Texts[i:i+1], o)
					if err != nil || !slices.Equal(alone[0], all[i]) {
						t.Errorf("text %d, %s: other bits alone: %v", i, pooling, err)
					}
				}
			}
		})
	}
}

// TestEncoderBatches asserts that a text has the same bits whatever the batch, and that lengths do not trace anew.
func TestEncoderBatches(t *testing.T) {
	e, ctx := tinyEmbedder(t), context.Background()
	var texts [][]int
	for i := range 70 {
		ids := make([]int, 1+(i*13)%64)
		for k := range ids {
			ids[k] = (i*31 + k*k*7) % 256
		}
		texts = append(texts, ids)
	}
	all, err := e.EmbedIDs(ctx, texts, EmbedOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if alone, err := e.EmbedIDs(ctx, [][]int{text}, EmbedOptions{}); err != nil || !slices.Equal(alone[0], all[i]) {
			t.Fatalf("text %d of %d tokens: other bits alone: %v", i, len(text), err)
		}
	}
	before := lucid.Explain(e.run).Traces
	for n := 1; n <= 64; n++ {
		if _, err := e.EmbedIDs(ctx, [][]int{make([]int, n)}, EmbedOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if x := lucid.Explain(e.run); x.Traces != before || x.Traces > 40 {
		t.Errorf("%d traces, then %d; want none for new lengths", before, x.Traces)
	}
}

// TestEmbedTokens asserts what is put around texts, and how long ones are cut or refused.
func TestEmbedTokens(t *testing.T) {
	e, ctx := tinyEmbedder(t), context.Background()
	long := strings.Repeat("x", 100)
	for _, tt := range []struct {
		text string
		o    EmbedOptions
		want string
	}{
		{"ab", EmbedOptions{}, "AabB"},
		{"ab", EmbedOptions{Prompt: "q:"}, "Aq:abB"},
		{"abcdef", EmbedOptions{MaxTokens: 5, Truncate: true}, "AabcB"},
		{"AAA", EmbedOptions{MaxTokens: 4, Truncate: true}, "AAAB"},
		{"abc", EmbedOptions{MaxTokens: 5}, "AabcB"},
		{long, EmbedOptions{Truncate: true}, "A" + long[:64] + "B"},
	} {
		ids, err := e.Tokens(tt.text, tt.o)
		if got := e.Tokenizer().Decode(ids); err != nil || got != tt.want {
			t.Errorf("%q %+v: %q, %v; want %q", tt.text, tt.o, got, err, tt.want)
		}
	}
	for _, o := range []EmbedOptions{{}, {MaxTokens: 50}, {MaxTokens: -1}, {MaxTokens: 67}, {Pooling: "sum", Truncate: true}} {
		if _, err := e.Embed(ctx, []string{"a", long}, o); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := e.Embed(ctx, []string{"a", long}, EmbedOptions{}); err == nil || !strings.Contains(err.Error(), "text 1 of 2") {
		t.Errorf("%v; want the number of the text", err)
	}
	if _, err := e.EmbedIDs(ctx, [][]int{{256}}, EmbedOptions{}); !errors.Is(err, lucid.ErrIndex) {
		t.Error(err)
	}
	if _, err := e.EmbedIDs(ctx, [][]int{{}}, EmbedOptions{}); !errors.Is(err, lucid.ErrValue) {
		t.Error(err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := e.Embed(stopped, []string{"a"}, EmbedOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if all, err := e.Embed(ctx, nil, EmbedOptions{}); err != nil || len(all) != 0 {
		t.Error(all, err)
	}
}

// TestModules asserts that the files of sentence-transformers are followed, or refused by name.
func TestModules(t *testing.T) {
	ctx, g := context.Background(), encoders(t)
	list := func(types ...string) (list []map[string]any) {
		for i, kind := range types {
			path := ""
			if kind == "Pooling" {
				path = "1_Pooling"
			}
			list = append(list, map[string]any{"idx": i, "path": path, "type": "sentence_transformers.models." + kind})
		}
		return list
	}
	make1 := func(modules any, pooling, settings, prompts map[string]any) string {
		dir := encoderFolder(t, "bert", "bert.")
		if modules != nil {
			writeJSON(t, filepath.Join(dir, "modules.json"), modules)
		}
		if pooling != nil {
			if err := os.Mkdir(filepath.Join(dir, "1_Pooling"), 0o755); err != nil {
				t.Fatal(err)
			}
			writeJSON(t, filepath.Join(dir, "1_Pooling", "config.json"), pooling)
		}
		writeJSON(t, filepath.Join(dir, "sentence_bert_config.json"), settings)
		writeJSON(t, filepath.Join(dir, "config_sentence_transformers.json"), prompts)
		return dir
	}
	three := list("Transformer", "Pooling", "Normalize")
	cls := map[string]any{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false, "word_embedding_dimension": 32}
	e, err := LoadEmbedder(make1(three[:2], cls, map[string]any{"max_seq_length": 30}, map[string]any{
		"prompts": map[string]string{"query": "q: "}, "default_prompt_name": "query"}))
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.EmbedIDs(ctx, g.Texts[:1], EmbedOptions{})
	if err != nil || near(got[0], g.Cases["bert"].Vectors[0]["cls"]) > 2e-6 || e.MaxTokens() != 30 || e.Size() != 32 {
		t.Error(err, e.MaxTokens(), e.Size())
	}
	if ids, err := e.Tokens("x", EmbedOptions{}); err != nil || e.Tokenizer().Decode(ids) != "Aq: xB" {
		t.Error(ids, err)
	}
	e, err = LoadEmbedder(make1(three, map[string]any{"pooling_mode": "lasttoken"}, nil, nil))
	if err != nil || e.files.pooling != "last" || !e.files.unit {
		t.Error(err)
	}
	for name, dir := range map[string]string{
		"two poolings":    make1(three, map[string]any{"pooling_mode_cls_token": true, "pooling_mode_max_tokens": true}, nil, nil),
		"another pooling": make1(three, map[string]any{"pooling_mode_weightedmean_tokens": true}, nil, nil),
		"no pooling":      make1(three, map[string]any{}, nil, nil),
		"no pooling file": make1(three, nil, nil, nil),
		"a dense module":  make1(list("Transformer", "Pooling", "Dense"), cls, nil, nil),
		"lower case":      make1(nil, nil, map[string]any{"do_lower_case": true}, nil),
		"long":            make1(nil, nil, map[string]any{"max_seq_length": 1000}, nil),
		"no such prompt":  make1(nil, nil, nil, map[string]any{"default_prompt_name": "none"}),
		"a path":          make1([]map[string]any{{"path": "../../x", "type": "a.Pooling"}}, nil, nil, nil),
	} {
		if e, err := LoadEmbedder(dir); err == nil {
			t.Errorf("%s: accepted: %+v", name, e.files)
		}
	}
}

// TestEmbedderKinds asserts that decoders and encoders are told apart, and damaged ones refused.
func TestEmbedderKinds(t *testing.T) {
	dir := encoderFolder(t, "mpnet", "mpnet.")
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "LoadEmbedder") {
		t.Error(err)
	}
	if _, err := LoadEmbedder(folder(t, goldens(t).Cases["llama"])); err == nil || !strings.Contains(err.Error(), "llm.Load") {
		t.Error(err)
	}
	info, err := Describe(dir)
	if err != nil || info.Config.Family != "mpnet" || info.Tokens != 256 || info.Config.Context != 64 || !info.Embeds {
		t.Errorf("%+v, %v", info, err)
	}
	if _, err := LoadEmbedder(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	for key, v := range map[string]any{"num_attention_heads": 5, "vocab_size": 255, "pad_token_id": 1000, "hidden_act": "mish",
		"relative_attention_num_buckets": 3, "layer_norm_eps": 2, "surprise": 1, "num_hidden_layers": 4, "intermediate_size": 49} {
		config := map[string]any{}
		for k, v := range encoders(t).Cases["mpnet"].Config {
			config[k] = v
		}
		config[key] = v
		writeJSON(t, filepath.Join(dir, "config.json"), config)
		if _, err := LoadEmbedder(dir); err == nil {
			t.Errorf("%s %v: accepted", key, v)
		}
	}
}

// TestEmbedderGGUF asserts that an encoder is the same from a GGUF file, and nearly in fewer bits, with products over blocks too.
func TestEmbedderGGUF(t *testing.T) {
	e, ctx, g := tinyEmbedder(t), context.Background(), encoders(t)
	e.files.pooling = "cls"
	want, err := e.EmbedIDs(ctx, g.Texts, EmbedOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for format, most := range map[string]float64{"f32": 0, "f16": 1e-3, "q8_0": 1e-2, "q4_0": 0.2} {
		path := filepath.Join(t.TempDir(), "m.gguf")
		if err := e.Save(path, SaveOptions{Format: format}); err != nil {
			t.Fatal(err)
		}
		for _, o := range []LoadOptions{{}, {Quantized: true, Exact: true}} {
			back, err := LoadEmbedder(path, o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := back.EmbedIDs(ctx, g.Texts, EmbedOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if worst := near(got[i], want[i]); worst > most || worst == 0 && most > 0 {
					t.Errorf("%s %+v, text %d: off by %g", format, o, i, worst)
				}
			}
			if got, want := back.Tokenizer().Encode("Hé"), e.Tokenizer().Encode("Hé"); !slices.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
		}
		if info, err := Describe(path); err != nil || info.Config.Family != "bert" || info.Format != "GGUF" || !info.Embeds {
			t.Errorf("%+v, %v", info, err)
		}
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "LoadEmbedder") {
			t.Error(err)
		}
	}
	if err := e.Save("x.bin", SaveOptions{}); !errors.Is(err, lucid.ErrValue) {
		t.Error(err)
	}
	if e, err = LoadEmbedder(encoderFolder(t, "mpnet", "")); err != nil {
		t.Fatal(err)
	}
	if err := e.Save("x.gguf", SaveOptions{}); !errors.Is(err, lucid.ErrNotImplemented) {
		t.Error(err)
	}
}

// BenchmarkMiniLM is texts of 128 tokens, alone and 32 together.
func BenchmarkMiniLM(b *testing.B) {
	dir := os.Getenv("LUCID_ASSETS")
	if dir == "" {
		b.Skip("LUCID_ASSETS is not set; see scripts/assets/fetch.py")
	}
	e, err := LoadEmbedder(filepath.Join(dir, "all-minilm-l6-v2"))
	if err != nil {
		b.Fatal(err)
	}
	texts := make([][]int, 32)
	for i := range texts {
		texts[i] = make([]int, 128)
		for k := range texts[i] {
			texts[i][k] = 1000 + (i*977+k*k*31)%20000
		}
	}
	for _, n := range []int{1, 32} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := e.EmbedIDs(context.Background(), texts[:n], EmbedOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "texts/s")
		})
	}
}

// TestEmbedderDecoder asserts that a decoder whose files say how it embeds gives vectors of its last tokens, alone and in batches, also
// if it was saved without its head.
func TestEmbedderDecoder(t *testing.T) {
	ctx, c := context.Background(), goldens(t).Cases["qwen3"]
	texts := encoders(t).Texts
	m, err := Load(folder(t, c))
	if err != nil {
		t.Fatal(err)
	}
	bare := goldenCase{Config: c.Config, Shapes: map[string][]int{}}
	dir := folder(t, c)
	d, err := lucid.Load(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	short := lucid.NewStateDict()
	for name, w := range d.All() {
		short.Set(strings.TrimPrefix(name, "model."), w)
	}
	without := folder(t, bare)
	if err := lucid.Save(filepath.Join(without, "model.safetensors"), short); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{dir, without} {
		writeJSON(t, filepath.Join(dir, "modules.json"), []map[string]any{{"path": "", "type": "a.Transformer"},
			{"path": "1_Pooling", "type": "a.Pooling"}, {"path": "", "type": "a.Normalize"}})
		if err := os.Mkdir(filepath.Join(dir, "1_Pooling"), 0o755); err != nil {
			t.Fatal(err)
		}
		writeJSON(t, filepath.Join(dir, "1_Pooling", "config.json"), map[string]any{"pooling_mode_lasttoken": true})
		if info, err := Describe(dir); err != nil || !info.Embeds {
			t.Errorf("%+v, %v", info, err)
		}
		e, err := LoadEmbedder(dir)
		if err != nil {
			t.Fatal(err)
		}
		all, err := e.EmbedIDs(ctx, texts, EmbedOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i, ids := range texts {
			h := m.Module().Hidden(lucid.New(ids, 1, len(ids)))
			want := lucid.ToSlice[float32](h.Narrow(1, len(ids)-1, 1).Reshape(-1))
			if c := cosine(all[i], want); c < 0.999999 {
				t.Errorf("text %d: the cosine is %v", i, c)
			}
			if alone, err := e.EmbedIDs(ctx, texts[i:i+1], EmbedOptions{}); err != nil || !slices.Equal(alone[0], all[i]) {
				t.Errorf("text %d: other bits alone: %v", i, err)
			}
		}
		if e.Module() != nil || e.Save(filepath.Join(t.TempDir(), "x.gguf"), SaveOptions{}) == nil {
			t.Error("a decoder as an encoder")
		}
	}
}

// rewriteGGUF copies a file with other metadata.
func rewriteGGUF(t *testing.T, path string, change func(key string, v gguf.Value, set func(string, gguf.Value))) string {
	t.Helper()
	f, err := gguf.Open(path, gguf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	meta, to := &gguf.Metadata{}, filepath.Join(t.TempDir(), "other.gguf")
	for _, key := range f.Metadata().Keys() {
		v, _ := f.Metadata().Get(key)
		change(key, v, meta.Set)
	}
	var list []gguf.Tensor
	for _, info := range f.Infos() {
		data, err := f.Data(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, gguf.Tensor{Name: info.Name, Type: info.Type, Shape: info.Shape, Data: data})
	}
	if err := gguf.Write(to, meta, list); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestEmbedderGGUFDecoder asserts that a GGUF file of a decoder that says how it embeds does.
func TestEmbedderGGUFDecoder(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "m.gguf")
	m := tiny(t)
	if err := m.Save(path, SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadEmbedder(path); err == nil {
		t.Error("a file that does not say how it embeds")
	}
	for kind, pooling := range map[uint32]string{1: "mean", 3: "last"} {
		e, err := LoadEmbedder(rewriteGGUF(t, path, func(key string, v gguf.Value, set func(string, gguf.Value)) {
			set(key, v)
			set("llama.pooling_type", gguf.OfUint32(kind))
		}))
		if err != nil {
			t.Fatal(err)
		}
		ids := []int{5, 6, 7, 8, 9}
		got, err := e.EmbedIDs(ctx, [][]int{ids}, EmbedOptions{})
		if err != nil {
			t.Fatal(err)
		}
		h := m.Module().Hidden(lucid.New(ids, 1, 5))
		want := h.Mean(1).Reshape(-1)
		if pooling == "last" {
			want = h.Narrow(1, 4, 1).Reshape(-1)
		}
		if c := cosine(got[0], lucid.ToSlice[float32](want)); c < 0.999999 {
			t.Errorf("%s: the cosine is %v", pooling, c)
		}
	}
}

// TestWordPieceGGUF asserts that the vocabulary of a BERT is stored as programs expect that do not read a tokenizer.json.
func TestWordPieceGGUF(t *testing.T) {
	dir := encoderFolder(t, "bert", "")
	vocab := map[string]int{}
	for i, w := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "##s", "sat", ".", ",", "un", "##happy"} {
		vocab[w] = i
	}
	var added []any
	for i, w := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"} {
		added = append(added, map[string]any{"id": i, "content": w, "special": true})
	}
	special := func(id string) map[string]any {
		return map[string]any{"SpecialToken": map[string]any{"id": id, "type_id": 0}}
	}
	writeJSON(t, filepath.Join(dir, "tokenizer.json"), map[string]any{"added_tokens": added,
		"normalizer":    map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"decoder":       map[string]any{"type": "WordPiece", "prefix": "##", "cleanup": true},
		"post_processor": map[string]any{"type": "TemplateProcessing", "pair": []any{},
			"single": []any{special("[CLS]"), map[string]any{"Sequence": map[string]any{"id": "A", "type_id": 0}}, special("[SEP]")},
			"special_tokens": map[string]any{"[CLS]": map[string]any{"id": "[CLS]", "ids": []int{2}, "tokens": []string{"[CLS]"}},
				"[SEP]": map[string]any{"id": "[SEP]", "ids": []int{3}, "tokens": []string{"[SEP]"}}}},
		"model": map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
			"max_input_chars_per_word": 100, "vocab": vocab}})
	e, err := LoadEmbedder(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := e.Save(path, SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	bare, err := LoadEmbedder(rewriteGGUF(t, path, func(key string, v gguf.Value, set func(string, gguf.Value)) {
		if key != hfTokenizer {
			set(key, v)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"The cats sat.", "unhappy, CATS", "dog [MASK] cat", ""} {
		if got, want := bare.Tokenizer().Encode(text), e.Tokenizer().Encode(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
