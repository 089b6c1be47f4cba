package tokenizer

import (
	"math/rand/v2"
	"testing"
)

// TestPairTable asserts that pairs are found, that others are not, that the first rank counts, and that the table is not larger than
// it has to be: it is a fifth of what a vocabulary takes.
func TestPairTable(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 100, 1000, 151_387} {
		p, r := newPairTable(n), rand.New(rand.NewPCG(1, uint64(n)))
		if size := len(p.keys); size <= n || size > 3*n+2 {
			t.Errorf("%d slots for %d pairs", size, n)
		}
		type pair struct{ a, b int32 }
		ranks := map[pair]int32{}
		for i := range n {
			at := pair{r.Int32N(2000), r.Int32N(2000)}
			p.set(at.a, at.b, int32(i), int32(i)*3)
			if _, there := ranks[at]; !there {
				ranks[at] = int32(i)
			}
		}
		for at, want := range ranks {
			if rank, id := p.find(at.a, at.b); rank != want || id != 3*want {
				t.Fatalf("%v has the rank %d and the id %d, want %d", at, rank, id, want)
			}
		}
		if _, id := p.find(5000, 1); id != -1 {
			t.Errorf("a pair that is not there has the id %d", id)
		}
	}
}
