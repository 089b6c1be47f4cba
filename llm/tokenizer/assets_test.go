package tokenizer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// assets returns the folder that scripts/assets/fetch.py filled and a Python with the tokenizers package.
func assets(t testing.TB) (dir, python string) {
	dir, python = os.Getenv("LUCID_ASSETS"), os.Getenv("LUCID_PYTHON")
	if dir == "" || python == "" {
		t.Skip("LUCID_ASSETS and LUCID_PYTHON are not set; see scripts/assets/fetch.py")
	}
	return dir, python
}

type oracleResult struct {
	IDs   []int  `json:"ids"`
	Plain []int  `json:"plain"`
	Text  string `json:"text"`
}

// oracle encodes texts with Hugging Face's tokenizers.
func oracle(t testing.TB, python, file string, texts []string) (out []oracleResult) {
	in, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "../../scripts/assets/encode_texts.py", file)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	b, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// hardTexts are written by hand and at random from parts that tokenizers treat in special ways.
func hardTexts(n int, special []string) []string {
	texts := []string{"", " ", "  ", "\n", "\n\n", " \n \n", "a", " a", "a ", "Hello world",
		"Hello, world! It's 12345 o'clock, DON'T you'LL",
		"naïve café Ünïcödé", "e\u0301 i\u0307 \u1100\u1161\u11a8 한국어 日本語テキスト 中文字符", "🙂👍🏽👨‍👩‍👧 🇩🇪", "x\u200dy\u00a0z\u3000w\u2028v",
		"a\tb\r\nc\r\rd", "١٢٣ ½ ² Ⅷ ㊿", "'S 'T 'RE 'ſ", "<s></s><unk><|endoftext|><bos><eos>", "▁a▁▁b ▁ c", strings.Repeat("a",
			300), strings.Repeat(" ", 100) + "x",
		strings.Repeat("ab ", 100), "İstanbul ǅ ß ẞ ﬁ ①", "\x00\x01\x1f\x7f\u0085\ufeff\ufffd", "don’t “quote” —dash… ‘a’",
		"user@example.com https://a.b/c?d=e&f=1#g",
		"for i in range(10):\n    print(i)\n\n\treturn x", "ﷺ \U0001F600 \U00020000 \u0e01\u0e33 \u0915\u094d\u0937"}
	parts := []string{" ", " ", "  ", "\n", "\r\n", "\t", "a", "the", "Hello", "ING", "é", "e\u0301", "\u0301", "ñ", "ß", "İ",
		"ǅ", "1", "23", "4567", "½", "٣", "'", "'s", "'LL", "’", ".", ",", "!?",
		"...", "-", "_", "(", "{}", "/",
		"\\", "#", "日本", "語", "カ", "ﾊﾟ", "한", "한국", "🙂", "👍🏽", "\u200d", "\u00a0", "\u3000", "▁", "<", ">", "<|", "|>", "</s>",
		"\u0e33", "क्ष", "ا", "ّ", "\u2028", "A", "Z", "xyz",
		"\u0085", "\u200b", "\ufeff", "Ω", "Å", "ﬁ", "①", "ḍ̇", "q̣̇", "Ǆ", "\U0001D400", "ﬀ", "ſ", "K"}
	parts = append(parts, special...)
	r := rand.New(rand.NewPCG(11, 12))
	for range n {
		var b strings.Builder
		for range 1 + r.IntN(14) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		texts = append(texts, b.String())
	}
	for range n / 4 { // any code points
		var b strings.Builder
		for range 1 + r.IntN(8) {
			c := rune(r.IntN(0x3200))
			if r.IntN(4) == 0 {
				c = rune(r.IntN(0x20000))
			}
			if c < 0xd800 || c > 0xdfff {
				b.WriteRune(c)
			}
		}
		texts = append(texts, b.String())
	}
	return texts
}

// compare reports how many texts come out otherwise than want, and shows the first few.
func compare(t *testing.T, tok *Tokenizer, texts []string, want []oracleResult) {
	t.Helper()
	bad := 0
	show := func(format string, args ...any) {
		if bad++; bad <= 8 {
			t.Logf(format, args...)
		}
	}
	names := func(ids []int) (out []string) {
		for _, id := range ids {
			s, _ := tok.Token(id)
			out = append(out, s)
		}
		return out
	}
	for i, text := range texts {
		w := want[i]
		got, plain := tok.Encode(text), tok.EncodeWith(text, EncodeOptions{NoAdded: true})
		if !slices.Equal(got, w.IDs) || !slices.Equal(plain, w.Plain) {
			show("%q:\ngot  %v %q\nwant %v %q", text, got, names(got), w.IDs, names(w.IDs))
			continue
		}
		if back := tok.Decode(w.IDs); back != w.Text {
			show("%q: decoded %q, want %q", text, back, w.Text)
		}
	}
	t.Logf("%d of %d texts differ", bad, len(texts))
	if bad > len(texts)/400 { // characters that are new since the oracle's Unicode tables were made
		t.Fail()
	}
}

