package tune

import (
	"github.com/lucid-go/lucid"
)

// ignored is the target of a token that is not learned.
const ignored = -100

// rounded makes lengths of batches multiples of this: each length is a trace of its own.
const rounded = 32

// learnedStep is what the number of tokens with logits is a multiple of, or a quarter of all if that is more: each number is a trace.
const learnedStep = 256

// batch is tensors of some examples: ids and targets of (rows, tokens), or targets and numbers of the tokens that are learned if they are
// few; if examples are packed, positions and segments of (tokens).
type batch struct {
	in      []*lucid.Tensor
	targets int // tokens to learn
	tokens  int // of the examples
}

// padded puts each example into a row of its own. All tokens have a target if every is set.
func padded(list []example, most int, every bool, w lucid.With) batch {
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
	b.in = append([]*lucid.Tensor{w.New(ids, len(list), t)}, targetTensors(targets, len(list), every, w)...)
	return b
}

// targetTensors is a tensor of (rows, tokens), unless that would compute many logits that nothing is learned from, of prompts and padding:
// then it is targets and numbers of the tokens that are learned, each of (tokens), filled up with a token that does not count.
func targetTensors(targets []int64, rows int, every bool, w lucid.With) []*lucid.Tensor {
	var short, at []int64
	for i, x := range targets {
		if x != ignored {
			short, at = append(short, x), append(at, int64(i))
		}
	}
	step := max(learnedStep, (len(targets)/4+rounded-1)/rounded*rounded)
	n := max(1, (len(short)+step-1)/step) * step
	if every || n >= len(targets) {
		return []*lucid.Tensor{w.New(targets, rows, len(targets)/rows)}
	}
	for len(short) < n {
		short, at = append(short, ignored), append(at, 0)
	}
	return []*lucid.Tensor{w.New(short, n), w.New(at, n)}
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
	b.in = append([]*lucid.Tensor{w.New(ids, 1, size)}, targetTensors(targets, 1, false, w)...)
	b.in = append(b.in, w.New(positions, size), w.New(segments, size))
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
		return padded(list, r.o.Length, r.o.Loss == "dpo", w)
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
