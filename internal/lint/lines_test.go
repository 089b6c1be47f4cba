package lint

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is the most columns a line may have; a tab counts as four.
const maxColumns = 140

// longCode is how many lines of code are longer, by folder. Numbers may only go down; a folder that is not here has none.
var longCode = map[string]int{
	"internal/backend": 4, // CUDA sources
}

func columns(line string) int { return utf8.RuneCountInString(line) + 3*strings.Count(line, "\t") }

// budget is the key of longCode for a file: its folder, to a depth of two.
func budget(f file) string {
	parts := strings.SplitN(f.dir(), "/", 3)
	return path.Join(parts[:min(len(parts), 2)]...)
}

// longLines lists the numbers of the lines of f that are too long: of text, which is comments or running text, and of code. Tables
// and code blocks of a page, and comments that are read by programs, cannot be broken and do not count.
func longLines(f file) (text, code []int) {
	n, fence, block := 0, false, false
	for line := range strings.Lines(f.text) {
		n++
		trimmed := strings.TrimSpace(line)
		long := columns(strings.TrimRight(line, "\r\n")) > maxColumns
		if f.ext() == ".md" {
			if strings.HasPrefix(trimmed, "```") {
				fence = !fence
			}
			if long && !fence && !strings.HasPrefix(trimmed, "|") && !strings.HasPrefix(line, "    ") {
				text = append(text, n)
			}
			continue
		}
		comment := block || strings.HasPrefix(trimmed, "//") || strings.HasPrefix(trimmed, "/*")
		if strings.HasPrefix(trimmed, "/*") {
			block = true
		}
		if block && strings.Contains(trimmed, "*/") {
			block = false
		}
		switch directive := strings.HasPrefix(trimmed, "//go:") || strings.HasPrefix(trimmed, "//lucid:"); {
		case !long || directive:
		case comment:
			text = append(text, n)
		default:
			code = append(code, n)
		}
	}
	return text, code
}

// TestLines keeps lines short enough for a window next to another: pages and comments strictly, code by a number for each folder that
// may only go down.
func TestLines(t *testing.T) {
	count, where := map[string]int{}, map[string][]string{}
	for _, f := range files(t) {
		if f.generated || !slices.Contains([]string{".md", ".go", ".cu"}, f.ext()) {
			continue
		}
		text, code := longLines(f)
		for _, n := range text {
			t.Errorf("%s:%d has more than %d columns; break it", f.path, n, maxColumns)
		}
		if len(code) > 0 {
			count[budget(f)] += len(code)
			where[budget(f)] = append(where[budget(f)], f.path)
		}
	}
	total := 0
	for _, dir := range slices.Sorted(maps.Keys(count)) {
		total += count[dir]
		if count[dir] > longCode[dir] {
			t.Errorf("%s has %d lines of code with more than %d columns; at most %d may be left. They are in %s",
				dir, count[dir], maxColumns, longCode[dir], strings.Join(where[dir], ", "))
		}
	}
	for dir, most := range longCode {
		if count[dir] < most {
			t.Logf("%s has %d lines of code that are too long; lower its number, %d", dir, count[dir], most)
		}
	}
	t.Logf("%d lines of code have more than %d columns", total, maxColumns)
}

// TestLinesSeesLongOnes plants long lines.
func TestLinesSeesLongOnes(t *testing.T) {
	long := strings.Repeat("é", maxColumns)
	for _, c := range []struct {
		path, content string
		text, code    int
	}{
		{"a.md", long + "\n", 0, 0},
		{"a.md", long + "é\n", 1, 0},
		{"a.md", "| " + long + " |\n```\n" + long + "é\n```\n    " + long + "\n- " + long + "\n", 1, 0},
		{"a.go", "// " + long + "\nx := 1 // " + long + "\n//go:generate " + long + "\n", 1, 1},
		{"a.go", "/* a\n" + long + "é\n*/\n" + long + "é\n", 1, 1},
		{"a.cu", "\t\t" + long[16:] + "\n\t\t" + long[14:] + "\n", 0, 1},
	} {
		text, code := longLines(file{path: c.path, text: c.content})
		if len(text) != c.text || len(code) != c.code {
			t.Errorf("%.30q: %v and %v, want %d and %d", c.content, text, code, c.text, c.code)
		}
	}
}
