package lint

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// retired maps a word that is no term of the field to what to write instead; docs/glossary.md has the same table for
// people. A word is a part of an identifier (camel case or snake case) or a word of prose.
var retired = map[string]string{
	"abreast": "NHWC, channels-last", "beside": "next to, with", "bundle": "tuple node, row-fusion group", "bundles": "tuple nodes, row-fusion groups",
	"complaint": "device error", "complaints": "device errors", "complain": "report an error", "complains": "reports an error",
	"crowd": "cache-set conflict", "crowded": "cache-set conflict", "drawn": "sampled, fused RNG, plotted", "firm": "checkpoint boundary",
	"fleeting": "recomputable", "fours": "int8 VNNI", "halves": "half types", "inertia": "momentum", "kept": "cached, stored, retained",
	"legal": "valid", "illegal": "invalid", "lie": "is stored, is", "lies": "is stored, is", "meet": "scatter combine, duplicate", "meets": "scatter combine, duplicate",
	"mended": "fixed", "nobody": "no caller", "somebody": "a caller", "whoever": "the caller", "place": "element, position, index",
	"places": "elements, positions, indices", "straits": "fault stress", "truths": "mask compaction", "turn": "transpose, convert",
	"turns": "transposes, converts", "turned": "transposed, packed, converted", "turning": "transposing, converting",
}

// plain are phrases in which a retired word is plain English, with the reason.
var plain = []struct {
	phrase *regexp.Regexp
	reason string
}{
	{regexp.MustCompile(`(?i)in[ -]place\b|\bin_place|InPlace|inPlace|\binplace`), "the field's word for an op that writes to its input"},
	{regexp.MustCompile(`(?i)decimal places?`), "digits behind the point"},
	{regexp.MustCompile(`(?i)\bin turn\b`), "one after the other"},
	{regexp.MustCompile(`"bundle"`), "a key of the file format of exported functions"},
	{regexp.MustCompile(`(?i)takes? place\b`), "happens"},
	{regexp.MustCompile("\"bundle\""), "a key in files of exported functions, which load for ever"},
}

// allowed are files that may use a retired word, with the reason.
var allowed = map[string]string{
	"docs/glossary.md":            "lists the retired words",
	"internal/lint/words_test.go": "lists the retired words",
}

var textPattern = regexp.MustCompile(`[A-Za-z]+`)

// parts cuts an identifier at its humps.
func parts(word string) (list []string) {
	start := 0
	for i := 1; i <= len(word); i++ {
		if i == len(word) || word[i] >= 'A' && word[i] <= 'Z' && (word[i-1] >= 'a' || i+1 < len(word) && word[i+1] >= 'a') {
			list = append(list, strings.ToLower(word[start:i]))
			start = i
		}
	}
	return list
}

// retiredIn lists the retired words of a line.
func retiredIn(line string) (bad []string) {
	for _, p := range plain {
		line = p.phrase.ReplaceAllString(line, " ")
	}
	for _, w := range textPattern.FindAllString(line, -1) {
		for _, p := range parts(w) {
			if retired[p] != "" {
				bad = append(bad, p)
			}
		}
	}
	return bad
}

// TestRetiredWords refuses words that the glossary retired, in the names of files, in code, comments and pages. LUCID_WORDS=folder
// looks at one folder alone and lists every line.
func TestRetiredWords(t *testing.T) {
	only := os.Getenv("LUCID_WORDS")
	if only == "" {
		t.Skip("the tree is being renamed; LUCID_WORDS=folder checks one")
	}
	list := exec.Command("git", "ls-files", "-co", "--exclude-standard", "*.go", "*.cu", "*.cuh", "*.md", "*.s", "*.py")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Skip("no git here")
	}
	count := 0
	for _, file := range strings.Fields(string(out)) {
		if allowed[file] != "" || !strings.HasPrefix(file, only) {
			continue
		}
		for _, w := range retiredIn(file) {
			count++
			t.Errorf("%s: the file's name has %q; write %s", file, w, retired[w])
		}
		text, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil {
			continue // deleted, not committed yet
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, w := range retiredIn(line) {
				count++
				t.Error(fmt.Sprintf("%s:%d: %q; write %s", file, i+1, w, retired[w]))
			}
		}
	}
	t.Logf("%d retired words", count)
}

// TestRetiredWordsAreFound plants some.
func TestRetiredWordsAreFound(t *testing.T) {
	for line, want := range map[string]string{
		"gemm.Abreast(x)": "abreast", "packTurned := 1": "turned", "// the place of": "place", "conv_places.go": "places", "an in-place op": "", "x.InPlace": "",
		"replace(x)": "", "placeholder": "", "NCHWPlaces": "places",
	} {
		if got := strings.Join(retiredIn(line), " "); got != want {
			t.Errorf("%q: found %q, want %q", line, got, want)
		}
	}
}
