package cpu

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// BenchmarkFactor reports the best of many runs, since other work may share the machine: 512x64 is a panel of a large matrix.
func BenchmarkFactor(b *testing.B) {
	one := func(v backend.View) []backend.View { return []backend.View{v} }
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64} {
		for _, s := range [][3]int{{1, 512, 64}, {1, 512, 512}, {1, 2048, 128}, {1, 2048, 2048}, {4096, 4, 4}, {4096, 16, 16}} {
			count, m, n := s[0], s[1], s[2]
			x, lu := plainView(d, count, m, n), outputOf(d, []int{count, m, n})
			piv, info := outputOf(dtype.Int32, []int{count, min(m, n)}), outputOf(dtype.Int32, []int{count})
			name := fmt.Sprintf("%v/%dx%dx%d", d, count, m, n)
			b.Run("lu/"+name, func(b *testing.B) {
				benchBest(b, "lu_factor", attr.Factor{}, []backend.View{lu, piv, info}, one(x))
			})
			if m == n {
				rhs := plainView(d, count, n, 1)
				b.Run("solve/"+name, func(b *testing.B) {
					benchBest(b, "solve_factored", attr.Factor{}, one(outputOf(d, []int{count, n, 1})), []backend.View{x, lu, piv, rhs})
				})
			}
		}
		for _, n := range []int{256, 512} {
			x, w, v := plainView(d, 1, n, n), outputOf(d, []int{1, n}), outputOf(d, []int{1, n, n})
			b.Run(fmt.Sprintf("eigh/%v/%d", d, n), func(b *testing.B) {
				benchBest(b, "eigh", attr.Factor{Vectors: true}, []backend.View{w, v}, one(x))
			})
		}
	}
	for _, d := range []dtype.DType{dtype.Complex64, dtype.Complex128} {
		for _, n := range []int{256, 512} {
			x, w, v := plainView(d, 1, n, n), outputOf(d, []int{1, n}), outputOf(d, []int{1, n, n})
			b.Run(fmt.Sprintf("eig/%v/%d", d, n), func(b *testing.B) {
				benchBest(b, "eig", attr.Factor{Vectors: true}, []backend.View{w, v}, one(x))
			})
		}
	}
}

// benchClock is the time since some moment.
var benchClock = func() time.Duration { return time.Since(benchEpoch) }

var benchEpoch = time.Now()

func benchBest(b *testing.B, op string, a attr.Attr, out, in []backend.View) {
	c, best := testCtx(), math.Inf(1)
	for b.Loop() {
		start := benchClock()
		if err := table[op](c, a, out, in); err != nil {
			b.Fatal(err)
		}
		best = min(best, (benchClock() - start).Seconds())
	}
	b.ReportMetric(best*1e3, "best-ms")
}
