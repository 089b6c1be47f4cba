package tokenizer

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestVocab compares with a map: tokens set one by one and all at once, equal ones, ids that are taken, and the size of the table.
func TestVocab(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 100, 5000} {
		r := rand.New(rand.NewPCG(2, uint64(n)))
		tokens, first := make([]string, n), map[string]int32{}
		for i := range tokens {
			tokens[i] = strconv.Itoa(r.IntN(2 * n))
			if _, there := first[tokens[i]]; !there {
				first[tokens[i]] = int32(i)
			}
		}
		all := newVocab(tokens, nil)
		if size := len(all.slots); size <= n || size > 3*n+2 {
			t.Errorf("%d slots for %d tokens", size, n)
		}
		one, last := newVocab(nil, nil), map[string]int32{}
		for i, s := range tokens {
			one.set(int32(i), s)
			last[s] = int32(i)
		}
		for s, want := range first {
			id, ok := all.find(s)
			later, there := one.findBytes([]byte(s))
			if !ok || id != want || !there || later != last[s] {
				t.Fatalf("%q is %d and %d, want %d and %d", s, id, later, want, last[s])
			}
		}
		seen := 0
		for id, s := range all.all() {
			if seen++; first[s] != id {
				t.Errorf("token %d is %q", id, s)
			}
		}
		if _, ok := all.find("x"); ok || seen != len(first) || all.n != seen || one.n != seen {
			t.Errorf("%d tokens, %d and %d counted, want %d; x is found: %v", seen, all.n, one.n, len(first), ok)
		}
	}
	v := newVocab(nil, nil)
	for i, c := range []struct {
		id    int32
		token string
		want  bool
	}{{3, "a", true}, {3, "b", false}, {4, "a", false}, {0, "", true}, {0, "c", false}, {1, "c", true}} {
		if got := v.put(c.id, c.token); got != c.want {
			t.Errorf("step %d: %v", i, got)
		}
	}
}
