package llm

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// TestForwardPacked asserts that sequences one behind the other in a row get the logits each gets alone, for every family.
func TestForwardPacked(t *testing.T) {
	for name, c := range goldens(t).Cases {
		m, err := Load(folder(t, c))
		if err != nil {
			t.Fatal(err)
		}
		parts := [][]int{{1, 2, 3, 4, 5}, {9}, {7, 7, 8, 200, 3, 1, 0, 5, 6, 2, 250, 11}}
		var ids, positions, segments []int
		for i, p := range parts {
			for j, id := range p {
				ids, positions, segments = append(ids, id), append(positions, j), append(segments, i)
			}
		}
		n := len(ids)
		lucid.NoGrad(func() {
			all := m.Module().ForwardPacked(lucid.New(ids, 1, n), lucid.New(positions, n), lucid.New(segments, n))
			at := 0
			for i, p := range parts {
				want := lucid.ToSlice[float32](m.Forward(lucid.New(p, 1, len(p))))
				got := lucid.ToSlice[float32](all.Narrow(1, at, len(p)))
				for k := range want {
					if math.Abs(float64(got[k]-want[k])) > 1e-4 {
						t.Fatalf("%s: part %d differs by %v", name, i, got[k]-want[k])
					}
				}
				at += len(p)
			}
		})
	}
	m := tiny(t).Module()
	ids, two := lucid.New([]int{1, 2, 3}, 1, 3), lucid.New([]int{0, 1}, 2)
	if err := lucid.Try(func() { m.ForwardPacked(ids, two, two) }); !errors.Is(err, lucid.ErrShapeMismatch) {
		t.Errorf("positions of another length: %v", err)
	}
}

// TestLinears asserts that layers can be replaced by name, and that compiled steps notice it.
func TestLinears(t *testing.T) {
	m := tiny(t)
	var names []string
	for name, l := range m.Module().Linears() {
		c := m.Config()
		in, out := c.LinearSize(name)
		if w := l.(*nn.Linear).Weight; w.Size(0) != out || w.Size(1) != in {
			t.Errorf("%s is %v, want %d to %d", name, w.Shape(), in, out)
		}
		names = append(names, name)
	}
	if len(names) != 7*3+1 || names[0] != "model.layers.0.self_attn.q_proj" || names[21] != "lm_head" {
		t.Errorf("%v", names)
	}
	before := generated(t, m, []int{1, 2}, Options{MaxTokens: 8})
	old := m.Module().LMHead
	m.Module().SetLinear("lm_head", &nn.Linear{Weight: old.(*nn.Linear).Weight.Neg()})
	if after := generated(t, m, []int{1, 2}, Options{MaxTokens: 8}); slices.Equal(after, before) {
		t.Error("a replaced layer changed nothing")
	}
	m.Module().SetLinear("lm_head", old)
	if again := generated(t, m, []int{1, 2}, Options{MaxTokens: 8}); !slices.Equal(again, before) {
		t.Errorf("%v, want %v", again, before)
	}
	if err := lucid.Try(func() { m.Module().SetLinear("none", old) }); !errors.Is(err, lucid.ErrValue) {
		t.Error(err)
	}
}
