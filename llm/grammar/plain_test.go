package grammar

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

// TestPlainMask compares masks with what Accept says of each token, for grammars whose states take plain characters alike, almost
// alike, a number of times or not at all.
func TestPlainMask(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	parts := []string{"a", "b", "é", "東", "😀", `"`, `\`, "\n", ",", ":", "}", "]", "{", " ", "1", "\x7f", "\xe6", "\x9d", "\xf0\x9f",
		`",`, `\n`, "/"}
	var tokens [][]byte
	for b := range 256 {
		tokens = append(tokens, []byte{byte(b)})
	}
	for range 600 {
		s := ""
		for range 1 + rng.IntN(5) {
			s += parts[rng.IntN(len(parts))]
		}
		tokens = append(tokens, []byte(s))
	}
	for n := 60; n < 70; n++ { // longer than what is told apart
		tokens = append(tokens, []byte(fmt.Sprintf("%0*d", n, 1)), []byte(fmt.Sprintf(`%0*d"`, n, 1)))
	}
	v := NewVocabulary(append(tokens, nil))
	var list []*Grammar
	for _, schema := range []string{`{"type": "string"}`, `{"type": "string", "maxLength": 3}`, `{"type": "string", "minLength": 2}`,
		`{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string", "maxLength": 1}}, "required": ["a"]}`,
		`{"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "string", "maxLength": 2}, {"type": "number"}]}}`,
		`{"enum": ["ab", "a東", "b\n"]}`, `{}`, `{"type": "string", "minLength": 66, "maxLength": 70}`} {
		g, err := JSONSchema([]byte(schema))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, g)
	}
	for _, pattern := range []string{`.*`, `[^\n]+b`, `[^"]*`, `(?s).{2,4}`, `([^a]|ab)*`, `[^\x{6771}]*`, `"[^"]*"|.*é`, `[a-z]*`} {
		g, err := Regex(pattern)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, g)
	}
	alike := 0
	for i, g := range list {
		for range 12 {
			m := g.Match(v)
			for range 12 {
				mask, err := m.Mask()
				if err != nil {
					t.Fatal(err)
				}
				if m.s.after != nil && m.s.after != mixed && m.s.after != dead {
					alike++
				}
				var ids []int
				for id := range v.size {
					try := *m
					if got, want := mask[id/64]>>(id%64)&1 == 1, try.Accept(id); got != want {
						t.Fatalf("grammar %d: the mask says %v of %q", i, got, v.bytes[id])
					} else if got {
						ids = append(ids, id)
					}
				}
				if len(ids) == 0 {
					break
				}
				m.Accept(ids[rng.IntN(len(ids))])
			}
		}
	}
	if alike < 100 {
		t.Errorf("%d states took plain characters alike", alike)
	}
	for _, r := range plainRanges {
		if !isPlain(r[0]) || !isPlain(r[1]) || isPlain(r[0]-1) && r[0] != 0x80 || isPlain(r[1]+1) && r[1] != utf8.MaxRune {
			t.Errorf("%x", r)
		}
	}
}
