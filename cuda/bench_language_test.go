package cuda

import (
	"math"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/llm/model"
)

// randomWeights are weights of any name on a device. Blocks are random but for their scales.
type randomWeights struct{ dev lucid.Device }

func (s randomWeights) Has(name string) bool { return !strings.Contains(name, "bias") }

func (s randomWeights) Tensor(name string, shape ...int) *lucid.Tensor {
	return lucid.With{DType: lucid.BFloat16, Device: s.dev}.Randn(shape...).Mul(0.02).Eval()
}

// randomBlocks are such weights with matrices in Q4_K.
type randomBlocks struct{ randomWeights }

func (s randomBlocks) Blocks(name string, shape ...int) (b model.Blocks, ok bool) {
	const block = 144
	rows, width := shape[0], shape[1]/256
	data := lucid.With{Device: s.dev}.RandInt(0, 256, rows, width, block-4).To(lucid.Uint8)
	scales := lucid.With{DType: lucid.Uint8, Device: s.dev}.New([]uint8{0x19, 0x10, 0x19, 0x14}, 4).Expand(rows, width, 4)
	all := lucid.Cat([]*lucid.Tensor{scales, data}, 2).Reshape(rows, width*block).Eval()
	return model.Blocks{Data: all, Type: ggml.Q4_K, Fast: true}, true
}

// benchDecode measures tokens of some texts together, and of a prompt before them.
func benchDecode(b *testing.B, layers, hidden, intermediate, texts, capacity, prompt int,
	weights func(d lucid.Device) model.Source) {
	dev := gpu(b)
	c := model.Config{Family: "llama", Layers: layers, Hidden: hidden, Intermediate: intermediate, Heads: 32, KVHeads: 8,
		HeadDim: hidden / 32, Vocab: 128256, Context: 8192, Eps: 1e-5, Activation: "silu", Tied: layers == 16,
		QueryScale: 1 / math.Sqrt(float64(hidden/32))}
	c.RoPE.Base = 500000
	m, err := model.Build(c, weights(dev))
	must(b, err)
	step := lucid.Compile(m.Step)
	caches := make([][]*lucid.Tensor, texts)
	for i := range caches {
		caches[i] = m.NewCache(capacity)
	}
	with := lucid.With{Device: dev}
	run := func(rows, tokens, pos int, caches [][]*lucid.Tensor) {
		ids, start, last := make([]int64, rows*tokens), make([]int64, rows), make([]int64, rows)
		for i := range ids {
			ids[i] = int64((17 + 31*i + pos) % c.Vocab)
		}
		for i := range start {
			start[i], last[i] = int64(pos), int64(tokens-1)
		}
		lucid.NoGrad(func() {
			y := step(with.New(ids, rows, tokens), with.New(start, rows), with.New(last, rows), caches)
			lucid.ToSlice[int64](y.ArgMax(-1))
			y.Free()
		})
	}
	b.Run("prefill", func(b *testing.B) {
		for range 3 {
			run(1, prompt, 0, caches[:1])
		}
		b.ResetTimer()
		for range b.N {
			run(1, prompt, 0, caches[:1])
		}
		b.ReportMetric(float64(prompt*b.N)/b.Elapsed().Seconds(), "tokens/s")
	})
	b.Run("decode", func(b *testing.B) {
		for pos := range 8 {
			run(texts, 1, pos, caches)
		}
		b.ResetTimer()
		for i := range b.N {
			run(texts, 1, 8+i%(capacity-8), caches)
		}
		b.ReportMetric(float64(texts*b.N)/b.Elapsed().Seconds(), "tokens/s")
	})
}

func floats(d lucid.Device) model.Source { return randomWeights{d} }
func blocks(d lucid.Device) model.Source { return randomBlocks{randomWeights{d}} }

func BenchmarkLlama1B(b *testing.B)       { benchDecode(b, 16, 2048, 8192, 1, 1024, 512, floats) }
func BenchmarkLlama1BTexts8(b *testing.B) { benchDecode(b, 16, 2048, 8192, 8, 1024, 512, floats) }
func BenchmarkLlama8B(b *testing.B)       { benchDecode(b, 32, 4096, 14336, 1, 4096, 2048, floats) }
func BenchmarkLlama8BQ4K(b *testing.B)    { benchDecode(b, 32, 4096, 14336, 1, 1024, 512, blocks) }
