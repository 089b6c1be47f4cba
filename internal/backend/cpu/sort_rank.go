package cpu

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/par"
)

// shortRows sorts contiguous rows of at most rankedRow elements by rank: the keys of many rows are made at once, and the index of an
// element is the number of elements before it. So no branch depends on the data, and there is no call for each row.
type shortRows struct {
	d     dtype.DType
	falls bool
	n, k  int
	x, z  unsafe.Pointer // z may be nil
	at    []int64
}

// shortKeys is how many keys are made at once.
const shortKeys = 512

func (s *shortRows) run(c *backend.Ctx, r *rowSet) error {
	put := map[int]func(s *shortRows, i int, rank []uint32){1: putRanked[uint8], 2: putRanked[uint16], 4: putRanked[uint32],
		8: putRanked[uint64]}[s.d.Size()]
	return r.groups(c, 1<<14, func(lo, hi int) {
		var keys [shortKeys]uint64
		var rank [rankedRow]uint32
		pace := par.NewPace()
		for most := shortKeys / s.n; lo < hi; {
			m := min(most, hi-lo)
			a := keys[:m*s.n]
			s.keys(a, unsafe.Add(s.x, lo*s.n*s.d.Size()))
			for ; len(a) > 0; a, lo = a[s.n:], lo+1 {
				ranks(a[:s.n], &rank)
				put(s, lo, rank[:s.n])
			}
			pace.StepElems(8 * m * s.n)
		}
	})
}

// keys makes keys in ascending order of the elements, or in descending order.
func (s *shortRows) keys(a []uint64, p unsafe.Pointer) {
	switch {
	case s.d.Size() == 8 && s.falls:
		keys64(a, p, 1, s.d, math.MaxUint64)
	case s.d.Size() == 8:
		keys64(a, p, 1, s.d, 0)
	case s.falls:
		keys32(a, p, 1, s.d, math.MaxUint32)
	default:
		keys32(a, p, 1, s.d, 0)
	}
}

// ranks gives the rank of every key: how many come before it; of equal keys, those with smaller indices.
func ranks(a []uint64, rank *[rankedRow]uint32) {
	for j, v := range a {
		before := uint32(0)
		for i, w := range a[:j] {
			c := uint32(0)
			if w <= v {
				c = 1
			}
			before += c
			rank[i%rankedRow] += 1 - c
		}
		rank[j%rankedRow] = before
	}
}

// putRanked writes the first k indices of row i, and its elements.
func putRanked[T any](s *shortRows, i int, rank []uint32) {
	at := s.at[i*s.k:][:s.k]
	if s.z == nil {
		for j, r := range rank {
			if int(r) < len(at) {
				at[r] = int64(j)
			}
		}
		return
	}
	x, z := elems[T](s.x, (i+1)*s.n)[i*s.n:], elems[T](s.z, (i+1)*s.k)[i*s.k:]
	for j, r := range rank {
		if int(r) < len(at) {
			at[r], z[r] = int64(j), x[j]
		}
	}
}
