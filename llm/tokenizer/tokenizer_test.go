package tokenizer

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lucid-go/lucid/internal/codec/codectest"
	"github.com/lucid-go/lucid/internal/codec/gguf"
	"github.com/lucid-go/lucid/internal/fault"
)

// asGGUF writes a tokenizer's vocabulary as a GGUF file has it.
func asGGUF(t *Tokenizer, model, pre string, merges []string, scores []float32) *gguf.Metadata {
	m := &gguf.Metadata{}
	m.Set("tokenizer.ggml.model", gguf.OfText(model))
	if pre != "" {
		m.Set("tokenizer.ggml.pre", gguf.OfText(pre))
	}
	kinds := make([]int64, len(t.vocab.tokens))
	for id, s := range t.vocab.tokens {
		kinds[id] = ggufNormal
		if _, ok := byteOf(s); ok {
			kinds[id] = ggufByte
		}
		if t.special[int32(id)] {
			kinds[id] = ggufControl
		}
	}
	m.Set("tokenizer.ggml.tokens", gguf.OfTexts(t.vocab.tokens))
	m.Set("tokenizer.ggml.token_type", gguf.OfInts(gguf.Int32, kinds))
	if merges != nil {
		m.Set("tokenizer.ggml.merges", gguf.OfTexts(merges))
	}
	if scores != nil {
		m.Set("tokenizer.ggml.scores", gguf.OfFloats(scores))
	}
	for _, c := range []struct{ key, token string }{{"bos", "<s>"}, {"eos", "</s>"}, {"unknown", "<unk>"}} {
		if id, ok := t.ID(c.token); ok {
			m.Set("tokenizer.ggml."+c.key+"_token_id", gguf.OfUint32(uint32(id)))
		}
	}
	return m
}

