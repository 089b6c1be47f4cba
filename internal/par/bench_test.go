package par

import (
	"math"
	"testing"
	"time"
)

// BenchmarkFor measures what handing work to others costs: two blocks at once should take little longer than one. It
// reports the best of many bursts, since other work may share the machine.
func BenchmarkFor(b *testing.B) {
	for _, c := range []struct {
		name string
		work int
	}{{"3us", 2000}, {"16us", 10000}, {"80us", 50000}} {
		b.Run(c.name, func(b *testing.B) {
			best, calls := math.Inf(1), 0
			start := time.Now()
			for b.Loop() {
				if err := For(2, func(int) { burn(c.work) }); err != nil {
					b.Fatal(err)
				}
				if calls++; calls%100 == 0 {
					now := time.Now()
					best = min(best, now.Sub(start).Seconds()/100)
					start = now
				}
			}
			b.ReportMetric(best*1e9, "best-ns")
		})
	}
}

var sink float64

// burn takes about 1.6 ns for each of n.
func burn(n int) {
	x := 1.0
	for range n {
		x = x*0.999 + 0.5
	}
	if x < 0 { // never; keeps the loop
		sink = x
	}
}
