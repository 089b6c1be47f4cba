package ops

import "testing"

func TestTrilCount(t *testing.T) {
	for row := range 6 {
		for col := range 6 {
			for off := -7; off <= 7; off++ {
				want := 0
				for r := range row {
					want += min(max(r+off+1, 0), col)
				}
				if got := trilCount(row, col, min(max(off, -row-1), col)); got != want {
					t.Errorf("%d rows, %d columns, offset %d: %d, want %d", row, col, off, got, want)
				}
			}
		}
	}
}
