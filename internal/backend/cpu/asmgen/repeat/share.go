package repeat

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Kernels of two element types are mostly the same text with other mnemonics, element sizes and names. Such files share one header:
// what differs is a macro there, and each file defines the macros for its type.

// maxMacros is the most macros by which files may differ; with more, a header is harder to read than the files.
const maxMacros = 45

var asmToken = regexp.MustCompile(`[A-Za-z_·0-9.]+|\S`)

// codeOf is a line without its comment and the space around it.
func codeOf(line string) string {
	code, _, _ := strings.Cut(line, "//")
	return strings.TrimSpace(code)
}

// Shorten shares and folds the assembly of a folder.
func Shorten(files map[string]string) {
	Share(files)
	for name, text := range files {
		if strings.HasSuffix(name, ".s") || strings.HasSuffix(name, ".h") {
			files[name] = Fold(text)
		}
	}
}

// Share replaces files of a folder that differ in few words by a header and files that include it.
func Share(files map[string]string) {
	groups := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, ".s") {
			key := shapeOf(files[name]) + name[strings.LastIndexByte(name, '_'):]
			groups[key] = append(groups[key], name)
		}
	}
	for _, names := range groups {
		if len(names) > 1 {
			shareGroup(files, names)
		}
	}
}

// shapeOf says how many lines a file has and how many words are in each.
func shapeOf(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		fmt.Fprint(&b, len(asmToken.FindAllString(codeOf(line), -1)), " ")
	}
	return b.String()
}

// shareGroup writes the header of files of the same shape, and the files anew, unless they differ in too many words.
func shareGroup(files map[string]string, names []string) {
	lines := make([][]string, len(names))
	for i, n := range names {
		lines[i] = strings.Split(strings.TrimSuffix(files[n], "\n"), "\n")
	}
	m := macros{of: map[string]string{}, taken: map[string]bool{}}
	var head strings.Builder
	first := slices.IndexFunc(lines[0], func(l string) bool { return strings.HasPrefix(l, "#include") }) + 1
	for k := first; k < len(lines[0]); k++ {
		head.WriteString(m.line(lines, k) + "\n")
	}
	if len(m.list) > maxMacros {
		return
	}
	header := commonName(names)
	files[header] = "// " + strings.TrimPrefix(lines[0][0], "// ") + "\n\n" +
		"// Included by " + strings.Join(names, ", ") + ",\n// which define the names that end in _ or contain it.\n" + head.String()
	for i, n := range names {
		var b strings.Builder
		b.WriteString(strings.Join(lines[i][:first], "\n") + "\n\n")
		for _, x := range m.list {
			fmt.Fprintf(&b, "#define %s %s\n", x.name, x.words[i])
		}
		fmt.Fprintf(&b, "\n#include %q\n", header)
		files[n] = b.String()
	}
}

// macros are the words in which files differ.
type macros struct {
	of    map[string]string // the words of all files, joined → the macro
	taken map[string]bool
	list  []struct {
		name  string
		words []string
	}
}

// line returns line k of the header.
func (m *macros) line(lines [][]string, k int) string {
	words := make([][]string, len(lines))
	for i := range lines {
		words[i] = asmToken.FindAllString(codeOf(lines[i][k]), -1)
	}
	text := lines[0][k]
	if strings.HasPrefix(text, "//") { // a signature: that of the first file stands for all
		return text
	}
	var b strings.Builder
	for j, w := range words[0] {
		at := strings.Index(text, w)
		b.WriteString(text[:at])
		text = text[at+len(w):]
		all := make([]string, len(words))
		for i := range words {
			all[i] = words[i][j]
		}
		b.WriteString(m.name(all))
	}
	return b.String() + text
}

// name returns the word itself where all files have the same, else the macro that stands for it.
func (m *macros) name(words []string) string {
	if !slices.ContainsFunc(words, func(w string) bool { return w != words[0] }) {
		return words[0]
	}
	key := strings.Join(words, " ")
	if name := m.of[key]; name != "" {
		return name
	}
	name := "N" + strings.Join(words, "_") // of numbers
	if c := words[0][0]; c < '0' || c > '9' {
		low, high := commonEnds(words)
		if name = low + "_" + high; len(name) < 4 {
			name = words[0] + "_"
		}
	}
	name = strings.NewReplacer("·", "", ".", "_").Replace(name)
	for m.taken[name] {
		name += "_"
	}
	m.of[key], m.taken[name] = name, true
	m.list = append(m.list, struct {
		name  string
		words []string
	}{name, words})
	return name
}

// commonEnds returns what all words begin and end with.
func commonEnds(words []string) (low, high string) {
	low, high = words[0], words[0]
	for _, w := range words[1:] {
		for !strings.HasPrefix(w, low) {
			low = low[:len(low)-1]
		}
	}
	for _, w := range words {
		for !strings.HasSuffix(w[len(low):], high) {
			high = high[1:]
		}
	}
	return strings.ToValidUTF8(low, ""), strings.ToValidUTF8(high, "")
}

// commonName is the name of a header: that of the files, with the parts in which they differ joined.
func commonName(names []string) string {
	parts := make([][]string, len(names))
	for i, n := range names {
		parts[i] = strings.Split(strings.TrimSuffix(n, ".s"), "_")
	}
	var same []string
	for k, p := range parts[0] {
		for _, q := range parts[1:] {
			if q[k] != parts[0][k] {
				p += q[k]
			}
		}
		same = append(same, p)
	}
	return strings.Join(same, "_") + ".h"
}
