package cpu

import (
	"time"

	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/par"
)

// Limits are what the machine allows with all threads: operations and bytes a second. A copy counts the bytes read
// and those written.
type Limits struct {
	FMA32      float64 `json:"fma32"`
	FMA64      float64 `json:"fma64"`
	BF16       float64 `json:"bf16"` // products of bfloat16 by the instructions that matrix products use
	Read       float64 `json:"read"`
	Copy       float64 `json:"copy"`
	StreamCopy float64 `json:"stream_copy"` // by non-temporal stores
}

// Prober measures limits; it keeps the memory it reads and writes, so that a second measurement finds its pages. They are pages as
// tensors have them: huge ones, if the system gives them, are read a fifth sooner.
type Prober struct{ src, dst []byte }

const (
	probeBytes  = 64 << 20 // larger than caches are
	probeBlock  = 1 << 20
	probeRounds = 3
	probePasses = 10 // over memory, which takes less time and varies more
	probeTime   = 8 * time.Millisecond
)

// Measure takes some tens of milliseconds. Each limit is the best of a few rounds.
func (p *Prober) Measure() (l Limits, err error) {
	if p.src == nil {
		for _, b := range []*[]byte{&p.src, &p.dst} {
			if *b, _, err = (mem.Host{}).Alloc(probeBytes); err != nil {
				return l, err
			}
		}
		for i := range p.src {
			p.src[i], p.dst[i] = byte(i*i>>8), 1
		}
	}
	sums := make([]uint64, probeBytes/probeBlock)
	move := func(each float64, f func(dst, src []byte, block int)) func() (float64, error) {
		return func() (float64, error) {
			return each * probeBytes, par.For(probeBytes/probeBlock, func(b int) {
				f(p.dst[b*probeBlock:][:probeBlock], p.src[b*probeBlock:][:probeBlock], b)
			})
		}
	}
	for _, m := range []struct {
		to     *float64
		rounds int
		work   func() (float64, error)
	}{
		{&l.FMA32, probeRounds, multiplyAdds(gemm.PeakFMAProbe32)},
		{&l.FMA64, probeRounds, multiplyAdds(gemm.PeakFMAProbe64)},
		{&l.BF16, probeRounds, multiplyAdds(gemm.PeakBF16Probe)},
		{&l.Read, probePasses, move(1, func(_, src []byte, b int) { sums[b] = simd.ReadProbe(src) })},
		{&l.Copy, probePasses, move(2, func(dst, src []byte, _ int) { simd.CopyProbe(dst, src) })},
		{&l.StreamCopy, probePasses, move(2, func(dst, src []byte, _ int) { simd.NonTemporalCopy(dst, src) })},
	} {
		for range m.rounds {
			begin := time.Now()
			done, err := m.work()
			if err != nil {
				return l, err
			}
			*m.to = max(*m.to, done/time.Since(begin).Seconds())
		}
	}
	return l, nil
}

// multiplyAdds keeps every thread at the probe for about probeTime.
func multiplyAdds(probe func(int) float64) func() (float64, error) {
	return func() (float64, error) {
		flops := make([]float64, par.Threads())
		err := par.For(len(flops), func(b int) {
			for begin := time.Now(); time.Since(begin) < probeTime; {
				flops[b] += probe(4096)
			}
		})
		var sum float64
		for _, f := range flops {
			sum += f
		}
		return sum, err
	}
}
