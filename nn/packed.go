package nn

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
)

// PackedSequence is sequences of different lengths without padding: the first steps of all, then the second, and so
// on, the longest sequences first.
type PackedSequence struct {
	Data            *lucid.Tensor // (sum of lengths, ...)
	BatchSizes      []int         // sequences that have a step, by step
	SortedIndices   []int         // which sequence is at which position; nil if they were sorted
	UnsortedIndices []int         // the opposite
}

// PackPaddedSequenceOptions: sequences are (T, B, ...), or (B, T, ...) with BatchFirst, and must be in order of
// falling length unless NotSorted says otherwise.
type PackPaddedSequenceOptions struct {
	BatchFirst bool // tensors are (B, T, …) instead of (T, B, …)
	NotSorted  bool // PyTorch's enforce_sorted=False
}

// PackPaddedSequence packs padded sequences of the given lengths.
func PackPaddedSequence(x *lucid.Tensor, lengths []int, opts ...PackPaddedSequenceOptions) PackedSequence {
	const op = "pack_padded_sequence"
	o := door.Option(op, opts)
	if o.BatchFirst {
		x = swapFirst(x)
	}
	steps, batch := x.Size(0), x.Size(1)
	if len(lengths) != batch || batch == 0 {
		refuse(lucid.ErrShapeMismatch, op, "%d lengths for a batch of %d; want one for each of at least one sequence", len(lengths), batch)
	}
	var p PackedSequence
	order := make([]int, batch)
	for i, n := range lengths {
		order[i] = i
		if n < 1 || n > steps {
			refuse(lucid.ErrValue, op, "length %d of sequence %d; want 1 to %d", n, i, steps)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return lengths[b] - lengths[a] })
	if !o.NotSorted {
		if !slices.IsSortedFunc(lengths, func(a, b int) int { return b - a }) {
			refuse(lucid.ErrValue, op, "the lengths %v do not fall; sort the sequences, or set NotSorted", lengths)
		}
	} else {
		p.SortedIndices, p.UnsortedIndices = order, make([]int, batch)
		for at, i := range order {
			p.UnsortedIndices[i] = at
		}
	}
	total := 0
	for _, n := range lengths {
		total += n
	}
	rows := make([]int64, 0, total)
	p.BatchSizes = make([]int, 0, lengths[order[0]])
	for t := range lengths[order[0]] {
		n := 0
		for _, i := range order {
			if lengths[i] > t {
				rows = append(rows, int64(t*batch+i))
				n++
			}
		}
		p.BatchSizes = append(p.BatchSizes, n)
	}
	flat := x.Reshape(append([]int{steps * batch}, x.Shape()[2:]...)...)
	p.Data = flat.At(lucid.With{Device: x.Device()}.New(rows, len(rows)))
	return p
}

func swapFirst(x *lucid.Tensor) *lucid.Tensor {
	dims := make([]int, x.Dim())
	for i := range dims {
		dims[i] = i
	}
	dims[0], dims[1] = 1, 0
	return x.Permute(dims...)
}

// Lengths returns the lengths of the sequences in their own order.
func (p PackedSequence) Lengths() []int {
	out := make([]int, p.BatchSizes[0])
	for _, n := range p.BatchSizes {
		for i := range n {
			out[i]++
		}
	}
	own := make([]int, len(out))
	for i, at := range p.positions() {
		own[i] = out[at]
	}
	return own
}

// positions has where each sequence is among the sorted ones.
func (p PackedSequence) positions() []int {
	if len(p.UnsortedIndices) > 0 {
		return p.UnsortedIndices
	}
	at := make([]int, p.BatchSizes[0])
	for i := range at {
		at[i] = i
	}
	for i, k := range p.SortedIndices {
		at[k] = i
	}
	return at
}

// check refuses a value that no packing made.
func (p PackedSequence) check(op string) {
	n, batch := 0, 0
	if len(p.BatchSizes) > 0 {
		batch = p.BatchSizes[0]
	}
	for _, k := range p.BatchSizes {
		n += k
	}
	falls := slices.IsSortedFunc(p.BatchSizes, func(a, b int) int { return b - a })
	if p.Data == nil || p.Data.Dim() == 0 || batch == 0 || !falls || p.BatchSizes[len(p.BatchSizes)-1] < 1 || p.Data.Size(0) != n {
		refuse(lucid.ErrValue, op, "the batch sizes %v do not belong to the data", p.BatchSizes)
	}
	for _, list := range [][]int{p.SortedIndices, p.UnsortedIndices} {
		seen := make([]bool, batch)
		for _, k := range list {
			if k < 0 || k >= batch || seen[k] || len(list) != batch {
				refuse(lucid.ErrValue, op, "the indices %v are no order of %d sequences", list, batch)
			}
			seen[k] = true
		}
	}
	for i, k := range p.UnsortedIndices {
		if len(p.SortedIndices) > 0 && p.SortedIndices[k] != i {
			refuse(lucid.ErrValue, op, "SortedIndices %v and UnsortedIndices %v are not each other's opposite",
				p.SortedIndices, p.UnsortedIndices)
		}
	}
}

