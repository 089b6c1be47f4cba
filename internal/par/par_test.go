package par

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lucid-go/lucid/internal/fault"
)

func TestForRunsEveryBlockOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 7, 100, 1000} {
		seen := make([]atomic.Int32, n)
		if err := For(n, func(b int) { seen[b].Add(1) }); err != nil {
			t.Fatal(err)
		}
		for b := range seen {
			if seen[b].Load() != 1 {
				t.Fatalf("n=%d: block %d ran %d times", n, b, seen[b].Load())
			}
		}
	}
}

func TestForNested(t *testing.T) {
	var total atomic.Int64
	err := For(16, func(int) {
		if err := For(16, func(int) {
			if err := For(4, func(int) { total.Add(1) }); err != nil {
				panic(err)
			}
		}); err != nil {
			panic(err)
		}
	})
	if err != nil || total.Load() != 16*16*4 {
		t.Fatalf("total %d, err %v", total.Load(), err)
	}
}

func TestForPanicIsAnError(t *testing.T) {
	err := For(50, func(b int) {
		if b == 7 {
			panic("seven")
		}
	})
	if !errors.Is(err, fault.SentinelOf(fault.Internal)) || !strings.Contains(err.Error(), "seven") {
		t.Fatalf("got %v", err)
	}
	if err := For(50, func(int) {}); err != nil {
		t.Fatalf("the pool must go on: %v", err)
	}
}
