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
	Format string // type of matrices: f32, f16, bf16, or a block format such as q8_0, q4_0 or q4_k; "" is f32
}

// fileTypes are the numbers that GGUF files have for the type of most tensors.
var fileTypes = map[ggml.Type]uint32{ggml.F32: 0, ggml.F16: 1, ggml.Q4_0: 2, ggml.Q4_1: 3, ggml.Q8_0: 7, ggml.Q5_0: 8, ggml.Q5_1: 9,
	ggml.Q4_K: 14, ggml.Q5_K: 16, ggml.Q6_K: 18, ggml.BF16: 32, ggml.TQ1_0: 36, ggml.TQ2_0: 37}

// Save writes the model as one GGUF file with its tokenizer and chat template.
func (m *Model) Save(path string, o SaveOptions) (err error) {
	if !strings.HasSuffix(path, ".gguf") {
		return fault.New(fault.Value, op, "the path %q; want one that ends with .gguf", path)
	}
	caught := fault.Catch(func() {
		kind, ok := ggml.F32, true
		if o.Format != "" {
			kind, ok = ggml.Parse(strings.ToUpper(o.Format))
		}
		if _, known := fileTypes[kind]; !ok || !known || !kind.CanQuantize() {
			fault.Throw(fault.Value, op, "the format %q; want f32, f16, bf16, q4_0, q4_1, q5_0, q5_1, q8_0, q4_k, q5_k or q6_k", o.Format)
		}
		if m.vocab.why != "" {
			fault.Throw(fault.NotImplemented, op, "saving as GGUF: %s", m.vocab.why)
		}
		c := m.net.Config()
		err = gguf.Write(path, m.metadata(&c, kind), m.stored(&c, kind))
	})
	if caught != nil {
		return caught
	}
	return err
}

// metadata describes the model as GGUF files do.
func (m *Model) metadata(c *model.Config, kind ggml.Type) *gguf.Metadata {
	meta := &gguf.Metadata{}
	arch := model.WriteMetadata(meta, c)
	meta.Set("general.type", gguf.OfText("model"))
	if m.facts.Name != "" {
		meta.Set("general.name", gguf.OfText(m.facts.Name))
	}
	meta.Set("general.file_type", gguf.OfUint32(fileTypes[kind]))
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
func (m *Model) stored(c *model.Config, kind ggml.Type) (list []gguf.Tensor) {
	fused := map[string][]*lucid.Tensor{}
	for name, t := range nn.StateDict(m.net).All() {
		if t.DType() == lucid.Uint8 {
			fault.Throw(fault.NotImplemented, op, "saving a model whose matrices are in blocks; load it without LoadOptions.Quantized")
		}
		if stored, from, of := c.Fused(name); stored != "" { // parts come in the order of their rows
			if fused[stored] = append(fused[stored], t); from+t.Size(0) == of {
				list = append(list, block(stored, lucid.Cat(fused[stored], 0), kind))
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
		list = append(list, block(stored, t, kind))
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
func block(name string, t *lucid.Tensor, kind ggml.Type) gguf.Tensor {
	shape := t.Shape()
	if len(shape) == 2 && shape[0] == 1 { // a vector
		shape = shape[1:]
	}
	row := shape[len(shape)-1]
	if len(shape) < 2 || small(name) {
		kind = ggml.F32
	}
	for _, k := range []ggml.Type{kind, ggml.Q8_0, ggml.F32} {
		if _, ok := k.RowBytes(row); ok {
			kind = k
			break
		}
	}
	values := lucid.ToSlice[float32](t.To(lucid.Float32))
	if kind == ggml.F32 {
		return gguf.Tensor{Name: name, Type: kind, Shape: shape, Data: floatBytes(values)}
	}
	bytes, ok := kind.RowBytes(len(values))
	if !ok {
		fault.Throw(fault.Internal, op, "%q: %d elements are no whole blocks of %v", name, len(values), kind)
	}
	data := make([]byte, bytes)
	ggml.Quantize(kind, data, values)
	return gguf.Tensor{Name: name, Type: kind, Shape: shape, Data: data}
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
