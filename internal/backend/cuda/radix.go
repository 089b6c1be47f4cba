package cuda

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

// radixSource writes a kernel of radix.cu for keys of u32 or u64.
func radixSource(name, key string) string {
	return kernels.Source("prelude") + "#define " + strings.ToUpper(name) + "\n#define K " + key + "\n" + kernels.Source("radix")
}

// digits lists the places of the eight bits, from the lowest, in which keys of a dtype differ: see Key in sort.cu. Those of short
// integers repeat their sign, those of halves end with bits that follow from it.
func digits(t dtype.DType) []int {
	switch t {
	case dtype.Bool, dtype.Uint8:
		return []int{0}
	case dtype.Int8:
		return []int{0, 24}
	case dtype.Uint16:
		return []int{0, 8}
	case dtype.Int16:
		return []int{0, 8, 24}
	case dtype.BFloat16:
		return []int{16, 24}
	case dtype.Float16:
		return []int{8, 16, 24}
	}
	if t.Size() == 8 {
		return []int{0, 8, 16, 24, 32, 40, 48, 56}
	}
	return []int{0, 8, 16, 24}
}

// byDigits reports whether rows of n keys are sorted by digits rather than by merging: a digit costs about as much as a third of
// a merge where there is much to sort, and three launches where there is not.
func (s *sorter) byDigits(n int) bool {
	const little = 1 << 18
	merges := 0
	for width := tile; width < n; width *= 2 {
		merges++
	}
	return s.rows*n >= little && merges >= 3 && 2*merges > len(digits(s.t))
}

// radix sorts rows of n keys with their places.
func (s *sorter) radix(n int) error {
	per := 4096
	if keyOf(s.t) == "u64" {
		per = 2048
	}
	tiles := blocks(n, per)
	count, err := s.get(4 * s.rows * 256 * tiles)
	if err != nil {
		return err
	}
	total, err := s.get(4 * s.rows * 256)
	if err != nil {
		return err
	}
	for _, shift := range digits(s.t) {
		var g args
		g.int(n, tiles, shift)
		g.ptr(s.keys, s.idx, s.keys2, s.idx2, count, total)
		for _, k := range []struct {
			name   string
			blocks int
		}{{"radix_count", s.rows * tiles}, {"radix_scan", s.rows * 256}, {"radix_place", s.rows * tiles}} {
			f, err := s.kernel(fmt.Sprint(k.name, keyOf(s.t)), k.name, func() string { return radixSource(k.name, keyOf(s.t)) })
			if err != nil {
				return err
			}
			if err := s.call.launch(f, k.blocks, 1, threads, g); err != nil {
				return err
			}
		}
		s.keys, s.keys2, s.idx, s.idx2 = s.keys2, s.keys, s.idx2, s.idx
	}
	return nil
}
