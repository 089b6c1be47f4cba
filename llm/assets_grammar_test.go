package llm

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/lucid-go/lucid/llm/grammar"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// grammarCases are schemas, each with a text that it allows.
var grammarCases = [][2]string{
	{`{"type": "object", "properties": {"name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}, "age":
		{"type": "integer"}, "address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"enum": ["Oslo", "Rome"]}},
		"required": ["street", "city"]}}, "required": ["name", "tags"]}`,
		`{"name": "A person of some standing, naïve and 東京", "tags": ["one tag", "another \"quoted\" tag", "x"], "age": 1234,` +
			` "address": {"street": "Main Street 5, second floor", "city": "Oslo"}}`},
	{`{"type": "array", "items": {"anyOf": [{"type": "number"}, {"type": "string", "maxLength": 40}, {"type": "null"}]}}`,
		`[1, 2.5, -3e10, "a string of a few words", null, "and another one here", 100000]`},
	{`{"type": "object"}`, `{"any": {"thing": [1, 2, {"goes": "here, with a long text that has many words in it"}], "b": true}}`},
}

// TestAssetsGrammar measures the time of a token in a grammar that no text has used before, with real vocabularies. It needs the files
// of scripts/assets/fetch.py in LUCID_ASSETS.
func TestAssetsGrammar(t *testing.T) {
	dir := os.Getenv("LUCID_ASSETS")
	if dir == "" {
		t.Skip("LUCID_ASSETS is not set; see scripts/assets/fetch.py")
	}
	for _, name := range []string{"qwen3", "llama3_2", "gemma3"} {
		tok, err := tokenizer.Open(filepath.Join(dir, "tokenizers", name))
		if err != nil {
			t.Fatal(err)
		}
		v := grammar.NewVocabulary(tok.TokenBytes())
		for i, c := range grammarCases {
			ids := tok.EncodeWith(c[1], tokenizer.EncodeOptions{NoAdded: true})
			cold, warm, compile := time.Hour, time.Hour, time.Hour
			for range 10 {
				begun := time.Now()
				g, err := grammar.JSONSchema([]byte(c[0]))
				if err != nil {
					t.Fatal(err)
				}
				compile = min(compile, time.Since(begun))
				for pass := range 2 {
					begun := time.Now()
					m := g.Match(v)
					for _, id := range ids {
						mask, err := m.Mask()
						if err != nil {
							t.Fatal(err)
						}
						if mask[id/64]>>(id%64)&1 == 0 || !m.Accept(id) {
							t.Fatalf("%s: %q may not come", name, tok.Decode([]int{id}))
						}
					}
					took := time.Since(begun) / time.Duration(len(ids))
					if pass == 0 {
						cold = min(cold, took)
					} else {
						warm = min(warm, took)
					}
				}
			}
			t.Logf("%s, %d tokens, case %d: compiled in %v; %d tokens cold %v, warm %v each", name, tok.Size(), i, compile,
				len(ids), cold, warm)
			if cold > 50*time.Microsecond && i == 0 || cold > 100*time.Microsecond {
				t.Errorf("%s, case %d: %v a token", name, i, cold)
			}
		}
	}
}
