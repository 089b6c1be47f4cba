package cuda

import (
	"sync"

	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
)

// source allocates device memory. Small blocks are cut from slabs that are never freed: the driver takes a microsecond or
// two for each allocation.
type source struct {
	d    *driver.Device
	mu   sync.Mutex
	free map[int][]uintptr // free small blocks, by size
	size map[uintptr]int   // of small blocks in use
	slab uintptr
	left int // bytes of it
}

const (
	smallPiece = 64 << 10
	slabSize   = 2 << 20
)

// small cuts a block from a slab.
func (s *source) small(n int) (uintptr, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = (n + 511) &^ 511
	list := s.free[n]
	var p uintptr
	if len(list) > 0 {
		p, s.free[n] = list[len(list)-1], list[:len(list)-1]
	} else {
		if s.left < n {
			slab, err := s.d.Alloc(slabSize)
			if err != nil {
				return 0, err
			}
			s.slab, s.left = slab, slabSize
		}
		p = s.slab
		s.slab, s.left = s.slab+uintptr(n), s.left-n
	}
	s.size[p] = n
	return p, nil
}

// Alloc allocates memory; if that fails, again after trimming the driver's pool.
func (s *source) Alloc(n int) ([]byte, uintptr, error) {
	if n <= smallPiece {
		if p, err := s.small(n); err == nil {
			return nil, p, nil
		}
	}
	p, err := s.d.Alloc(n)
	if err != nil {
		// What the driver's own pool caches may be enough.
		if terr := s.d.Trim(); terr != nil {
			return nil, 0, terr
		}
		p, err = s.d.Alloc(n)
	}
	return nil, p, err
}

// Release frees it.
func (s *source) Release(_ []byte, p uintptr) {
	s.mu.Lock()
	n, small := s.size[p]
	if small {
		delete(s.size, p)
		s.free[n] = append(s.free[n], p)
	}
	s.mu.Unlock()
	if small {
		return
	}
	// A device that cannot free memory has failed for good; the next call that returns an error reports it.
	_ = s.d.Release(p)
}
