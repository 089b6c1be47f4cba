package exec

import (
	"slices"

	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
)

// binding is the inputs of one run.
type binding struct {
	replay    *Replay
	args      []*graph.Node
	in        []*mem.Buffer
	argOf     []int // by input: number of its argument, from 1; 0: a value of the program's own
	parents   []parent
	taken     []int // inputs to be written over
	takeArg   func(arg int) bool
	untakeArg func(arg int)
}

// take claims an input's memory.
func (b *binding) take(i int) bool {
	if b.argOf[i] == 0 || b.in[i].ReadOnly || b.in[i].Shows() != 1 || !b.takeArg(b.argOf[i]-1) {
		return false
	}
	b.taken = append(b.taken, i)
	return true
}

func (b *binding) untake(i int) {
	b.untakeArg(b.argOf[i] - 1)
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

// bind finds the buffers of the arguments, which have their values.
func (r *Replay) bind(args []*graph.Node, take func(arg int) bool, untake func(arg int)) *binding {
	b := &binding{replay: r, args: args, in: append([]*mem.Buffer(nil), r.held...), argOf: make([]int, len(r.held)), takeArg: take, untakeArg: untake}
	for i, k := range r.args {
		if k >= 0 {
			b.in[k] = window(args[i], r.capture != nil)
			b.argOf[k] = i + 1
		}
	}
	return b
}

// window returns an argument's buffer from where the argument begins; with cut, no more of it than the argument shows.
// What reaches back from its first element, by negative strides, is not cut.
func window(n *graph.Node, cut bool) *mem.Buffer {
	b, lay := n.Buffer()
	from := 0
	if lay != nil {
		from = lay.Offset
	}
	size := n.DType().Size()
	if cut {
		back, end := lay.Extent(n.Shape())
		if back == 0 && end*size < b.Size-from*size {
			return b.Window(from*size, end*size)
		}
	}
	if from == 0 {
		return b
	}
	return b.Window(from*size, b.Size-from*size)
}
