package attr

// Cell is the kind of a recurrent network's step.
type Cell uint8

// The cells.
const (
	CellTanh Cell = iota
	CellReLU
	CellLSTM
	CellGRU
)

// Gates is how many times the size of the state a step's gates have.
func (c Cell) Gates() int {
	switch c {
	case CellLSTM:
		return 4
	case CellGRU:
		return 3
	}
	return 1
}

// Recurrent takes sequences through a layer. Their elements are packed: those of the first step of all sequences, then those
// of the second, and so on, the longest sequences first.
type Recurrent struct {
	Cell    Cell
	Reverse bool // from the last step to the first
	// Runs has how many sequences have a step, and how many such steps follow each other: 5, 3, 2, 1 is three steps of
	// five sequences and one of two. Sequences become fewer from run to run.
	Runs    Ints
	Project bool // of an LSTM: the state is the memory's, brought to another size
	Biased  bool // of a GRU: the state's part of the gates has a bias of its own
	Input   bool // the product with the layer's inputs is part of it
	Keep    bool // what the gradient reads is among the results
	Memory  bool // of a gradient: the memories have a cotangent too
}

// MakeRuns is Runs for the number of sequences by step.
func MakeRuns(sizes []int) Ints {
	var v []int
	for i, n := range sizes {
		if i > 0 && n == sizes[i-1] {
			v[len(v)-1]++
			continue
		}
		v = append(v, n, 1)
	}
	return MakeInts(v...)
}

// Sizes has the number of sequences by step.
func (r Recurrent) Sizes() []int {
	var v []int
	for i := 0; i+1 < r.Runs.Len(); i += 2 {
		for range r.Runs.At(i + 1) {
			v = append(v, r.Runs.At(i))
		}
	}
	return v
}

// Uniform reports whether all sequences have the same length.
func (r Recurrent) Uniform() bool { return r.Runs.Len() == 2 }

// Scaled is Runs with every sequence n times.
func (r Recurrent) Scaled(n int) Ints {
	v := r.Runs.Slice()
	for i := 0; i < len(v); i += 2 {
		v[i] *= n
	}
	return MakeInts(v...)
}

// Offsets are the bounds of the steps among the packed elements: step t's begin at number t and end at number t+1.
func (r Recurrent) Offsets() []int {
	at := []int{0}
	for _, n := range r.Sizes() {
		at = append(at, at[len(at)-1]+n)
	}
	return at
}

// Order lists the steps as the layer takes them.
func (r Recurrent) Order() []int {
	t := make([]int, len(r.Sizes()))
	for i := range t {
		t[i] = i
		if r.Reverse {
			t[i] = len(t) - 1 - i
		}
	}
	return t
}
