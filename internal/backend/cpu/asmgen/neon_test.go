package asmgen

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var (
	neonWord  = regexp.MustCompile(`WORD \$0x([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2}) +// (.*)`)
	neonShape = regexp.MustCompile(`\.([bshd])(\d+)`)
)

// TestNEONEncoding has the words of arm64 read by an independent disassembler.
func TestNEONEncoding(t *testing.T) {
	mc, err := exec.LookPath("llvm-mc")
	if err != nil {
		t.Skip("no llvm-mc")
	}
	seen := map[string]bool{}
	var code, want []string
	for _, text := range assembly("arm64") {
		for _, m := range neonWord.FindAllStringSubmatch(text, -1) {
			line := "0x" + m[4] + " 0x" + m[3] + " 0x" + m[2] + " 0x" + m[1]
			if !seen[line+m[5]] {
				seen[line+m[5]] = true
				// V0.S4 is written v0.4s.
				code, want = append(code, line), append(want, neonShape.ReplaceAllString(strings.ToLower(m[5]), ".$2$1"))
			}
		}
	}
	cmd := exec.Command(mc, "--disassemble", "-triple=aarch64", "-mattr=+dotprod")
	cmd.Stdin = strings.NewReader(strings.Join(code, "\n"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '.' {
			got = append(got, strings.ReplaceAll(strings.ReplaceAll(line, "\t", " "), "#", ""))
		}
	}
	if len(got) != len(want) || len(want) < 200 {
		t.Fatalf("%d instructions, the disassembler found %d", len(want), len(got))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s is read as %s", want[i], got[i])
		}
	}
}

// assembly lists the text of all assembly files of an architecture.
func assembly(arch string) (texts []string) {
	for _, files := range Files() {
		for name, text := range files {
			if strings.HasSuffix(name, arch+".s") {
				texts = append(texts, text)
			}
		}
	}
	return texts
}
