package exec

import (
	"context"
	"slices"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/mem"
)

// A launch that fails leaves its results without a value, and so do launches that read them. Every other value is computed, or can be
// evaluated again: from the first failure on no launch writes over an input any more, so that inputs still have their values.

// errGivenUp is the error of a value that was not computed and became pending again, for its waiting readers.
var errGivenUp = &fault.Error{Kind: fault.Canceled, Op: "eval", Msg: "another launch of its evaluation failed; evaluate it again",
	Err: context.Canceled}

// fail notes that a launch failed.
func (r *run) fail(s *step, err error) {
	for _, o := range s.out {
		r.failBuffer(o.buf, err)
		r.broke = append(r.broke, o.buf)
	}
}

// failBuffer notes that a buffer has no value.
func (r *run) failBuffer(buf int32, err error) {
	if r.errs == nil {
		r.errs, r.cause = make([]error, len(r.bufs)), err
	}
	r.errs[buf] = err
}

// propagateFailures fails the outputs of a step that read values which failed, and returns how many of its sets cannot run.
func (r *run) propagateFailures(s *step) (failed int) {
	for k := range s.parts() {
		if err := r.failure(part(s, s.in, k)); err != nil {
			for _, o := range part(s, s.out, k) {
				r.errs[o.buf] = err
			}
			failed++
		}
	}
	return failed
}

// failure is why one of some operands has no value; nil: all have. errGivenUp is returned only if there is no other reason.
func (r *run) failure(in []operand) (err error) {
	for _, o := range in {
		if e := r.errs[o.buf]; e != nil && (err == nil || err == error(errGivenUp)) {
			err = e
		}
	}
	return err
}

// withheld reports whether a step may not run because it would write over an input after a failure. Its outputs did not fail, but are
// not computed either.
func (r *run) withheld(s *step) bool {
	if !r.overwrites(s) {
		return false
	}
	for _, o := range s.out {
		if r.errs[o.buf] == nil {
			r.errs[o.buf] = errGivenUp
		}
	}
	return true
}

// overwrites reports whether a step writes over an input.
func (r *run) overwrites(s *step) bool {
	return slices.ContainsFunc(s.out, func(o operand) bool { return r.overwrittenInput(o.buf) >= 0 })
}

// overwrittenInput is the input whose memory a buffer took over in this run; -1: none.
func (r *run) overwrittenInput(buf int32) int {
	if d := r.prog.bufs[buf].donor; d >= 0 && int(d) < r.prog.numIn && r.bufs[buf] == r.bufs[d] {
		return int(d)
	}
	return -1
}

// notOverwritten reports whether a donated input still has its value: the launch that was to write over it did not run.
func (r *run) notOverwritten(input int) bool {
	for _, k := range r.skipped {
		if slices.ContainsFunc(r.prog.steps[k].out, func(o operand) bool { return r.overwrittenInput(o.buf) == input }) {
			return true
		}
	}
	return false
}

// notComputed reports whether a buffer of a node has no value.
func (r *run) notComputed(f *info) bool {
	at := func(b location) bool { return b.buf >= 0 && r.errs[b.buf] != nil }
	return at(f.at) || slices.ContainsFunc(f.tuple, at)
}

// giveBack returns inputs that were donated to the plan and not written over.
func (j *job) giveBack(unwritten func(input int) bool) {
	j.taken = slices.DeleteFunc(j.taken, func(t takenNode) bool {
		if !unwritten(t.input) {
			return false
		}
		t.n.Restore(t.buf.Renew()) // readers that wait for the new value hold the old Buffer
		t.n.Untake(t.want)
		return true
	})
}

// retryable finds, after a failure, the nodes to be stored that were not computed only because their launch also had a failed operand
// of another value, or was withheld. They become pending again, unless they depend on an input that has been written over.
func (j *job) retryable() []bool {
	p, r := j.planner, j.run
	broke := func(b location) bool { return b.buf >= 0 && slices.Contains(r.broke, b.buf) }
	guilty, gone, list := make([]bool, len(p.idx.Nodes)), make([]bool, len(p.idx.Nodes)), make([]bool, len(p.idx.Nodes))
	for i, n := range p.idx.Nodes { // inputs come first
		f := &p.info[i]
		if f.class == classInput {
			guilty[i] = r.notComputed(f)
			gone[i] = slices.ContainsFunc(j.taken, func(t takenNode) bool { return t.n == n })
			continue
		}
		guilty[i] = broke(f.at) || slices.ContainsFunc(f.tuple, broke)
		for k := range n.NumIn() {
			if m := p.idx.Get(n.In(k)); m >= 0 {
				guilty[i] = guilty[i] || guilty[m]
				gone[i] = gone[i] || gone[m]
			}
		}
		unmade := r.notComputed(f)
		list[i] = f.store && unmade && !guilty[i] && !gone[i]
		gone[i] = gone[i] && (!f.store || unmade)
	}
	return list
}

// markFailed sets the error of a node's buffers that have no value.
func (j *job) markFailed(f *info, again bool) {
	set := func(b location) {
		if b.buf < 0 || j.run.errs[b.buf] == nil {
			return
		}
		err := j.run.errs[b.buf]
		switch {
		case again:
			err = errGivenUp
		case err == error(errGivenUp): // an input of it has been written over
			err = j.run.cause
		}
		j.run.bufs[b.buf].SetEvent(failed(err))
	}
	set(f.at)
	for _, b := range f.tuple {
		set(b)
	}
}

// failed is an event that happened, and was a failure.
func failed(err error) *mem.Event {
	e := mem.NewEvent()
	e.Signal(err)
	return e
}

// giveUp makes the plan's nodes pending again and gives back the inputs it had taken.
func (j *job) giveUp() {
	j.giveBack(func(int) bool { return true })
	if j.event == nil {
		return // nothing was stored yet
	}
	p := j.planner
	for i, n := range p.idx.Nodes {
		if f := &p.info[i]; f.store && f.class != classInput {
			n.Unstore()
		}
	}
}
