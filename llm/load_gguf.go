package llm

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec/gguf"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/model"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// chatEnds are tokens that end a message of a chat. Files often name only one of them as the end of a text.
var chatEnds = []string{"<|eot_id|>", "<|eom_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>"}

// loadGGUF reads a model of a GGUF file, dequantised.
func loadGGUF(path string, o LoadOptions) (*Model, error) {
	f, err := gguf.Open(path, gguf.Options{Copied: o.Copied})
	if err != nil {
		return nil, err
	}
	held := &heldFile{f: f}
	defer held.close()
	meta := f.Metadata()
	c, err := model.ReadMetadata(meta, o.Ignore...)
	if err != nil {
		return nil, err
	}
	m := &Model{chat: meta.Text("tokenizer.chat_template", "")}
	m.vocab.copyFrom(meta)
	if text := meta.Text(hfTokenizer, ""); text != "" {
		m.tok, err = tokenizer.ParseJSON([]byte(text))
	} else {
		m.tok, err = tokenizer.FromGGUF(meta)
	}
	if err != nil {
		return nil, err
	}
	special := func(name string) int {
		if id := meta.Int("tokenizer.ggml."+name+"_token_id", -1); id >= 0 && id < int64(c.Vocab) {
			return int(id)
		}
		return -1
	}
	m.bos, m.eos = special("bos"), special("eos")
	for _, name := range []string{"eos", "eot", "eom"} {
		if id := special(name); id >= 0 {
			m.ends = append(m.ends, id)
		}
	}
	for _, name := range chatEnds {
		if id, ok := m.tok.ID(name); ok && m.tok.IsSpecial(id) {
			m.ends = append(m.ends, id)
		}
	}
	w := &ggufWeights{f: f, held: held, c: &c, o: o, read: map[string]bool{}}
	if err := w.prepare(); err != nil {
		return nil, err
	}
	m.facts = Info{Format: "GGUF", Name: meta.Text("general.name", ""), Types: map[string]int{}}
	for _, t := range f.Infos() {
		m.facts.Types[t.Type.String()]++
		m.facts.Parameters += elements(t.Shape)
		m.facts.Bytes += t.Size
	}
	if err := m.finish(c, w, o); err != nil || o.describe {
		return m, err
	}
	return m, w.unread()
}

func elements(shape []int) int64 {
	n := int64(1)
	for _, s := range shape {
		n *= int64(s)
	}
	return n
}

// ggufWeights are the tensors of a GGUF file by the names of checkpoints.
type ggufWeights struct {
	f    *gguf.File
	held *heldFile
	c    *model.Config
	o    LoadOptions
	read map[string]bool
}

const (
	ropeFactors = "rope_freqs.weight"
	hfTokenizer = "tokenizer.huggingface.json"
)

// prepare takes from the tensors what metadata does not say.
func (w *ggufWeights) prepare() error {
	_, head := w.f.Info("output.weight")
	w.c.Tied = !head
	if w.c.Family == "llama" || w.c.Family == "qwen3" {
		_, w.c.QKVBias = w.f.Info("blk.0.attn_q.bias")
		_, w.c.OutBias = w.f.Info("blk.0.attn_output.bias")
		_, w.c.MLPBias = w.f.Info("blk.0.ffn_up.bias")
	}
	if info, ok := w.f.Info(ropeFactors); ok {
		if !slices.Equal(info.Shape, []int{w.c.HeadDim / 2}) {
			return fault.New(fault.Format, op, "%s has the shape %v; want [%d]", ropeFactors, info.Shape, w.c.HeadDim/2)
		}
		list, err := w.f.Floats(ropeFactors)
		if err != nil {
			return err
		}
		for _, v := range list {
			if !(v > 0) {
				return fault.New(fault.Format, op, "%s holds %v; want positive numbers", ropeFactors, v)
			}
		}
		w.c.RoPE.Divisors = slices.Clone(list)
		w.read[ropeFactors] = true
	}
	return nil
}

// Has reports whether there is a tensor of that name.
func (w *ggufWeights) Has(name string) bool {
	_, ok := w.f.Info(w.c.GGUFName(name))
	return ok
}

// Tensor reads a weight.
func (w *ggufWeights) Tensor(name string, shape ...int) *lucid.Tensor {
	if stored, third := w.c.Fused(name); stored != "" {
		whole := append([]int{3 * shape[0]}, shape[1:]...)
		return placed(w.floats(stored, whole).Narrow(0, third*shape[0], shape[0]).Contiguous(), w.o)
	}
	t := w.floats(w.c.GGUFName(name), shape)
	if heads := w.c.Interleaved(name); heads > 0 {
		t = apart(t, heads)
	}
	return placed(t, w.o)
}

// Blocks returns a matrix as it is stored, if it is in blocks and that was asked for.
func (w *ggufWeights) Blocks(name string, shape ...int) (b model.Blocks, ok bool) {
	stored := w.c.GGUFName(name)
	info, there := w.f.Info(stored)
	if fused, _ := w.c.Fused(name); !w.o.Quantized || !there || fused != "" || !slices.Equal(info.Shape, shape) ||
		info.Type.BlockSize() == 1 || !info.Type.CanDequantize() {
		return b, false
	}
	data, err := w.f.Data(stored)
	if err != nil {
		fault.Rethrow(op, err)
	}
	w.read[stored] = true
	t := lucid.FromSlice(data, shape[0], len(data)/shape[0])
	switch heads := w.c.Interleaved(name); {
	case heads > 0:
		t = apart(t, heads) // a copy
	case w.f.Mapped(stored):
		w.held.show(t)
	default:
		t = t.Clone()
	}
	return model.Blocks{Data: t.Eval(), Type: info.Type, Fast: !w.o.Exact}, true
}

// floats reads a tensor by its name in the file.
func (w *ggufWeights) floats(stored string, shape []int) *lucid.Tensor {
	info, ok := w.f.Info(stored)
	if !ok {
		fault.Throw(fault.Format, op, "the file has no tensor %q", stored)
	}
	if !slices.Equal(info.Shape, shape) {
		fault.Throw(fault.Format, op, "%q has the shape %v; the metadata asks for %v", stored, info.Shape, shape)
	}
	list, err := w.f.Floats(stored)
	if err != nil {
		fault.Rethrow(op, err)
	}
	w.read[stored] = true
	return lucid.FromSlice(list, shape...) // of its own memory, whatever the type
}

// apart moves rows of each head that are stored next to each other to where their pairs are half a head away.
func apart(t *lucid.Tensor, heads int) *lucid.Tensor {
	shape := t.Shape()
	rest := slices.Concat([]int{heads, shape[0] / heads / 2, 2}, shape[1:])
	return t.Reshape(rest...).Transpose(1, 2).Contiguous().Reshape(shape...)
}

// together is the inverse of apart.
func together(t *lucid.Tensor, heads int) *lucid.Tensor {
	shape := t.Shape()
	rest := slices.Concat([]int{heads, 2, shape[0] / heads / 2}, shape[1:])
	return t.Reshape(rest...).Transpose(1, 2).Contiguous().Reshape(shape...)
}

// unread refuses tensors that the model has no use for.
func (w *ggufWeights) unread() error {
	for _, t := range w.f.Infos() {
		if !w.read[t.Name] {
			return fault.New(fault.NotImplemented, op, "the tensor %q is not part of a model of family %s", t.Name, w.c.Family)
		}
	}
	return nil
}
