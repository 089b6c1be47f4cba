package scope

import (
	"runtime"
	"testing"
)

//go:noinline
func nested(n int, f func() [Depth]uintptr) [Depth]uintptr {
	if n == 0 {
		return f()
	}
	return nested(n-1, f)
}

// TestCallers asks that equal stacks give equal addresses, other lines others, and that the addresses are those of runtime.Callers.
func TestCallers(t *testing.T) {
	var same [2][Depth]uintptr
	for i := range same {
		same[i] = nested(2, Callers)
	}
	if same[0] != same[1] || same[0] == nested(2, Callers) || same[0] == nested(3, Callers) {
		t.Error("addresses do not tell stacks apart")
	}
	var theirs [64]uintptr
	var ours [Depth]uintptr
	nested(20, func() [Depth]uintptr {
		ours = Callers()
		runtime.Callers(0, theirs[:])
		return ours
	})
	found := 0
	for _, pc := range ours {
		for _, other := range theirs {
			if pc == other {
				found++
				break
			}
		}
	}
	if found < Depth-3 { // those that the compiler inlined, and the two calls here, differ
		t.Errorf("%d of %d addresses are those of runtime.Callers", found, Depth)
	}
	grown := make(chan [Depth]uintptr)
	go func() { // a stack that grows and moves between the calls
		nested(4000, Callers)
		grown <- nested(2, Callers)
	}()
	if pcs := <-grown; pcs[0] == 0 || pcs[Depth-1] != 0 {
		t.Errorf("%x", pcs)
	}
}

func BenchmarkCallers(b *testing.B) {
	nested(20, func() (pcs [Depth]uintptr) {
		for b.Loop() {
			pcs = Callers()
		}
		return pcs
	})
}
