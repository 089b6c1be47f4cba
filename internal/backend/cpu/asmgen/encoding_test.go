package asmgen

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var (
	hexByte = regexp.MustCompile(`\$0x([0-9a-f]+)`)
	word    = regexp.MustCompile(`\w+`)
	legacy  = regexp.MustCompile(`^r([a-d]x|[sd]i)$`) // our names of the first registers
)

// TestEncoding has what is encoded by hand read by an independent disassembler.
func TestEncoding(t *testing.T) {
	mc, err := exec.LookPath("llvm-mc")
	if err != nil {
		t.Skip("no llvm-mc")
	}
	var code, want []string
	files := Files()[gemmFolder]
	files["tile_amx_qmm"] = Files()[qmmFolder]["amx_gen_amd64.s"]
	for name, text := range files {
		if !strings.HasPrefix(name, "tile_amx") {
			continue
		}
		for line := range strings.Lines(text) {
			if bytes, note, ok := strings.Cut(line, " // "); ok && strings.Contains(bytes, "BYTE") {
				code, want = append(code, handBytes(bytes)), append(want, words(note))
			}
		}
	}
	for a := range 32 { // every register in every position of VDPBF16PS
		w := &asm{}
		vdpbf16ps(w, a, (a+7)%32, (a*5+3)%32)
		bytes, note, _ := strings.Cut(w.b.String(), " // ")
		code, want = append(code, handBytes(bytes)), append(want, words(note))
	}
	cmd := exec.Command(mc, "--disassemble", "-triple=x86_64", "-mattr=+amx-tile,+amx-bf16,+amx-int8,+avx512bf16,+avx512vnni")
	cmd.Stdin = strings.NewReader(strings.Join(code, "\n"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '.' {
			got = append(got, line)
		}
	}
	if len(got) != len(want) || len(want) < 100 {
		t.Fatalf("%d instructions, the disassembler found %d", len(want), len(got))
	}
	for i := range want {
		if g := words(got[i]); g != want[i] {
			t.Errorf("%s is read as %s", want[i], g)
		}
	}
}

// handBytes gives the bytes in the order of memory.
func handBytes(line string) string {
	var b []string
	for _, m := range hexByte.FindAllStringSubmatch(line, -1) {
		for h := m[1]; h != ""; h = h[:len(h)-2] { // LONG and WORD are little-endian
			b = append(b, "0x"+h[len(h)-2:])
		}
	}
	return strings.Join(b, " ")
}

// words brings both notations to one form: the name, then registers and displacements in order.
func words(line string) string {
	line = strings.NewReplacer("*1", "", "%tmm", "T", "%zmm", "Z", "%r", "R").Replace(line)
	if strings.HasPrefix(line, "TILESTORED") { // our notation of memory operands puts the tile last
		at := strings.LastIndex(line, ",")
		line = "TILESTORED " + line[at+1:] + " " + line[len("TILESTORED"):at]
	}
	var list []string
	for _, w := range word.FindAllString(strings.ToLower(line), -1) {
		if w = legacy.ReplaceAllString(w, "$1"); w != "0" {
			list = append(list, w)
		}
	}
	return strings.Join(list, " ")
}
