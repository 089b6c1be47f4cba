package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/llm/model"
)

// readConfig reads what a folder says of its model, as it is written too.
func readConfig(dir location, o LoadOptions) (c model.Config, text []byte, err error) {
	if text, err = dir.in("config.json").read(maxJSON); errors.Is(err, fs.ErrNotExist) {
		return c, nil, fmt.Errorf("%w; a model is a .gguf file, or a folder with config.json, weights and tokenizer", err)
	} else if err != nil {
		return c, nil, err
	}
	if err = refuseTranscriber(dir); err != nil {
		return c, nil, err
	}
	c, err = model.ParseConfig(text, o.Ignore...)
	return c, text, err
}

// loadFolder reads a model as Hugging Face's libraries save it.
func loadFolder(dir location, o LoadOptions) (*Model, error) {
	c, data, err := readConfig(dir, o)
	if err != nil {
		return nil, err
	}
	m := &Model{}
	if m.tok, err = dir.tokenizer(); err != nil {
		return nil, err
	}
	m.bos, m.eos = m.tok.BOS(), m.tok.EOS()
	if err := m.readFolder(dir, data); err != nil {
		return nil, err
	}
	w, err := openWeights(dir, o)
	if err != nil {
		return nil, err
	}
	defer w.close()
	if !c.Tied && !c.Encoder && !w.Has("lm_head.weight") && !w.Has("embed_out.weight") {
		return nil, fault.New(fault.Format, op, "the files have no lm_head.weight, and config.json does not tie it to the embeddings")
	}
	m.facts = Info{Format: w.format, Name: dir.base(), Types: w.types(), Parameters: w.elements(), Bytes: w.bytes}
	if o.describe {
		pooling, err := readModules(dir)
		m.facts.Embeds = c.Encoder || err == nil && pooling.pooled
	}
	if err := m.finish(c, w, o); err != nil || o.describe {
		return m, err
	}
	return m, w.unread(c.Family, func(name string) bool {
		return computed(name) || c.Extra(name) || c.Tied && name == "lm_head.weight"
	})
}

// readFolder reads the chat template and the ids that end a text.
func (m *Model) readFolder(dir location, config []byte) error {
	var ends struct {
		EOS json.RawMessage `json:"eos_token_id"`
	}
	if err := dir.in("generation_config.json").readJSON(&ends); err != nil {
		return err
	}
	if len(ends.EOS) == 0 || string(ends.EOS) == "null" {
		if err := json.Unmarshal(config, &ends); err != nil {
			return fault.New(fault.Format, op, "config.json: %v", err)
		}
	}
	switch text := string(ends.EOS); {
	case text == "" || text == "null":
	case strings.HasPrefix(text, "["):
		if json.Unmarshal(ends.EOS, &m.ends) != nil {
			return fault.New(fault.Format, op, "eos_token_id is %.100s; want whole numbers", text)
		}
	default:
		m.ends = []int{0}
		if json.Unmarshal(ends.EOS, &m.ends[0]) != nil {
			return fault.New(fault.Format, op, "eos_token_id is %.100s; want a whole number", text)
		}
	}
	if id := m.tok.EOS(); id >= 0 {
		m.ends = append(m.ends, id)
	}
	var err error
	if m.chat, err = readTemplate(dir); err != nil {
		return err
	}
	m.vocab, err = folderVocabulary(dir)
	return err
}