// TestAssetsJSON compares every tokenizer.json with its oracle: ten thousand hard texts, and a megabyte in 400 languages, line by line.
func TestAssetsJSON(t *testing.T) {
	dir, python := assets(t)
	files, _ := filepath.Glob(filepath.Join(dir, "*", "tokenizer.json"))
	more, _ := filepath.Glob(filepath.Join(dir, "tokenizers", "*", "tokenizer.json"))
	book, err := os.ReadFile(filepath.Join(dir, "languages.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(book), "\n")
	for _, file := range append(files, more...) {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tok, err := ParseJSON(data)
			if err != nil {
				t.Fatal(err)
			}
			var special []string
			for _, id := range tok.Special() {
				s, _ := tok.Token(id)
				if special = append(special, s); len(special) == 4 {
					break
				}
			}
			texts := append(hardTexts(8000, special), lines...)
			compare(t, tok, texts, oracle(t, python, file, texts))
		})
	}
}

// TestAssetsGGUF compares real files with the tokenizer.json they were made from.
func TestAssetsGGUF(t *testing.T) {
	dir, python := assets(t)
	for file, name := range map[string]string{"gemma3-270m.gguf": "gemma3", "llama.cpp/ggml-vocab-qwen2.gguf": "qwen2_5",
		"llama.cpp/ggml-vocab-llama-bpe.gguf": "llama3_2",
		"smollm2-135m-instruct.gguf":          "smollm2", "llama.cpp/ggml-vocab-gpt-2.gguf": "gpt2"} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			tok, err := OpenGGUF(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			texts := hardTexts(2000, nil)
			oracleFile := filepath.Join(dir, "tokenizers", name, "tokenizer.json")
			if name == "smollm2" { // no package has it
				oracleFile = filepath.Join(t.TempDir(), "tokenizer.json")
				cmd := exec.Command(python, "../../scripts/assets/gguf_tokenizer.py", filepath.Join(dir, file), oracleFile)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			want := oracle(t, python, oracleFile, texts)
			for i := range want { // files differ in whether a text begins with a token
				if tok.post == nil {
					want[i].IDs = want[i].Plain
				} else {
					want[i].IDs = tok.post.process(want[i].Plain)
				}
				want[i].Text = tok.Decode(want[i].IDs)
			}
			compare(t, tok, texts, want)
		})
	}
}

// TestAssetsVectors runs the test vectors that come with vocabularies.
func TestAssetsVectors(t *testing.T) {
	dir, _ := assets(t)
	files, _ := filepath.Glob(filepath.Join(dir, "llama.cpp", "*.gguf"))
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			tok, err := OpenGGUF(file)
			if err != nil {
				t.Skip(err)
			}
			in, err1 := os.ReadFile(file + ".inp")
			out, err2 := os.ReadFile(file + ".out")
			if err1 != nil || err2 != nil {
				t.Skip("no vectors")
			}
			texts := strings.Split(string(in), "\n__ggml_vocab_test__\n")
			lines := strings.Split(string(out), "\n")
			bad := 0
			for i, text := range texts {
				if i >= len(lines) {
					break
				}
				var want []int
				for _, f := range strings.Fields(lines[i]) {
					n, err := strconv.Atoi(f)
					if err != nil {
						t.Fatal(err)
					}
					want = append(want, n)
				}
				if got := tok.EncodeWith(text, EncodeOptions{NoAdded: true}); !slices.Equal(got, want) {
					if bad++; bad < 4 {
						t.Errorf("%q: got %v, want %v", text, got, want)
					}
				}
			}
			t.Logf("%d of %d differ", bad, len(texts))
		})
	}
}

func BenchmarkAssets(b *testing.B) {
	dir, _ := assets(b)
	text, err := os.ReadFile(cmp.Or(os.Getenv("LUCID_TEXT"), filepath.Join(dir, "bench.txt")))
	if err != nil {
		b.Skip(err)
	}
	for _, name := range []string{"llama3_2", "qwen2_5", "gemma3", "gpt2", "gpt4o", "deepseek_v3", "llama2"} {
		b.Run(name, func(b *testing.B) {
			data, err := os.ReadFile(filepath.Join(dir, "tokenizers", name, "tokenizer.json"))
			if err != nil {
				b.Skip(err)
			}
			tok, err := ParseJSON(data)
			if err != nil {
				b.Fatal(err)
			}
			// The machine may be shared: the shortest time of each part counts.
			const each = 4 << 10
			parts := slices.Collect(slices.Chunk(text, each))
			least := slices.Repeat([]time.Duration{1 << 62}, len(parts))
			for b.Loop() {
				for i, p := range parts {
					begun := time.Now()
					tok.Encode(string(p))
					least[i] = min(least[i], time.Since(begun))
				}
			}
			var all time.Duration
			for _, d := range least {
				all += d
			}
			b.ReportMetric(float64(len(text))/1e6/all.Seconds(), "best-MB/s")
		})
	}
}

func BenchmarkAssetsOpen(b *testing.B) {
	dir, _ := assets(b)
	for _, file := range []string{"gemma3-270m.gguf", "smollm2-135m-instruct.gguf", "llama.cpp/ggml-vocab-llama-bpe.gguf",
		"tokenizers/qwen2_5/tokenizer.json"} {
		b.Run(filepath.Base(file), func(b *testing.B) {
			for b.Loop() {
				if _, err := Open(filepath.Join(dir, file)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
