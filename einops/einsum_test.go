package einops_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/einops"
)

func TestEinsum(t *testing.T) {
	x, w := count(2, 3, 4), count(5, 4)
	same(t, "product", einops.Einsum("batch time in, out in -> batch time out", x, w), lucid.MatMul(x, w.T()))
	same(t, "any batch", einops.Einsum("out in,...in->...out", w, x), lucid.MatMul(x, w.T()))
	same(t, "trace", einops.Einsum("i i ->", count(3, 3)), count(3, 3).Trace())
	same(t, "names, not letters", einops.Einsum("a1 a2, a2 a1 -> a1", count(2, 3), count(3, 2)), lucid.New([]float64{10, 40}, 2))
	grad := lucid.Grad(func(w *lucid.Tensor) *lucid.Tensor { return einops.Einsum("b t i, o i -> ", x, w) })(w)
	same(t, "gradient", grad, x.Sum(0, 1).Expand(5, 4))
	var many []string
	for i := range 60 {
		many = append(many, fmt.Sprint("x", i))
	}
	tooMany := strings.Join(many, " ") + " ->"
	for _, pattern := range []string{"a b", "a b -> c", "(a b) -> a", "a b -> a -> b", "a 2 -> a", "a -> a", tooMany} {
		err := lucid.Try(func() { einops.Einsum(pattern, count(2, 2)) })
		if !errors.Is(err, lucid.ErrValue) && !errors.Is(err, lucid.ErrShapeMismatch) {
			t.Errorf("%q: %v", pattern, err)
		}
	}
}

func TestParseShape(t *testing.T) {
	x := count(2, 3, 5, 7)
	for pattern, want := range map[string]string{"b _ h w": "map[b:2 h:5 w:7]", "... c": "map[c:7]", "b ...": "map[b:2]",
		"b c h w ...": "map[b:2 c:3 h:5 w:7]"} {
		if got := fmt.Sprint(einops.ParseShape(x, pattern)); got != want {
			t.Errorf("%q: %s, want %s", pattern, got, want)
		}
	}
	if got := einops.ParseShape(x.Unsqueeze(1), "b 1 ... w"); len(got) != 2 || got["b"] != 2 || got["w"] != 7 {
		t.Errorf("with a dimension of size 1: %v", got)
	}
	flat := x.Reshape(210)
	same(t, "sizes of another", einops.Rearrange(flat, "(b c h w) -> b c h w", einops.Options{
		AxesLengths: einops.ParseShape(x, "b c h _")}), x)
	for _, pattern := range []string{"a b c", "a a b c", "(a b) c d e", "a b c d e ...", "a 3 c d", "1 b c d", "... a ..."} {
		err := lucid.Try(func() { einops.ParseShape(x, pattern) })
		if !errors.Is(err, lucid.ErrValue) && !errors.Is(err, lucid.ErrShapeMismatch) {
			t.Errorf("%q: %v", pattern, err)
		}
	}
}
