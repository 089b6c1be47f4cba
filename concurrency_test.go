package lucid_test

import (
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestConcurrentInPlace asks for what docs/concurrency.md says of ops in place on one tensor: updates may be lost, but every value that is
// read was there, and none is a mixture.
func TestConcurrentInPlace(t *testing.T) {
	const goroutines, rounds = 4, 25
	x := lucid.Zeros(64)
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for range rounds {
				x.Add_(1)
				v := lucid.ToSlice[float64](x)
				for _, e := range v {
					if e != v[0] || e < 1 || e > goroutines*rounds {
						t.Errorf("%v", v)
						return
					}
				}
			}
		})
	}
	all.Wait()
	if got := x.At(0).Item(); got < 1 || got > goroutines*rounds {
		t.Errorf("%v after %d updates", got, goroutines*rounds)
	}
}
