package ops

import (
	"testing"

	"github.com/lucid-go/lucid"
)

// TestNarrowIntegers: integers of 8 and 16 bits are computed in longer tiles than others. What goes through scratch, a repeated
// number, a column and a result that is read again, has room for them.
func TestNarrowIntegers(t *testing.T) {
	const rows, cols = 37, 1031
	for _, d := range []lucid.DType{lucid.Int8, lucid.Uint8, lucid.Int16} {
		x := lucid.Arange(0, rows*cols).To(d).Reshape(rows, cols).Eval()
		y := lucid.Arange(0, rows).To(d).Reshape(rows, 1).Eval()
		z := x.Clamp(3, 90).Add(y).Mul(x.T().Contiguous().T()).Sub(x)
		less := z.Lt(x).LogicalAnd(y.Gt(5))
		a, b, got, flag := ints(x), ints(y), ints(z), ints(less.To(lucid.Int64))
		wrap := func(v int) int { return ints(lucid.Of([]int64{int64(v)}).To(d))[0] }
		for _, i := range []int{0, 1, 1023, 1024, 4095, 4096, 4097, 8191, 8192, 20000, rows*cols - 1} {
			r := i / cols
			want := wrap((min(max(a[i], 3), 90)+b[r])*a[i] - a[i])
			if got[i] != want || (flag[i] != 0) != (want < a[i] && b[r] > 5) {
				t.Errorf("%v element %d: %d and %d, want %d", d, i, got[i], flag[i], want)
			}
		}
	}
}

func ints(x *lucid.Tensor) []int {
	var out []int
	for v := range lucid.Values[int64](x.To(lucid.Int64)) {
		out = append(out, int(v))
	}
	return out
}
