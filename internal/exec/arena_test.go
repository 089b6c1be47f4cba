package exec

import (
	"math/rand/v2"
	"testing"
)

// TestLayOut: pieces that live at the same time share no byte, and together they take little more than is alive at once.
func TestLayOut(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 60 {
		n, steps := 1+r.IntN(300), 200
		if round%10 == 9 {
			n, steps = maxPacked+1+r.IntN(2000), 2000 // the smaller ones go by their size alone
		}
		temps := make([]temp, n)
		live := make([]int, steps)
		for i := range temps {
			first := r.IntN(steps)
			last := min(steps-1, first+int(r.ExpFloat64()*20))
			temps[i] = temp{root: int32(i), size: 256 * (1 + r.IntN(1<<r.IntN(12))), first: int32(first), last: int32(last)}
			for k := first; k <= last; k++ {
				live[k] += temps[i].size
			}
		}
		least := 0
		for _, l := range live {
			least = max(least, l)
		}
		top := assignOffsets(temps)
		for i := range temps {
			a := &temps[i]
			if a.offset < 0 || a.offset+a.size > top || a.offset%256 != 0 {
				t.Fatalf("a piece of %d bytes at %d of %d", a.size, a.offset, top)
			}
			for k := range temps[:i] {
				b := &temps[k]
				if a.first <= b.last && b.first <= a.last && a.offset < b.offset+b.size && b.offset < a.offset+a.size {
					t.Fatalf("%+v and %+v share memory", *a, *b)
				}
			}
		}
		if n <= maxPacked && float64(top) > 1.35*float64(least) {
			t.Errorf("%d pieces take %d bytes, %d are alive at once", n, top, least)
		}
	}
}
