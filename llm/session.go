package llm

import (
	"context"
	"math"
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// Caches have one of a few capacities, and prompts are read in parts of one of a few sizes: each pair of them is traced and
// planned once, for all texts. A longer text moves to the next capacity.
const firstCapacity = 256

// maxTraces is how many kinds of steps are stored: by rows, capacities of their caches and sizes of parts.
const maxTraces = 512

var partSizes = []int{512, 128, 64, 32, 16, 8, 4, 2, 1}

// session is one text with the keys and values of its tokens.
type session struct {
	m        *Model
	cache    []*lucid.Tensor
	capacity int
	bits     int // of keys and values; 0: those of the model's dtype
	pos      int // tokens in the cache
	ids      []int
	texts    []*Options // what chooses the next token; none: all logits are wanted
}

// newSession starts an empty text with room for some tokens.
func (m *Model) newSession(room int) *session { return m.newSessionOf(room, 0) }

// newSessionOf is newSession with a cache of other bits.
func (m *Model) newSessionOf(room, bits int) *session {
	s := &session{m: m, bits: bits, capacity: m.capacityFor(room)}
	s.cache = m.newCacheOf(s.capacity, bits)
	return s
}

// newCacheOf returns an empty cache of some bits.
func (m *Model) newCacheOf(capacity, bits int) []*lucid.Tensor {
	if bits == 8 {
		return m.net.NewQuantizedCache(capacity)
	}
	return m.net.NewCache(capacity)
}

// capacityFor is the smallest capacity that holds n tokens. Where rotary positions depend on the length of a text it does not pass the
// length from which they do before the text does.
func (m *Model) capacityFor(n int) int {
	c := m.net.Config()
	capacity := firstCapacity
	for capacity < n && capacity < c.Context {
		capacity *= 2
	}
	if c.LengthScaled() && n <= c.RoPE.Original {
		capacity = min(capacity, c.RoPE.Original)
	}
	return min(capacity, c.Context)
}

// roomFor is how many tokens a cache begins with room for: those of the prompt and some more, unless a larger cache would rotate otherwise
// than the text needs.
func (m *Model) roomFor(prompt, more int) int {
	if c := m.net.Config(); c.LengthScaled() {
		return prompt + 1
	}
	return prompt + more
}

// free lets the cache go.
func (s *session) free() {
	freeAll(s.cache)
	s.cache = nil
}

// fill makes a cache of parts, the keys and values of the first tokens, which it frees; the rest is zeros. One pass over the memory is what
// it takes: an update in place would copy the cache first. A session that has a cache loses it.
func (s *session) fill(parts []*lucid.Tensor) {
	s.free()
	s.pos = parts[0].Size(2)
	lucid.NoGrad(func() {
		for _, x := range parts {
			t := x.Contiguous()
			if n := x.Size(2); n < s.capacity {
				w := lucid.With{DType: x.DType(), Device: x.Device()}
				t = lucid.Cat([]*lucid.Tensor{x, w.Zeros(1, x.Size(1), s.capacity-n, x.Size(3))}, 2)
			}
			s.cache = append(s.cache, t)
		}
		if err := lucid.Eval(s.cache...); err != nil {
			fault.Rethrow(op, err)
		}
		freeAll(parts)
	})
}

// grow makes room for n tokens in all. Where rotary positions depend on the capacity, the text may be evaluated again.
func (s *session) grow(n int) error {
	if n <= s.capacity {
		return nil
	}
	c, capacity := s.m.net.Config(), s.m.capacityFor(n)
	again := c.Rescaled(s.capacity, capacity)
	err := lucid.Try(func() { // without memory the session stays as it is
		cache := s.m.newCacheOf(capacity, s.bits)
		for i, t := range s.cache {
			if !again {
				start := lucid.With{Device: t.Device()}.New([]int64{0}, 1)
				cache[i].Assign(cache[i].DynamicSliceUpdate(t, start, []int{2})).Eval()
			}
		}
		freeAll(s.cache)
		s.cache, s.capacity = cache, capacity
	})
	if err != nil || !again {
		return err
	}
	ids := s.ids[:s.pos]
	s.pos, s.ids = 0, nil
	_, err = s.feed(context.Background(), ids)
	return err
}

// rewind goes back to where ids and the text part, but for one token at least, whose logits are wanted. It returns the rest.
func (s *session) rewind(ids []int) []int {
	n := s.shared(ids)
	s.pos, s.ids = n, s.ids[:n]
	return ids[n:]
}

// shared is how many tokens of the session a prompt can take over: the last token of the prompt is evaluated in any case.
func (s *session) shared(ids []int) (n int) {
	for n < len(ids)-1 && n < s.pos && ids[n] == s.ids[n] {
		n++
	}
	return n
}

// feed appends ids to the text and returns the scores of what follows.
func (s *session) feed(ctx context.Context, ids []int) (y scores, err error) {
	if n := s.m.net.Config().Context; s.pos+len(ids) > n {
		return y, fault.New(fault.Value, op, "%d tokens; the model has a context of %d", s.pos+len(ids), n)
	}
	if err := s.grow(s.pos + len(ids)); err != nil {
		return y, err
	}
	for len(ids) > 0 {
		if err := ctx.Err(); err != nil {
			return y, err
		}
		size := partSize(len(ids), s.capacity-s.pos)
		n := min(size, len(ids))
		rows, err := s.run(padded(ids[:n], size), []int64{int64(n - 1)}, len(ids) == n)
		if err != nil {
			return y, err
		}
		if rows != nil {
			y = rows[0]
		}
		s.pos += n
		s.ids, ids = append(s.ids, ids[:n]...), ids[n:]
	}
	return y, nil
}

// partCosts are the times of parts of partSizes, as multiples of one token's: weights are read once for all tokens of a part. They were
// measured on models of 135 and 270 million parameters in 4 to 8 bits, those of 64, 16, 4 and 2 are between the
// others.
var partCosts = []float64{42, 11, 6, 3.5, 2.2, 1.5, 1.25, 1.1, 1}

// bestParts has, for a number of tokens less than the largest part, the index of the part to begin with.
var bestParts = sync.OnceValue(func() []int {
	n := partSizes[0]
	best, cost := make([]int, n), make([]float64, n)
	for tokens := 1; tokens < n; tokens++ {
		cost[tokens] = math.Inf(1)
		for i, size := range partSizes {
			if c := partCosts[i] + cost[max(0, tokens-size)]; c < cost[tokens] {
				best[tokens], cost[tokens] = i, c
			}
		}
	}
	return best
})

// partSize is how many positions the next part of a prompt has: padding to a larger size may cost less than many small parts.
func partSize(tokens, room int) int {
	at := 0
	if tokens < partSizes[0] {
		at = bestParts()[tokens]
	}
	for partSizes[at] > room {
		at++
	}
	return partSizes[at]
}

// run evaluates one part; last are the positions whose scores are wanted.
func (s *session) run(part, last []int64, want bool) (rows []scores, err error) {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	err = lucid.Try(func() {
		lucid.NoGrad(func() {
			w := lucid.With{Device: s.cache[0].Device()}
			ids, start := w.New(part, 1, len(part)), w.New([]int64{int64(s.pos)}, 1)
			logits := s.m.step(ids, start, w.New(last, len(last)), [][]*lucid.Tensor{s.cache})
			if want {
				rows = s.m.scoresFor(logits, s.texts)
			} else if err := lucid.Eval(logits); err != nil {
				panic(err)
			}
			logits.Free()
		})
	})
	return rows, err
}

// scoresOf reads the rows of logits.
func scoresOf(logits *lucid.Tensor) []scores {
	f := logits.To(lucid.Float32)
	sums := f.LogSumExp(-1)
	if err := lucid.Eval(f, sums); err != nil {
		fault.Rethrow(op, err)
	}
	all, list := lucid.ToSlice[float32](f), make([]scores, f.Size(0))
	for i, sum := range lucid.ToSlice[float32](sums) {
		n := f.Size(1)
		list[i] = scores{logits: all[i*n : (i+1)*n], sum: float64(sum)}
	}
	return list
}
