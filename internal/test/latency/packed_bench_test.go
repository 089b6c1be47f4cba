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

// BenchmarkPacked is a training step of it, with other lengths in every batch.
func BenchmarkPacked(b *testing.B) {
	for _, compiled := range []bool{false, true} {
		name := "eager"
		if compiled {
			name = "compiled"
		}
		b.Run(name, func(b *testing.B) {
			lucid.Seed(1)
			m := newTranslator()
			opt := optim.NewAdam(nn.Parameters(m), optim.AdamOptions{LR: 1e-3})
			step := func(src, dst *lucid.Tensor, from, to []int) *lucid.Tensor {
				opt.ZeroGrad()
				l := m.loss(src, dst, from, to)
				l.Backward()
				opt.Step()
				return l
			}
			run := step
			if compiled {
				run = lucid.Compile(step)
			}
			r := rand.New(rand.NewPCG(1, 2))
			const batch = 8
			lengths := func() (list []int, longest int) {
				for range batch {
					n := 3 + r.IntN(13)
					list, longest = append(list, n), max(longest, n)
				}
				return list, longest
			}
			next := func() {
				from, n := lengths()
				to, k := lengths()
				src, dst := lucid.RandInt(0, vocabulary, n, batch), lucid.RandInt(0, vocabulary, k, batch)
				run(src, dst, from, to).Item()
			}
			for range 20 {
				next()
			}
			for b.Loop() {
				next()
			}
			if compiled {
				x := lucid.Explain(run)
				b.ReportMetric(float64(x.Plans), "plans")
				b.ReportMetric(float64(x.Traces), "traces")
				if testing.Verbose() {
					b.Log(x.Unshared, x.Inlined)
				}
			}
		})
	}
}
