package scope

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/lucid-go/lucid/internal/dtype"
)

// leftOver counts the states still in the table.
func leftOver() int {
	n := 0
	for i := range table {
		table[i].Lock()
		n += len(table[i].m)
		table[i].Unlock()
	}
	return n
}

func TestNesting(t *testing.T) {
	if Current() != none {
		t.Fatal("a scope is open")
	}
	With(func(s *State) { s.NoGrad = true }, func() {
		With(func(s *State) { s.Autocast = dtype.BFloat16 }, func() {
			if s := Current(); !s.NoGrad || s.Autocast != dtype.BFloat16 {
				t.Errorf("inside two scopes: %+v", s)
			}
			With(func(s *State) { s.NoGrad = false }, func() {
				if Current().NoGrad {
					t.Error("the innermost scope wins")
				}
			})
		})
		if s := Current(); !s.NoGrad || s.Autocast != dtype.Invalid {
			t.Errorf("back in the first: %+v", s)
		}
	})
	if Current() != none || open.Load() != 0 || leftOver() != 0 {
		t.Errorf("after all: %d open, %d left over", open.Load(), leftOver())
	}
}

func TestPanicLeavesScope(t *testing.T) {
	func() {
		defer func() { _ = recover() }()
		With(func(s *State) { s.NoGrad = true }, func() { panic("inside") })
	}()
	if Current() != none || leftOver() != 0 {
		t.Error("a panic must close the scope")
	}
}

func TestGoroutinesAreApart(t *testing.T) {
	With(func(s *State) { s.NoGrad = true }, func() {
		seen := make(chan bool)
		go func() { seen <- Current().NoGrad }()
		if <-seen {
			t.Error("another goroutine sees the scope")
		}
		go Inherit(func() { seen <- Current().NoGrad })()
		if !<-seen {
			t.Error("Inherit must carry the scope over")
		}
	})
	ran := false
	Inherit(func() { ran = Current() == none })()
	if !ran {
		t.Error("Inherit without a scope runs as it is")
	}
	if leftOver() != 0 {
		t.Errorf("%d states left over", leftOver())
	}
}

// grow uses enough stack to have it moved.
func grow(n int) int {
	var pad [512]byte
	if n == 0 {
		return int(pad[0])
	}
	return grow(n-1) + int(pad[n%512])
}

func TestHammer(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 64 {
		wg.Go(func() {
			for i := range 200 {
				want := g*1000 + i
				With(func(s *State) { s.Stream = want }, func() {
					grow(i % 40)
					runtime.Gosched()
					if got := Current().Stream; got != want {
						t.Errorf("goroutine %d sees %v, want %d", g, got, want)
					}
					With(func(s *State) { s.Stream = want + 1 }, func() {
						runtime.Gosched()
						if got := Current().Stream; got != want+1 {
							t.Errorf("goroutine %d sees %v, want %d", g, got, want+1)
						}
					})
				})
			}
		})
	}
	wg.Wait()
	if open.Load() != 0 || leftOver() != 0 {
		t.Errorf("%d open, %d left over", open.Load(), leftOver())
	}
}

func TestContext(t *testing.T) {
	if Current().Context() != context.Background() {
		t.Error("without a scope the context is the background")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	With(func(s *State) { s.Ctx = ctx }, func() {
		if Current().Context().Err() == nil {
			t.Error("the scope's context is not there")
		}
	})
}

func BenchmarkCurrent(b *testing.B) {
	b.Run("closed", func(b *testing.B) {
		for b.Loop() {
			Current()
		}
	})
	With(func(s *State) { s.NoGrad = true }, func() {
		b.Run("open", func(b *testing.B) {
			for b.Loop() {
				Current()
			}
		})
	})
}

// TestAfterPanic: while a panic passes through, deferred functions of an outer scope run above the frames of the inner one.
func TestAfterPanic(t *testing.T) {
	defer func() {
		if recover() != "inside" || Current() != none {
			t.Error("behind all scopes:", Current())
		}
	}()
	With(func(s *State) { s.Stream = 1 }, func() {
		defer func() {
			if got := Current().Stream; got != 1 {
				t.Errorf("the outer scope sees %v", got)
			}
			With(func(s *State) { s.Stream = 3 }, func() {
				if got := Current().Stream; got != 3 {
					t.Errorf("a scope opened meanwhile sees %v", got)
				}
			})
		}()
		With(func(s *State) { s.Stream = 2 }, func() { panic("inside") })
	})
}

// deep calls f below many frames.
//
//go:noinline
func deep(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	deep(n-1, f)
}

func TestDeepStack(t *testing.T) {
	for _, n := range []int{0, 1, 30, 45, 46, 47, 48, 49, 50, 300, 555, 2000} {
		deep(n, func() {
			With(func(s *State) { s.Stream = n }, func() {
				deep(n, func() {
					if got := Current().Stream; got != n {
						t.Errorf("%d frames below: %v", n, got)
					}
					done := make(chan *State)
					go deep(n, func() { done <- Current() })
					if <-done != none {
						t.Error("another goroutine has a scope")
					}
				})
			})
			if Current() != none {
				t.Errorf("behind the scope: %v", Current())
			}
		})
	}
}

func BenchmarkCurrentDeep(b *testing.B) {
	deep(40, func() {
		With(func(s *State) { s.NoGrad = true }, func() {
			deep(10, func() {
				for b.Loop() {
					Current()
				}
			})
		})
	})
}
