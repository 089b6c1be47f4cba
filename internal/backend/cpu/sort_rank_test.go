package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// TestRankSortedRows sorts rows of every length that is sorted by counting, as many as the keys made at once hold and some more or
// fewer, with ties, NaN, infinities and both zeros; the first k of a row are those that sorting it puts first.
func TestRankSortedRows(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for _, d := range []dtype.DType{dtype.Bool, dtype.Uint8, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Float16,
		dtype.BFloat16, dtype.Float32, dtype.Float64} {
		for n := 1; n <= rankedRow+1; n++ {
			most := shortKeys / n
			rows := []int{1, most - 1, most, most + 1, 2*most + 3}[r.IntN(5)]
			x := fillNumbers(r, fresh(d, shape.Of("test", rows, n)), true)
			same, indices := backend.View{DType: d, Shape: x.Shape}, backend.View{DType: dtype.Int64, Shape: x.Shape}
			for _, falls := range []bool{false, true} {
				by := attr.Sort{Axis: 1, Descending: falls}
				compareWithRef(t, "argsort", by, []backend.View{x}, indices)
				compareWithRef(t, "sort", by, []backend.View{x}, same, indices)
				all, at := fresh(d, x.Shape), fresh(dtype.Int64, x.Shape)
				runKernel(t, "sort", by, []backend.View{all, at}, x)
				k := 1 + r.IntN(n)
				few := shape.Of("test", rows, k)
				best, where := fresh(d, few), fresh(dtype.Int64, few)
				runKernel(t, "topk", attr.TopK{Axis: 1, K: k, Smallest: !falls}, []backend.View{best, where}, x)
				for i := range rows * k {
					j := i/k*n + i%k
					got, want := backend.Slice[int64](where)[i], backend.Slice[int64](at)[j]
					if a, b := d.Get(best.Buf.Mem, i), d.Get(all.Buf.Mem, j); got != want || a != b && a.F == a.F {
						t.Fatalf("%v, %d rows of %d, first %d, falling %v: element %d is %v from %d, sorted %v from %d", d, rows, n,
							k, falls, i, a, got, b, want)
					}
				}
			}
		}
	}
}

func runKernel(t *testing.T, op string, a attr.Attr, out []backend.View, in ...backend.View) {
	t.Helper()
	if err := table[op](testCtx(), a, out, in); err != nil {
		t.Fatal(err)
	}
}
