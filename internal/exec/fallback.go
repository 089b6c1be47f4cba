package exec

import (
	"bytes"
	"context"
	"slices"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// Fallback pairs a new value of some state with the value that it replaces. Old is not referenced: the plan may write over it.
type Fallback struct{ New, Old *graph.Node }

// UpdateAsync is EvalAsync for an update of state: all the new values are computed, or each falls back to the old one and report is called
// with the reason, nil if there is none. A value that was written over before the failure stays new. report must not block, and may be
// called twice after a panic.
func UpdateAsync(ctx context.Context, roots []*graph.Node, pairs []Fallback, report func(error)) error {
	started := false
	defer func() {
		if !started { // also after a panic: others wait for the report
			report(nil)
		}
	}()
	ev, err := manner{ctx: ctx, fallbacks: pairs, report: report}.schedule(roots, true)
	started = ev != nil
	return err
}

// fallBack gives the new values of a failed update the old ones, where those are left, and returns the inputs that became such a value.
func (j *job) fallBack() (used []int) {
	r := j.run
	pairs := j.fallbackBuffers()
	if !slices.ContainsFunc(pairs, func(f fallbackBuffers) bool { return r.errs[f.to] != nil }) {
		return nil // what failed is not part of the update
	}
	for i := range pairs { // before any of them is written over
		from := r.bufs[pairs[i].input]
		if !slices.ContainsFunc(pairs, func(f fallbackBuffers) bool { return r.bufs[f.to] == from && f.input != pairs[i].input }) {
			continue
		}
		if saved, err := pairs[i].content(from); err == nil {
			pairs[i].saved = bytes.Clone(saved)
		} else {
			pairs[i].lost = true
		}
	}
	for _, f := range pairs {
		if f.lost || f.copy(r.bufs[f.to], r.bufs[f.input]) != nil {
			continue // the device is broken: the value stays failed
		}
		r.errs[f.to] = nil
		used = append(used, f.input)
	}
	j.fellBack = r.cause
	return used
}

// fallbackBuffers says where the two values of a Fallback are stored.
type fallbackBuffers struct {
	to        int32 // buffer of the new value
	input     int   // number of the input that is the old value
	bytes     int
	from, dst int    // where they begin, in bytes
	element   int    // of a broadcast value: the bytes to repeat; 0: it is contiguous
	saved     []byte // a copy of the input's buffer that is about to be written over
	lost      bool   // there should be a copy and is none
	dev       *backend.Device
}

// content returns the bytes of a buffer, in memory that the host can read.
func (f *fallbackBuffers) content(b *mem.Buffer) ([]byte, error) {
	if b.Mem != nil {
		return b.Mem, nil
	}
	host := hostBytes(b.Size)
	return host, f.dev.Download(host, b)
}

// fallbackBuffers lists the pairs whose old value is left, in memory that can be copied.
func (j *job) fallbackBuffers() (list []fallbackBuffers) {
	p, r := j.planner, j.run
	_, nodes := p.inputs()
	number := make(map[*graph.Node]int, len(nodes))
	for i, n := range nodes {
		number[n] = i
	}
	for _, f := range j.how.fallbacks {
		k := p.idx.Get(f.New)
		input, ok := number[f.Old]
		if k < 0 || !ok || f.New.IsTuple() || f.Old.IsTuple() || r.errs[input] != nil {
			continue
		}
		at := p.info[k].at
		if at.buf < int32(r.prog.numIn) || !p.info[k].store {
			continue
		}
		isTaken := slices.ContainsFunc(j.taken, func(t takenNode) bool { return t.input == input })
		if isTaken && !r.notOverwritten(input) {
			continue
		}
		old, to := r.bufs[input], r.bufs[at.buf]
		size := f.New.DType().Size()
		b := fallbackBuffers{to: at.buf, input: input, bytes: f.New.Bytes(), dst: offset(at.lay) * size, dev: p.device(f.New)}
		elsewhere := old.Mem == nil || to.Mem == nil // a constant may be the host's
		if elsewhere && (to.Mem != nil || b.dev.Transfer == nil || b.dst != 0) || f.Old.DType() != f.New.DType() ||
			!f.Old.Shape().Equal(f.New.Shape()) || at.lay != nil && !at.lay.IsContiguous(f.New.Shape()) {
			continue
		}
		lay := p.info[p.idx.Get(f.Old)].at.lay
		b.from = offset(lay) * size
		if lay != nil && !lay.IsContiguous(f.Old.Shape()) {
			if slices.ContainsFunc(lay.Strides, func(s int) bool { return s != 0 }) {
				continue
			}
			b.element = size
		}
		list = append(list, b)
	}
	return list
}

// offset is where a layout begins, in elements; nil stands for row-major order from the start.
func offset(l *shape.Layout) int {
	if l == nil {
		return 0
	}
	return l.Offset
}

// copy gives the buffer of the new value the old one.
func (f *fallbackBuffers) copy(to, from *mem.Buffer) (err error) {
	old := f.saved
	switch {
	case old == nil && to == from && f.element == 0:
		return nil // the launch that was to write over it did not run
	case old == nil:
		if old, err = f.content(from); err != nil {
			return err
		}
	}
	var dst []byte
	if to.Mem != nil {
		dst = to.Mem[f.dst : f.dst+f.bytes]
	} else {
		dst = hostBytes(f.bytes)
	}
	if f.element == 0 {
		copy(dst, old[f.from:f.from+f.bytes])
	} else {
		element := bytes.Clone(old[f.from : f.from+f.element])
		for i := 0; i < len(dst); i += len(element) {
			copy(dst[i:], element)
		}
	}
	if to.Mem != nil {
		return nil
	}
	return f.dev.Upload(to, dst)
}
