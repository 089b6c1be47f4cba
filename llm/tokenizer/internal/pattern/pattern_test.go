package pattern

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/lucid-go/lucid/internal/fault"
)

// all returns every match in turn.
func all(t *testing.T, expr, s string) (out []string) {
	t.Helper()
	p, err := Compile(expr)
	if err != nil {
		t.Fatalf("%q: %v", expr, err)
	}
	for from := 0; from <= len(s); {
		start, end := p.Find(s, from)
		if start < 0 {
			break
		}
		out = append(out, s[start:end])
		if from = end; start == end {
			from++
		}
	}
	return out
}

func TestFind(t *testing.T) {
	for _, c := range []struct{ expr, text, want string }{
		{`\s+(?!\S)|\s+|\w+`, "a   b  ", "a|  | |b|  "},
		{`(?i:'s|'t)`, "'S 'ſ 't", "'S|'ſ|'t"},
		{`(?<=a)b`, "ab cb", "b"},
		{`(?<!a)b`, "ab cb", "b"},
		{`a++b|a`, "aab aa", "aab|a|a"},
		{`a+?`, "aaa", "a|a|a"},
		{`(?:ab)*c`, "ababc c", "ababc|c"},
		{`(?:a|ab)(?:c|bcd)`, "abcd", "abcd"},
		{`(?>a|ab)c`, "abc ac", "ac"},
		{`[^\W\d_]+`, "ab1_é", "ab|é"},
		{`[a-z&&[^aeiou]]+`, "hello", "h|ll"},
		{`[[:digit:]]{2,3}`, "1 12 1234", "12|123"},
		{`[]a]+`, "a]b", "a]"},
		{`x{,2}y`, "xxxy", "xxy"},
		{`a{b`, "a{b", "a{b"},
		{`^b$`, "a\nb\nc", "b"},
		{`\Aa|a\z`, "aba", "a|a"},
		{`\bfoo\b`, "foo foobar foo", "foo|foo"},
		{`\p{Lu}\p{^Lu}`, "aBcD", "Bc"},
		{`\P{L}+`, "ab12", "12"},
		{`.+`, "a\nb", "a|b"},
		{`(?m:.+)`, "a\nb", "a\nb"},
		{`\x41\u0042\x{1F600}`, "AB\U0001F600", "AB\U0001F600"},
		{`(?:a*)*b`, "aab", "aab"},
		{`(?:)*`, "a", "|"},
		{`(?<name>a)(?#no)b`, "ab", "ab"},
		{`(a|b){2}?c`, "abc", "abc"},
		{`\d{1,3}(?=(?:\d{3})*\b)`, "1234567 12", "1|234|567|12"},
	} {
		if got := strings.Join(all(t, c.expr, c.text), "|"); got != c.want {
			t.Errorf("%s in %q: %q, want %q", c.expr, c.text, got, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, expr := range []string{"(", ")", "[a", "a{2001}", "*a", `\p{Nope}`, `\p{L`, `\q`, `\1`, "(?x:a)", "(?<=a+)b", `[b-a]`,
		"(?!a)*", `\x{110000}`, "a**" + strings.Repeat("(", 200),
		strings.Repeat("(", 200), strings.Repeat("(?:aa|b){999}", 80), `\G`, "(?<a", "(?#", strings.Repeat("a", maxSource+1)} {
		if _, err := Compile(expr); err == nil {
			t.Errorf("%.40q: accepted", expr)
		} else if k, ok := fault.KindOf(err); !ok || k != fault.Format {
			t.Errorf("%.40q: %v", expr, err)
		}
	}
}

// TestSteps: a pattern that would take exponential time is an error.
func TestSteps(t *testing.T) {
	p, err := Compile(`(?:a|a)*(?:a|aa)*$b`)
	if err != nil {
		t.Fatal(err)
	}
	err = fault.Catch(func() { p.Find(strings.Repeat("a", 60), 0) })
	if k, _ := fault.KindOf(err); k != fault.Value {
		t.Error(err)
	}
	p, _ = Compile(`(?:ab)*c`)
	if err := fault.Catch(func() { p.Find(strings.Repeat("ab", 1<<15), 0) }); err == nil {
		t.Error("a nesting of 32768 went through")
	}
}

// TestAgainstRegexp compares with Go's regexp where both know a pattern.
func TestAgainstRegexp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	atoms := []string{"a", "b", "[ab]", "[^a]", "é", `\p{L}`, "(?:a|bc)", "(?:ab|a|)", "(?i:A)", "."}
	repeats := []string{"", "", "*", "+", "?", "*?", "{1,2}", "{2}"}
	letters := []rune("aabbcAé ")
	for range 3000 {
		var expr, text strings.Builder
		for i := range 1 + r.IntN(4) {
			if i > 0 && r.IntN(4) == 0 {
				expr.WriteByte('|')
			}
			expr.WriteString(atoms[r.IntN(len(atoms))] + repeats[r.IntN(len(repeats))])
		}
		for range r.IntN(10) {
			text.WriteRune(letters[r.IntN(len(letters))])
		}
		want := regexp.MustCompile(expr.String()).FindStringIndex(text.String())
		p, err := Compile(expr.String())
		if err != nil {
			t.Fatal(err)
		}
		start, end := p.Find(text.String(), 0)
		if want == nil && start >= 0 || want != nil && (want[0] != start || want[1] != end) {
			t.Fatalf("%s in %q: %d %d, want %v", &expr, &text, start, end, want)
		}
	}
}

func TestClass(t *testing.T) {
	for name, table := range map[string]*unicode.RangeTable{"L": unicode.L, "Mn": unicode.Mn, "S": unicode.S, "Co": unicode.Co} {
		c, not := newClass(merged(ofTable(table))), newClass(inverted(ofTable(table)))
		for r := rune(0); r <= unicode.MaxRune; r++ {
			if is := unicode.Is(table, r); c.has(r) != is || not.has(r) == is {
				t.Fatalf("%s: %U", name, r)
			}
		}
	}
	if all := newClass([]span{{0, unicode.MaxRune}}); !all.has(0) || !all.has('a') || !all.has(200) || !all.has(unicode.MaxRune) {
		t.Error("the full set has holes")
	}
	if none := newClass(nil); none.has(0) || none.has(300) {
		t.Error("the empty set has members")
	}
}

func FuzzCompile(f *testing.F) {
	f.Add(`(?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{L}+|\s+(?!\S)`, "it's")
	f.Fuzz(func(t *testing.T, expr, text string) {
		if len(expr) > 200 || len(text) > 200 {
			return
		}
		p, err := Compile(expr)
		if err != nil {
			return
		}
		fault.Catch(func() {
			if start, end := p.Find(text, 0); start >= 0 && (end < start || end > len(text)) {
				t.Fatalf("%d %d", start, end)
			}
		})
	})
}

// TestNames compares named sets with those of Oniguruma 6.9, as Hugging Face's tokenizers 0.23 has them.
func TestNames(t *testing.T) {
	const text = "a\u00b2\u02b0\u0345\u0903\u16ee\u2160\u24b6\u203f5\u0665 \u2028\t\x01$!\u00ad\U00050000"
	for name, want := range map[string]string{
		`\w`:          "a\u00b2\u02b0\u0345\u0903\u16ee\u2160\u24b6\u203f5\u0665",
		`\p{Word}`:    "a\u00b2\u02b0\u0345\u0903\u16ee\u2160\u24b6\u203f5\u0665",
		`[[:word:]]`:  "a\u02b0\u0345\u0903\u16ee\u2160\u24b6\u203f5\u0665",
		`\p{Alpha}`:   "a\u02b0\u0345\u0903\u16ee\u2160\u24b6",
		`[[:alnum:]]`: "a\u02b0\u0345\u0903\u16ee\u2160\u24b65\u0665",
		`[[:lower:]]`: "a\u02b0\u0345",
		`\p{Upper}`:   "\u2160\u24b6",
		`[[:blank:]]`: " \t",
		`[[:cntrl:]]`: "\t\x01",
		`[[:graph:]]`: "a\u00b2\u02b0\u0345\u0903\u16ee\u2160\u24b6\u203f5\u0665$!\u00ad",
		`[[:print:]]`: "a\u00b2\u02b0\u0345\u0903\u16ee\u2160\u24b6\u203f5\u0665 $!\u00ad",
		`[[:punct:]]`: "\u24b6\u203f$!",
		`\p{Punct}`:   "\u203f!",
	} {
		if got := strings.Join(all(t, name, text), ""); got != want {
			t.Errorf("%s finds %q, want %q", name, got, want)
		}
	}
	if _, err := Compile(`[[:letters:]]`); err == nil || !strings.Contains(err.Error(), "[:letters:]") {
		t.Errorf("an unknown class: %v", err)
	}
}
