package profiler_test

import (
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/profiler"
)

func TestWriteDot(t *testing.T) {
	x := lucid.Randn(2, 3).Eval()
	v, i := x.Exp().Sort(1)
	var b strings.Builder
	if err := profiler.WriteDot(&b, v.Sum(), i); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"digraph {", "stored", "float32 [2 3]", "exp", "sort", "peripheries=2", "n0 -> n1", "}\n"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%q is not in\n%s", part, b.String())
		}
	}
}
