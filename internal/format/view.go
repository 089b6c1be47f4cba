package format

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
)

// axis is one dimension as it will be shown: shown entries, with skip entries left out before entry gap.
type axis struct {
	shown int
	gap   int
	skip  int
}

// count returns the number of elements. It stops at the largest int, since only "more than the threshold" is
// asked of it.
func count(shape []int) int {
	n := 1
	for _, s := range shape {
		if s == 0 {
			return 0
		}
		if n > math.MaxInt/s {
			n = math.MaxInt // stay saturated, but look on for a zero
			continue
		}
		n *= s
	}
	return n
}

// axes cuts each dimension of a summarised shape down to edge entries at either end.
func axes(shape []int, summarise bool, edge int) []axis {
	as := make([]axis, len(shape))
	for k, s := range shape {
		as[k] = axis{shown: s}
		if summarise && s-edge > edge { // not s > 2·edge, which can overflow
			as[k] = axis{shown: 2 * edge, gap: edge, skip: s - 2*edge}
		}
	}
	return as
}

// gather reads the shown elements in the order they are printed. Widths must be known before the first element
// is written, so all are read first; reading each once lets the caller's get be slow.
func gather(as []axis, shape []int, get func(int) dtype.Scalar) []dtype.Scalar {
	n := 1
	for _, a := range as {
		if a.shown == 0 {
			return nil
		}
		n *= a.shown
	}
	vals := make([]dtype.Scalar, 0, n)
	var walk func(k, base int)
	walk = func(k, base int) {
		if k == len(as) {
			vals = append(vals, get(base))
			return
		}
		for j := range as[k].shown {
			if as[k].skip > 0 && j >= as[k].gap {
				j += as[k].skip
			}
			walk(k+1, base*shape[k]+j)
		}
	}
	walk(0, 0)
	return vals
}
