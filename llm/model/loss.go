package model

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

// lossBytes is the memory of the logits that are made at a time, unless it is for fewer than lossRows tokens: the matrix of the head is
// read, and brought into the order of products, once for each part and direction.
const (
	lossBytes = 64 << 20
	lossRows  = 256
)

// Loss is the sum of the cross entropies of targets, int64 of (B, T) with -100 for tokens that do not count, behind vectors of Hidden,
// (B, T, hidden). Logits are made for some tokens at a time: of a large vocabulary they take more memory than the rest of a model.
func (m *Model) Loss(h, targets *lucid.Tensor) *lucid.Tensor {
	h, targets = h.Reshape(-1, h.Size(-1)), targets.Reshape(-1)
	each := max(lossRows, lossBytes/(4*m.config.Vocab))
	if w := m.headWeight(); w != nil && w.DType() == lucid.Float32 && h.DType() == lucid.Float32 && m.config.LogitCap == 0 {
		return F.LinearCrossEntropy(h, w, targets, F.LinearCrossEntropyOptions{Reduction: "sum", BatchChunkSize: each})
	}
	var sum *lucid.Tensor
	for from := 0; from < h.Size(0); from += each {
		n := min(each, h.Size(0)-from)
		part := F.CrossEntropy(m.head(h.Narrow(0, from, n)).To(lucid.Float32), targets.Narrow(0, from, n),
			F.CrossEntropyOptions{Reduction: "sum"})
		if sum == nil {
			sum = part
		} else {
			sum = sum.Add(part)
		}
	}
	return sum
}

// headWeight is the matrix of the head if it is numbers and nothing else, (vocabulary, hidden); else nil.
func (m *Model) headWeight() *lucid.Tensor {
	if m.LMHead != nil {
		if l, ok := m.LMHead.(*nn.Linear); ok && l.Bias == nil {
			return nn.Use(l, l.Weight)
		}
		return nil
	}
	if e, ok := m.Body.EmbedTokens.(*nn.Embedding); ok {
		return nn.Use(e, e.Weight)
	}
	return nil
}
