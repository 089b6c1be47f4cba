package cpu

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"unsafe"
)

// Elements of 64 bits are sorted as those of 32 are, by the highest bits in which they differ; what is equal in those, which is
// little, is then sorted by the rest.

// load64 makes the whole keys, and packs their highest 32 bits that differ with indices.
func (s *sorter) load64(p unsafe.Pointer, stride, n int) ([]uint64, error) {
	invert := uint64(0)
	if s.falls {
		invert = math.MaxUint64
	}
	k := s.wide[:n]
	err := split(s.run, n, func(lo, hi int) {
		keys64(k[lo:hi], unsafe.Add(p, 8*lo*stride), stride, s.d, invert)
	})
	return s.a[:n], err
}

// differing is how many low bits it takes to tell keys apart.
func differing(k []uint64) int {
	var diff uint64
	for _, v := range k {
		diff |= v ^ k[0]
	}
	return bits.Len64(diff)
}

// sort64 sorts the keys in s.wide; a is scratch. The result has indices in its lower 32 bits.
func (s *sorter) sort64(a []uint64) ([]uint64, error) {
	n := len(a)
	if n == 0 {
		return a, nil
	}
	k := s.wide[:n]
	low := differing(k)
	shift := max(0, low-32)
	for i, v := range k {
		a[i] = uint64(uint32(v>>shift))<<32 | uint64(i)
	}
	if shift == 0 { // the bits above the differing ones is the same for all
		return sort32(s.run, a, s.b[:n], low)
	}
	a, err := sort32(s.run, a, s.b[:n], 32)
	if err != nil {
		return nil, err
	}
	return a, split(s.run, n, func(lo, hi int) { s.untie(a, lo, hi) })
}

// untie sorts runs of equal upper bits that begin in [lo, hi) by their whole keys.
func (s *sorter) untie(a []uint64, lo, hi int) {
	for lo > 0 && lo < hi && a[lo]>>32 == a[lo-1]>>32 {
		lo++
	}
	for lo < hi {
		end := lo + 1
		for end < len(a) && a[end]>>32 == a[lo]>>32 {
			end++
		}
		if end-lo > 1 {
			slices.SortFunc(a[lo:end], func(x, y uint64) int {
				if d := cmp.Compare(s.wide[uint32(x)], s.wide[uint32(y)]); d != 0 {
					return d
				}
				return cmp.Compare(x, y)
			})
		}
		lo = end
	}
}

// keyed is a key with its index.
type keyed struct {
	key uint64
	at  uint32
}

func (p keyed) before(q keyed) bool { return p.key < q.key || p.key == q.key && p.at < q.at }

// best64 finds a few smallest of elements of 64 bits: those of each chunk, then of those.
func (s *sorter) best64(p unsafe.Pointer, stride, n, k int, indices []int64) error {
	invert := uint64(0)
	if s.falls {
		invert = math.MaxUint64
	}
	best := [][]keyed{s.heap[:0]}
	if n > radixChunk {
		best = make([][]keyed, (n+radixChunk-1)/radixChunk)
	}
	err := split(s.run, n, func(lo, hi int) {
		var tile [tileElems]uint64
		h := best[lo/radixChunk]
		for ; lo < hi; lo += tileElems {
			a := tile[:min(tileElems, hi-lo)]
			keys64(a, unsafe.Add(p, 8*lo*stride), stride, s.d, invert)
			h = smallestKeyed(h, a, lo, k)
		}
		best[(hi-1)/radixChunk] = h
	})
	if err != nil {
		return err
	}
	all := best[0]
	for _, h := range best[1:] {
		for _, v := range h {
			all = pushKeyed(all, v, k)
		}
	}
	slices.SortFunc(all, func(x, y keyed) int {
		if x.before(y) {
			return -1
		}
		return 1
	})
	for i, v := range all {
		indices[i*stride] = int64(v.at)
	}
	s.heap = all
	return nil
}

// smallestKeyed keeps in h the k smallest of it and of a, whose elements come behind all of h and have indices from lo on: of
// equal ones the first.
func smallestKeyed(h []keyed, a []uint64, lo, k int) []keyed {
	i := 0
	for ; len(h) < k && i < len(a); i++ {
		h = pushKeyed(h, keyed{a[i], uint32(lo + i)}, k)
	}
	if len(h) < k {
		return h
	}
	top := h[0].key
	for ; i < len(a); i++ {
		if a[i] < top {
			h[0] = keyed{a[i], uint32(lo + i)}
			siftDownKeyed(h, 0)
			top = h[0].key
		}
	}
	return h
}

// pushKeyed adds v to the k smallest: a heap with the last on top once there are k.
func pushKeyed(h []keyed, v keyed, k int) []keyed {
	if len(h) < k {
		if h = append(h, v); len(h) == k {
			for i := k/2 - 1; i >= 0; i-- {
				siftDownKeyed(h, i)
			}
		}
	} else if v.before(h[0]) {
		h[0] = v
		siftDownKeyed(h, 0)
	}
	return h
}

func siftDownKeyed(h []keyed, i int) {
	v := h[i]
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && h[c].before(h[c+1]) {
			c++
		}
		if !v.before(h[c]) {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = v
}

// part64 finds the key of index k-1; smaller ones and as many of the equal ones as belong before are sorted alone.
func (s *sorter) part64(p unsafe.Pointer, stride, n, k int, indices []int64) error {
	s.room(n)
	if _, err := s.load64(p, stride, n); err != nil {
		return err
	}
	last, below, _ := keyAt(s.wide[:n], k-1, 64, s.b[:0])
	few := s.few[:0] // their indices
	equal, m := k-below, 0
	for i, v := range s.wide[:n] {
		if v > last || v == last && equal == 0 {
			continue
		}
		if v == last {
			equal--
		}
		few = append(few, uint64(i))
		s.wide[m] = v
		m++
	}
	s.few = few
	a, err := s.sort64(s.a[:k])
	if err != nil {
		return err
	}
	for i, v := range a {
		indices[i*stride] = int64(few[uint32(v)])
	}
	return nil
}
