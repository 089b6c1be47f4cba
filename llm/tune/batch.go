package tune

import (
	"github.com/lucid-go/lucid"
)

// ignored is the target of a token that is not learned.
const ignored = -100

// rounded makes lengths of batches multiples of this: each length is a trace of its own.
const rounded = 32

// batch is tensors of some examples: ids and targets of (rows, tokens); if they are packed, positions and segments of (tokens).
type batch struct {
	in      []*lucid.Tensor
	targets int // tokens to learn
	tokens  int // of the examples
}

// padded puts each example into a row of its own.
func padded(list []example, most int, w lucid.With) batch {
	t := 1
	for _, x := range list {
		t = max(t, len(x.ids)-1)
	}
	t = min((t+rounded-1)/rounded*rounded, most)
	ids, targets := make([]int64, len(list)*t), make([]int64, len(list)*t)
	b := batch{}
	for i, x := range list {
		put(&b, x, ids[i*t:(i+1)*t], targets[i*t:(i+1)*t])
	}
	b.in = []*lucid.Tensor{w.New(ids, len(list), t), w.New(targets, len(list), t)}
	return b
}

// put writes an example into a row and counts it.
func put(b *batch, x example, ids, targets []int64) {
	for i := range targets {
		targets[i] = ignored
	}
	for i := range len(x.ids) - 1 {
		ids[i] = int64(x.ids[i])
		if x.learn[i+1] {
			targets[i] = int64(x.ids[i+1])
			b.targets++
		}
	}
	b.tokens += len(x.ids) - 1
}

// packed puts examples one behind the other into one row of size tokens; what is left is padding, a segment of its own.
func packed(list []example, size int, w lucid.With) batch {
	ids, targets := make([]int64, size), make([]int64, size)
	positions, segments := make([]int64, size), make([]int64, size)
	b, at := batch{}, 0
	for i := range targets {
		targets[i] = ignored
	}
	for i, x := range list {
		n := len(x.ids) - 1
		put(&b, x, ids[at:at+n], targets[at:at+n])
		for j := range n {
			positions[at+j], segments[at+j] = int64(j), int64(i)
		}
		at += n
	}
	for i := at; i < size; i++ {
		segments[i] = int64(len(list))
	}
	b.in = []*lucid.Tensor{w.New(ids, 1, size), w.New(targets, 1, size), w.New(positions, size), w.New(segments, size)}
	return b
}

// next takes the batch at the run's position in the data.
func (r *run) next() batch {
	w := lucid.With{Device: r.device}
	if !r.o.Pack {
		var list []example
		for range r.o.Batch {
			i := r.order.at(r.taken) * r.order.each
			list = append(list, r.examples[i:i+r.order.each]...)
			r.taken++
		}
		return padded(list, r.o.Length, w)
	}
	size, left := r.o.Batch*r.o.Length, 0
	left = size
	var list []example
	for {
		x := r.examples[r.order.at(r.taken)]
		if len(x.ids)-1 > left {
			return packed(list, size, w)
		}
		left -= len(x.ids) - 1
		list = append(list, x)
		r.taken++
	}
}
