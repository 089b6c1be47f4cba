package llm

import (
	"strings"
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/model"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// vectorNet gives a vector for each token: an encoder, or a decoder without its head.
type vectorNet interface {
	Config() model.Config
	Placement() lucid.With
}

// Embedder is an encoder with its tokenizer, or a decoder that was trained to embed: it gives a vector for each text, such that texts of
// like meaning have vectors of like direction. Its methods are safe for concurrent use.
type Embedder struct {
	net   vectorNet
	tok   *tokenizer.Tokenizer
	vocab vocabulary
	files embedderFiles
	facts Info
	run   func(ids, positions, lengths *lucid.Tensor, pooling string, unit bool) *lucid.Tensor
	mu    sync.Mutex // the compiled function runs for one batch at a time
}

// LoadEmbedder reads the encoder at path: a folder with config.json, .safetensors files (or pytorch_model.bin) and tokenizer.json as
// Hugging Face has them, or a .gguf file. What sentence-transformers writes next to a model (modules.json and the folders it names)
// says how vectors of tokens become one.
func LoadEmbedder(path string, opts ...LoadOptions) (*Embedder, error) {
	return loading("llm.LoadEmbedder", location{path: path}, opts, loadEmbedder)
}

func loadEmbedder(p location, o LoadOptions) (*Embedder, error) {
	folder, err := p.kind()
	switch {
	case err != nil:
		return nil, err
	case folder:
		return embedderFolder(p, o)
	}
	return embedderGGUF(p, o)
}

// embedderFolder reads an encoder as Hugging Face's libraries save it.
func embedderFolder(dir location, o LoadOptions) (*Embedder, error) {
	c, _, err := readConfig(dir, o)
	if err != nil {
		return nil, err
	}
	e := &Embedder{}
	if e.files, err = readModules(dir); err != nil {
		return nil, err
	}
	if e.tok, err = dir.tokenizer(); err != nil {
		return nil, err
	}
	if e.vocab, err = folderVocabulary(dir); err != nil {
		return nil, err
	}
	w, err := openWeights(dir, o)
	if err != nil {
		return nil, err
	}
	defer w.close()
	if !c.Tied && !w.Has("lm_head.weight") {
		c.Tied = true // nothing asks for the head
	}
	e.facts = Info{Format: w.format, Name: dir.base(), Types: w.types(), Parameters: w.elements(), Bytes: w.bytes}
	if err := e.finish(c, w); err != nil {
		return nil, err
	}
	return e, w.unread(c.Family, func(name string) bool {
		return c.Encoder && model.UnusedByEncoder(name) || c.Tied && name == "lm_head.weight"
	})
}

// embedderGGUF reads an encoder of a GGUF file.
func embedderGGUF(p location, o LoadOptions) (*Embedder, error) {
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
	e := &Embedder{}
	if e.files, err = readPooling(meta, c.Family); err != nil {
		return nil, err
	}
	if e.tok, err = ggufTokenizer(meta); err != nil {
		return nil, err
	}
	e.vocab.copyFrom(meta)
	e.facts = ggufFacts(f)
	w := &ggufWeights{f: f, held: held, c: &c, o: o, read: map[string]bool{}}
	if _, there := f.Info("token_types.weight"); !there {
		c.TokenTypes = 0
	}
	if !c.Encoder {
		if err := w.prepare(); err != nil {
			return nil, err
		}
	}
	if err := e.finish(c, w); err != nil {
		return nil, err
	}
	return e, w.unread()
}

// finish checks that the files fit each other, builds the modules and compiles the evaluation.
func (e *Embedder) finish(c model.Config, w model.Source) (err error) {
	switch n := e.tok.Size(); {
	case !c.Encoder && !e.files.pooled:
		return fault.New(fault.NotImplemented, op, "a model of family %s generates text, and its files do not say how it embeds; "+
			"llm.Load reads it", c.Family)
	case n > c.Vocab:
		return fault.New(fault.Format, op, "the tokenizer has %d tokens, the model %d", n, c.Vocab)
	case e.files.limit > c.Context:
		return fault.New(fault.Format, op, "max_seq_length is %d; the model has %d positions", e.files.limit, c.Context)
	case e.files.limit == 0:
		e.files.limit = c.Context
	}
	e.facts.Tokens, e.facts.Config = e.tok.Size(), c
	lucid.NoGrad(func() {
		if c.Encoder {
			e.net, err = model.BuildEncoder(c, w)
		} else {
			e.net, err = model.Build(c, headless(w))
		}
	})
	if err != nil {
		return err
	}
	e.run = lucid.Compile(e.pooled, lucid.CompileOptions{Name: "llm.embed", MaxCache: maxTraces})
	return nil
}

// bareSource shows a decoder that was saved without its head, whose names then have no prefix.
type bareSource struct{ model.Source }

// Has reports whether there is a tensor of that name.
func (w bareSource) Has(name string) bool { return w.Source.Has(strings.TrimPrefix(name, "model.")) }

// Tensor reads a weight.
func (w bareSource) Tensor(name string, shape ...int) *lucid.Tensor {
	return w.Source.Tensor(strings.TrimPrefix(name, "model."), shape...)
}

func headless(w model.Source) model.Source {
	if f, ok := w.(*folderWeights); ok && !f.Has("model.embed_tokens.weight") && f.Has("embed_tokens.weight") {
		return bareSource{w}
	}
	return w
}

// Tokenizer returns the embedder's tokenizer.
func (e *Embedder) Tokenizer() *tokenizer.Tokenizer { return e.tok }

// Module returns the network of an encoder; nil for a decoder.
func (e *Embedder) Module() *model.Encoder {
	m, _ := e.net.(*model.Encoder)
	return m
}

// Config returns what the network is made of.
func (e *Embedder) Config() model.Config { return e.net.Config() }

// Size is the number of elements of a vector.
func (e *Embedder) Size() int { return e.net.Config().Hidden }

// MaxTokens is the most tokens of a text, those included that the tokenizer puts before and after it: what the files ask for, or the
// positions of the model.
func (e *Embedder) MaxTokens() int { return e.files.limit }
