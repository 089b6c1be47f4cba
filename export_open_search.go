package lucid

import (
	"maps"
	"slices"

	"github.com/lucid-go/lucid/internal/export"
	"github.com/lucid-go/lucid/internal/fault"
)

// Sizes at which a function is traced, beyond those of the example. near and mixed ones must do as the example does. Others that do not
// are where the function ends: they tell the least and the largest size. Two of the far ones are never used to find formulas, they
// prove them.
const (
	nearSizes   = 10
	furtherSize = 40
	smallSizes  = 16
	leastSizes  = 3
	refutations = 3
	mixedSizes  = 48
)

var (
	ladder    = []int{64, 100, 129, 256, 257, 513, 1001, 1025, 2049, 4097, 8193, 8194, 8199}
	heldBack  = []int{13, 27} // of those further on
	farther   = []func(i, n int) int{func(i, n int) int { return 3*n + 57 + 4*i }, func(i, n int) int { return 5*n + 61 + 6*i }}
	dropTop   = []int{0, 1, 3, 5, 7, 9, 1000}
	leastTops = []int{1, 2, 3, 1 << 30}
)

// openSearch looks for the formulas of one function.
type openSearch struct {
	sizes   []export.OpenSize
	example []int
	trace   func(sizes []int) (export.Sample, error)
	fitter  *export.Fitter
	first   export.Numbers
	seen    map[string]probe
}

// probe is what tracing gave.
type probe struct {
	export.Numbers
	err   error
	other bool // the function could be traced, and does something else
}

// at traces at sizes, once.
func (s *openSearch) at(sizes []int) probe {
	key := string(appendInts(nil, sizes))
	p, ok := s.seen[key]
	if !ok {
		t, err := s.trace(sizes)
		if p.err = err; err == nil {
			p.Numbers, p.err = s.fitter.Read(t)
			p.other = p.err != nil
		}
		s.seen[key] = p
	}
	return p
}

func appendInts(b []byte, v []int) []byte {
	for _, x := range v {
		for ; x > 0; x >>= 8 {
			b = append(b, byte(x))
		}
		b = append(b, 0xff, 0, 0xff, 0)
	}
	return b
}

// along are the sizes of the example but for one; ok is false where it would be the same as another, which an op may treat otherwise.
func (s *openSearch) along(i, n int) (sizes []int, ok bool) {
	if n < 1 {
		return nil, false
	}
	sizes = slices.Clone(s.example)
	sizes[i] = n
	return sizes, distinct(sizes)
}

func distinct(sizes []int) bool {
	for i, n := range sizes {
		if slices.Contains(sizes[:i], n) {
			return false
		}
	}
	return true
}

// near are the samples that must do as the example does.
func (s *openSearch) near() ([]export.Numbers, error) {
	list := []export.Numbers{s.first}
	add := func(sizes []int) error {
		p := s.at(sizes)
		if p.err == nil {
			list = append(list, p.Numbers)
		}
		return p.err
	}
	for j := 1; j <= nearSizes; j++ {
		sizes := make([]int, len(s.example))
		for i, n := range s.example {
			sizes[i] = n + j*(i+1)%(nearSizes+1)
		}
		if err := add(sizes); err != nil {
			return nil, err
		}
	}
	if len(s.sizes) == 1 {
		return list, nil
	}
	for i, n := range s.example {
		for j := 1; j <= nearSizes; j++ {
			if sizes, ok := s.along(i, n+j); ok {
				if err := add(sizes); err != nil {
					return nil, err
				}
			}
		}
	}
	return list, nil
}

// low and high are samples of smaller and larger sizes that do as the example does, by the smallest, and by the largest size.
func (s *openSearch) low() (list []export.Numbers) {
	add := func(sizes []int) {
		if p := s.at(sizes); p.err == nil {
			list = append(list, p.Numbers)
		}
	}
	for i, n := range s.example {
		for k := range min(n-1, smallSizes) {
			if sizes, ok := s.along(i, k+1); ok {
				add(sizes)
			}
			if sizes, ok := s.along(i, n-1-k); ok && n-1-k > smallSizes {
				add(sizes)
			}
		}
	}
	return list
}

func (s *openSearch) high() (list []export.Numbers) {
	add := func(sizes []int, ok bool) {
		if !ok {
			return
		}
		if p := s.at(sizes); p.err == nil {
			list = append(list, p.Numbers)
		}
	}
	for i, n := range s.example {
		for j := nearSizes + 1; j <= furtherSize; j++ {
			if !slices.Contains(heldBack, j) {
				add(s.along(i, n+j))
			}
		}
		for _, to := range ladder {
			if to > n+furtherSize {
				add(s.along(i, to))
			}
		}
	}
	list = append(list, s.mixed()...)
	slices.SortStableFunc(list, func(a, b export.Numbers) int { return slices.Max(a.Sizes) - slices.Max(b.Sizes) })
	return list
}