// TestGGUF: the same vocabulary by a GGUF file and by tokenizer.json gives the same ids.
func TestGGUF(t *testing.T) {
	g := readGolden(t)
	data, _ := os.ReadFile("testdata/llama3_like.json")
	level := load(t, "llama3_like.json")
	var merges []string
	for _, pair := range bytesMerges(t, data) {
		merges = append(merges, pair[0]+" "+pair[1])
	}
	tok, err := FromGGUF(asGGUF(level, "gpt2", "llama-bpe", merges, nil))
	if err != nil {
		t.Fatal(err)
	}
	spm := load(t, "bpe.model")
	scores := make([]float32, spm.Size())
	for id := range scores { // of the scored model: rank by rank
		scores[id] = -float32(spm.model.(*bpe).ranks[id])
	}
	meta := asGGUF(spm, "llama", "", nil, scores)
	fromScores, err := FromGGUF(meta)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range g.Texts {
		plain := EncodeOptions{NoAdded: true}
		if got, want := tok.EncodeWith(text, plain), level.EncodeWith(text, plain); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
		if strings.ContainsAny(text, "\r\n\u3000ﬁ①\u0301<") { // the model's own table of replacements is not in the file
			continue
		}
		if got, want := fromScores.EncodeWith(text, plain), spm.EncodeWith(text, plain); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if tok.BOS() < 0 || tok.EOS() < 0 || fromScores.Encode("a")[0] != fromScores.BOS() {
		t.Error("no BOS or EOS")
	}
	bad := func(change func(m *gguf.Metadata)) {
		t.Helper()
		m := asGGUF(level, "gpt2", "llama-bpe", merges, nil)
		change(m)
		if _, err := FromGGUF(m); !codectest.Typed(err) {
			t.Errorf("accepted, or %v", err)
		}
	}
	bad(func(m *gguf.Metadata) { m.Set("tokenizer.ggml.model", gguf.OfText("rwkv")) })
	bad(func(m *gguf.Metadata) { m.Set("tokenizer.ggml.pre", gguf.OfText("of tomorrow")) })
	bad(func(m *gguf.Metadata) { m.Set("tokenizer.ggml.merges", gguf.OfTexts([]string{"q\x00z nothing"})) })
	bad(func(m *gguf.Metadata) { m.Set("tokenizer.ggml.token_type", gguf.OfInts(gguf.Int32, []int64{1})) })
	bad(func(m *gguf.Metadata) { m.Set("tokenizer.ggml.bos_token_id", gguf.OfUint32(1<<30)) })
	bad(func(m *gguf.Metadata) { m.Set("tokenizer.ggml.scores", gguf.OfFloats([]float32{float32(math.NaN())})) })
	bad(func(m *gguf.Metadata) { m.Set("tokenizer.ggml.tokens", gguf.OfText("a")) })
}

// bytesMerges takes the merges out of a tokenizer.json.
func bytesMerges(t *testing.T, data []byte) (out [][2]string) {
	t.Helper()
	err := fault.Catch(func() {
		i := bytes.Index(data, []byte(`"model":`))
		p := newParser(data[i+len(`"model":`) : len(data)-1])
		out = readModel(p).merges
	})
	if err != nil || len(out) == 0 {
		t.Fatal(err)
	}
	return out
}

func TestRefused(t *testing.T) {
	model := `"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]}`
	for what, text := range map[string]string{
		"empty":            ``,
		"no model":         `{}`,
		"twice":            `{` + model + `,` + model + `}`,
		"unknown model":    `{"model":{"type":"Magic","vocab":{}}}`,
		"normalizer":       `{` + model + `,"normalizer":{"type":"Rot13"}}`,
		"pre-tokenizer":    `{` + model + `,"pre_tokenizer":{"type":"Scissors"}}`,
		"decoder":          `{` + model + `,"decoder":{"type":"Rot13"}}`,
		"post":             `{` + model + `,"post_processor":{"type":"Other"}}`,
		"behavior":         `{` + model + `,"pre_tokenizer":{"type":"Split","pattern":{"String":"a"},"behavior":"Odd"}}`,
		"pattern":          `{` + model + `,"pre_tokenizer":{"type":"Split","pattern":{"Regex":"("},"behavior":"Isolated"}}`,
		"negative id":      `{"model":{"type":"BPE","vocab":{"a":-1},"merges":[]}}`,
		"huge id":          `{"model":{"type":"BPE","vocab":{"a":99999999999},"merges":[]}}`,
		"same id":          `{"model":{"type":"BPE","vocab":{"a":1,"b":1},"merges":[]}}`,
		"merge of nothing": `{"model":{"type":"BPE","vocab":{"a":0},"merges":["a z"]}}`,
		"merge of one":     `{"model":{"type":"BPE","vocab":{"a":0},"merges":["a"]}}`,
		"merge of three":   `{"model":{"type":"BPE","vocab":{"a":0},"merges":[["a","a","a"]]}}`,
		"dropout":          `{"model":{"type":"BPE","dropout":0.1,"vocab":{"a":0},"merges":[]}}`,
		"unknown token":    `{"model":{"type":"WordPiece","vocab":{"a":0}}}`,
		"unk id":           `{"model":{"type":"Unigram","unk_id":7,"vocab":[["a",-1]]}}`,
		"no scores":        `{"model":{"type":"Unigram","vocab":[["a"]]}}`,
		"added id":         `{` + model + `,"added_tokens":[{"id":99999999,"content":"x"}]}`,
		"added taken":      `{` + model + `,"added_tokens":[{"id":1,"content":"x"}]}`,
		"charsmap":         `{` + model + `,"normalizer":{"type":"Precompiled","precompiled_charsmap":"////"}}`,
		"template": `{` + model + `,"post_processor":{"type":"TemplateProcessing",
			"single":[{"SpecialToken":{"id":"q"}}],"special_tokens":{}}}`,
		"length": `{` + model + `,"pre_tokenizer":{"type":"FixedLength","length":0}}`,
		"deep":   strings.Repeat(`{"a":`, 1000),
		"flag":   `{` + model + `,"normalizer":{"type":"Strip","strip_left":3}}`,
	} {
		if _, err := ParseJSON([]byte(text)); !codectest.Typed(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, b := range [][]byte{nil, []byte("\x0a"), []byte("\x0a\xff\xff\xff\xff\x0f"), bytes.Repeat([]byte{0xff}, 20),
		[]byte("\x0b\x00")} {
		if _, err := ParseSentencePiece(b); !codectest.Typed(err) {
			t.Errorf("SentencePiece %x: %v", b, err)
		}
	}
	for _, s := range []string{"", "YQ==", "YQ== x", "? 1", "YQ== 0\nYQ== 1", "YQ== 0\nYg== 0", "YQ== 99999999999"} {
		if _, err := ParseTiktoken([]byte(s), TiktokenOptions{Pattern: PatternGPT2}); !codectest.Typed(err) {
			t.Errorf("tiktoken %q: %v", s, err)
		}
	}
	if _, err := ParseTiktoken([]byte("YQ== 0"), TiktokenOptions{}); !codectest.Typed(err) {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("opened nothing")
	}
}

// TestMutations damages files: a typed error or a tokenizer that works.
func TestMutations(t *testing.T) {
	n := 150
	if os.Getenv("LUCID_LONG") == "1" {
		n = 200_000
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, file := range []string{"byte_level.json", "unigram.json", "word_piece.json", "bpe.model", "unigram.model", "ranks.tiktoken"} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		for range n {
			b := bytes.Clone(data)
			for range 1 + r.IntN(3) {
				at := r.IntN(len(b))
				switch r.IntN(4) {
				case 0:
					b[at] = byte(r.Uint32())
				case 1:
					copy(b[at:], b[r.IntN(len(b)):][:min(8, len(b)-at)])
				case 2:
					b = append(b[:at:at], b[min(len(b), at+r.IntN(9)):]...)
				case 3:
					b = b[:max(1, at)]
				}
			}
			tryParse(t, file, b)
		}
	}
}

func tryParse(t testing.TB, file string, b []byte) {
	var tok *Tokenizer
	var err error
	switch filepath.Ext(file) {
	case ".json":
		tok, err = ParseJSON(b)
	case ".model":
		tok, err = ParseSentencePiece(b)
	default:
		tok, err = ParseTiktoken(b, TiktokenOptions{Pattern: PatternGPT2})
	}
	if err != nil {
		if !codectest.Typed(err) {
			t.Fatalf("%s: untyped error %v", file, err)
		}
		return
	}
	err = fault.Catch(func() {
		ids := tok.Encode("Hello, wörld 123\n\tthe tensor ﬁ 🙂")
		tok.Decode(ids)
	})
	if err != nil && !codectest.Typed(err) {
		t.Fatal(err)
	}
}

func FuzzParseJSON(f *testing.F) {
	for _, file := range []string{"byte_level.json", "unigram.json", "words.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, b []byte) { tryParse(t, "x.json", b) })
}

func FuzzParseSentencePiece(f *testing.F) {
	data, err := os.ReadFile("testdata/unigram.model")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, b []byte) { tryParse(t, "x.model", b) })
}

// TestConcurrent: one tokenizer in many goroutines gives what it gives alone.
func TestConcurrent(t *testing.T) {
	g := readGolden(t)
	tok := load(t, "byte_level.json")
	var want [][]int
	for _, text := range g.Texts {
		want = append(want, load(t, "byte_level.json").Encode(text))
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i, text := range g.Texts {
				if got := tok.Encode(text); !slices.Equal(got, want[i]) {
					t.Errorf("%q: %v, want %v", text, got, want[i])
				}
			}
		})
	}
	wg.Wait()
}

