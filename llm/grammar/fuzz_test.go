package grammar

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lucid-go/lucid/internal/fault"
)

// FuzzGBNF asserts that no grammar makes the reader panic or run without end, nor its first mask.
func FuzzGBNF(f *testing.F) {
	for _, s := range []string{`root ::= "a" | [b-d]* (x){2,3}` + "\nx ::= . | [^\\n]", "root ::= ((\"\")*)*",
		"root ::= (a? a?){50}\na ::= \"x\"?", "root ::= {"} {
		f.Add(s)
	}
	v := byteVocabulary()
	f.Fuzz(func(t *testing.T, text string) {
		begun := time.Now()
		if g, err := GBNF(text); err == nil {
			m := g.Match(v)
			_, _ = m.Mask()
			g.Matches("abc")
		}
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("%v for %q", took, text)
		}
	})
}

// FuzzJSONSchema is the same for schemas.
func FuzzJSONSchema(f *testing.F) {
	for _, s := range []string{`{"type": ["object", "null"], "properties": {"a": {"$ref": "#"}}}`,
		`{"anyOf": [{"enum": [1]}, {"const": {"a": [null]}}]}`,
		`{"type": "string", "pattern": "^a{3}$"}`, `{"type": "array", "items": {"type": "number"}, "minItems": 3}`} {
		f.Add([]byte(s))
	}
	v := byteVocabulary()
	f.Fuzz(func(t *testing.T, data []byte) {
		if g, err := JSONSchema(data); err == nil {
			_, _ = g.Match(v).Mask()
		}
	})
}

// TestHardGrammars bounds the time of grammars that are made to be slow.
func TestHardGrammars(t *testing.T) {
	v := byteVocabulary()
	for name, text := range map[string]string{
		"many readings": "root ::= (a | b | c)* \"!\"\na ::= [a-z]* [a-z]*\nb ::= a a a a\nc ::= b b b b",
		"many optional": "root ::= ([a-z]? [a-z]? [a-z]?){2000}",
		"deep":          "root ::= \"(\" root \")\" root | \"\"",
		"copies":        "root ::= (x x x x x x x x){2000}\nx ::= (\"a\" | \"b\"){0,2000}",
	} {
		begun := time.Now()
		g, err := GBNF(text)
		if err == nil {
			m := g.Match(v)
			for range 200 {
				if _, err = m.Mask(); err != nil {
					break
				}
				if !m.Accept('a') && !m.Accept('(') {
					break
				}
			}
		}
		t.Logf("%s: %v, %v", name, time.Since(begun), err)
		if took := time.Since(begun); took > 60*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

// TestStatesBounded asserts that the states a grammar holds do not grow with the texts that were read, and that large repetitions are
// refused before they are made.
func TestStatesBounded(t *testing.T) {
	g := JSONObject()
	rng := rand.New(rand.NewPCG(1, 2))
	held := func() int {
		seen, list := map[*state]bool{g.root: true}, []*state{g.root}
		for len(list) > 0 {
			s := list[len(list)-1]
			list = list[:len(list)-1]
			for _, n := range s.next {
				if n != nil && !seen[n] {
					seen[n] = true
					list = append(list, n)
				}
			}
		}
		return len(seen)
	}
	for range 150 {
		text := []byte(`{"a": `)
		var closing []byte
		for range 60 { // each way of nesting has states of its own
			if rng.IntN(2) == 0 {
				text, closing = append(text, '['), append(closing, ']')
			} else {
				text, closing = append(text, `{"b":`...), append(closing, '}')
			}
		}
		slices.Reverse(closing)
		if text = append(append(append(text, '1'), closing...), '}'); !g.Matches(string(text)) {
			t.Fatalf("%s does not match", text)
		}
	}
	if n := held(); n > 2*maxStates {
		t.Errorf("%d states are held", n)
	}
	if _, err := GBNF("root ::= " + strings.Repeat("a{2000}", 1<<15) + "\na ::= [a]"); kindOf(err) != fault.OutOfMemory {
		t.Error(err)
	}
}
