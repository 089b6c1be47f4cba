package llm

import (
	"context"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm/model"
	F "github.com/lucid-go/lucid/nn/functional"
)

// fedIn evaluates ids over a new cache in parts of some sizes and returns the logits behind each part, and the cache.
func fedIn(net *model.Model, ids []int, sizes ...int) (rows [][]float32, cache []*lucid.Tensor) {
	cache, at := net.NewCache(24), 0
	for i := 0; at < len(ids); i++ {
		n := sizes[min(i, len(sizes)-1)]
		y := net.Step(lucid.New(ids[at:at+n], 1, n), lucid.New([]int{at}, 1), lucid.New([]int{n - 1}, 1), [][]*lucid.Tensor{cache})
		rows, at = append(rows, lucid.ToSlice[float32](y)), at+n
	}
	return rows, cache
}

// TestIncremental asserts for every family that a text gives the same logits whole, token by token and in parts, past the window, and
// the same bits alone and next to others.
func TestIncremental(t *testing.T) {
	ids := []int{72, 9, 101, 108, 3, 108, 111, 44, 250, 32, 119, 111, 114, 108, 100, 33, 0, 32, 49, 50, 51, 10, 200, 7}
	for name, c := range goldens(t).Cases {
		t.Run(name, func(t *testing.T) {
			m, err := Load(folder(t, c))
			if err != nil {
				t.Fatal(err)
			}
			net, n := m.Module(), len(ids)
			lucid.NoGrad(func() {
				whole := lucid.ToSlice[float32](net.Forward(lucid.New(ids, 1, n)))
				want := func(at int) []float32 { return whole[at*256 : (at+1)*256] }
				single, cache := fedIn(net, ids, 1)
				for at, got := range single {
					if e := near(got, want(at)); e > 2e-5 {
						t.Fatalf("token by token: logits at %d are off by %g", at, e)
					}
				}
				at := 0
				parts, _ := fedIn(net, ids, 2, 11, 5, 6)
				for i, got := range parts {
					at += []int{2, 11, 5, 6}[i]
					if e := near(got, want(at-1)); e > 2e-5 {
						t.Errorf("in parts: logits at %d are off by %g", at-1, e)
					}
				}
				nextToOthers(t, net, ids, cache, single[n-1])
			})
		})
	}
}

// nextToOthers evaluates the last of ids again, in a step with texts of other lengths, and asserts the logits that it has alone.
func nextToOthers(t *testing.T, net *model.Model, ids []int, cache []*lucid.Tensor, alone []float32) {
	t.Helper()
	n := len(ids)
	other := slices.Clone(ids)
	slices.Reverse(other)
	_, first := fedIn(net, other[:n/2], n/2)
	_, last := fedIn(net, other[:1], 1)
	y := net.Step(lucid.New([]int{5, ids[n-1], 9}, 3, 1), lucid.New([]int{n / 2, n - 1, 1}, 3), lucid.New([]int{0, 0, 0}, 3),
		[][]*lucid.Tensor{first, cache, last})
	if got := lucid.ToSlice[float32](y)[256:512]; !slices.Equal(got, alone) {
		t.Errorf("next to other texts the logits have other bits; off by %g", near(got, alone))
	}
	pagedBits(t, net, ids, other, alone)
}