func TestSpecial(t *testing.T) {
	tok := load(t, "byte_level.json")
	s, _ := tok.ID("<s>")
	if got := tok.EncodeWith("<s>", EncodeOptions{NoAdded: true}); !slices.Equal(got, []int{s}) || !tok.IsSpecial(s) {
		t.Error(got)
	}
	plain := tok.EncodeWith("<s></s>", EncodeOptions{NoAdded: true, SpecialAsText: true})
	if slices.Contains(plain, s) || strings.TrimSpace(tok.Decode(plain)) != "<s></s>" {
		t.Error(plain)
	}
	if got := tok.EncodeWith("<s></s>", EncodeOptions{NoAdded: true, SpecialAsText: true,
		Allowed: []string{"<s>"}}); got[0] != s || len(got) < 3 {
		t.Error(got)
	}
	if got := tok.DecodeWith([]int{s, 60, -1, 1 << 30}, DecodeOptions{SkipSpecial: true}); got != tok.Decode([]int{60}) {
		t.Errorf("%q", got)
	}
	if _, ok := tok.Token(tok.Size()); ok {
		t.Error("a token past the end")
	}
	if len(tok.Special()) != 3 {
		t.Error(tok.Special())
	}
}

// TestLongPieces: the heap and the scan give the same merges.
func TestLongPieces(t *testing.T) {
	tok := load(t, "fallback.json")
	m := tok.model.(*bpe)
	r := rand.New(rand.NewPCG(7, 8))
	letters := []rune("tensorheai▁ é日🙂")
	for range 300 {
		var b strings.Builder
		for range 2 + r.IntN(62) {
			b.WriteRune(letters[r.IntN(len(letters))])
		}
		piece := b.String()
		short := m.emit(piece, m.mergeShort(piece, m.start(piece, nil)), nil)
		long := m.emit(piece, m.mergeLong(piece, m.start(piece, nil)), nil)
		if !slices.Equal(short, long) || !slices.Equal(m.encode(piece, nil), short) {
			t.Fatalf("%q: %v, %v, %v", piece, short, long, m.encode(piece, nil))
		}
	}
}

