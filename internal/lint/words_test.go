package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// retired maps a word that is no term of the field to what to write instead; docs/glossary.md has the same table for
// people. A word is a part of an identifier (camel case or snake case) or a word of prose.
var retired = map[string]string{
	"abreast": "NHWC, channels-last", "beside": "next to, with", "bundle": "tuple node, row-fusion group",
	"bundles": "tuple nodes, row-fusion groups", "complaint": "device error", "complaints": "device errors",
	"complain": "report an error", "complains": "reports an error", "crowd": "cache-set conflict",
	"crowded": "cache-set conflict", "drawn": "sampled, fused RNG, plotted", "firm": "checkpoint boundary",
	"fleeting": "recomputable", "fours": "int8 VNNI", "halves": "half types", "inertia": "momentum",
	"kept": "cached, stored, retained", "legal": "valid", "illegal": "invalid", "lie": "is stored, is",
	"lies": "is stored, is", "meet": "scatter combine, duplicate", "meets": "scatter combine, duplicate",
	"mended": "fixed", "nobody": "no caller", "somebody": "a caller", "whoever": "the caller",
	"place": "element, position, index", "places": "elements, positions, indices", "straits": "fault stress",
	"truths": "mask compaction", "turn": "transpose, convert", "turns": "transposes, converts",
	"turned": "transposed, packed, converted", "turning": "transposing, converting",
}

// plain are phrases in which a retired word is plain English, with the reason.
var plain = []struct {
	phrase *regexp.Regexp
	reason string
}{
	{regexp.MustCompile(`(?i)in[ -]place\b|\bin_place|InPlace|inPlace|\binplace`), "the field's word for an op that writes to its input"},
	{regexp.MustCompile(`(?i)decimal places?`), "digits behind the point"},
	{regexp.MustCompile(`(?i)\bin turn\b`), "one after the other"},
	{regexp.MustCompile(`"bundle"`), "a key in files of exported functions, which load for ever"},
	{regexp.MustCompile(`(?i)takes? place\b`), "happens"},
	{regexp.MustCompile(`(?i)\blast place\b`), "units in the last place are what ulp stands for"},
	{regexp.MustCompile(`<end_of_turn>`), "a token of language models"},
	{regexp.MustCompile(`FullTurns|full_turns`), "MLX's name of an option"},
	{regexp.MustCompile(`float32/halves|nearest_halves|large_halves|antialias_kept`), "golden cases, whose names seed their random inputs"},
}

// allowed are files that may use a retired word, with the reason.
var allowed = map[string]string{
	"docs/glossary.md":            "lists the retired words",
	"internal/lint/words_test.go": "lists the retired words",
}

// parts calls f with the parts of the identifiers and words of a line, cut at humps and at everything that is no letter.
func parts(line string, f func(part string)) {
	upper := func(i int) bool { return i < len(line) && line[i] >= 'A' && line[i] <= 'Z' }
	lower := func(i int) bool { return i < len(line) && line[i] >= 'a' && line[i] <= 'z' }
	for start := 0; start < len(line); start++ {
		if !upper(start) && !lower(start) {
			continue
		}
		end := start + 1
		for ; upper(end) || lower(end); end++ {
			if upper(end) && (lower(end-1) || lower(end+1)) {
				break
			}
		}
		f(line[start:end])
		start = end - 1
	}
}

// retiredIn lists the retired words of a line. The phrases of plain cost much more than the words, so they are looked for in lines
// that have such a word only.
func retiredIn(line string) (bad []string) {
	find := func(line string) {
		parts(line, func(part string) {
			if part[0] <= 'Z' {
				part = strings.ToLower(part)
			}
			if retired[part] != "" {
				bad = append(bad, part)
			}
		})
	}
	if find(line); bad == nil {
		return nil
	}
	for _, p := range plain {
		line = p.phrase.ReplaceAllString(line, " ")
	}
	bad = nil
	find(line)
	return bad
}

// TestRetiredWords refuses words that the glossary retired, in the names of files, in code, comments and pages.
// LUCID_WORDS=folder/ looks at one folder alone.
func TestRetiredWords(t *testing.T) {
	only, count := os.Getenv("LUCID_WORDS"), 0
	for _, f := range files(t) {
		if allowed[f.path] != "" || !strings.HasPrefix(f.path, only) {
			continue
		}
		for _, w := range retiredIn(f.path) {
			count++
			t.Errorf("%s: the file's name has %q; write %s", f.path, w, retired[w])
		}
		line := 0
		for text := range strings.Lines(f.text) {
			line++
			for _, w := range retiredIn(text) {
				count++
				t.Errorf("%s:%d: %q; write %s", f.path, line, w, retired[w])
			}
		}
	}
	t.Logf("%d retired words", count)
}

// TestRetiredWordsListed asks that the glossary has the words that are refused, and no others.
func TestRetiredWordsListed(t *testing.T) {
	text, err := os.ReadFile("../../docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## Retired words")
	listed := map[string]bool{}
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			words, _, _ := strings.Cut(cells[1], "(")
			parts(words, func(w string) { listed[w] = true })
		}
	}
	for w := range retired {
		if !listed[w] {
			t.Errorf("docs/glossary.md does not list %q", w)
		}
	}
	for w := range listed {
		if retired[w] == "" && w != "retired" {
			t.Errorf("docs/glossary.md lists %q, which is not refused", w)
		}
	}
}

// TestRetiredWordsAreFound plants some.
func TestRetiredWordsAreFound(t *testing.T) {
	for line, want := range map[string]string{
		"gemm.Abreast(x)": "abreast", "packTurned := 1": "turned", "// the place of": "place", "conv_places.go": "places",
		"an in-place op": "", "an in-place op, but its place": "place", "x.InPlace": "", "replace(x)": "", "placeholder": "",
		"NCHWPlaces": "places", "the last place": "", "PLACE": "place", "Turned4": "turned", "it lies": "lies", "": "",
	} {
		if got := strings.Join(retiredIn(line), " "); got != want {
			t.Errorf("%q: found %q, want %q", line, got, want)
		}
	}
}

// glossaryPath is a file or folder that the glossary names; those of the CUDA table are below internal/backend/cuda.
var glossaryPath = regexp.MustCompile("`([\\w./*]+(?:/[\\w*]+|\\.go|\\.cu))`")

// TestGlossary asks that the terms of each table are in order and that the files and folders it names exist.
func TestGlossary(t *testing.T) {
	text, err := os.ReadFile("../../docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	terms, _, _ := strings.Cut(string(text), "## Retired words")
	last, found := "", 0
	for line := range strings.Lines(terms) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.HasPrefix(cells[1], "-") || cells[1] == " term " {
			last = ""
			continue
		}
		term := strings.NewReplacer("-", " ", ",", "").Replace(strings.ToLower(cells[1]))
		if term < last {
			t.Errorf("docs/glossary.md: %q comes after %q; rows are in alphabetical order", cells[1], last)
		}
		last = term
		for _, m := range glossaryPath.FindAllStringSubmatch(cells[3], -1) {
			found++
			exists := false
			for _, dir := range []string{"", "internal/backend/cuda/", "internal/backend/cuda/kernels/"} {
				list, err := filepath.Glob("../../" + dir + m[1])
				exists = exists || err == nil && len(list) > 0
			}
			if !exists {
				t.Errorf("docs/glossary.md: %s is in %s, which does not exist", cells[1], m[1])
			}
		}
	}
	if found < 50 {
		t.Errorf("found %d files and folders; the glossary names more", found)
	}
}
