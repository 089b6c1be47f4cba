package codec

import (
	"math"

	"github.com/lucid-go/lucid/internal/fault"
)

// MaxRank is the most dimensions a tensor of the project can have; no limit can raise it.
const MaxRank = 16

// Limits bounds what a reader accepts. A zero field means its default, so the zero Limits is usable.
type Limits struct {
	MaxTensors int   // tensors (or sections, or archive entries) in one file; 1<<20
	MaxRank    int   // dimensions of a tensor; 16
	MaxName    int   // bytes of a tensor's name; 4096
	MaxDepth   int   // nesting of a JSON header; 32
	MaxHeader  int64 // bytes of a header; 100,000,000, as safetensors' own reader has it
	MaxBytes   int64 // tensor data brought into memory by one call; 1<<40
}

// Filled returns l with defaults in place of zeros and nothing above what the project can hold.
func (l Limits) Filled() Limits {
	set(&l.MaxTensors, 1<<20)
	set(&l.MaxRank, MaxRank)
	set(&l.MaxName, 4096)
	set(&l.MaxDepth, 32)
	set(&l.MaxHeader, 100_000_000)
	set(&l.MaxBytes, 1<<40)
	l.MaxRank = min(l.MaxRank, MaxRank)
	// Both are lengths of Go slices in the end.
	l.MaxHeader = min(l.MaxHeader, math.MaxInt)
	l.MaxBytes = min(l.MaxBytes, math.MaxInt)
	return l
}

func set[T int | int64](v *T, def T) {
	if *v <= 0 {
		*v = def
	}
}

// Budget counts the bytes one call has claimed against MaxBytes, before they are allocated.
type Budget struct {
	op   string
	left int64
	max  int64
}

// NewBudget starts a count for op.
func NewBudget(op string, l Limits) *Budget {
	m := l.Filled().MaxBytes
	return &Budget{op: op, left: m, max: m}
}

// Take claims n bytes for the thing named what.
func (b *Budget) Take(n int64, what string) error {
	if n < 0 || n > b.left {
		return fault.New(fault.OutOfMemory, b.op,
			"%s needs %d bytes, past the limit of %d for one read; raise Limits.MaxBytes or read tensors one by one", what, n, b.max)
	}
	b.left -= n
	return nil
}
