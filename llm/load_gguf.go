package llm

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec/gguf"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/llm/model"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// chatEnds are tokens that end a message of a chat. Files often name only one of them as the end of a text.
var chatEnds = []string{"<|eot_id|>", "<|eom_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>"}

// loadGGUF reads a model of a GGUF file, dequantised.
func loadGGUF(p location, o LoadOptions) (*Model, error) {
	f, err := p.gguf(o.Copied)
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
	if m.tok, err = ggufTokenizer(meta); err != nil {
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
	m.facts = ggufFacts(f)
	if err := m.finish(c, w, o); err != nil || o.describe {
		return m, err
	}
	return m, w.unread()
}

// ggufTokenizer is the one of Hugging Face if the file has it whole, or that of the vocabulary.
func ggufTokenizer(meta *gguf.Metadata) (*tokenizer.Tokenizer, error) {
	if text := meta.Text(hfTokenizer, ""); text != "" {
		return tokenizer.ParseJSON([]byte(text))
	}
	return tokenizer.FromGGUF(meta)
}

// ggufFacts describes a file.
func ggufFacts(f *gguf.File) Info {
	i := Info{Format: "GGUF", Name: f.Metadata().Text("general.name", ""), Types: map[string]int{}}
	arch := f.Metadata().Text("general.architecture", "")
	_, i.Embeds = f.Metadata().Get(arch + ".pooling_type")
	i.Embeds = i.Embeds || arch == "bert"
	for _, t := range f.Infos() {
		i.Types[t.Type.String()]++
		i.Parameters += elements(t.Shape)
		i.Bytes += t.Size
	}
	return i
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
	ropeShort   = "rope_factors_short.weight"
	ropeLong    = "rope_factors_long.weight"
	hfTokenizer = "tokenizer.huggingface.json"
)

// prepare takes from the tensors what metadata does not say.
func (w *ggufWeights) prepare() error {
	w.c.Inspect(w.Stored)
	if w.Stored(ropeFactors) {
		list, err := w.factors(ropeFactors)
		if err != nil {
			return err
		}
		w.c.RoPE.Divisors = list
	}
	if w.Stored(ropeShort) {
		short, err := w.factors(ropeShort)
		if err != nil {
			return err
		}
		long, err := w.factors(ropeLong)
		if err != nil {
			return err
		}
		w.c.SetRoPEFactors(short, long)
	}
	return nil
}

// factors reads divisors of the frequencies of rotary positions.
func (w *ggufWeights) factors(name string) ([]float32, error) {
	want := w.c.HeadDim / 2
	if w.c.RotaryDim > 0 {
		want = w.c.RotaryDim / 2
	}
	info, ok := w.f.Info(name)
	if !ok || !slices.Equal(info.Shape, []int{want}) {
		return nil, fault.New(fault.Format, op, "%s has the shape %v; want [%d]", name, info.Shape, want)
	}
	list, err := w.f.Floats(name)
	if err != nil {
		return nil, err
	}
	for _, v := range list {
		if !(v > 0) {
			return nil, fault.New(fault.Format, op, "%s holds %v; want positive numbers", name, v)
		}
	}
	w.read[name] = true
	return slices.Clone(list), nil
}

// Stored reports whether the file has a tensor of that name.
func (w *ggufWeights) Stored(name string) bool {
	_, ok := w.f.Info(name)
	return ok
}

// Has reports whether there is a tensor of that name.
func (w *ggufWeights) Has(name string) bool { return w.Stored(w.c.GGUFName(name)) }

// Tensor reads a weight.
func (w *ggufWeights) Tensor(name string, shape ...int) *lucid.Tensor {
	return placed(w.c.FromGGUF(w, name, shape...), w.o)
}

// staysStored reports whether rows of that type are multiplied as they are.
func staysStored(t ggml.Type) bool {
	return t.CanDequantize() && (t.BlockSize() > 1 || t == ggml.BF16 || t == ggml.F16)
}

// Blocks returns a matrix, or a stack of them, as it is stored, if it is in blocks or of a half type and that was asked for.
func (w *ggufWeights) Blocks(name string, shape ...int) (b model.Blocks, ok bool) {
	stored, from, of := w.c.Fused(name)
	if stored == "" || !w.Stored(stored) {
		stored, from, of = w.c.GGUFName(name), 0, shape[0]
	}
	info, there := w.f.Info(stored)
	if !w.o.Quantized || !there || !slices.Equal(info.Shape, slices.Concat([]int{of}, shape[1:])) ||
		!staysStored(info.Type) {
		return b, false
	}
	data, err := w.f.Data(stored)
	if err != nil {
		fault.Rethrow(op, err)
	}
	w.read[stored] = true
	part := len(data) / of
	data = data[from*part : (from+shape[0])*part]
	dims := append(slices.Clone(shape[:len(shape)-1]), len(data)/int(elements(shape[:len(shape)-1])))
	t := lucid.FromSlice(data, dims...)
	switch heads := w.c.Interleaved(name); {
	case heads > 0:
		t = model.Apart(t, heads) // a copy
	case w.held != nil && w.f.Mapped(stored):
		w.held.show(t)
	default: // of its own memory: the file is closed when the model is loaded
		t = lucid.New(data, dims...)
	}
	return model.Blocks{Data: t.Eval(), Type: info.Type, Fast: !w.o.Exact}, true
}

// Floats reads a tensor by its name in the file.
func (w *ggufWeights) Floats(stored string, shape ...int) *lucid.Tensor {
	info, ok := w.f.Info(stored)
	if !ok {
		fault.Throw(fault.Format, op, "the file has no tensor %q", stored)
	}
	same := slices.Equal(info.Shape, shape)
	if len(shape) == 2 && shape[0] == 1 { // a vector
		same = same || slices.Equal(info.Shape, shape[1:])
	}
	if !same {
		fault.Throw(fault.Format, op, "%q has the shape %v; the metadata asks for %v", stored, info.Shape, shape)
	}
	list, err := w.f.Floats(stored)
	if err != nil {
		fault.Rethrow(op, err)
	}
	w.read[stored] = true
	return lucid.FromSlice(list, shape...) // of its own memory, whatever the type
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
