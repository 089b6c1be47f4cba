package llm

import (
	"math"
	"strings"
)

// breakers tells the tokens that end a repetition; texts are looked up once a token.
func breakers(o DRY, text func(id int) string) func(id int) bool {
	list := o.Breakers
	if list == nil {
		list = []string{"\n", ":", "\"", "*"}
	}
	known := map[int]bool{}
	return func(id int) bool {
		is, ok := known[id]
		if !ok {
			t := text(id)
			for _, b := range list {
				is = is || strings.Contains(t, b)
			}
			known[id] = is
		}
		return is
	}
}

// maxRepetition bounds the power of the base.
const maxRepetition = 100

// dry subtracts the penalty of each token that would make a repetition longer. How many tokens before each position are the same as
// at the end of the text is computed for all positions together, by the Z function of the reversed text.
func (s *sampler) dry(logits []float32) {
	o := s.o.DRY
	base, allowed := o.Base, o.Allowed
	if base == 0 {
		base = 1.75
	}
	if allowed == 0 {
		allowed = 2
	}
	ids := s.ids
	if o.Window > 0 && len(ids) > o.Window {
		ids = ids[len(ids)-o.Window:]
	}
	n := len(ids)
	limit := 0 // tokens at the end without a breaker: no repetition is longer
	for limit < n && !s.breaker(ids[n-1-limit]) {
		limit++
	}
	if limit < allowed {
		return
	}
	at := func(i int) int { return ids[n-1-i] } // reversed
	z, left, right := make([]int, n), 0, 0
	longest := map[int]int{}
	for i := 1; i < n; i++ {
		if i < right {
			z[i] = min(right-i, z[i-left])
		}
		for i+z[i] < n && at(z[i]) == at(i+z[i]) {
			z[i]++
		}
		if i+z[i] > right {
			left, right = i, i+z[i]
		}
		if m := min(z[i], limit); m >= allowed {
			next := at(i - 1) // what followed the repeated part
			longest[next] = max(longest[next], m)
		}
	}
	for id, m := range longest {
		if id < len(logits) {
			logits[id] -= float32(o.Multiplier * math.Pow(base, float64(min(m-allowed, maxRepetition))))
		}
	}
}
