package exec

import (
	"errors"
	"slices"

	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// Args is what a run may do with its arguments in addition to reading them.
type Args interface {
	// Take acquires an argument's buffer as a donation: then the argument is gone. Untake returns it.
	Take(arg int) bool
	Untake(arg int)
}

// binding is the inputs of one run.
type binding struct {
	replay        *Replay
	args          []*graph.Node
	in            []*mem.Buffer
	argOf         []int // by input: number of its argument, from 1; 0: a value of the program's own
	pendingInputs []pendingInput
	taken         []int // inputs to be written over
	donors        Args

	takeFn   func(i int) bool // take and untake, made once
	untakeFn func(i int)
}

// drop forgets the arguments.
func (b *binding) drop() {
	if len(b.pendingInputs) > 0 {
		clear(b.pendingInputs)
		b.pendingInputs = b.pendingInputs[:0]
	}
	b.replay, b.argOf, b.args, b.in, b.donors, b.taken = nil, nil, nil, nil, nil, b.taken[:0]
}

// take reserves an input's memory for writing over.
func (b *binding) take(i int) bool {
	if b.argOf[i] == 0 || b.in[i].ReadOnly || b.in[i].Refs() != 1 || !b.donors.Take(b.argOf[i]-1) {
		return false
	}
	b.taken = append(b.taken, i)
	return true
}

func (b *binding) untake(i int) {
	b.donors.Untake(b.argOf[i] - 1)
	b.taken = slices.DeleteFunc(b.taken, func(t int) bool { return t == i })
}

// state says which inputs are state that the program writes in place, if it has no other reader.
func (b *binding) state() []bool {
	list := slices.Clone(b.replay.donated)
	for i := range list {
		list[i] = list[i] && b.argOf[i] > 0 && b.argOf[i] <= len(b.replay.State) && b.replay.State[b.argOf[i]-1]
	}
	return list
}

// unseen reports whether the state can be written in place now: it has no other reader.
func (b *binding) unseen(state []bool) bool {
	for i, is := range state {
		if is && (b.in[i].ReadOnly || b.in[i].Refs() != 1 || b.args[b.argOf[i]-1].Refs() != 2) {
			return false
		}
	}
	return true
}

// takeAll takes the memory of some inputs, or of none.
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

// finish releases the arguments whose memory a result took over.
func (b *binding) finish() {
	for _, i := range b.taken {
		b.args[b.argOf[i]-1].DropBuffer()
		b.in[i].Unref() // the new node shows it
	}
}

// bind makes a run.
func (r *Replay) bind(args []*graph.Node, donors Args) *run {
	run := newRun(r.prog)
	b := &run.bound
	if b.takeFn == nil {
		b.takeFn, b.untakeFn = b.take, b.untake
	}
	b.replay, b.argOf = r, r.argOf
	b.args, b.donors, b.in = args, donors, run.bufs[:r.prog.numIn]
	return run
}

// ErrPending says that an argument of a run became pending again while it was waited for.
var ErrPending = errors.New("an argument is pending again")

// find waits for the inputs and finds their buffers. With late, an input whose value is in device memory but not checked yet becomes a
// pending input.
func (b *binding) find(late bool) error {
	r := b.replay
	b.pendingInputs = b.pendingInputs[:0]
	if len(r.captured) > 0 {
		copy(b.in, r.capturedBufs)
		for i, m := range r.capturedBufs {
			if m == nil {
				continue
			}
			if e := m.Event(); e != nil {
				if err := b.settle(i, m, e, late); err != nil {
					return err
				}
			}
		}
	}
	for i, k := range r.args {
		if k < 0 {
			continue
		}
		m, _ := b.args[i].Buffer()
		if m == nil {
			return ErrPending
		}
		if e := m.Event(); e != nil {
			if err := b.settle(int(k), m, e, late); err != nil {
				return err
			}
		}
		b.in[k] = window(b.args[i], r.capture != nil)
	}
	return nil
}

// settle waits for the value of an input, or makes it a pending input.
func (b *binding) settle(input int, m *mem.Buffer, e *mem.Event, late bool) error {
	if late && e.Polled() && !e.Happened(false) {
		b.pendingInputs = append(b.pendingInputs, pendingInput{input, e})
		return nil
	}
	err := m.Wait()
	if isCanceled(err) {
		return ErrPending
	}
	return err
}

// settlePending waits for the pending inputs.
func (b *binding) settlePending() error {
	for _, p := range b.pendingInputs {
		p.event.Happened(true)
		if err := p.event.Err(); err != nil {
			return err
		}
	}
	b.pendingInputs = b.pendingInputs[:0]
	return nil
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

// ofArgument returns the buffer and layout of an output that is a view of an argument.
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
