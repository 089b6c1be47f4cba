package exec

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/profile"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
)

// Replay is a program made from a trace, to be run again and again with other inputs.
type Replay struct {
	prog         *Program
	outs         []Output
	args         []int32         // buffer of each argument, -1 if it is not read
	capturedBufs []*mem.Buffer   // buffers of captured constants, by input number
	captured     []*graph.Node   // and their nodes
	lays         []*shape.Layout // strides of the arguments, nil for row-major order; nil if all are

	// State says by argument whether it is state of which the program makes the next value.
	State []bool
	// Assigned says by argument of a call whether the program assigns it.
	Assigned []bool

	argOf       []int  // by input: number of its argument, from 1; 0: a value of the program's own
	donated     []bool // by input: some output may be written over it
	capture     *capture
	precompiled sync.Once
	settings    []setting
	checks      []checkedNode // to locate errors

	// Of a program that runs once:
	spareOf  *SharedPlan // whose next one has its space
	operands []operand
	programs []backend.Fused
}

// setting is the settings of a device when a program was planned for it.
type setting struct {
	dev   *backend.Device
	value int64
}

// ChangedDevice returns a device whose settings changed since the program was planned, nil if there is none.
func (r *Replay) ChangedDevice() *backend.Device {
	for _, s := range r.settings {
		if s.dev.Settings() != s.value {
			return s.dev
		}
	}
	return nil
}

// newReplay plans the outputs of a trace once. args are its placeholders; lays their strides, nil for row-major order. The offset of an
// argument in its buffer may differ from run to run. becomes says by output the placeholder whose next value it is, -1 if it is none:
// where it can, the program writes it in that one's memory. again is the share of its work that the program may do twice to hold less
// memory (rematerialisation).
func newReplay(outs, args []*graph.Node, lays []*shape.Layout, becomes []int, again float64, noElision bool) (*planner, *Replay,
	error) {
	p := &planner{dev: DefaultDevice(), replay: true, roots: outs, rematShare: again, noElision: noElision}
	for i, l := range lays {
		if l != nil {
			if p.argLays == nil {
				p.argLays = map[*graph.Node]*shape.Layout{}
			}
			back, _ := l.Extent(args[i].Shape())
			p.argLays[args[i]] = &shape.Layout{Strides: l.Strides, Offset: back}
		}
	}
	for i, o := range outs {
		if becomes != nil && becomes[i] >= 0 {
			p.becomes = append(p.becomes, [2]*graph.Node{o, args[becomes[i]]})
		}
	}
	if err := fault.Catch(p.build); err != nil {
		return nil, nil, err
	}
	p.prog.runs = newRunSpace()
	n := p.prog.numIn
	r := &Replay{prog: p.prog, lays: lays, args: make([]int32, len(args)), argOf: make([]int, n), capturedBufs: make([]*mem.Buffer, n),
		donated: make([]bool, n), capture: newCapture(p.prog, lays)}
	for _, b := range p.prog.bufs {
		if b.donor >= 0 && int(b.donor) < p.prog.numIn {
			r.donated[b.donor] = true
		}
	}
	for k := range p.prog.steps {
		p.prog.steps[k].markStableInputs(p.prog.numIn, r.donated)
		d := p.prog.steps[k].dev
		if d.Configurable != nil && !slices.ContainsFunc(r.settings, func(s setting) bool { return s.dev == d }) {
			r.settings = append(r.settings, setting{d, d.Settings()})
		}
	}
	for i, n := range p.idx.Nodes {
		if p.info[i].class != classInput || n.IsPlaceholder() {
			continue
		}
		n.Ref() // a constant of the program
		r.captured = append(r.captured, n)
		if n.IsTuple() {
			for k, b := range n.TupleBuffers() {
				r.capturedBufs[p.info[i].tuple[k].buf] = b
			}
			continue
		}
		b, _ := n.Buffer()
		r.capturedBufs[p.info[i].at.buf] = b
	}
	for i, a := range args {
		r.args[i] = -1
		if k := p.idx.Get(a); k >= 0 {
			r.args[i] = p.info[k].at.buf
			r.argOf[r.args[i]] = i + 1
		}
	}
	r.checks = checkedNodes(nil, p.idx.Nodes)
	for _, o := range outs {
		r.outs = append(r.outs, Output{Spec: graph.Spec{Shape: o.Shape(), DType: o.DType()}, Dev: p.device(o), at: p.info[p.idx.Get(o)].at})
	}
	return p, r, nil
}

