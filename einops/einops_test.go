package einops_test

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/einops"
)

func lengths(pairs ...any) einops.Options {
	m := map[string]int{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1].(int)
	}
	return einops.Options{AxesLengths: m}
}

func count(shape ...int) *lucid.Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return lucid.Arange(n).To(lucid.Float64).Reshape(shape...)
}

func same(t *testing.T, what string, got, want *lucid.Tensor) {
	t.Helper()
	if !lucid.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestRearrange(t *testing.T) {
	x := count(2, 3, 4)
	same(t, "order", einops.Rearrange(x, "a b c -> c a b"), x.Permute(2, 0, 1))
	same(t, "join", einops.Rearrange(x, "a b c -> (b a) c"), x.Permute(1, 0, 2).Reshape(6, 4))
	same(t, "split", einops.Rearrange(x, "a b (h w) -> a h (w b)", lengths("h", 2)),
		x.Reshape(2, 3, 2, 2).Permute(0, 2, 3, 1).Reshape(2, 2, 6))
	same(t, "ones", einops.Rearrange(x, "a b c -> a 1 (b c) ()"), x.Reshape(2, 1, 12, 1))
	same(t, "drop ones", einops.Rearrange(x.Unsqueeze(1), "a 1 ... -> a ..."), x)
	same(t, "ellipsis", einops.Rearrange(x, "a ... -> ... a"), x.Permute(1, 2, 0))
	same(t, "no ellipsis", einops.Rearrange(x, "a b c ... -> (a b) ... c"), x.Reshape(6, 4))
	same(t, "joined ellipsis", einops.Rearrange(x, "a ... -> (... a)"), x.Permute(1, 2, 0).Reshape(24))
	same(t, "ellipsis joined alone", einops.Rearrange(x, "a ... -> (...) a"), x.Permute(1, 2, 0).Reshape(12, 2))
	same(t, "all joined", einops.Rearrange(x, "... -> (...)"), x.Reshape(24))
	same(t, "none joined", einops.Rearrange(x, "a b c ... -> a b c (...)"), x.Unsqueeze(3))
	same(t, "none joined of a scalar", einops.Rearrange(count(), "... -> (...)"), count(1))
	same(t, "scalar", einops.Rearrange(count(), " -> 1"), count().Reshape(1))
	same(t, "empty", einops.Rearrange(count(0, 3), "a b -> (b a)"), count(0))
}

func TestReduceAndRepeat(t *testing.T) {
	x := count(2, 4, 6)
	same(t, "sum", einops.Reduce(x, "a b c -> c", "sum"), x.Sum(0, 1))
	same(t, "pool", einops.Reduce(x, "a (h 2) (w 3) -> a h w", "max"),
		lucid.Amax(x.Reshape(2, 2, 2, 2, 3), lucid.ReduceOptions{Dim: []int{2, 4}}))
	same(t, "all", einops.Reduce(x, "... -> ", "mean"), x.Mean())
	same(t, "nothing", einops.Reduce(x, "a b c -> b a c", "min"), x.Permute(1, 0, 2))
	same(t, "repeat", einops.Repeat(x, "a b c -> a (b 2) c"), lucid.RepeatInterleave(x, 2, lucid.RepeatInterleaveOptions{Dim: new(1)}))
	same(t, "tile", einops.Repeat(x, "a b c -> a (r b) c", lengths("r", 3)), lucid.Tile(x, 1, 3, 1))
	same(t, "fold to a joined ellipsis", einops.Reduce(x, "... c -> (...)", "sum"), x.Sum(2).Reshape(8))
	same(t, "new", einops.Repeat(x, "... -> n ...", lengths("n", 2)), lucid.Stack([]*lucid.Tensor{x, x}, 0))
}

func TestRefused(t *testing.T) {
	x := count(2, 6)
	for pattern, o := range map[string]einops.Options{
		"a b": {}, "a b -> a b -> a": {}, "a -> a": {}, "a b c ... -> a": {}, "a b -> a": {}, "a b -> a b c": {}, "a a -> a": {},
		"a (b -> a b": {}, "(a (b)) c -> a b c": {},
		"a b) -> a b": {}, "a 7 -> a 7": {}, "a (b c) -> a b c": {}, "a b -> ... a b": {}, "a-b c -> c": {}, "a 0 -> a 0": {},
		"a (b c) -> a b c ": lengths("b", 4), "a b -> b a": lengths("z", 1), "a b  -> b a": lengths("a", 3),
		"(...) b -> b": {}, "a b -> b -1 a": {},
	} {
		err := lucid.Try(func() { einops.Rearrange(x, pattern, o) })
		if !errors.Is(err, lucid.ErrValue) && !errors.Is(err, lucid.ErrShapeMismatch) {
			t.Errorf("%q %v: %v", pattern, o, err)
		}
	}
	if err := lucid.Try(func() { einops.Reduce(x, "a b -> a", "median") }); !errors.Is(err, lucid.ErrValue) {
		t.Error(err)
	}
	if err := lucid.Try(func() { einops.Repeat(x, "a b -> a b c") }); !errors.Is(err, lucid.ErrValue) {
		t.Error(err)
	}
}

func TestByName(t *testing.T) {
	x := count(2, 6)
	got, err := lucid.Call("rearrange", []*lucid.Tensor{x}, map[string]any{"pattern": "a (b c) -> c a b",
		"axes_lengths": map[string]any{"b": 2.0}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "by name", got[0], x.Reshape(2, 2, 3).Permute(2, 0, 1))
}
