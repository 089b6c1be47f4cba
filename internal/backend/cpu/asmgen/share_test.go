package asmgen

import (
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/backend/cpu/asmgen/repeat"
)

// TestShare expands the headers again and compares with the files as they were.
func TestShare(t *testing.T) {
	before := map[string]string{}
	gemmFiles(before)
	convFiles(before)
	after := maps.Clone(before)
	repeat.Share(after)
	headers := 0
	for name, text := range before {
		got := after[name]
		if got == text {
			continue
		}
		headers++
		var include string
		macro := map[string]string{}
		for line := range strings.Lines(got) {
			if w := strings.Fields(line); len(w) == 3 && w[0] == "#define" {
				macro[w[1]] = w[2]
			} else if len(w) == 2 && w[0] == "#include" && w[1] != `"textflag.h"` {
				include = after[strings.Trim(w[1], `"`)]
			}
		}
		if a, b := expanded(include, macro), expanded(text, nil); a != b || len(a) < 1000 {
			t.Errorf("%s: its header gives another text", name)
		}
	}
	if headers < 50 {
		t.Errorf("%d files share a text; there are more", headers)
	}
	if n := map[string]string{"a_f32_gen_amd64.s": "#include \"textflag.h\"\nADDPS X0, X1\n",
		"a_f64_gen_amd64.s": "#include \"textflag.h\"\nADDPD X0\n"}; true {
		if repeat.Share(n); len(n) != 2 {
			t.Errorf("files of other shapes share %v", n)
		}
	}
}

// TestFold expands the macros of folded files and compares with the files as they were.
func TestFold(t *testing.T) {
	folded := 0
	for folder, files := range Files() {
		for name, text := range files {
			if !strings.HasSuffix(name, ".s") {
				continue
			}
			short := repeat.Fold(text)
			if len(short) < len(text) {
				folded++
			}
			blocks := map[string]string{}
			var rest []string
			lines := strings.Split(short, "\n")
			for i := 0; i < len(lines); i++ {
				m, isBlock := strings.CutPrefix(lines[i], "#define BLOCK")
				if !isBlock {
					rest = append(rest, lines[i])
					continue
				}
				var body []string
				for more := true; more; {
					i++
					var l string
					l, more = strings.CutSuffix(lines[i], "; \\")
					body = append(body, l)
				}
				blocks["BLOCK"+strings.TrimSuffix(m, " \\")] = strings.Join(body, " ")
			}
			for i, l := range rest {
				if b, ok := blocks[strings.TrimSpace(l)]; ok {
					rest[i] = b
				}
			}
			if expanded(strings.Join(rest, "\n"), nil) != expanded(text, nil) {
				t.Errorf("%s/%s: its macros give another text", folder, name)
			}
		}
	}
	if folded < 20 {
		t.Errorf("%d files have repeated blocks; there are more", folded)
	}
}

var asmToken = regexp.MustCompile(`[A-Za-z_·0-9.]+|\S`)

// expanded is the code behind the includes, with macros replaced and without comments.
func expanded(text string, macro map[string]string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#include") {
			b.Reset()
			continue
		}
		for _, w := range asmToken.FindAllString(strings.Split(line, "//")[0], -1) {
			if m, ok := macro[w]; ok {
				w = m
			}
			b.WriteString(w + " ")
		}
	}
	return b.String()
}
