package scope

import (
	"runtime"
	"testing"
	"unsafe"
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

type receiver struct{ n int }

// calls keeps its receiver over a call, so that it is stored.
//
//go:noinline
func (r *receiver) calls(f func() uintptr) uintptr {
	v := f()
	r.n++
	return v
}

// TestArgument asks for the receiver of a method on the stack, by the number of its return address.
func TestArgument(t *testing.T) {
	if Argument(0) == 0 {
		t.Skip("stacks cannot be read here")
	}
	r, other := &receiver{}, &receiver{}
	var found [2]int
	for i, m := range []*receiver{r, other} {
		m.calls(func() uintptr {
			pcs := Callers()
			for k, pc := range pcs {
				if f := runtime.FuncForPC(pc - 1); f != nil && f.Name() == "github.com/lucid-go/lucid/internal/scope.(*receiver).calls" {
					if v := Argument(k); v != uintptr(unsafe.Pointer(m)) {
						t.Errorf("%x, want %p", v, m)
					}
					found[i] = k + 1
				}
			}
			return 0
		})
	}
	if found[0] == 0 || found[0] != found[1] {
		t.Errorf("found at %v", found)
	}
	if v := Argument(10000); v != 0 {
		t.Errorf("%x above the stack", v)
	}
}
