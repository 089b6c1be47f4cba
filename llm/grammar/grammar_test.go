package grammar

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/lucid-go/lucid/internal/fault"
)

func kindOf(err error) fault.Kind {
	var e *fault.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return fault.Internal
}

func gbnfOf(t *testing.T, text string) *Grammar {
	t.Helper()
	g, err := GBNF(text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGBNF(t *testing.T) {
	for text, cases := range map[string]map[string]bool{
		`root ::= "yes" | "no"`:   {"yes": true, "no": true, "ye": false, "yesno": false, "": false},
		"root ::= [a-c]+ # one\n": {"abcc": true, "": false, "abd": false},
		`root ::= [^a\n]{2,3}`:    {"bb": true, "éé": true, "b": false, "bbbb": false, "ba": false, "b\n": false},
		"root ::= item (\",\" item)*\nitem ::= [0-9] | \"(\" root \")\"": {"1,2,(3,(4))": true, "(1": false, "1,": false},
		"root ::= (\n  \"a\"\n  | \"b\" )? \"\\x41\" \"\\u00e9\"":        {"aAé": true, "Aé": true, "bA": false},
		`root ::= . .`:                       {"日本": true, "a": false},
		"root ::= a*\na ::= b*\nb ::= \"x\"": {"": true, "xxx": true, "y": false},
		`root ::= "a"{3} | "b"{2,}`:          {"aaa": true, "aa": false, "bb": true, "bbbb": true, "b": false},
	} {
		g := gbnfOf(t, text)
		for in, want := range cases {
			if g.Matches(in) != want {
				t.Errorf("%s: %q is %v", text, in, !want)
			}
		}
	}
	for _, text := range []string{"", "root", "root ::= other", `root ::= "a`, `root ::= [b-a]`, `root ::= (`, `root ::= "a" ` +
		"\nroot ::= \"b\"",
		`root ::= "\q"`, `root ::= "a"{3,2}`, `root ::= "a"{99999}`, "root ::= root \"a\" | \"b\"",
		"root ::= x \"a\"\nx ::= y\ny ::= root | \"b\"",
		"root ::= " + strings.Repeat("(", 1000), "root ::= \"\xff\"", strings.Repeat("x", maxText+1), `root ::= []`} {
		if _, err := GBNF(text); err == nil {
			t.Errorf("%.40q was accepted", text)
		}
	}
	if _, err := GBNF("root ::= a\na ::= (b b b b b b b b b b){2000}\nb ::= ([a-z] [0-9]){2000} ([a-z] [0-9]){2000}"); err != nil {
		t.Error(err)
	}
}

// TestRegex compares with Go's own matcher.
func TestRegex(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range []string{`a*b+c?`, `(ab|cd)*e`, `[a-e]{2,4}`, `(?i)aBc`, `^(a|b)*$`, `[^ab]c`, `.\.d`, `(a?b?c?)*`, `((a|b)*c)*`,
		`\d{2}-\d`, `(|a)b`,
		`a{0}b`, `[a-c][éà]*`} {
		g, err := Regex(p)
		if err != nil {
			t.Fatal(err)
		}
		re := regexp.MustCompile("^(?:" + p + ")$")
		for range 2000 {
			n, in := rng.IntN(7), ""
			for range n {
				in += string([]rune("abcdeABC1é.-")[rng.IntN(12)])
			}
			if got, want := g.Matches(in), re.MatchString(in); got != want {
				t.Fatalf("%s: %q is %v", p, in, got)
			}
		}
	}
	for _, p := range []string{`a\bb`, `(`, `a^b`, `a{5000}`, `(?:a{1000}){1000}`} {
		if _, err := Regex(p); err == nil {
			t.Errorf("%s was accepted", p)
		}
	}
}

// byteVocabulary has a token for each byte, and some longer ones.
func byteVocabulary() *Vocabulary {
	var tokens [][]byte
	for b := range 256 {
		tokens = append(tokens, []byte{byte(b)})
	}
	for _, s := range []string{`{"`, `": `, `", "`, `"}`, "true", "false", "null", "12", "é", "abc", `\n`, "]}", "[[", "  ", "-1", "0.",
		`"`, ""} {
		tokens = append(tokens, []byte(s))
	}
	return NewVocabulary(tokens)
}

// written follows random tokens of the mask until the text may end.
func randomText(t *testing.T, rng *rand.Rand, g *Grammar, v *Vocabulary, most int) (string, bool) {
	t.Helper()
	m, out := g.Match(v), []byte{}
	for range most {
		if m.Final() || m.Accepts() && rng.IntN(4) == 0 {
			return string(out), true
		}
		mask, err := m.Mask()
		if err != nil {
			t.Fatal(err)
		}
		var ids []int
		for id := range v.size {
			if mask[id/64]>>(id%64)&1 == 1 {
				ids = append(ids, id)
			}
		}
		if len(ids) == 0 {
			t.Fatalf("nothing may follow %q, which may not end", out)
		}
		id := ids[rng.IntN(len(ids))]
		if rng.IntN(2) == 0 { // what closes, so that texts end
			for _, c := range ids {
				if s := string(v.bytes[c]); s == `"` || s == "}" || s == "]" || s == `"}` || s == "]}" {
					id = c
				}
			}
		}
		if !m.Accept(id) {
			t.Fatalf("%q may follow %q by the mask, and was refused", v.bytes[id], out)
		}
		out = append(out, v.bytes[id]...)
	}
	return string(out), m.Accepts()
}

// TestMask compares the mask of every state of random texts with what Accept says of each token.
func TestMask(t *testing.T) {
	v, rng := byteVocabulary(), rand.New(rand.NewPCG(3, 4))
	g := JSON()
	for range 20 {
		m := g.Match(v)
		for range 30 {
			mask, err := m.Mask()
			if err != nil {
				t.Fatal(err)
			}
			var ids []int
			for id := range v.size {
				try := *m
				if got, want := mask[id/64]>>(id%64)&1 == 1, try.Accept(id); got != want {
					t.Fatalf("token %q: the mask says %v", v.bytes[id], got)
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

func TestJSON(t *testing.T) {
	for in, want := range map[string]bool{`{}`: true, `[]`: true, `{"a": [1, -2.5e3, "x\n\u00e9", true, null]}`: true, `{"a":1}`: true,
		`{a: 1}`: false,
		`[1,]`:   false, `{"a" 1}`: false, `[01]`: false, `["`: false, `1`: false, "[\"\n\"]": false, `{"a": {}}`: true,
		"{\n  \"a\": 1\n}": true} {
		if JSON().Matches(in) != want {
			t.Errorf("%q is %v", in, !want)
		}
	}
	v, rng := byteVocabulary(), rand.New(rand.NewPCG(5, 6))
	whole := 0
	for range 300 {
		text, ended := randomText(t, rng, JSON(), v, 200)
		if !ended {
			continue
		}
		whole++
		if !json.Valid([]byte(text)) {
			t.Errorf("%q is no JSON", text)
		}
	}
	if whole < 200 {
		t.Errorf("%d of 300 texts ended", whole)
	}
}

// TestSchemas writes random texts of random schemas; each must be JSON that the schema allows.
func TestSchemas(t *testing.T) {
	v, rng := byteVocabulary(), rand.New(rand.NewPCG(7, 8))
	n, whole := 1000, 0
	if testing.Short() {
		n = 150
	}
	for range n {
		schema := randomSchema(rng, 0)
		data, _ := json.Marshal(schema)
		g, err := JSONSchema(data)
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		text, ended := randomText(t, rng, g, v, 400)
		if !ended {
			continue
		}
		whole++
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatalf("%s: %q: %v", data, text, err)
		}
		if why := conforms(value, schema); why != "" {
			t.Fatalf("%s: %s: %s", data, text, why)
		}
	}
	if whole < n*9/10 {
		t.Errorf("%d of %d texts ended", whole, n)
	}
}

func randomSchema(rng *rand.Rand, depth int) map[string]any {
	kinds := []string{"string", "integer", "number", "boolean", "null", "enum", "pattern", "object", "array", "anyOf"}
	if depth > 2 {
		kinds = kinds[:7]
	}
	switch k := kinds[rng.IntN(len(kinds))]; k {
	case "enum":
		return map[string]any{"enum": []any{"a b", 1.5, nil, true, []any{1.0}, map[string]any{"x": "y"}}[:1+rng.IntN(6)]}
	case "pattern":
		return map[string]any{"type": "string", "pattern": "^[a-z]{1,3}-[0-9]+$"}
	case "object":
		props, required := map[string]any{}, []any{}
		for i := range rng.IntN(4) {
			name := fmt.Sprintf("p%d", i)
			props[name] = randomSchema(rng, depth+1)
			if rng.IntN(2) == 0 {
				required = append(required, name)
			}
		}
		return map[string]any{"type": "object", "properties": props, "required": required, "additionalProperties": false, "title": "T"}
	case "array":
		return map[string]any{"type": "array", "items": randomSchema(rng, depth+1), "minItems": float64(rng.IntN(2)),
			"maxItems": float64(1 + rng.IntN(3))}
	case "anyOf":
		return map[string]any{"anyOf": []any{randomSchema(rng, depth+1), randomSchema(rng, depth+1)}}
	case "string":
		return map[string]any{"type": "string", "minLength": float64(rng.IntN(3)), "maxLength": float64(3 + rng.IntN(20))}
	default:
		return map[string]any{"type": k}
	}
}

// conforms says why a value is not one of the schema; "": it is.
func conforms(v any, s map[string]any) string {
	if list, ok := s["enum"].([]any); ok {
		for _, e := range list {
			if fmt.Sprint(e) == fmt.Sprint(v) {
				return ""
			}
		}
		return fmt.Sprintf("%v is not in the list", v)
	}
	if list, ok := s["anyOf"].([]any); ok {
		a, b := conforms(v, list[0].(map[string]any)), conforms(v, list[1].(map[string]any))
		if a != "" && b != "" {
			return a + " and " + b
		}
		return ""
	}
	bad := fmt.Sprintf("%v is no %v", v, s["type"])
	switch x := v.(type) {
	case string:
		if s["type"] != "string" {
			return bad
		}
		if p, ok := s["pattern"].(string); ok && !regexp.MustCompile(p).MatchString(x) {
			return bad
		}
		if n, ok := s["minLength"].(float64); ok && (len([]rune(x)) < int(n) || len([]rune(x)) > int(s["maxLength"].(float64))) {
			// a character that is written as an escape of a lone surrogate, or as two, counts as it is written
			if !strings.ContainsRune(x, '\ufffd') {
				return fmt.Sprintf("%q has another length", x)
			}
		}
	case float64:
		if s["type"] != "number" && (s["type"] != "integer" || x != float64(int64(x))) {
			return bad
		}
	case bool:
		if s["type"] != "boolean" {
			return bad
		}
	case nil:
		if s["type"] != "null" {
			return bad
		}
	case []any:
		if s["type"] != "array" || len(x) < int(s["minItems"].(float64)) || len(x) > int(s["maxItems"].(float64)) {
			return bad
		}
		for _, e := range x {
			if why := conforms(e, s["items"].(map[string]any)); why != "" {
				return why
			}
		}
	case map[string]any:
		if s["type"] != "object" {
			return bad
		}
		for _, r := range s["required"].([]any) {
			if _, ok := x[r.(string)]; !ok {
				return fmt.Sprintf("%v is missing", r)
			}
		}
		for name, e := range x {
			p, ok := s["properties"].(map[string]any)[name].(map[string]any)
			if !ok {
				return name + " is not described"
			}
			if why := conforms(e, p); why != "" {
				return why
			}
		}
	}
	return ""
}

func TestSchemaCases(t *testing.T) {
	tree := `{"type": "object", "properties": {"v": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
		"required": ["v", "next"]}`
	g, err := JSONSchema([]byte(tree))
	if err != nil {
		t.Fatal(err)
	}
	if !g.Matches(`{"v": 1, "next": {"v": 2, "next": null}}`) || g.Matches(`{"v": 1, "next": {"v": 2}}`) ||
		g.Matches(`{"next": null, "v": 1}`) {
		t.Error("a schema that holds itself")
	}
	// A reference with a description, as generators of older drafts write it; values that are of the type next to them.
	g, err = JSONSchema([]byte(`{"properties": {"a": {"allOf": [{"$ref": "#/$defs/A"}], "description": "x"}}, "required": ["a"],
		"$defs": {"A": {"type": ["integer", "string"], "enum": [1, 2.0, "b"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if !g.Matches(`{"a": 2.0}`) || !g.Matches(`{"a": "b"}`) || g.Matches(`{"a": 3}`) {
		t.Error("allOf of one schema")
	}
	for _, bad := range []string{``, `[]`, `1`, `{"type": "other"}`, `{"type": "number", "minimum": 1}`,
		`{"type": "string", "format": "date"}`, `{"not": {}}`,
		`{"type": "string", "enum": [1]}`, `{"type": "integer", "const": 1.5}`, `{"type": 0, "enum": [1]}`,
		`{"type": "string", "pattern": []}`,
		`{"type": "object", "properties": []}`, `{"properties": {"a": {}}, "required": "a"}`, `{"properties": {"": {}}, "required": [1]}`,
		`{"allOf": []}`, `{"allOf": [{}, {}]}`, `{"oneOf": [{}]}`, `{"$ref": "http://x/y"}`,
		`{"$ref": "#/nothing"}`, `{"type": "array", "maxItems": 1e9}`,
		`{"enum": []}`,
		`{"type": "array", "minItems": 3, "maxItems": 2}`, `{"type": "object", "properties": {"a": 5}}`,
		`{"type": "object", "required": ["a"]}`, `{"type": []}`,
		`{"type": "string", "pattern": "a"}`, `{"type": "string", "pattern": "^.*$"}`, strings.Repeat(`{"items": `, 500) + `{}` +
			strings.Repeat(`}`, 500),
		`{"patternProperties": {}}`, `{"$ref": "#"}`, `{"type": "string"`, `{"type": "string"}]`, `{"enum": [1, 2`,
		`{"type": "array", "uniqueItems": true}`, `{"type": "string", "minLength": -1}`} {
		if _, err := JSONSchema([]byte(bad)); err == nil {
			t.Errorf("%.60s was accepted", bad)
		} else if k := kindOf(err); k == fault.Internal {
			t.Errorf("%.60s: %v", bad, err)
		}
	}
}

// TestMaskSpeed bounds the time of a token when the states are known.
func TestMaskSpeed(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	tokens := make([][]byte, 50000)
	for i := range tokens {
		for range 1 + rng.IntN(8) {
			tokens[i] = append(tokens[i], byte(' '+rng.IntN(95)))
		}
	}
	v := NewVocabulary(tokens)
	g,
		err := JSONSchema([]byte(`{"type": "object", "properties": {"name": {"type": "string"},
			"tags": {"type": "array", "items": {"type": "string"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	best := time.Hour
	for range 5 {
		m, n, begun := g.Match(v), 0, time.Now()
		for range 200 {
			mask, err := m.Mask()
			if err != nil {
				t.Fatal(err)
			}
			at := -1
			for i, w := range mask {
				if w != 0 {
					at = 64 * i
					for w&1 == 0 {
						w, at = w>>1, at+1
					}
					break
				}
			}
			if at < 0 {
				break
			}
			m.Accept(at)
			n++
		}
		best = min(best, time.Since(begun)/time.Duration(max(n, 1)))
	}
	t.Logf("%v a token", best)
	if best > 500*time.Microsecond {
		t.Errorf("%v a token", best)
	}
}

// TestSurrogates checks that the parts of a pair come together and count as one character.
func TestSurrogates(t *testing.T) {
	g, err := JSONSchema([]byte(`{"type": "string", "minLength": 2, "maxLength": 2}`))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		`"\ud83d\ude00"`: false, `"\ud83d\ude00x"`: true, `"\uD83D\uDE00\uDBFF\udfff"`: true,
		`"\ud83dx"`: false, `"x\ude00"`: false, `"\ud7ff\ue000"`: true, `"\uD700\u0041"`: true,
	} {
		if got := g.Matches(text); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
