package lucid

import (
	"math"
	"slices"
	"testing"
)

// TestMedianOfLongRows compares the middle of rows that are parted with that of rows sorted one by one: ties, zeros of both signs, NaN, and where the
// gradient goes.
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
	for _, d := range []DType{Float32, Float64, BFloat16, Int32} {
		x := New(v, rows, n)
		if d == Int32 {
			x = x.NanToNum()
		}
		x = x.To(d).Eval()
		for _, turned := range []bool{false, true} {
			y, axis := x, 1
			if turned {
				y, axis = x.Transpose(0, 1), 0
			}
			m, at := Median(y, ArgOptions{Dim: new(axis)})
			grad := Grad(func(y *Tensor) *Tensor { m, _ := Median(y, ArgOptions{Dim: new(axis)}); return m.To(Float32).Sum() })
			for r := range rows {
				list := ToSlice[float64](x.Select(0, r).To(Float64))
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
					t.Errorf("%v, turned %v, row %d: position %d, want %d", d, turned, r, got, want)
				}
				if got := m.At(r).Item(); math.Float64bits(got) != math.Float64bits(list[want]) && !(math.IsNaN(got) && math.IsNaN(list[want])) {
					t.Errorf("%v, turned %v, row %d: %v, want %v", d, turned, r, got, list[want])
				}
				if d == Float64 {
					g := grad(y)
					if turned {
						g = g.Transpose(0, 1)
					}
					if row := g.Select(0, r); row.At(want).Item() != 1 || row.Sum().Item() != 1 {
						t.Errorf("turned %v, row %d: the gradient is not that of element %d alone", turned, r, want)
					}
				}
			}
		}
	}
}
