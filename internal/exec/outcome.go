package exec

import (
	"slices"
	"sync"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/mem"
)

// outcome is the result of one run of a recording. It is looked up when a result is read: a run whose results are not read is not
// waited for. It passes on the errors of its inputs.
type outcome struct {
	mu            sync.Mutex
	prog          *Program
	ask           backend.Outcome
	pendingInputs []pendingInput
	done          bool
	errs          []error // by buffer of the program; nil: all is well
	checks        []checkedNode
}

// pendingInput is an input whose own outcome is not known yet.
type pendingInput struct {
	input int
	event *mem.Event
}

// mark gives the results of a run an event, by which a reader learns whether they have a value.
func (c *capture) mark(b *binding, fresh []*mem.Buffer, ask backend.Outcome) {
	o := &outcome{prog: b.replay.prog, ask: ask, checks: b.replay.checks, pendingInputs: slices.Clone(b.pendingInputs)}
	if !c.rec.graph.ReportsErrors() && len(o.pendingInputs) == 0 {
		return
	}
	for i, out := range c.rec.outs {
		if out.fixed || out.input >= 0 && !b.isTaken(out.input) {
			continue
		}
		at := b.replay.outs[i].at.buf
		fresh[i].SetEvent(mem.NewPolledEvent(func(wait bool) (bool, error) { return o.of(at, wait) }))
	}
}

// of returns the error of a buffer once it is known. Events of several results may ask at the same time.
func (o *outcome) of(buf int32, wait bool) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.known(wait) {
		return false, nil
	}
	if o.errs == nil {
		return true, nil
	}
	return true, o.errs[buf]
}

func (o *outcome) known(wait bool) bool {
	if o.done {
		return true
	}
	for _, p := range o.pendingInputs {
		if !p.event.Happened(wait) {
			return false
		}
	}
	done, bad, err := o.ask(wait)
	if !done {
		return false
	}
	r := run{prog: o.prog, bufs: make([]*mem.Buffer, len(o.prog.bufs))}
	for _, p := range o.pendingInputs {
		if e := p.event.Err(); e != nil {
			r.failBuffer(int32(p.input), e)
		}
	}
	for k := 0; k < len(o.prog.steps) && (err != nil || len(bad) > 0 || r.errs != nil); k++ {
		s := &o.prog.steps[k]
		if err != nil {
			r.fail(s, err)
		}
		for _, c := range bad {
			if c.Step == k {
				r.fail(s, c.Err)
			}
		}
		if r.errs != nil {
			r.propagateFailures(s)
		}
	}
	r.locateAll(o.checks)
	o.done, o.errs, o.pendingInputs, o.ask = true, r.errs, nil, nil
	return true
}
