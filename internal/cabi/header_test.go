package cabi

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/dtype"
)

// TestHeader compares the numbers of lucid.h, which never change, with those of Go.
func TestHeader(t *testing.T) {
	text, err := os.ReadFile("../../cmd/liblucid/lucid.h")
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^\s(LUCID_[A-Z0-9_]+) = (\d+)`).FindAllStringSubmatch(string(text), -1) {
		numbers[m[1]], _ = strconv.Atoi(m[2])
	}
	for d := dtype.Bool; d < dtype.N; d++ {
		if name := "LUCID_" + strings.ToUpper(d.String()); numbers[name] != int(d) {
			t.Errorf("%s is %d; %v is %d", name, numbers[name], d, d)
		}
	}
	for name, s := range map[string]Status{"OK": OK, "INTERNAL": Internal, "SHAPE": Shape, "DTYPE": DType, "INDEX": Index, "DEVICE": Device,
		"OUT_OF_MEMORY": OutOfMemory, "NOT_IMPLEMENTED": NotImplemented, "VERSION": Version, "FORMAT": Format, "VALUE": Value,
		"FREED": Freed, "CANCELED": Canceled, "SINGULAR": Singular, "IO": IO, "FORKED": IO + 1} {
		if got, ok := numbers["LUCID_"+name]; !ok || got != int(s) {
			t.Errorf("LUCID_%s is %d; want %d", name, got, s)
		}
	}
	if want := fmt.Sprintf("#define LUCID_MAX_RANK %d\n", MaxRank); !strings.Contains(string(text), want) {
		t.Errorf("the header does not say %s", want)
	}
	for kind, s := range statusOf {
		if s == OK {
			t.Errorf("errors of kind %v have status 0", kind)
		}
	}
}
