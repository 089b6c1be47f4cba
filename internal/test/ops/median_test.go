package ops

import (
	"math"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestMedianOfLongRows compares the middle of rows that are parted with that of rows sorted one by one: ties, zeros of both signs, NaN,
// and where the gradient goes.
func TestMedianOfLongRows(t *testing.T) {
	const rows, n = 4, 4500
	v := make([]float32, rows*n)
	for i := range v {
		v[i] = float32((i*7919+i/n*31)%97-48) / 4
		if v[i] == 0 && i%3 == 0 {
			v[i] = float32(math.Copysign(0, -1))
		}
	}
	v[n+4000], v[n+77], v[n+78] = float32(math.NaN()), float32(math.NaN()), float32(math.Inf(1))
	for _, d := range []lucid.DType{lucid.Float32, lucid.Float64, lucid.BFloat16, lucid.Int32} {
		x := lucid.New(v, rows, n)
		if d == lucid.Int32 {
			x = x.NanToNum()
		}
		x = x.To(d).Eval()
		for _, transposed := range []bool{false, true} {
			y, axis := x, 1
			if transposed {
				y, axis = x.Transpose(0, 1), 0
			}
			m, at := lucid.Median(y, lucid.ArgOptions{Dim: new(axis)})
			grad := lucid.Grad(func(y *lucid.Tensor) *lucid.Tensor {
				m, _ := lucid.Median(y, lucid.ArgOptions{Dim: new(axis)})
				return m.To(lucid.Float32).Sum()
			})
			for r := range rows {
				list := lucid.ToSlice[float64](x.Select(0, r).To(lucid.Float64))
				order := make([]int, n)
				for i := range order {
					order[i] = i
				}
				want := slices.IndexFunc(list, math.IsNaN)
				if want < 0 {
					slices.SortStableFunc(order, func(i, j int) int {
						switch {
						case list[i] < list[j]:
							return -1
						case list[i] > list[j]:
							return 1
						}
						return 0
					})
					want = order[(n-1)/2]
				}
				if got := int(at.At(r).Item()); got != want {
					t.Errorf("%v, transposed %v, row %d: position %d, want %d", d, transposed, r, got, want)
				}
				if got := m.At(r).Item(); math.Float64bits(got) != math.Float64bits(list[want]) &&
					!(math.IsNaN(got) && math.IsNaN(list[want])) {
					t.Errorf("%v, transposed %v, row %d: %v, want %v", d, transposed, r, got, list[want])
				}
				if d == lucid.Float64 {
					g := grad(y)
					if transposed {
						g = g.Transpose(0, 1)
					}
					if row := g.Select(0, r); row.At(want).Item() != 1 || row.Sum().Item() != 1 {
						t.Errorf("transposed %v, row %d: the gradient is not that of element %d alone", transposed, r, want)
					}
				}
			}
		}
	}
}