// PadPackedSequenceOptions: TotalLength, 0 meaning the longest, is the size of the time dimension.
type PadPackedSequenceOptions struct {
	BatchFirst   bool    // tensors are (B, T, …) instead of (T, B, …)
	PaddingValue float64 // fills sequences that have ended
	TotalLength  int     // size of the time dimension; 0: the longest
}

// PadPackedSequence returns the sequences padded to the same length, and their lengths.
func PadPackedSequence(p PackedSequence, opts ...PadPackedSequenceOptions) (*lucid.Tensor, []int) {
	o := door.Option("pad_packed_sequence", opts)
	p.check("pad_packed_sequence")
	lengths := p.Lengths()
	steps, batch := len(p.BatchSizes), p.BatchSizes[0]
	if o.TotalLength > 0 {
		if o.TotalLength < steps {
			refuse(lucid.ErrValue, "pad_packed_sequence", "TotalLength is %d; the longest sequence has %d", o.TotalLength, steps)
		}
		steps = o.TotalLength
	}
	start, positions := make([]int, len(p.BatchSizes)+1), p.positions()
	for t, n := range p.BatchSizes {
		start[t+1] = start[t] + n
	}
	rows := make([]int64, steps*batch)
	live := make([]bool, steps*batch)
	for t := range steps {
		for i := range batch {
			if t < lengths[i] {
				rows[t*batch+i], live[t*batch+i] = int64(start[t]+positions[i]), true
			}
		}
	}
	tail := p.Data.Shape()[1:]
	mask := append([]int{steps * batch}, make([]int, len(tail))...)
	for i := range tail {
		mask[i+1] = 1
	}
	w := lucid.With{Device: p.Data.Device()}
	y := lucid.Where(w.New(live, mask...), p.Data.At(w.New(rows, len(rows))), o.PaddingValue)
	y = y.Reshape(append([]int{steps, batch}, tail...)...)
	if o.BatchFirst {
		y = swapFirst(y)
	}
	return owned(y), lengths
}

// PadSequenceOptions say how sequences are padded.
type PadSequenceOptions struct {
	BatchFirst   bool    // tensors are (B, T, …) instead of (T, B, …)
	PaddingValue float64 // fills sequences that have ended
}

// PadSequence stacks sequences of (T, ...) with different T, padded to the longest.
func PadSequence(sequences []*lucid.Tensor, opts ...PadSequenceOptions) *lucid.Tensor {
	o := door.Option("pad_sequence", opts)
	if len(sequences) == 0 {
		refuse(lucid.ErrValue, "pad_sequence", "there are no sequences")
	}
	longest := 0
	for _, s := range sequences {
		longest = max(longest, s.Size(0))
	}
	padded := make([]*lucid.Tensor, len(sequences))
	for i, s := range sequences {
		pad := make([]int, 2*s.Dim())
		pad[len(pad)-1] = longest - s.Size(0)
		padded[i] = F.Pad(s, pad, F.PadOptions{Value: o.PaddingValue})
	}
	if o.BatchFirst {
		return lucid.Stack(padded, 0)
	}
	return lucid.Stack(padded, 1)
}

// UnpadSequence returns the sequences of a padded batch without their padding: the opposite of PadSequence.
func UnpadSequence(padded *lucid.Tensor, lengths []int, opts ...PadSequenceOptions) []*lucid.Tensor {
	const op = "unpad_sequence"
	if !door.Option(op, opts).BatchFirst {
		padded = swapFirst(padded)
	}
	if len(lengths) != padded.Size(0) {
		refuse(lucid.ErrShapeMismatch, op, "%d lengths for a batch of %d", len(lengths), padded.Size(0))
	}
	list := make([]*lucid.Tensor, len(lengths))
	for i, n := range lengths {
		if n < 0 || n > padded.Size(1) {
			refuse(lucid.ErrValue, op, "length %d of sequence %d; want 0 to %d", n, i, padded.Size(1))
		}
		list[i] = padded.At(i, lucid.Range{Stop: n})
	}
	return list
}

// UnpackSequence returns the sequences of a packed value, in their own order: the opposite of PackSequence.
func UnpackSequence(p PackedSequence) []*lucid.Tensor {
	x, lengths := PadPackedSequence(p, PadPackedSequenceOptions{BatchFirst: true})
	return UnpadSequence(x, lengths, PadSequenceOptions{BatchFirst: true})
}

// PackSequence packs sequences of (T, ...) with different T, the longest first unless NotSorted says otherwise.
func PackSequence(sequences []*lucid.Tensor, opts ...PackPaddedSequenceOptions) PackedSequence {
	lengths := make([]int, len(sequences))
	for i, s := range sequences {
		lengths[i] = s.Size(0)
	}
	o := door.Option("pack_sequence", opts)
	o.BatchFirst = false
	return PackPaddedSequence(PadSequence(sequences), lengths, o)
}
