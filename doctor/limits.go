package doctor

import "github.com/lucid-go/lucid/internal/backend/cpu"

// Limits are what this machine's processor and memory allow with all threads, in floating-point operations and bytes a
// second: FMA32, FMA64 and BF16 in registers (BF16 by AMX where there is any), Read, Copy and StreamCopy in main memory. A copy
// counts the bytes read and those written; StreamCopy writes past the caches.
type Limits = cpu.Limits

// Prober measures the limits against which a time is judged. The zero value is ready; it keeps 128 MiB, so that a
// second measurement finds its pages.
type Prober struct{ p cpu.Prober }

// Measure takes some tens of milliseconds. Other work on the machine lowers what it finds.
func (p *Prober) Measure() (Limits, error) { return p.p.Measure() }
