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
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
	"github.com/lucid-go/lucid/internal/trace"
)

// Replay is a program made from a trace, to be run again and again with other inputs.
type Replay struct {
	prog *Program
	outs []Output
	args []int32         // buffer of each argument, -1 if it is not read
	held []*mem.Buffer   // buffers of values captured as they were, by input number
	keep []*graph.Node   // and their nodes
	lays []*shape.Layout // strides of the arguments, nil for row-major order; nil if all are

	// State says by argument whether it is state of which the program makes the next value.
	State []bool

	argOf   []int  // by input: number of its argument, from 1; 0: a value of the program's own
	donated []bool // by input: some output may be written over it
	capture *capture
	ahead   sync.Once
	set     []setting
}

// setting is how a device was set when a program was planned for it.
type setting struct {
	dev   *backend.Device
	value int64
}

// Unset returns a device that is set otherwise than when the program was planned, nil if there is none.
func (r *Replay) Unset() *backend.Device {
	for _, s := range r.set {
		if s.dev.Settings() != s.value {
			return s.dev
		}
	}
	return nil
}

// NewReplay plans the outputs of a trace once. args are its stand-ins; lays their strides, nil for row-major order. Where
// an argument begins in its buffer may differ from run to run. becomes says by output the stand-in whose next value it is,
// -1 if it is none: where it can, the program writes it in that one's memory. again is the share of its
// work that the program may do twice so as to hold less.
func NewReplay(outs, args []*graph.Node, lays []*shape.Layout, becomes []int, again float64) (*Replay, error) {
	p := &planner{dev: DefaultDevice(), replay: true, roots: outs, share: again}
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
		return nil, err
	}
	p.prog.runs = &sync.Pool{New: func() any { return new(run) }}
	r := &Replay{prog: p.prog, lays: lays, args: make([]int32, len(args)), argOf: make([]int, p.prog.numIn), held: make([]*mem.Buffer, p.prog.numIn), donated: make([]bool, p.prog.numIn), capture: newCapture(p.prog, lays)}
	for _, b := range p.prog.bufs {
		if b.donor >= 0 && int(b.donor) < p.prog.numIn {
			r.donated[b.donor] = true
		}
	}
	for k := range p.prog.steps {
		p.prog.steps[k].markGiven(p.prog.numIn)
		d := p.prog.steps[k].dev
		if d.Settings != nil && !slices.ContainsFunc(r.set, func(s setting) bool { return s.dev == d }) {
			r.set = append(r.set, setting{d, d.Settings()})
		}
	}
	for i, n := range p.idx.Nodes {
		if p.info[i].class != given || n.IsStandIn() {
			continue
		}
		n.Ref() // a constant of the program
		r.keep = append(r.keep, n)
		if n.IsBundle() {
			for k, b := range n.Bundle() {
				r.held[p.info[i].bundle[k].buf] = b
			}
			continue
		}
		b, _ := n.Buffer()
		r.held[p.info[i].at.buf] = b
	}
	for i, a := range args {
		r.args[i] = -1
		if k := p.idx.Get(a); k >= 0 {
			r.args[i] = p.info[k].at.buf
			r.argOf[r.args[i]] = i + 1
		}
	}
	for _, o := range outs {
		r.outs = append(r.outs, Output{Spec: graph.Spec{Shape: o.Shape(), DType: o.DType()}, Dev: p.device(o), at: p.info[p.idx.Get(o)].at})
	}
	return r, nil
}

// markGiven notes which inputs of the step are among the program's.
func (s *step) markGiven(numIn int) {
	for i, o := range s.in[:min(len(s.in), 64)] {
		if int(o.buf) < numIn {
			s.given |= 1 << i
		}
	}
}

// Reads reports whether the program reads an argument.
func (r *Replay) Reads(arg int) bool { return r.args[arg] >= 0 }

// Fits reports whether a stored argument lies in memory as the program assumes, wherever it begins.
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

