package grammar

import (
	"testing"
	"time"
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