// pagedBits evaluates a text in blocks of a pool that are not in order, next to a part of a prompt and to another text, and asserts the
// logits that both have in caches of their own.
func pagedBits(t *testing.T, net *model.Model, ids, other []int, alone []float32) {
	t.Helper()
	n := len(ids)
	prompt := lucid.ToSlice[float32](net.Step(lucid.New(other[:8], 1, 8), lucid.New([]int{0}, 1), lucid.New([]int{5}, 1),
		[][]*lucid.Tensor{net.NewCache(24)}))
	pool := net.NewCache(5 * model.PageTokens)
	// slots are those of positions from at on in a block.
	slots := func(block, at, n int) (list []int) {
		for i := range n {
			list = append(list, block*model.PageTokens+at+i)
		}
		return list
	}
	row := func(ids []int, block int) model.Paged {
		return model.Paged{IDs: lucid.New(ids, 1, len(ids)), Table: lucid.New([]int{block}, 1, 1), Keys: 24}
	}
	step := func(groups []model.Paged, positions, slots, last []int) []float32 {
		return lucid.ToSlice[float32](net.StepPaged(groups, lucid.New(positions, len(positions)), lucid.New(slots, len(slots)),
			lucid.New(last, len(last)), pool))
	}
	for at := range n - 1 {
		step([]model.Paged{row(ids[at:at+1], 3)}, []int{at}, slots(3, at, 1), []int{0})
	}
	step([]model.Paged{row(other[:2], 1)}, []int{0, 1}, slots(1, 0, 2), []int{1})
	both := model.Paged{IDs: lucid.New([]int{7, ids[n-1]}, 2, 1), Table: lucid.New([]int{1, 3}, 2, 1), Keys: 24}
	positions := []int{0, 1, 2, 3, 4, 5, 6, 7, 2, n - 1}
	at := slices.Concat(slots(2, 0, 8), slots(1, 2, 1), slots(3, n-1, 1))
	got := step([]model.Paged{row(other[:8], 2), both}, positions, at, []int{9, 5})
	if !slices.Equal(got[:256], alone) || !slices.Equal(got[256:], prompt) {
		t.Errorf("in a pool the logits have other bits; off by %g, a prompt's by %g", near(got[:256], alone), near(got[256:], prompt))
	}
	if err := lucid.Try(func() { net.StepPaged(nil, lucid.New([]int{0}, 1), lucid.New([]int{0}, 1), nil, pool) }); err == nil {
		t.Error("no rows were accepted")
	}
}

// TestRescaled asserts that a text whose cache grows past the context of training, where rotary positions change, has the logits of the
// whole text before and after.
func TestRescaled(t *testing.T) {
	c := goldens(t).Cases["phi3_long"]
	config := maps.Clone(c.Config)
	config["max_position_embeddings"], config["original_max_position_embeddings"] = 600, firstCapacity
	r := maps.Clone(c.Config["rope_parameters"].(map[string]any))
	r["original_max_position_embeddings"] = firstCapacity
	config["rope_parameters"] = r
	m, err := Load(folder(t, goldenCase{Config: config, Shapes: c.Shapes}))
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]int, firstCapacity+40)
	for i := range ids {
		ids[i] = (i*i*7 + i) % 256
	}
	s, at := m.newSession(1), 0
	defer s.free()
	for _, n := range []int{firstCapacity - 6, firstCapacity, firstCapacity + 1, len(ids)} {
		y, err := s.feed(context.Background(), ids[at:n])
		if err != nil {
			t.Fatal(err)
		}
		if e := near(y.logits, row(m, ids[:n], n-1)); e > 5e-5 {
			t.Errorf("logits behind %d tokens are off by %g", n, e)
		}
		at = n
	}
	if s.pos != len(ids) || !slices.Equal(s.ids, ids) {
		t.Errorf("the session has %d tokens, want %d", s.pos, len(ids))
	}
}

// TestLoss asserts that the loss without all logits is that of the logits, for heads of every kind, and so is its gradient.
func TestLoss(t *testing.T) {
	ids := lucid.New([]int{72, 9, 101, 108, 3, 108, 111, 44}, 2, 4)
	targets := lucid.New([]int{9, 101, -100, 3, 108, 111, 44, 250}, 2, 4)
	for _, name := range []string{"llama", "gemma2", "gpt2", "qwen2_yarn"} {
		m, err := Load(folder(t, goldens(t).Cases[name]))
		if err != nil {
			t.Fatal(err)
		}
		net := m.Module()
		h := net.Hidden(ids).Detach().RequiresGrad_(true)
		loss := net.Loss(h, targets)
		loss.Backward()
		got := lucid.ToSlice[float32](h.Grad())
		y := net.Forward(ids).To(lucid.Float32).Reshape(8, -1)
		want := F.CrossEntropy(y, targets.Reshape(8), F.CrossEntropyOptions{Reduction: "sum"})
		if d := math.Abs(loss.Item() - want.Item()); d > 1e-4 || !slices.ContainsFunc(got, func(v float32) bool { return v != 0 }) {
			t.Errorf("%s: the loss is %v, want %v; gradient %v", name, loss.Item(), want.Item(), got)
		}
		if zero := got[2*len(got)/8 : 3*len(got)/8]; slices.ContainsFunc(zero, func(v float32) bool { return v != 0 }) {
			t.Errorf("%s: a token that does not count has the gradient %v", name, zero)
		}
	}
}
