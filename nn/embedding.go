package nn

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
	nninit "github.com/lucid-go/lucid/nn/init"
)

// EmbeddingOptions say how an embedding is made; the zero value is PyTorch's default.
type EmbeddingOptions struct {
	PaddingIdx      *int         // a row that stays zero and gets no gradient
	MaxNorm         *float64     // rows that are looked up are cut to this length
	NormType        *float64     // nil: 2
	ScaleGradByFreq bool         // divide the gradient of a row by how often it was looked up
	DType           lucid.DType  // of the parameters; zero: the default float
	Device          lucid.Device // of the parameters; zero: the default device
}

// Embedding is a table of vectors looked up by number.
type Embedding struct {
	Base
	Weight *lucid.Tensor // (rows, size)
	o      EmbeddingOptions
}

// NewEmbedding returns a table of normal numbers.
func NewEmbedding(rows, size int, opts ...EmbeddingOptions) *Embedding {
	o := door.Option("embedding", opts)
	m := &Embedding{Weight: table(lucid.With{DType: o.DType, Device: o.Device}, rows, size, &o.PaddingIdx), o: o}
	return m
}

// table returns the weight of an embedding, with zeros in the padding row, which may be counted from the end.
func table(w lucid.With, rows, size int, padding **int) *lucid.Tensor {
	t := parameter(w, rows, size)
	nninit.Normal_(t, 0, 1)
	if *padding = paddingRow(*padding, rows); *padding == nil {
		return t
	}
	lucid.NoGrad(func() {
		keep := lucid.With{Device: t.Device()}.Arange(rows).Ne(**padding).Reshape(rows, 1)
		t.Assign(lucid.Where(keep, t.Detach(), 0))
	})
	return t
}

// paddingRow is the index of the padding row from the front, nil if there is none.
func paddingRow(at *int, rows int) *int {
	if at == nil {
		return nil
	}
	p := *at
	if p < 0 {
		p += rows
	}
	if p < 0 || p >= rows {
		refuse(lucid.ErrIndex, "embedding", "padding index %d of %d rows", *at, rows)
	}
	return &p
}

// EmbeddingFrom returns an embedding with the rows of a tensor, in the dtype and on the device that it has; freeze keeps them from being
// trained. A padding row stays as it is.
func EmbeddingFrom(weight *lucid.Tensor, freeze bool, opts ...EmbeddingOptions) *Embedding {
	const op = "embedding_from"
	o := door.Option(op, opts)
	switch {
	case weight.Dim() != 2:
		refuse(lucid.ErrShapeMismatch, op, "weight has shape %v; want (rows, size)", weight.Shape())
	case o.DType.Valid() || o.Device != lucid.Device{}:
		refuse(lucid.ErrValue, op, "DType and Device are for NewEmbedding; bring weight there by weight.To")
	}
	o.PaddingIdx = paddingRow(o.PaddingIdx, weight.Size(0))
	m := &Embedding{Weight: Parameter(weight), o: o}
	m.Weight.RequiresGrad_(!freeze)
	return m
}

// Forward takes numbers of any shape to vectors, in one more dimension.
func (m *Embedding) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Embedding(x, lookup("embedding", m, m.Weight, m.o.MaxNorm),
		F.EmbeddingOptions{PaddingIdx: m.o.PaddingIdx, MaxNorm: m.o.MaxNorm, NormType: m.o.NormType, ScaleGradByFreq: m.o.ScaleGradByFreq}))
}

// lookup returns the table that is used; one that is computed has no rows that could be cut.
func lookup(op string, m Module, weight *lucid.Tensor, bound *float64) *lucid.Tensor {
	w := Use(m, weight)
	if bound != nil && w != weight {
		refuse(lucid.ErrValue, op, "MaxNorm cuts rows of the table in place, which a parametrized table has not")
	}
	return w
}

// AsLinear uses the table as the weight of a linear layer without bias: x of (..., size) to (..., rows).
func (m *Embedding) AsLinear(x *lucid.Tensor) *lucid.Tensor {
	return F.Linear(x, Use(m, m.Weight))
}

// EmbeddingBagOptions say how an embedding bag is made; the zero value is PyTorch's default.
type EmbeddingBagOptions struct {
	Mode              string       // "mean" (default), "sum" or "max"
	MaxNorm           *float64     // rows longer than this are scaled down to it; nil: no bound
	NormType          *float64     // nil: 2
	ScaleGradByFreq   bool         // divide the gradient of a row by how often it is looked up
	IncludeLastOffset bool         // the last offset is the end of the last bag
	PaddingIdx        *int         // a row that counts for nothing and gets no gradient; nil: none
	DType             lucid.DType  // of the parameters; zero: the default float
	Device            lucid.Device // of the parameters; zero: the default device
}

// EmbeddingBag sums or averages the vectors of bags of numbers.
type EmbeddingBag struct {
	Base
	Weight *lucid.Tensor // (rows, size)
	o      EmbeddingBagOptions
}

// NewEmbeddingBag returns a table of normal numbers.
func NewEmbeddingBag(rows, size int, opts ...EmbeddingBagOptions) *EmbeddingBag {
	o := door.Option("embedding_bag", opts)
	return &EmbeddingBag{Weight: table(lucid.With{DType: o.DType, Device: o.Device}, rows, size, &o.PaddingIdx), o: o}
}

// Forward takes x of (B, N), whose rows are bags, or a flat x with the offsets of the bags, to (B, size). offsets and
// weights, of each number, may be nil.
func (m *EmbeddingBag) Forward(x, offsets, weights *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, offsets, weights)
	w := lookup("embedding_bag", m, m.Weight, m.o.MaxNorm)
	y := F.EmbeddingBag(in[0], w, F.EmbeddingBagOptions{Offsets: in[1], PerSampleWeights: in[2],
		Mode: m.o.Mode, MaxNorm: m.o.MaxNorm, NormType: m.o.NormType, ScaleGradByFreq: m.o.ScaleGradByFreq,
		IncludeLastOffset: m.o.IncludeLastOffset, PaddingIdx: m.o.PaddingIdx})
	return LeaveN(m, in, y)[0]
}
