package lucid

import (
	"context"
	"sync"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/par"
	"github.com/lucid-go/lucid/internal/scope"
)

// WithContext runs f so that evaluations in this goroutine stop when the context is done.
func WithContext(ctx context.Context, f func()) {
	if ctx == nil {
		fault.Throw(fault.Value, "with_context", "the context is nil; want context.Background() or another")
	}
	scope.With(func(s *scope.State) { s.Ctx = ctx }, f)
}

// Deterministic runs f with the same bits from run to run. On a GPU slower ways are then taken where the fast ones vary in the last
// bits: sums of floats at many positions, the gradient of attention, algorithms chosen by the clock. On the CPU nothing changes: bits
// never depend on the number of threads, and a row of a product, a normalization, a convolution or an attention has the same bits alone as
// in any batch.
func Deterministic(f func()) {
	scope.With(func(s *scope.State) { s.Deterministic = true }, f)
}

// SetDeterministic asks for the same bits from run to run in the whole program, as Deterministic does for a function, and returns what was
// asked for before. An op that has no such form then refuses, by name.
func SetDeterministic(on bool) (was bool) { return scope.SetDeterministic(on) }

// AreDeterministicAlgorithmsEnabled reports whether the same bits from run to run are asked for, by SetDeterministic or by Deterministic.
func AreDeterministicAlgorithmsEnabled() bool { return scope.Current().IsDeterministic() }

// SetNumThreads bounds the number of threads that one op uses on the CPU, and returns the bound before. 0 means no bound but GOMAXPROCS.
// Results have the same bits with any number.
func SetNumThreads(n int) (was int) {
	if n < 0 {
		fault.Throw(fault.Value, "set_num_threads", "%d threads; want 0, which is no bound, or more", n)
	}
	return par.SetThreads(n)
}

// GetNumThreads returns how many threads one op may use now.
func GetNumThreads() int { return par.Threads() }

// Winograd runs f with convolutions of 3 by 3 taps and stride 1 in float32 allowed to use fewer products (Winograd's
// F(4×4, 3×3)), in their forward pass and for the gradient to the input. The error of an output is then up to about
// 1e-5 times the sum of the sizes of its products, some ten times that of adding them up; infinities and NaNs reach
// neighbouring outputs of the same 4 by 4 tile. It is a permission: where it would not pay, or a device has no such
// kernel, nothing changes. Bits still do not depend on the number of threads.
func Winograd(f func()) {
	scope.With(func(s *scope.State) { s.Winograd = true }, f)
}

// arena collects the handles made inside Scope.
type arena struct {
	mu   sync.Mutex
	made []*graph.Array
}

// Add notes a handle.
func (a *arena) Add(h *graph.Array) {
	a.mu.Lock()
	a.made = append(a.made, h)
	a.mu.Unlock()
}

// Scope runs f and then frees at once what was made inside in this goroutine, but for the tensors f returns. Other
// tensors from inside may not be used afterwards.
func Scope(f func() []*Tensor) []*Tensor {
	a := &arena{}
	around, _ := scope.Current().Arena.(*arena)
	var returned []*Tensor
	defer func() { // also when f panics
		keep := make(map[*graph.Array]bool, len(returned))
		for _, t := range returned {
			keep[t.array()] = true
		}
		for _, h := range a.made {
			switch {
			case !keep[h]:
				h.Free()
			case around != nil:
				around.Add(h) // it was made inside that scope too
			}
		}
	}()
	scope.With(func(s *scope.State) { s.Arena = a }, func() { returned = f() })
	return returned
}

// Autocast runs f with automatic mixed precision: ops that gain from it compute in d (BFloat16 or Float16), ops that need
// the range compute in float32, as each op's schema says.
func Autocast(d DType, f func()) {
	if !d.IsHalf() {
		fault.Throw(fault.DType, "autocast", "%v is no half type; want BFloat16 or Float16", d)
	}
	scope.With(func(s *scope.State) { s.Autocast = d }, f)
}
