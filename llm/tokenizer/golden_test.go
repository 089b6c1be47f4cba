package tokenizer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// goldenFile is testdata/golden.json, made by scripts/golden_tokenizer/make.py.
type goldenFile struct {
	Texts      []string `json:"texts"`
	Tokenizers []struct {
		File    string    `json:"file"`
		IDs     [][]int   `json:"ids"`
		Plain   [][]int   `json:"plain"`
		Decoded []*string `json:"decoded"`
	} `json:"tokenizers"`
}

func readGolden(t testing.TB) (g goldenFile) {
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func load(t testing.TB, file string) *Tokenizer {
	t.Helper()
	path := filepath.Join("testdata", file)
	var tok *Tokenizer
	data, err := os.ReadFile(path)
	if err == nil {
		if strings.HasSuffix(file, ".tiktoken") {
			n := strings.Count(string(data), "\n")
			tok, err = ParseTiktoken(data, TiktokenOptions{Pattern: PatternGPT2, Special: map[string]int{"<s>": n}})
		} else {
			tok, err = Open(path)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// TestGolden compares tiny tokenizers of every kind with the reference packages.
func TestGolden(t *testing.T) {
	g := readGolden(t)
	for _, want := range g.Tokenizers {
		t.Run(want.File, func(t *testing.T) {
			tok := load(t, want.File)
			for i, text := range g.Texts {
				if want.Decoded[i] == nil {
					continue // not asked
				}
				if got := tok.Encode(text); !slices.Equal(got, want.IDs[i]) && !strings.HasSuffix(want.File, ".model") {
					t.Errorf("%q: got %v, want %v", text, got, want.IDs[i])
				}
				if got := tok.EncodeWith(text, EncodeOptions{NoAdded: true}); !slices.Equal(got, want.Plain[i]) {
					t.Errorf("%q: got %v, want %v", text, got, want.Plain[i])
				}
				if got := tok.Decode(want.IDs[i]); got != *want.Decoded[i] {
					t.Errorf("%q: decoded %q, want %q", text, got, *want.Decoded[i])
				}
			}
		})
	}
}

// TestStream gives ids one by one: the parts make the whole text, and no part ends inside a character.
func TestStream(t *testing.T) {
	g := readGolden(t)
	for _, want := range g.Tokenizers {
		t.Run(want.File, func(t *testing.T) {
			tok := load(t, want.File)
			for i := range g.Texts {
				if want.Decoded[i] == nil {
					continue
				}
				s := tok.Stream(DecodeOptions{})
				var b strings.Builder
				for _, id := range want.IDs[i] {
					part := s.Next(id)
					if strings.Contains(part, "\ufffd") && !strings.Contains(*want.Decoded[i], "\ufffd") {
						t.Errorf("%q: the part %q is cut inside a character", *want.Decoded[i], part)
					}
					b.WriteString(part)
				}
				b.WriteString(s.Flush())
				if got := b.String(); got != *want.Decoded[i] {
					t.Errorf("streamed %q, want %q", got, *want.Decoded[i])
				}
			}
		})
	}
}
