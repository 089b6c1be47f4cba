package doctor

import "github.com/lucid-go/lucid/internal/backend/cpu"

// Limits are what this machine's processor and memory allow with all threads, in floating-point operations and bytes a
// second. A copy counts the bytes read and those written.
type Limits struct {
	FMA32      float64 `json:"fma32"`       // multiply-adds of float32 in registers
	FMA64      float64 `json:"fma64"`       // multiply-adds of float64 in registers
	BF16       float64 `json:"bf16"`        // products of bfloat16 in registers, by AMX where there is any
	Read       float64 `json:"read"`        // reading main memory
	Copy       float64 `json:"copy"`        // copying within main memory
	StreamCopy float64 `json:"stream_copy"` // the same with non-temporal stores, which bypass the caches
}

// Prober measures the limits against which a time is judged. The zero value is ready; it keeps 128 MiB, so that a
// second measurement finds its pages.
type Prober struct{ p cpu.Prober }

// Measure takes some tens of milliseconds. Other work on the machine lowers what it finds.
func (p *Prober) Measure() (Limits, error) {
	l, err := p.p.Measure()
	return Limits(l), err
}
