package ops_test

import (
	"testing"

	"github.com/lucid-go/lucid"
)

// TestTriIndicesCount counts the positions of both triangles, for all offsets around a matrix.
func TestTriIndicesCount(t *testing.T) {
	for row := range 6 {
		for col := range 6 {
			for off := -7; off <= 7; off++ {
				want := 0
				for r := range row {
					want += min(max(r+off+1, 0), col)
				}
				if got := lucid.TrilIndices(row, col, off).Shape(); got[0] != 2 || got[1] != want {
					t.Errorf("%d rows, %d columns, offset %d: %v, want 2×%d", row, col, off, got, want)
				}
				if got := lucid.TriuIndices(row, col, off+1).Shape(); got[0] != 2 || got[1] != row*col-want {
					t.Errorf("%d rows, %d columns, offset %d: %v, want 2×%d", row, col, off+1, got, row*col-want)
				}
			}
		}
	}
}
