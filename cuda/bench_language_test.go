package cuda

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/llm/model"
	F "github.com/lucid-go/lucid/nn/functional"
)

// randomWeights are weights of any name on a device. Blocks are random but for their scales.
type randomWeights struct{ dev lucid.Device }

func (s randomWeights) Has(name string) bool { return !strings.Contains(name, "bias") }

func (s randomWeights) Tensor(name string, shape ...int) *lucid.Tensor {
	return lucid.With{DType: lucid.BFloat16, Device: s.dev}.Randn(shape...).Mul(0.02).Eval()
}

// randomBlocks are such weights with matrices in Q4_K, and vectors in float32.
type randomBlocks struct{ randomWeights }

func (s randomBlocks) Tensor(name string, shape ...int) *lucid.Tensor {
	return s.randomWeights.Tensor(name, shape...).To(lucid.Float32).Eval()
}

func (s randomBlocks) Blocks(name string, shape ...int) (b model.Blocks, ok bool) {
	const block = 144
	rows, width := shape[0], shape[1]/256
	data := lucid.With{Device: s.dev}.RandInt(0, 256, rows, width, block-4).To(lucid.Uint8)
	scales := lucid.With{DType: lucid.Uint8, Device: s.dev}.New([]uint8{0x19, 0x10, 0x19, 0x14}, 4).Expand(rows, width, 4)
	all := lucid.Cat([]*lucid.Tensor{scales, data}, 2).Reshape(rows, width*block).Eval()
	return model.Blocks{Data: all, Type: ggml.Q4_K, Fast: true}, true
}

const vocabulary = 128256

// llama is a model of random weights in the shapes of Llama 3.
func llama(b testing.TB, layers, hidden, intermediate int, weights model.Source) *model.Model {
	c := model.Config{Family: "llama", Layers: layers, Hidden: hidden, Intermediate: intermediate, Heads: 32, KVHeads: 8,
		HeadDim: hidden / 32, Vocab: vocabulary, Context: 8192, Eps: 1e-5, Activation: "silu", Tied: layers == 16,
		QueryScale: 1 / math.Sqrt(float64(hidden/32))}
	c.RoPE.Base = 500000
	m, err := model.Build(c, weights)
	must(b, err)
	return m
}

// TestStepRecorded compares steps of a captured graph, whose kernels begin before their predecessors are done, with those of launches in a
// row: the logits of each token, over caches that the tokens before it are in.
func TestStepRecorded(t *testing.T) {
	dev := gpu(t)
	for name, weights := range map[string]model.Source{"bfloat16": floats(dev), "Q4_K": blocks(dev)} {
		for _, room := range []int{512, 2048} {
			lucid.Seed(11)
			m := llama(t, 3, 2048, 1024, weights)
			with := lucid.With{Device: dev}
			step := func(ids, start, last *lucid.Tensor, caches [][]*lucid.Tensor) (y *lucid.Tensor) {
				lucid.NoGrad(func() { y = m.Step(ids, start, last, caches).To(lucid.Float32) })
				return y
			}
			recorded := lucid.Compile(step)
			caches := [2][][]*lucid.Tensor{{m.NewCache(room)}, {m.NewCache(room)}}
			for i := range 150 {
				var got [2][]float64
				for k, f := range []func(ids, start, last *lucid.Tensor, caches [][]*lucid.Tensor) *lucid.Tensor{recorded, step} {
					y := f(with.New([]int64{int64(31 * i % 500)}, 1, 1), with.New([]int64{int64(i)}, 1), with.New([]int64{0}, 1), caches[k])
					got[k] = lucid.ToSlice[float64](y.To(lucid.CPU).To(lucid.Float64).Reshape(-1))
				}
				if e := distance(got[0], got[1]); !(e <= 0.02) {
					t.Fatalf("%s, room for %d: the logits of token %d are off by %.2g", name, room, i, e)
				}
			}
		}
	}
}

// benchDecode measures tokens of some texts together, and of a prompt before them.
func benchDecode(b *testing.B, layers, hidden, intermediate, texts, capacity, prompt int,
	weights func(d lucid.Device) model.Source) {
	dev := gpu(b)
	m := llama(b, layers, hidden, intermediate, weights(dev))
	step := lucid.Compile(func(ids, start, last *lucid.Tensor, caches [][]*lucid.Tensor) *lucid.Tensor {
		var y *lucid.Tensor
		lucid.NoGrad(func() { y = m.Step(ids, start, last, caches).ArgMax(-1).Unsqueeze(1) })
		return y
	})
	caches := make([][]*lucid.Tensor, texts)
	for i := range caches {
		caches[i] = m.NewCache(capacity)
	}
	with := lucid.With{Device: dev}
	all := func(rows, value int) *lucid.Tensor {
		list := make([]int64, rows)
		for i := range list {
			list[i] = int64(value)
		}
		return with.New(list, rows)
	}
	b.Run("prefill", func(b *testing.B) {
		ids := make([]int64, prompt)
		for i := range ids {
			ids[i] = int64((17 + 31*i) % vocabulary)
		}
		for i := range 3 + b.N {
			if i == 3 {
				b.ResetTimer()
			}
			lucid.ToSlice[int64](step(with.New(ids, 1, prompt), all(1, 0), all(1, prompt-1), caches[:1]))
		}
		b.ReportMetric(float64(prompt*b.N)/b.Elapsed().Seconds(), "tokens/s")
		showTimeline(b)
	})
	b.Run("decode", func(b *testing.B) {
		// A token is read while the next one is computed.
		ids, last := all(texts, 17).Unsqueeze(1), all(texts, 0)
		for i := range 8 + b.N {
			if i == 8 {
				b.ResetTimer()
			}
			next := step(ids, all(texts, i%capacity), last, caches)
			lucid.ToSlice[int64](ids)
			ids = next
		}
		lucid.ToSlice[int64](ids)
		b.ReportMetric(float64(texts*b.N)/b.Elapsed().Seconds(), "tokens/s")
		b.Log(lucid.Explain(step))
		showTimeline(b)
	})
}