// mixed are samples in which every size is small or large: the larger of two sizes may be either.
func (s *openSearch) mixed() (list []export.Numbers) {
	if len(s.sizes) == 1 {
		return nil
	}
	state := uint32(1)
	most := max(nearSizes, slices.Max(s.example)) * 3
	for range mixedSizes {
		sizes := make([]int, len(s.example))
		for i := range sizes {
			state = state*1664525 + 1013904223
			limit := 4 << (state >> 30) // small ones too
			if state = state*1664525 + 1013904223; state>>31 == 0 || limit > most {
				limit = most
			}
			state = state*1664525 + 1013904223
			sizes[i] = 2 + int(state>>8)%limit
		}
		if distinct(sizes) {
			if p := s.at(sizes); p.err == nil {
				list = append(list, p.Numbers)
			}
		}
	}
	return list
}

// fit finds formulas of as many samples as there are some for.
func (s *openSearch) fit() (*export.Open, error) {
	near, err := s.near()
	if err != nil {
		return nil, err
	}
	low, high := s.low(), s.high()
	var more []export.Numbers
	for range refutations {
		var o *export.Open
		for _, drop := range dropTop {
			for _, least := range leastTops {
				samples := slices.Concat(near, more, high[:max(0, len(high)-drop)])
				for _, n := range low {
					if slices.Min(n.Sizes) >= least {
						samples = append(samples, n)
					}
				}
				if o, err = s.fitter.Fit(samples); err == nil {
					break
				}
			}
			if err == nil {
				break
			}
		}
		if err != nil {
			return nil, err
		}
		o.Sizes = s.sizes
		wrong := s.switches(o)
		if len(wrong) == 0 {
			return o, nil
		}
		more = append(more, wrong...)
	}
	return nil, notHolding(more[len(more)-1].Sizes)
}

// switches traces where minima and maxima change over, and returns what the formulas do not give.
func (s *openSearch) switches(o *export.Open) (wrong []export.Numbers) {
	for i, n := range s.example {
		at := o.Switches(s.example, i, []int{1, n, n + nearSizes, n + furtherSize, 1024, 1 << 13})
		for _, to := range at {
			for _, d := range []int{-2, -1, 0, 1} {
				if sizes, ok := s.along(i, to+d); ok {
					if p := s.at(sizes); p.err == nil && !s.fitter.Gives(o, p.Numbers) {
						wrong = append(wrong, p.Numbers)
					}
				}
			}
		}
	}
	return wrong
}

func notHolding(sizes []int) error {
	return fault.New(fault.NotImplemented, "export", "the formulas found at the sizes of the examples do not hold at %v: "+
		"the function does something else there; export it for fixed sizes", sizes)
}

// box refuses formulas that do not give what was seen at sizes that the function takes.
func (s *openSearch) box(o *export.Open) error {
	for _, key := range slices.Sorted(maps.Keys(s.seen)) {
		p := s.seen[key]
		inside := p.err == nil
		for i, z := range s.sizes {
			inside = inside && p.Sizes[i] >= z.Least && (z.Most == 0 || p.Sizes[i] <= z.Most)
		}
		if inside && !s.fitter.Gives(o, p.Numbers) {
			return notHolding(p.Sizes)
		}
	}
	return nil
}

// most finds the largest size in each dimension up to which the function was seen to do as the formulas say; 0: no end was seen.
func (s *openSearch) most(o *export.Open) {
	for i, n := range s.example {
		good := func(to int) bool {
			sizes, ok := s.along(i, to)
			if !ok {
				return true
			}
			p := s.at(sizes)
			return p.err == nil && s.fitter.Gives(o, p.Numbers)
		}
		steps := append([]int{n + furtherSize/2, n + furtherSize}, ladder...)
		steps = slices.DeleteFunc(steps, func(to int) bool { return to <= n+nearSizes })
		slices.Sort(steps)
		if len(steps) == 0 || good(steps[len(steps)-1]) {
			continue
		}
		low, high := n+nearSizes, steps[len(steps)-1]
		for _, to := range slices.Backward(steps) {
			if good(to) {
				low = to
				break
			}
			high = to
		}
		for high-low > 1 {
			if m := (low + high) / 2; good(m) {
				low = m
			} else {
				high = m
			}
		}
		s.sizes[i].Most = low
	}
}