// Args is what a run may do with its arguments beside reading them.
type Args interface {
	// Take claims an argument's buffer for writing over: then the argument is gone. Untake gives it back.
	Take(arg int) bool
	Untake(arg int)
}

// binding is the inputs of one run.
type binding struct {
	replay  *Replay
	args    []*graph.Node
	in      []*mem.Buffer
	argOf   []int // by input: number of its argument, from 1; 0: a value of the program's own
	parents []parent
	taken   []int // inputs to be written over
	claims  Args

	takeFn   func(i int) bool // take and untake, made once
	untakeFn func(i int)
}

// drop lets go of the arguments.
func (b *binding) drop() {
	if len(b.parents) > 0 {
		clear(b.parents)
		b.parents = b.parents[:0]
	}
	b.args, b.in, b.claims, b.taken = nil, nil, nil, b.taken[:0]
}

// take claims an input's memory.
func (b *binding) take(i int) bool {
	if b.argOf[i] == 0 || b.in[i].ReadOnly || b.in[i].Shows() != 1 || !b.claims.Take(b.argOf[i]-1) {
		return false
	}
	b.taken = append(b.taken, i)
	return true
}

func (b *binding) untake(i int) {
	b.claims.Untake(b.argOf[i] - 1)
	b.taken = slices.DeleteFunc(b.taken, func(t int) bool { return t == i })
}

// state says which inputs are state that the program writes in place, if nobody looks at it.
func (b *binding) state() []bool {
	list := slices.Clone(b.replay.donated)
	for i := range list {
		list[i] = list[i] && b.argOf[i] > 0 && b.argOf[i] <= len(b.replay.State) && b.replay.State[b.argOf[i]-1]
	}
	return list
}

// unseen reports whether the state can be written in place now: nobody else looks at it.
func (b *binding) unseen(state []bool) bool {
	for i, is := range state {
		if is && (b.in[i].ReadOnly || b.in[i].Shows() != 1 || b.args[b.argOf[i]-1].Refs() != 2) {
			return false
		}
	}
	return true
}

// takeAll claims the memory of some inputs, or of none.
func (b *binding) takeAll(list []int) bool {
	for _, i := range list {
		if !b.take(i) {
			b.untakeAll()
			return false
		}
	}
	return true
}

func (b *binding) untakeAll() {
	for len(b.taken) > 0 {
		b.untake(b.taken[0])
	}
}

func (b *binding) isTaken(i int) bool { return slices.Contains(b.taken, i) }

// finish lets go of the arguments whose memory went on to a result.
func (b *binding) finish() {
	for _, i := range b.taken {
		b.args[b.argOf[i]-1].DropBuffer()
		b.in[i].Hide() // the new node shows it
	}
}

// bind makes a run and finds the buffers of its arguments, which have their values.
func (r *Replay) bind(args []*graph.Node, claims Args) *run {
	run := newRun(r.prog)
	b := &run.bound
	if b.takeFn == nil {
		b.takeFn, b.untakeFn, b.replay, b.argOf = b.take, b.untake, r, r.argOf
	}
	b.args, b.claims, b.in = args, claims, run.bufs[:r.prog.numIn]
	if len(r.keep) > 0 {
		copy(b.in, r.held)
	}
	for i, k := range r.args {
		if k >= 0 {
			b.in[k] = window(args[i], r.capture != nil)
		}
	}
	return run
}

// window returns an argument's buffer from the first element it reaches, which by negative strides is not its first one;
// with cut, no more of it than the argument shows.
func window(n *graph.Node, cut bool) *mem.Buffer {
	b, lay := n.Buffer()
	from := 0
	back, end := lay.Extent(n.Shape())
	if lay != nil {
		from = lay.Offset - back
	}
	size := n.DType().Size()
	if cut && (back+end)*size < b.Size-from*size {
		return b.Window(from*size, (back+end)*size)
	}
	if from == 0 {
		return b
	}
	return b.Window(from*size, b.Size-from*size)
}