func TestValidText(t *testing.T) {
	for in, want := range map[string]string{"a\xffb": "a�b", "\xe2\x82": "�", "\xe2\x82a": "�a", "\xf0\x9f\x98": "�",
		"\xed\xa0\x80": "���", "\xc0\xaf": "��", "\xf0\x9f\x98\xe2\x82\xac": "�€"} {
		if got := validText([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	text := strings.Repeat("The tensor is a handle; it shows a node, and can be rebound to another. 12345 café\n", 1000)
	for _, file := range []string{"byte_level.json", "fallback.json", "word_piece.json", "unigram.json"} {
		b.Run(file, func(b *testing.B) {
			tok := load(b, file)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				tok.Encode(text)
			}
		})
	}
}

// TestWordPieceGGUF: tokens of a WordPiece vocabulary are written otherwise than in the file, whose list stays as it is: the file is
// saved again with it.
func TestWordPieceGGUF(t *testing.T) {
	list := []string{"[UNK]", "[CLS]", "[SEP]", "\u2581un", "\u2581bind", "able"}
	m := &gguf.Metadata{}
	m.Set("tokenizer.ggml.model", gguf.OfText("bert"))
	m.Set("tokenizer.ggml.tokens", gguf.OfTexts(slices.Clone(list)))
	m.Set("tokenizer.ggml.token_type", gguf.OfInts(gguf.Int32, []int64{ggufUnknown, ggufControl, ggufControl, 1, 1, 1}))
	for i, key := range []string{"unknown", "cls", "seperator"} {
		m.Set("tokenizer.ggml."+key+"_token_id", gguf.OfUint32(uint32(i)))
	}
	for range 2 {
		v, err := FromGGUF(m)
		if err != nil {
			t.Fatal(err)
		}
		if ids := v.EncodeWith("unable bind", EncodeOptions{NoAdded: true}); !slices.Equal(ids, []int{3, 5, 4}) {
			t.Errorf("unable bind is %v", ids)
		}
	}
	value, _ := m.Get("tokenizer.ggml.tokens")
	if got, _ := value.Texts(); !slices.Equal(got, list) {
		t.Errorf("the list of the file became %q", got)
	}
}

// TestAccents asserts that StripAccents leaves out marks of every kind, and BertNormalizer those that take no room, as Hugging Face's do.
func TestAccents(t *testing.T) {
	const bert = `"BertNormalizer","clean_text":false,"handle_chinese_chars":false,"strip_accents":true,"lowercase":false`
	for kind, want := range map[string]string{`"StripAccents"`: "a\u0915", bert: "a\u0915\u093e\u20dd"} {
		model := `{"type":"WordLevel","unk_token":"?","vocab":{"?":0,"` + want + `":1}}`
		tok, err := ParseJSON([]byte(`{"normalizer":{"type":` + kind + `},"model":` + model + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if ids := tok.Encode("a\u0301\u0915\u093e\u20dd"); !slices.Equal(ids, []int{1}) {
			t.Errorf("%s: %v, want the token %q", kind, ids, want)
		}
	}
}

// TestAddedAlone asserts that the model does not find an added token that may not be read as one.
func TestAddedAlone(t *testing.T) {
	const added = `[{"id":9,"content":"one","single_word":true,"normalized":false},` +
		`{"id":8,"content":"two","special":true,"normalized":false}]`
	for _, model := range []string{
		`{"type":"WordPiece","unk_token":"?","continuing_subword_prefix":"","vocab":{"?":0,"o":1,"n":2,"e":3,"_":4,"t":5,"w":6}}`,
		`{"type":"BPE","unk_token":"?","ignore_merges":true,"merges":[],"vocab":{"?":0,"o":1,"n":2,"e":3,"_":4,"t":5,"w":6}}`,
	} {
		tok, err := ParseJSON([]byte(`{"added_tokens":` + added + `,"pre_tokenizer":{"type":"BertPreTokenizer"},"model":` + model + `}`))
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range map[string][]int{"_one": {4, 1, 2, 3}, "one": {9}, "two": {5, 6, 1}} {
			if got := tok.EncodeWith(text, EncodeOptions{SpecialAsText: true}); !slices.Equal(got, want) {
				t.Errorf("%s: %q is %v, want %v", model[:20], text, got, want)
			}
		}
		if id, ok := tok.ID("two"); id != 8 || !ok {
			t.Errorf("the id of an added token is %d, %v", id, ok)
		}
	}
}
