package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	handWord = regexp.MustCompile(`WORD \$0x([0-9a-f]{8}) // (\w+) (.*)`)
	vector   = regexp.MustCompile(`\b[Vvsd](\d+)\b`)
	lane     = regexp.MustCompile(`v\d+\.(\w+)`)
	// What disassemblers call some instructions, and the lanes that others have than four of 32 bits or two of 64.
	spelled = map[string]string{"NOT": "mvn", "UXTL8": "ushll", "UXTL16": "ushll", "UXTL32": "ushll", "TBL4": "tbl", "MOVI1": "movi",
		"EXT4": "ext", "EXT8": "ext",
		"ZIP1": "zip1", "ZIP2": "zip2", "UZP1": "uzp1", "UZP2": "uzp2", "SXTL8": "sshll", "SXTL16": "sshll", "SXTL32": "sshll",
		"SXTL2": "sshll2"}
	lanesOf = map[string]string{"UXTL8": "8h 8b", "UXTL16": "4s 4h", "XTN8": "8b 8h", "XTN16": "4h 4s", "XTN32": "2s 2d", "UXTL32": "2d 2s",
		"FCVTL16": "4s 4h", "FCVTL32": "2d 2s", "FCVTN16": "4h 4s", "FCVTN32": "2s 2d", "SXTL8": "8h 8b", "SXTL16": "4s 4h",
		"SXTL32": "2d 2s", "SXTL2": "2d 4s"}
)

// TestWords has what is encoded by hand read by an independent disassembler.
func TestWords(t *testing.T) {
	mc, err := exec.LookPath("llvm-mc")
	if err != nil {
		t.Skip("no llvm-mc")
	}
	words := map[string][2]string{}
	for name, text := range files() {
		if strings.HasSuffix(name, "arm64.s") {
			for _, m := range handWord.FindAllStringSubmatch(string(text), -1) {
				words[m[1]] = [2]string{m[2], m[3]}
			}
		}
	}
	var code []string
	var hex []string
	for h := range words {
		hex = append(hex, h)
	}
	slices.Sort(hex)
	for _, h := range hex {
		code = append(code, fmt.Sprintf("0x%s 0x%s 0x%s 0x%s", h[6:8], h[4:6], h[2:4], h[0:2]))
	}
	cmd := exec.Command(mc, "--disassemble", "-triple=aarch64")
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
	if len(got) != len(hex) || len(hex) < 500 {
		t.Fatalf("%d instructions, the disassembler found %d", len(hex), len(got))
	}
	for i, h := range hex {
		checkWord(t, h, words[h][0], words[h][1], got[i])
	}
}

// checkWord compares our name and operands with a line of the disassembler's.
func checkWord(t *testing.T, hex, name, operands, got string) {
	base := spelled[name]
	if base == "" {
		base = strings.ToLower(strings.TrimRight(name, "0123456789"))
	}
	var want, have []string
	for _, m := range vector.FindAllStringSubmatch(operands, -1) {
		want = append(want, m[1])
	}
	for _, m := range vector.FindAllStringSubmatch(got, -1) {
		have = append(have, m[1])
	}
	if name == "TBL4" { // the table is four registers
		have = slices.Delete(have, 2, 5)
	}
	if (name == "ORR") && strings.HasPrefix(got, "mov") {
		base, want = "mov", want[:2]
	}
	if n, ok := strings.CutPrefix(name, "FMOV"); ok && !strings.Contains(got, "#"+n+".0") {
		t.Errorf("%s: %s %s is read as %s", hex, name, operands, got)
	}
	size := "4s"
	if strings.HasSuffix(operands, "64 bits") {
		size = "2d"
	}
	if strings.HasSuffix(operands, " 16 bits") {
		size = "8h"
	}
	if name == "SHL" || name == "USHR" || name == "SSHR" {
		size = map[bool]string{true: "2d", false: "4s"}[strings.Contains(got, "2d")] // the count says which
	}
	if l := lanesOf[name]; l != "" {
		size = l
	}
	var lanes []string
	for _, m := range lane.FindAllStringSubmatch(got, -1) {
		if !slices.Contains(lanes, m[1]) {
			lanes = append(lanes, m[1])
		}
	}
	if l := strings.Join(lanes, " "); l != size && l != "16b" {
		t.Errorf("%s: %s %s is read as %s", hex, name, operands, got)
	}
	if f := strings.Fields(got)[0]; f != base || !slices.Equal(want, have) {
		t.Errorf("%s: %s %s is read as %s", hex, name, operands, got)
	}
}