// Run binds the arguments, which have their values, and runs the program. It appends the outputs to outs, also with an
// error if inputs were written over.
func (r *Replay) Run(ctx context.Context, args []*graph.Node, claims Args, outs []*graph.Node) ([]*graph.Node, error) {
	run := r.bind(args, claims)
	b := &run.bound
	det := scope.Current().Deterministic
	if c := r.capture; c != nil && c.mu.TryLock() { // who comes while another call records goes launch by launch
		defer c.mu.Unlock()
		err := b.settle(true)
		if err == nil {
			rec, from := trace.Active(), time.Time{}
			if rec != nil {
				from = time.Now()
			}
			made, done, err := c.run(ctx, b, det)
			if done {
				Count.Plans.Add(1)
				if rec != nil {
					note(rec, from, fmt.Sprintf("recording of %d launches", len(run.prog.steps)), run.prog.steps[0].dev, 0)
				}
				run.release()
				return append(outs, made...), err
			}
		}
		if err != nil {
			run.release()
			return outs, err
		}
	}
	if err := b.settle(false); err != nil {
		run.release()
		return outs, err
	}
	if err := run.reserveAll(nil, b.takeFn, b.untakeFn); err != nil {
		return outs, err
	}
	Count.Plans.Add(1)
	r.showOnce(run)
	err := run.execute(ctx, det)
	if err != nil {
		b.untakeAll() // given up before the first step that writes over an input: the inputs are as they were
	}
	first := len(outs)
	if err == nil {
		for i := range r.outs {
			o := &r.outs[i]
			if run.errs != nil && run.errs[o.at.buf] != nil {
				// State that was written over has no good value any more: it says so to whoever reads it.
				err = run.errs[o.at.buf]
				e := mem.NewEvent()
				e.Signal(err)
				run.bufs[o.at.buf].SetEvent(e)
			}
			buf, lay := run.bufs[o.at.buf], o.at.lay
			if int(o.at.buf) < len(b.argOf) && b.argOf[o.at.buf] > 0 { // it shows an argument, from where that begins
				buf, lay = ofArgument(args[b.argOf[o.at.buf]-1], *o)
			}
			outs = append(outs, run.output(o, buf, lay))
		}
	}
	b.finish()
	lost := err != nil && len(b.taken) == 0
	run.free(lost)
	run.release()
	if lost {
		return outs[:first], err
	}
	return outs, err
}

// settle waits for the inputs; those whose memory can be used already become parents, if that is asked for.
func (b *binding) settle(late bool) error {
	b.parents = b.parents[:0]
	for i, m := range b.in {
		e := m.Event()
		if e == nil {
			continue
		}
		if late && e.Late() && !e.Happened(false) {
			b.parents = append(b.parents, parent{i, e})
			continue
		}
		if err := m.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// showOnce shows the devices all launches before the first run.
func (r *Replay) showOnce(run *run) {
	run.shown = true
	r.ahead.Do(func() {
		seen := map[*backend.Device]bool{}
		for k := range r.prog.steps {
			if d := r.prog.steps[k].dev; d.Ahead != nil && !seen[d] {
				seen[d] = true
				d.Ahead(func(face any) { run.showAhead(0, d, face) })
			}
		}
	})
}

// ofArgument returns where an output lies that shows an argument's own memory.
func ofArgument(arg *graph.Node, o Output) (*mem.Buffer, *shape.Layout) {
	buf, lay := arg.Buffer()
	if lay == nil || lay.Offset == 0 {
		return buf, o.at.lay
	}
	back, _ := lay.Extent(arg.Shape())
	to := o.at.lay
	if to == nil {
		to = shape.Contiguous(o.Spec.Shape)
	}
	return buf, &shape.Layout{Strides: to.Strides, Offset: to.Offset + lay.Offset - back}
}
