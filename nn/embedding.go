package nn

import (
	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
	nninit "github.com/lucid-go/lucid/nn/init"
)

// EmbeddingOptions say how an embedding is made; the zero value is PyTorch's default.
type EmbeddingOptions struct {
	PaddingIdx      *int     // a row that stays zero and gets no gradient
	MaxNorm         *float64 // rows that are looked up are cut to this length
	NormType        *float64 // nil: 2
	ScaleGradByFreq bool     // divide the gradient of a row by how often it was looked up
	DType           lucid.DType
	Device          lucid.Device
}

// Embedding is a table of vectors looked up by number.
type Embedding struct {
	Base
	Weight *lucid.Tensor // (rows, size)
	o      EmbeddingOptions
}

// NewEmbedding returns a table of normal numbers.
func NewEmbedding(rows, size int, opts ...EmbeddingOptions) *Embedding {
	o := option("embedding", opts)
	m := &Embedding{Weight: table(lucid.With{DType: o.DType, Device: o.Device}, rows, size, &o.PaddingIdx), o: o}
	return m
}

// table returns the weight of an embedding, with zeros in the padding row, which may be counted from the end.
func table(w lucid.With, rows, size int, padding **int) *lucid.Tensor {
	t := parameter(w, rows, size)
	nninit.Normal(t, 0, 1)
	if *padding == nil {
		return t
	}
	p := **padding
	if p < 0 {
		p += rows
	}
	if p < 0 || p >= rows {
		refuse(lucid.ErrIndex, "embedding", "padding index %d of %d rows", **padding, rows)
	}
	*padding = &p
	lucid.NoGrad(func() {
		keep := lucid.With{Device: t.Device()}.Arange(rows).Ne(p).Reshape(rows, 1)
		t.Assign(lucid.Where(keep, t.Detach(), 0))
	})
	return t
}

// EmbeddingFrom returns an embedding with the rows of a tensor; freeze keeps them from being trained.
func EmbeddingFrom(weight *lucid.Tensor, freeze bool, opts ...EmbeddingOptions) *Embedding {
	m := &Embedding{Weight: Parameter(weight), o: option("embedding", opts)}
	m.Weight.RequiresGrad_(!freeze)
	return m
}

// Forward takes numbers of any shape to vectors, in one more dimension.
func (m *Embedding) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	if m.o.MaxNorm != nil {
		lucid.NoGrad(func() {
			m.Weight.Assign(lucid.EmbeddingRenorm(m.Weight.Detach(), x, *m.o.MaxNorm, or(m.o.NormType, 2)))
		})
	}
	return Leave(m, x, lucid.Embedding(x, m.Weight, lucid.EmbeddingOptions{PaddingIdx: m.o.PaddingIdx, ScaleGradByFreq: m.o.ScaleGradByFreq}))
}

// EmbeddingBagOptions say how an embedding bag is made; the zero value is PyTorch's default.
type EmbeddingBagOptions struct {
	Mode              string // "mean" (default), "sum" or "max"
	MaxNorm           *float64
	NormType          *float64 // nil: 2
	ScaleGradByFreq   bool
	IncludeLastOffset bool
	PaddingIdx        *int
	DType             lucid.DType
	Device            lucid.Device
}

// EmbeddingBag sums or averages the vectors of bags of numbers.
type EmbeddingBag struct {
	Base
	Weight *lucid.Tensor // (rows, size)
	o      EmbeddingBagOptions
}

// NewEmbeddingBag returns a table of normal numbers.
func NewEmbeddingBag(rows, size int, opts ...EmbeddingBagOptions) *EmbeddingBag {
	o := option("embedding_bag", opts)
	return &EmbeddingBag{Weight: table(lucid.With{DType: o.DType, Device: o.Device}, rows, size, &o.PaddingIdx), o: o}
}

// Forward takes x of (B, N), whose rows are bags, or a flat x with the offsets of the bags, to (B, size). offsets and
// weights, of each number, may be nil.
func (m *EmbeddingBag) Forward(x, offsets, weights *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, offsets, weights)
	if m.o.MaxNorm != nil {
		lucid.NoGrad(func() {
			m.Weight.Assign(lucid.EmbeddingRenorm(m.Weight.Detach(), in[0], *m.o.MaxNorm, or(m.o.NormType, 2)))
		})
	}
	y := F.EmbeddingBag(in[0], m.Weight, F.EmbeddingBagOptions{Offsets: in[1], PerSampleWeights: in[2], EmbeddingBagOptions: lucid.EmbeddingBagOptions{
		Mode: m.o.Mode, ScaleGradByFreq: m.o.ScaleGradByFreq, IncludeLastOffset: m.o.IncludeLastOffset, PaddingIdx: m.o.PaddingIdx}})
	return LeaveN(m, in, y)[0]
}
