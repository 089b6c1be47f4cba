package latency

import (
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// translator is a small sequence-to-sequence network over packed sequences of random lengths.
type translator struct {
	nn.Base
	Embed   *nn.Embedding
	Encoder *nn.GRU
	Decoder *nn.GRU
	Out     *nn.Linear
}

const vocabulary = 50

func newTranslator() *translator {
	return &translator{Embed: nn.NewEmbedding(vocabulary, 32), Encoder: nn.NewGRU(32, 48), Decoder: nn.NewGRU(32, 48),
		Out: nn.NewLinear(48, vocabulary)}
}

func (m *translator) loss(src, dst *lucid.Tensor, from, to []int) *lucid.Tensor {
	o := nn.PackPaddedSequenceOptions{NotSorted: true}
	_, h := m.Encoder.ForwardPacked(nn.PackPaddedSequence(m.Embed.Forward(src), from, o), nil)
	y, _ := m.Decoder.ForwardPacked(nn.PackPaddedSequence(m.Embed.Forward(dst), to, o), h)
	want := nn.PackPaddedSequence(dst.Unsqueeze(-1), to, o).Data.Reshape(-1)
	return F.CrossEntropy(m.Out.Forward(y.Data), want)
}

// padded is the loss for lengths that are data: tokens behind the end of a sequence are -1.
func (m *translator) padded(src, dst, from, to *lucid.Tensor) *lucid.Tensor {
	_, h := m.Encoder.ForwardPadded(m.Embed.Forward(src.ReLU()), from, nil)
	y, _ := m.Decoder.ForwardPadded(m.Embed.Forward(dst.ReLU()), to, h)
	scores := m.Out.Forward(y).Reshape(-1, vocabulary)
	return F.CrossEntropy(scores, dst.Reshape(-1), F.CrossEntropyOptions{IgnoreIndex: new(-1)})
}

const sentences = 8

// batch is padded sentences of random lengths.
func batch(r *rand.Rand) (tokens *lucid.Tensor, lengths []int, data *lucid.Tensor) {
	longest := 0
	for range sentences {
		n := 3 + r.IntN(13)
		lengths, longest = append(lengths, n), max(longest, n)
	}
	v, of := make([]int64, longest*sentences), make([]int64, sentences)
	for i, n := range lengths {
		of[i] = int64(n)
		for t := range longest {
			if v[t*sentences+i] = int64(r.IntN(vocabulary)); t >= n {
				v[t*sentences+i] = -1
			}
		}
	}
	return lucid.New(v, longest, sentences), lengths, lucid.New(of, sentences)
}

// trainer makes a training step of the network, with other lengths in every batch.
func trainer(padded, compiled bool) (next func(), explain func() lucid.Explanation) {
	lucid.Seed(1)
	m := newTranslator()
	opt := optim.NewAdam(nn.Parameters(m), optim.AdamOptions{LR: 1e-3})
	train := func(l *lucid.Tensor) *lucid.Tensor {
		l.Backward()
		opt.Step()
		opt.ZeroGrad()
		return l
	}
	packedStep := func(src, dst *lucid.Tensor, from, to []int) *lucid.Tensor {
		return train(m.loss(src.ReLU(), dst.ReLU(), from, to))
	}
	paddedStep := func(src, dst, from, to *lucid.Tensor) *lucid.Tensor { return train(m.padded(src, dst, from, to)) }
	if compiled {
		packedStep, paddedStep = lucid.Compile(packedStep), lucid.Compile(paddedStep)
	}
	r := rand.New(rand.NewPCG(1, 2))
	next = func() {
		src, from, fromData := batch(r)
		dst, to, toData := batch(r)
		if padded {
			paddedStep(src, dst, fromData, toData).Item()
		} else {
			packedStep(src, dst, from, to).Item()
		}
	}
	return next, func() lucid.Explanation {
		if padded {
			return lucid.Explain(paddedStep)
		}
		return lucid.Explain(packedStep)
	}
}

// BenchmarkSequences is a training step over sentences of random lengths: packed, whose size is the sum of the lengths, and padded with
// lengths that are data.
func BenchmarkSequences(b *testing.B) {
	for _, padded := range []bool{false, true} {
		for _, compiled := range []bool{false, true} {
			name := map[bool]string{false: "packed/", true: "padded/"}[padded] + map[bool]string{false: "eager", true: "compiled"}[compiled]
			b.Run(name, func(b *testing.B) {
				next, explain := trainer(padded, compiled)
				for range 200 {
					next()
				}
				for b.Loop() {
					next()
				}
				if compiled {
					b.ReportMetric(float64(explain().Plans), "plans")
					b.ReportMetric(float64(explain().Traces), "traces")
				}
			})
		}
	}
}
