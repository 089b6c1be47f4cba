package cuda

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDependencies: of launches over parts of one block, any two that touch the same byte, one of them writing, are
// ordered, however the parts overlap.
func TestDependencies(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		type launch struct {
			spans []memRange
			after map[int]bool // all launches it waits for, transitively
		}
		var u uses
		var list []launch
		for k := range 40 {
			l := launch{after: map[int]bool{}}
			for range 1 + r.IntN(3) {
				lo := uintptr(1000 + r.IntN(64))
				l.spans = append(l.spans, memRange{lo, lo + 1 + uintptr(r.IntN(16)), r.IntN(2) == 0})
			}
			for _, b := range u.before(l.spans) {
				l.after[int(b)] = true
				for a := range list[b].after {
					l.after[a] = true
				}
			}
			u = u.add(l.spans, []uintptr{uintptr(k)})
			for i, e := range list {
				clash := slices.ContainsFunc(l.spans, func(s memRange) bool {
					return slices.ContainsFunc(e.spans, func(q memRange) bool {
						return (s.written || q.written) && s.lo < q.hi && q.lo < s.hi
					})
				})
				if clash && !l.after[i] {
					t.Fatalf("launch %d over %v does not wait for %d over %v", k, l.spans, i, e.spans)
				}
			}
			list = append(list, l)
		}
	}
	var u uses
	u = u.add([]memRange{{0, 8, true}}, []uintptr{0})
	u = u.add([]memRange{{0, 8, false}}, []uintptr{1})
	if got := u.before([]memRange{{0, 8, false}, {8, 16, true}}); !slices.Equal(got, []uintptr{0}) {
		t.Errorf("a reader next to a reader waits for %v", got)
	}
}

// TestChained: tiny launches follow each other, though they need not, until many do; a join waits for all branches.
func TestChained(t *testing.T) {
	o := dependencies{leaves: []uintptr{1}}
	for i, want := range []bool{true, true, false} {
		if got := o.chained(tinyLaunch); got != want {
			t.Errorf("launch %d of a row that need not wait: %v", i, got)
		}
	}
	o = dependencies{leaves: []uintptr{1}}
	if o.chained(tinyLaunch + 1) {
		t.Error("a launch that is worth a branch has none")
	}
	o.behind = []uintptr{1}
	if !o.chained(tinyLaunch+1) || o.chain != 0 {
		t.Error("a launch behind the last one does not follow it")
	}
	o = dependencies{leaves: []uintptr{1, 2}, behind: []uintptr{1, 2}}
	if o.chained(1) {
		t.Error("a join is taken for a chain")
	}
}