// benchClients measures tokens of many texts whose keys are in blocks of one pool, as a server has them.
func benchClients(b *testing.B, layers, hidden, intermediate, texts, room int) {
	dev := gpu(b)
	m := llama(b, layers, hidden, intermediate, floats(dev))
	pages := room / model.PageTokens
	pool := m.NewCache(texts * room)
	with := lucid.With{Device: dev, DType: lucid.Int64}
	first := with.Arange(texts) // blocks of a text are as far apart as there are texts
	table := with.Arange(pages).Mul(texts).Unsqueeze(0).Add(first.Unsqueeze(1)).Eval()
	step := lucid.Compile(func(ids, table, positions, slots, last *lucid.Tensor, pool []*lucid.Tensor) *lucid.Tensor {
		var y *lucid.Tensor
		lucid.NoGrad(func() {
			groups := []model.Paged{{IDs: ids, Table: table, Keys: room}}
			y = m.StepPaged(groups, positions, slots, last, pool).ArgMax(-1).Unsqueeze(1)
		})
		return y
	})
	ids := with.Ones(texts, 1)
	for i := range 8 + b.N {
		if i == 8 {
			b.ResetTimer()
		}
		at := i % room
		positions := with.Full([]int{texts}, at)
		slots := first.Add(at / model.PageTokens * texts).Mul(model.PageTokens).Add(at % model.PageTokens)
		next := step(ids, table, positions, slots, first, pool)
		lucid.ToSlice[int64](ids)
		ids = next
	}
	lucid.ToSlice[int64](ids)
	b.ReportMetric(float64(texts*b.N)/b.Elapsed().Seconds(), "tokens/s")
	b.Log(lucid.Explain(step))
	showTimeline(b)
}

// BenchmarkPrefillAttention measures attention of a prompt of 2,048 tokens over a cache of 4,096 positions, in the shapes of Llama 3 8B:
// the FLOPs are those of the scores that count.
func BenchmarkPrefillAttention(b *testing.B) {
	const heads, groups, length, room, size, times = 32, 8, 2048, 4096, 128, 16
	with := lucid.With{Device: gpu(b), DType: lucid.BFloat16}
	q, k, v := with.Randn(1, heads, length, size).Eval(), with.Randn(1, groups, room, size).Eval(), with.Randn(1, groups, room, size).Eval()
	step := lucid.Compile(func(q, k, v *lucid.Tensor) *lucid.Tensor {
		at := lucid.With{Device: q.Device()}
		mask := at.Arange(room).Reshape(1, 1, 1, room).Le(at.Arange(length).Reshape(1, 1, length, 1))
		for range times {
			q = F.ScaledDotProductAttention(q, k, v, F.ScaledDotProductAttentionOptions{AttnMask: mask, EnableGQA: true})
		}
		return q.Narrow(2, 0, 1).Sum()
	})
	for i := range 3 + b.N {
		if i == 3 {
			b.ResetTimer()
		}
		step(q, k, v).Item()
	}
	b.ReportMetric(4*heads*size*length*(length+1)/2*times*float64(b.N)/b.Elapsed().Seconds()/1e12, "TFLOP/s")
}

// showTimeline logs what the kernels of the last step cost, where LUCID_CUDA_TIMELINE=1.
func showTimeline(b *testing.B) {
	d, err := device(0)
	must(b, err)
	list, err := d.Timeline()
	must(b, err)
	if len(list) == 0 || b.N < 60 {
		return
	}
	n, spent := len(list)/b.N, map[string]time.Duration{}
	count := map[string]int{}
	for i := len(list) - 50*n; i < len(list)-1; i++ {
		k := list[i].Kernel
		if i >= len(list)-n {
			b.Logf("%8.2f µs  %s", float64(list[i+1].At-list[i].At)/1e3, k)
		}
		spent[k] += list[i+1].At - list[i].At
		count[k]++
	}
	b.Logf("%d launches a step", n)
	for _, k := range slices.SortedFunc(maps.Keys(spent), func(x, y string) int { return int(spent[y] - spent[x]) }) {
		b.Logf("%8.2f µs a step, %6.2f µs each: %s", float64(spent[k])/50e3, float64(spent[k])/1e3/float64(count[k]), k)
	}
}

func floats(d lucid.Device) model.Source { return randomWeights{d} }
func blocks(d lucid.Device) model.Source { return randomBlocks{randomWeights{d}} }

func BenchmarkLlama1B(b *testing.B)          { benchDecode(b, 16, 2048, 8192, 1, 1024, 512, floats) }
func BenchmarkLlama1BTexts8(b *testing.B)    { benchDecode(b, 16, 2048, 8192, 8, 1024, 512, floats) }
func BenchmarkLlama8B(b *testing.B)          { benchDecode(b, 32, 4096, 14336, 1, 4096, 2048, floats) }
func BenchmarkLlama8BQ4K(b *testing.B)       { benchDecode(b, 32, 4096, 14336, 1, 1024, 512, blocks) }
func BenchmarkLlama1BClients8(b *testing.B)  { benchClients(b, 16, 2048, 8192, 8, 1024) }
func BenchmarkLlama8BClients64(b *testing.B) { benchClients(b, 32, 4096, 14336, 64, 1024) }
