package llm

import (
	"io/fs"
	"slices"
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/grammar"
	"github.com/lucid-go/lucid/llm/model"
	"github.com/lucid-go/lucid/llm/template"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// op names the package in errors.
const op = "llm"

// LoadOptions say how a model is loaded. The zero value puts float32 weights on the default device.
type LoadOptions struct {
	DType  lucid.DType  // of weights, activations and caches: Float32 (the default), BFloat16 or Float16
	Device lucid.Device // the default device if zero
	// Ignore are keys of config.json, or of a GGUF file with their prefix, that are not known and may be passed over.
	Ignore []string

	// Quantized leaves matrices as they are stored. Those in a block format of a GGUF file take a quarter of the memory or less;
	// products round activations to int8, 32 elements with one scale, which is fast, and as accurate as llama.cpp. Those of bfloat16 and
	// float16, also of a folder, take half; products with bfloat16 round activations to it where the CPU has AVX512_BF16, others take them
	// as they are. Activations are float32, and on the CPU.
	Quantized bool
	// Copied reads those matrices into memory. Without it they are pages of the file, which is mapped: loading takes no time, and a
	// program that cuts the file short meanwhile ends this one.
	Copied bool
	// Exact makes products of Quantized matrices those of float32 activations, which is slower: the logits are those of the
	// dequantised model but for the order of sums.
	Exact bool

	// FS is where the path is looked up, such as an embed.FS with a model in the program itself; nil: files of the machine. Its files are
	// read, not mapped.
	FS fs.FS

	describe bool // leave the weights in the file
}

// Model is a language model with its tokenizer. Its methods are safe for concurrent use; each generation has a cache of its own.
type Model struct {
	net        *model.Model
	tok        *tokenizer.Tokenizer
	vocab      vocabulary
	chat       string // template, "" if the files have none
	ends       []int  // ids that end a text, ascending
	bos        int    // what templates call bos_token and eos_token; -1: none
	eos        int
	facts      Info
	step       func(ids, start, last *lucid.Tensor, caches [][]*lucid.Tensor) *lucid.Tensor
	best       func(logits *lucid.Tensor) *lucid.Tensor
	bestFew    []func(logits *lucid.Tensor) *lucid.Tensor // by candidateSizes
	stepPaged  func(groups []model.Paged, positions, slots, last *lucid.Tensor, pool []*lucid.Tensor) *lucid.Tensor
	copyPage   func(pool []*lucid.Tensor, from, to *lucid.Tensor) *lucid.Tensor
	tree       *grammar.Vocabulary // see vocabularyTree
	treeOnce   sync.Once
	parseOnce  sync.Once
	parsed     *template.Template // of chat
	parseErr   error
	toolOnce   sync.Once
	toolForm   toolKind // how the template writes calls
	toolErr    error
	bytesOnce  sync.Once
	tokenBytes [2]int64   // of keys and values of a token: in the dtype of the model, and as int8
	mu         sync.Mutex // compiled steps of several generations run one at a time
}

// Load reads the model at path: a .gguf file (the first of a split one), or a folder with config.json, .safetensors files (or
// pytorch_model.bin, or what pytorch_model.bin.index.json names), tokenizer.json (or tokenizer.model), tokenizer_config.json and
// generation_config.json as Hugging Face has them.
func Load(path string, opts ...LoadOptions) (*Model, error) {
	return open(location{path: path}, opts, false)
}

// LoadBytes reads a model from a GGUF file in memory, whose bytes must stay as they are while the model is in use. The name stands in
// errors.
func LoadBytes(name string, data []byte, opts ...LoadOptions) (*Model, error) {
	return open(location{path: name, memory: true, data: data[:len(data):len(data)]}, opts, false)
}

func open(p location, opts []LoadOptions, describe bool) (*Model, error) {
	return loading("llm.Load", p, opts, func(p location, o LoadOptions) (*Model, error) {
		o.describe = describe
		return load(p, o)
	})
}

// loading is read with the options of the function called name, checked. Errors name the path.
func loading[T any](name string, p location, opts []LoadOptions, read func(location, LoadOptions) (*T, error)) (t *T, err error) {
	caught := fault.Catch(func() {
		o := door.Option(name, opts)
		o.check()
		t, err = read(p.of(o), o)
	})
	if caught != nil {
		err = caught
	}
	if err != nil {
		return nil, codec.InFile(err, p.path)
	}
	return t, nil
}

// check fills in defaults and refuses what cannot be.
func (o *LoadOptions) check() {
	if o.DType == 0 {
		o.DType = lucid.Float32
	}
	if !slices.Contains([]lucid.DType{lucid.Float32, lucid.BFloat16, lucid.Float16}, o.DType) {
		fault.Throw(fault.DType, op, "weights of %v; want float32, bfloat16 or float16", o.DType)
	}
	if o.Quantized && (o.DType != lucid.Float32 || o.Device != (lucid.Device{}) && o.Device != lucid.CPU) {
		fault.Throw(fault.NotImplemented, op, "Quantized with %v on %v; want float32 on the CPU", o.DType, o.Device)
	}
}

func load(p location, o LoadOptions) (*Model, error) {
	folder, err := p.kind()
	switch {
	case err != nil:
		return nil, err
	case folder:
		return loadFolder(p, o)
	}
	return loadGGUF(p, o)
}

// finish checks that the files fit each other, builds the modules and compiles the step.
func (m *Model) finish(c model.Config, w model.Source, o LoadOptions) (err error) {
	m.facts.Tokens, m.facts.Chat, m.facts.Config = m.tok.Size(), m.chat != "", c
	slices.Sort(m.ends)
	m.ends = slices.Compact(m.ends)
	if n := m.tok.Size(); n > c.Vocab {
		return fault.New(fault.Format, op, "the tokenizer has %d tokens, the model %d", n, c.Vocab)
	}
	for _, id := range m.ends {
		if id < 0 || id >= c.Vocab {
			return fault.New(fault.Format, op, "the end token %d is outside the vocabulary of %d", id, c.Vocab)
		}
	}
	if o.describe {
		return nil
	}
	if c.Encoder {
		return fault.New(fault.NotImplemented, op, "a model of family %s embeds texts and does not generate; llm.LoadEmbedder reads it",
			c.Family)
	}
	lucid.NoGrad(func() { m.net, err = model.Build(c, w) })
	if err != nil {
		return err
	}
	m.step = lucid.Compile(m.net.Step, lucid.CompileOptions{Name: "llm.step", MaxCache: maxTraces})
	m.best = lucid.Compile(best, lucid.CompileOptions{Name: "llm.best"})
	for _, n := range candidateSizes {
		m.bestFew = append(m.bestFew, lucid.Compile(bestFew(n), lucid.CompileOptions{Name: "llm.best"}))
	}
	m.stepPaged = lucid.Compile(m.net.StepPaged, lucid.CompileOptions{Name: "llm.paged", MaxCache: maxTraces})
	m.copyPage = lucid.Compile(model.CopyPage, lucid.CompileOptions{Name: "llm.copy"})
	return nil
}

// Tokenizer returns the model's tokenizer.
func (m *Model) Tokenizer() *tokenizer.Tokenizer { return m.tok }

// Module returns the network, for tuning and for looking inside.
func (m *Model) Module() *model.Model { return m.net }

// Config returns what the network is made of.
func (m *Model) Config() model.Config { return m.net.Config() }

// Forward takes ids, integers of (B, T), to logits of (B, T, vocabulary).
func (m *Model) Forward(ids *lucid.Tensor) *lucid.Tensor { return m.net.Forward(ids) }

// placed gives a weight the dtype and device that were asked for.
func placed(t *lucid.Tensor, o LoadOptions) *lucid.Tensor {
	if t.DType() != o.DType {
		if !t.DType().IsFloat() {
			fault.Throw(fault.DType, op, "a weight is stored as %v; want a floating dtype", t.DType())
		}
		t = t.To(o.DType)
	}
	to := o.Device
	if to == (lucid.Device{}) {
		to = lucid.DefaultDevice()
	}
	if t.Device() != to {
		t = t.To(to)
	}
	return t.Eval()
}