// markStableInputs notes which inputs of the step are among the program's, and which of them no result can take over.
func (s *step) markStableInputs(numIn int, donated []bool) {
	for i, o := range s.in[:min(len(s.in), 64)] {
		if int(o.buf) < numIn {
			s.stableInputs |= 1 << i
			if !donated[o.buf] {
				s.fixedInputs |= 1 << i
			}
		}
	}
}

// Reads reports whether the program reads an argument.
func (r *Replay) Reads(arg int) bool { return r.args[arg] >= 0 }

// Fits reports whether a stored argument has the strides that the program assumes; its offset may differ.
func (r *Replay) Fits(arg int, n *graph.Node) bool {
	_, lay := n.Buffer()
	var want *shape.Layout
	if r.lays != nil {
		want = r.lays[arg]
	}
	if want == nil {
		return lay == nil || lay.IsContiguous(n.Shape())
	}
	return lay.SameStrides(want)
}

// Steps returns the number of launches of one run.
func (r *Replay) Steps() int { return len(r.prog.steps) }

// Run binds the arguments and runs the program. It appends the outputs to outs, nil for state that keeps what it shows, also
// with an error if inputs were written over.
func (r *Replay) Run(ctx context.Context, args []*graph.Node, donors Args, outs []*graph.Node) ([]*graph.Node, error) {
	run := r.bind(args, donors)
	b := &run.bound
	det := scope.Current().IsDeterministic()
	c := r.capture
	captured := c != nil && c.mu.TryLock() // a call that comes while another one records runs launch by launch
	if captured {
		defer c.mu.Unlock()
	}
	err := b.find(captured)
	if err == nil && captured {
		made, done, failed := run.runCaptured(ctx, det)
		if done {
			run.release()
			return append(outs, made...), failed
		}
		err = b.settlePending()
	}
	if err != nil {
		run.release()
		return outs, err
	}
	if err := run.reserveAll(nil, b.takeFn, b.untakeFn); err != nil {
		return outs, locate(err, r.checks)
	}
	Count.Plans.Add(1)
	r.precompileOnce(run)
	err = run.execute(ctx, det)
	given := len(outs)
	if err != nil {
		b.untakeAll() // given up before the first step that writes over an input: the inputs are as they were
	} else {
		run.locateAll(r.checks)
		err = run.cause
		for _, i := range slices.Clone(b.taken) {
			if run.notOverwritten(i) {
				b.untake(i)
			}
		}
		for i := range r.outs {
			outs = append(outs, run.made(&r.outs[i]))
		}
	}
	b.finish()
	lost := err != nil && len(b.taken) == 0
	run.free(lost)
	run.release()
	if lost {
		return outs[:given], err
	}
	return outs, err
}

// runCaptured runs the program as a recording; done is false if it must run launch by launch.
func (r *run) runCaptured(ctx context.Context, det bool) (outs []*graph.Node, done bool, err error) {
	rec, from := profile.Active(), time.Time{}
	if rec != nil {
		from = time.Now()
	}
	if outs, done, err = r.bound.replay.capture.run(ctx, &r.bound, det); done {
		Count.Plans.Add(1)
		if rec != nil {
			note(rec, from, profile.Event{Name: fmt.Sprintf("recording of %d launches", len(r.prog.steps))}, r.prog.steps[0].dev)
		}
	}
	return outs, done, err
}

// made makes the node of an output; nil if there is none, and what it was to replace is as it was.
func (r *run) made(o *Output) *graph.Node {
	b := &r.bound
	buf, lay := r.bufs[o.at.buf], o.at.lay
	if r.errs != nil && r.errs[o.at.buf] != nil {
		if root := r.prog.bufs[o.at.buf].root; root < 0 || r.overwrittenInput(root) < 0 || !b.isTaken(r.overwrittenInput(root)) {
			return nil
		}
		// State that was written over has no valid value any more: its readers get the error.
		buf.SetEvent(failed(r.errs[o.at.buf]))
	}
	if int(o.at.buf) < len(b.argOf) && b.argOf[o.at.buf] > 0 { // it shows an argument, from where that begins
		buf, lay = ofArgument(b.args[b.argOf[o.at.buf]-1], *o)
	}
	return r.output(o, buf, lay)
}

// precompileOnce lets devices compile the kernels of all launches before the first run.
func (r *Replay) precompileOnce(run *run) {
	run.precompiled = true
	r.precompiled.Do(func() {
		seen := map[*backend.Device]bool{}
		for k := range r.prog.steps {
			if d := r.prog.steps[k].dev; d.Precompiler != nil && !seen[d] {
				seen[d] = true
				d.Precompile(func(mode any) { run.precompile(0, d, mode) })
			}
		}
	})
}
