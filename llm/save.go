package llm

import (
	"strings"
	"unsafe"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec/gguf"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/llm/model"
	"github.com/lucid-go/lucid/nn"
)

// SaveOptions say how a model is saved. Vectors stay float32. A matrix whose rows are no whole blocks of the format is stored as
// q8_0, or as float32 if they are no whole blocks of that either.
type SaveOptions struct {
	// Format is the type of matrices: f32, f16, bf16, a block format such as q8_0, q4_0 or q4_k, or a mixture such as q4_k_m, in which
	// the matrices that matter most have more bits; "" is f32. Formats lists them.
	Format string
	// Progress is called after each tensor; nil: not.
	Progress func(done, total int)

	stop func() error // asked after each tensor
}

// fileTypes are the numbers that GGUF files have for the type of most tensors.
var fileTypes = map[ggml.Type]uint32{ggml.F32: 0, ggml.F16: 1, ggml.Q4_0: 2, ggml.Q4_1: 3, ggml.Q8_0: 7, ggml.Q5_0: 8, ggml.Q5_1: 9,
	ggml.Q4_K: 14, ggml.Q5_K: 16, ggml.Q6_K: 18, ggml.BF16: 32, ggml.TQ1_0: 36, ggml.TQ2_0: 37}

// Save writes the model as one GGUF file with its tokenizer and chat template.
func (m *Model) Save(path string, o SaveOptions) (err error) {
	caught := fault.Catch(func() {
		r := o.check(path)
		if m.vocab.why != "" {
			fault.Throw(fault.NotImplemented, op, "saving as GGUF: %s", m.vocab.why)
		}
		c := m.net.Config()
		r.layers, r.tied = c.Layers, c.Tied
		err = gguf.Write(path, m.metadata(&c, r), m.stored(&c, r, o))
	})
	if caught != nil {
		return caught
	}
	return err
}

// check returns which type matrices get.
func (o SaveOptions) check(path string) recipe {
	if !strings.HasSuffix(path, ".gguf") {
		fault.Throw(fault.Value, op, "the path %q; want one that ends with .gguf", path)
	}
	return parseFormat(o.Format)
}

// tick reports progress, and stops if that was asked for.
func (o SaveOptions) tick(done, total int) {
	if o.stop != nil {
		if err := o.stop(); err != nil {
			fault.Rethrow(op, err)
		}
	}
	if o.Progress != nil {
		o.Progress(done, total)
	}
}

// refuseBlocks is for matrices that were left in blocks.
func refuseBlocks(t *lucid.Tensor) {
	if t.DType() == lucid.Uint8 {
		fault.Throw(fault.NotImplemented, op, "saving a model whose matrices are in blocks; load it without LoadOptions.Quantized")
	}
}

// metadata describes the model as GGUF files do.
func (m *Model) metadata(c *model.Config, r recipe) *gguf.Metadata {
	meta := &gguf.Metadata{}
	arch := model.WriteMetadata(meta, c)
	meta.Set("general.type", gguf.OfText("model"))
	if m.facts.Name != "" {
		meta.Set("general.name", gguf.OfText(m.facts.Name))
	}
	meta.Set("general.file_type", gguf.OfUint32(r.number))
	meta.Set("general.quantization_version", gguf.OfUint32(2))
	meta.Set(arch+".vocab_size", gguf.OfUint32(uint32(c.Vocab)))
	for _, key := range m.vocab.meta.Keys() {
		v, _ := m.vocab.meta.Get(key)
		meta.Set(key, v)
	}
	put := func(key string, id int) {
		if _, there := meta.Get(key); !there && id >= 0 {
			meta.Set(key, gguf.OfUint32(uint32(id)))
		}
	}
	put("tokenizer.ggml.bos_token_id", m.bos)
	for _, id := range append([]int{m.eos}, m.ends...) { // the format has room for three
		if _, there := meta.Get("tokenizer.ggml.eos_token_id"); !there {
			put("tokenizer.ggml.eos_token_id", id)
		} else if id != int(meta.Int("tokenizer.ggml.eos_token_id", -1)) && id != int(meta.Int("tokenizer.ggml.eot_token_id", -1)) {
			put("tokenizer.ggml.eot_token_id", id)
		}
	}
	if m.chat != "" {
		meta.Set("tokenizer.chat_template", gguf.OfText(m.chat))
	}
	return meta
}

// stored returns the tensors in the format.
func (m *Model) stored(c *model.Config, r recipe, o SaveOptions) (list []gguf.Tensor) {
	fused := map[string][]*lucid.Tensor{}
	all, done := nn.StateDict(m.net), 0
	for name, t := range all.All() {
		done++
		o.tick(done, all.Len())
		if kind, width, ok := m.net.ExpertBlocks(name); ok { // as they are
			list = append(list, gguf.Tensor{Name: c.GGUFName(name), Type: kind, Shape: []int{t.Size(0), t.Size(1), width},
				Data: lucid.ToSlice[uint8](t)})
			continue
		}
		refuseBlocks(t)
		if stored, from, of := c.Fused(name); stored != "" { // parts come in the order of their rows
			if fused[stored] = append(fused[stored], t); from+t.Size(0) == of {
				list = append(list, block(stored, lucid.Cat(fused[stored], 0), r))
			}
			continue
		}
		stored := c.GGUFName(name)
		if stored == "" {
			fault.Throw(fault.NotImplemented, op,
				"saving as GGUF: the tensor %q has no name there; take adapters off or fuse them first", name)
		}
		if heads := c.Interleaved(name); heads > 0 {
			t = model.Together(t, heads)
		}
		if c.NormOffset != 0 && strings.HasSuffix(name, "norm.weight") {
			t = t.Add(c.NormOffset) // GGUF files store the sum
		}
		list = append(list, block(stored, t, r))
	}
	vector := func(name string, d []float32) {
		if d != nil {
			list = append(list, gguf.Tensor{Name: name, Type: ggml.F32, Shape: []int{len(d)}, Data: floatBytes(d)})
		}
	}
	vector(ropeFactors, ropeDivisors(c))
	vector(ropeShort, c.RoPE.Short)
	vector(ropeLong, c.RoPE.Long)
	return list
}

// ropeDivisors are the factors of rotary frequencies that a GGUF file stores instead of the scaling llama3.
func ropeDivisors(c *model.Config) []float32 {
	if c.RoPE.Divisors != nil || c.RoPE.Kind != "llama3" {
		return c.RoPE.Divisors
	}
	return c.Llama3Divisors()
}

// block converts a tensor for a file.
func block(name string, t *lucid.Tensor, r recipe) gguf.Tensor {
	shape := t.Shape()
	if len(shape) == 2 && shape[0] == 1 { // a vector
		shape = shape[1:]
	}
	kind, values := r.of(name, shape), lucid.ToSlice[float32](t.To(lucid.Float32))
	if kind == ggml.F32 {
		return gguf.Tensor{Name: name, Type: kind, Shape: shape, Data: floatBytes(values)}
	}
	return gguf.Tensor{Name: name, Type: kind, Shape: shape, Data: quantize(kind, values)}
}

// small reports whether a tensor of two dimensions is no matrix, or one that decides more than it weighs: norms and biases of each head
// or expert, and the choice of experts.
func small(name string) bool {
	return strings.Contains(name, "_norm.") || strings.HasSuffix(name, ".bias") || strings.Contains(name, ".ffn_gate_inp")
}

// floatBytes shows numbers as bytes.
func floatBytes(list []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), 4*len(list))
}
