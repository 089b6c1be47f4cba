package repeat

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A kernel has the instructions for a vector in its loop and in its tail, and many kernels begin alike. Fold writes such a block once, as
// a macro at the head of the file. The machine code is the same.

// leastSaving is how many lines a macro must spare: with fewer it hides more than it is worth.
const leastSaving = 10

// blockSizes are the lengths of blocks in instructions, longest first.
var blockSizes = []int{128, 96, 64, 48, 40, 32, 28, 24, 20, 16, 14, 12, 10, 8}

var plainLine = regexp.MustCompile(`^\t[A-Z][A-Z0-9_.]* [^(]*(\([^F][^)]*\)[^(]*)*$`)

// foldable reports whether a line may be part of a macro: an instruction that neither jumps nor reads an argument, whose name go vet
// would check.
func foldable(line string) bool {
	if !plainLine.MatchString(line) || strings.Contains(line, "(FP)") || strings.HasSuffix(line, "\\") {
		return false
	}
	op, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return op[0] != 'J' && op != "B" && !slices.Contains([]string{"BEQ", "BNE", "BGE", "BGT", "BLE", "BLT", "BHI", "BHS",
		"BLO", "BLS", "BMI",
		"BPL", "CBZ", "CBNZ", "CBZW", "CBNZW", "TBZ", "TBNZ", "CALL", "BL", "RET"}, op)
}

// Fold returns the source of a file with its repeated blocks as macros.
func Fold(src string) string {
	lines := strings.Split(src, "\n")
	start := slices.IndexFunc(lines, func(l string) bool { return l != "" && !strings.HasPrefix(l, "//") })
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "#include") }); i >= 0 {
		start = i + 1
	}
	code := make([]string, len(lines)) // "": not to be folded
	for i, l := range lines[start:] {
		if c, _, _ := strings.Cut(l, "//"); foldable(strings.TrimRight(c, " ")) {
			code[start+i] = strings.TrimSpace(c)
		}
	}
	var macros strings.Builder
	count := 0
	for _, size := range blockSizes {
		at := map[string][]int{}
		for i := start; i+size <= len(code); {
			if k := slices.Index(code[i:i+size], ""); k >= 0 {
				i += k + 1
				continue
			}
			key := strings.Join(code[i:i+size], "; \\\n\t")
			at[key] = append(at[key], i)
			i++
		}
		for _, key := range slices.SortedFunc(maps.Keys(at), func(a, b string) int { return at[a][0] - at[b][0] }) {
			var blocks []int
			for _, i := range at[key] {
				free := !slices.Contains(code[i:i+size], "")
				if free && (blocks == nil || i >= blocks[len(blocks)-1]+size) {
					blocks = append(blocks, i)
				}
			}
			if (size-1)*len(blocks)-(size+2) < leastSaving {
				continue
			}
			count++
			name := fmt.Sprintf("BLOCK%d", count)
			fmt.Fprintf(&macros, "\n#define %s \\\n\t%s\n", name, key)
			for _, i := range blocks {
				lines[i] = "\t" + name
				for j := i; j < i+size; j++ {
					if code[j] = ""; j > i {
						lines[j] = "\x00"
					}
				}
			}
		}
	}
	if count == 0 {
		return src
	}
	rest := slices.DeleteFunc(slices.Clone(lines[start:]), func(l string) bool { return l == "\x00" })
	return strings.Join(lines[:start], "\n") + "\n" + macros.String() + strings.Join(rest, "\n")
}