// readTemplate finds the chat template: in a file of its own, or in tokenizer_config.json, where it may be a list by name.
func readTemplate(dir location) (string, error) {
	if data, err := dir.in("chat_template.jinja").read(maxJSON); err == nil {
		return string(data), nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	var config struct {
		Template json.RawMessage `json:"chat_template"`
	}
	if err := dir.in("tokenizer_config.json").readJSON(&config); err != nil {
		return "", err
	}
	var text string
	var list []struct{ Name, Template string }
	switch {
	case len(config.Template) == 0 || string(config.Template) == "null":
	case json.Unmarshal(config.Template, &text) == nil:
	case json.Unmarshal(config.Template, &list) == nil:
		for _, t := range list {
			if t.Name == "default" {
				text = t.Template
			}
		}
	default:
		return "", fault.New(fault.Format, op, "tokenizer_config.json: chat_template is neither a text nor a list of them")
	}
	return text, nil
}

// folderWeights are the tensors of one or more files.
type folderWeights struct {
	files []*lucid.File
	where map[string]*lucid.File
	read  map[string]bool
	bytes int64
	o     LoadOptions

	format string
}

func openWeights(dir location, o LoadOptions) (*folderWeights, error) {
	files, err := weightFiles(dir)
	if err != nil {
		return nil, err
	}
	w := &folderWeights{where: map[string]*lucid.File{}, read: map[string]bool{}, o: o, format: "safetensors"}
	if strings.HasSuffix(files[0].path, ".bin") {
		w.format = "PyTorch"
	}
	for _, p := range files {
		f, err := p.weights()
		if err != nil {
			w.close()
			return nil, err
		}
		w.files = append(w.files, f)
		for _, name := range f.Names() {
			if w.where[name] != nil {
				w.close()
				return nil, fault.New(fault.Format, op, "the tensor %q is in two files", name)
			}
			w.where[name] = f
		}
	}
	return w, nil
}

// weightFiles finds the files with weights: .safetensors ones, or else those of PyTorch.
func weightFiles(dir location) ([]location, error) {
	index := dir.in("model.safetensors.index.json")
	if _, err := index.stat(); err == nil {
		return []location{index}, nil
	}
	files, err := dir.ending(".safetensors")
	if err != nil || len(files) > 0 {
		return files, err
	}
	var shards struct {
		Map map[string]string `json:"weight_map"`
	}
	if err := dir.in("pytorch_model.bin.index.json").readJSON(&shards); err != nil {
		return nil, err
	}
	for _, name := range slices.Compact(slices.Sorted(maps.Values(shards.Map))) {
		if name != filepath.Base(name) || !strings.HasSuffix(name, ".bin") {
			return nil, fault.New(fault.Format, op, "pytorch_model.bin.index.json names the file %.64q; want a name that ends with .bin",
				name)
		}
		files = append(files, dir.in(name))
	}
	if whole := dir.in("pytorch_model.bin"); len(files) == 0 {
		if _, err := whole.stat(); err != nil {
			return nil, fault.New(fault.Format, op, "the folder has no .safetensors file and no pytorch_model.bin; "+
				"other formats of weights are not read")
		}
		files = []location{whole}
	}
	return files, nil
}

func (w *folderWeights) close() {
	for _, f := range w.files {
		f.Close() // read only: nothing can be lost
	}
}

// Has reports whether there is a tensor of that name.
func (w *folderWeights) Has(name string) bool { return w.where[name] != nil }

// Tensor reads a weight.
func (w *folderWeights) Tensor(name string, shape ...int) *lucid.Tensor {
	f := w.where[name]
	if f == nil {
		fault.Throw(fault.Format, op, "the files have no tensor %q", name)
	}
	if _, got, _ := f.Info(name); !slices.Equal(got, shape) {
		fault.Throw(fault.Format, op, "%q has the shape %v; config.json asks for %v", name, got, shape)
	}
	t, err := f.Tensor(name)
	if err != nil {
		fault.Rethrow(op, err)
	}
	w.read[name] = true
	return placed(t, w.o)
}

// Blocks returns a matrix of a half type as its bytes, if that was asked for.
func (w *folderWeights) Blocks(name string, shape ...int) (b model.Blocks, ok bool) {
	f := w.where[name]
	if f == nil || !w.o.Quantized || len(shape) != 2 {
		return b, false
	}
	d, got, _ := f.Info(name)
	if d != lucid.BFloat16 && d != lucid.Float16 || !slices.Equal(got, shape) {
		return b, false
	}
	t, err := f.Tensor(name)
	if err != nil {
		fault.Rethrow(op, err)
	}
	w.read[name] = true
	kind := ggml.BF16
	if d == lucid.Float16 {
		kind = ggml.F16
	}
	return model.Blocks{Data: t.Contiguous().ViewDType(lucid.Uint8).Eval(), Type: kind, Fast: !w.o.Exact}, true
}

// Bytes reads a tensor of bytes.
func (w *folderWeights) Bytes(name string, shape ...int) []byte {
	f := w.where[name]
	if f == nil {
		fault.Throw(fault.Format, op, "the files have no tensor %q", name)
	}
	if d, got, _ := f.Info(name); d != lucid.Uint8 || !slices.Equal(got, shape) {
		fault.Throw(fault.Format, op, "%q is %v of shape %v; config.json asks for bytes of %v", name, d, got, shape)
	}
	t, err := f.Tensor(name)
	if err != nil {
		fault.Rethrow(op, err)
	}
	w.read[name] = true
	return lucid.ToSlice[uint8](t)
}

// Converted gives a weight the dtype and device that were asked for.
func (w *folderWeights) Converted(t *lucid.Tensor) *lucid.Tensor { return placed(t, w.o) }

// Exact reports whether activations are float32, as products with blocks want them.
func (w *folderWeights) Exact() bool {
	return w.o.DType == lucid.Float32 && (w.o.Device == lucid.Device{} || w.o.Device == lucid.CPU) && lucid.DefaultDevice() == lucid.CPU
}

// unread refuses tensors that the model has no use for: they show that it is of another kind. known tells those that are no such sign.
func (w *folderWeights) unread(family string, known func(name string) bool) error {
	for _, name := range slices.Sorted(maps.Keys(w.where)) {
		if !w.read[name] && !known(name) {
			return fault.New(fault.NotImplemented, op, "the tensor %q is not part of a model of family %s", name, family)
		}
	}
	return nil
}

// computed reports whether a tensor is a table that programs compute, as old files have them.
func computed(name string) bool {
	ends := []string{"rotary_emb.inv_freq", ".attn.bias", ".attn.masked_bias", ".attention.bias", ".attention.masked_bias"}
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) })
}

func (w *folderWeights) types() map[string]int {
	n := map[string]int{}
	for name, f := range w.where {
		d, _, _ := f.Info(name)
		n[d.String()]++
	}
	return n
}

func (w *folderWeights) elements() (n int64) {
	for name, f := range w.where {
		d, shape, _ := f.Info(name)
		size := int64(1)
		for _, s := range shape {
			size *= int64(s)
		}
		n += size
		w.bytes += size * int64(d.Size())
	}
	return n
}
