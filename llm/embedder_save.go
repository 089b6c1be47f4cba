package llm

import (
	"strings"

	"github.com/lucid-go/lucid/internal/codec/gguf"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/model"
	"github.com/lucid-go/lucid/nn"
)

// Info returns what the files said when the embedder was loaded.
func (e *Embedder) Info() Info { return (&Model{facts: e.facts}).Info() }

// poolingTypes are the numbers that GGUF files have.
var poolingTypes = map[string]uint32{"mean": 1, "cls": 2, "last": 3}

// Save writes the embedder as one GGUF file with its tokenizer and pooling. The format does not say whether vectors have length 1,
// nor the most tokens that were trained: of a file, they have, and texts may have as many tokens as there are positions.
func (e *Embedder) Save(path string, o SaveOptions) (err error) {
	caught := fault.Catch(func() {
		r := o.check(path)
		c := e.net.Config()
		number, ok := poolingTypes[e.files.pooling]
		switch {
		case c.Family != "bert":
			fault.Throw(fault.NotImplemented, op, "saving as GGUF: the format has no encoders of family %s; llm.Convert writes decoders",
				c.Family)
		case !ok:
			fault.Throw(fault.NotImplemented, op, "saving as GGUF: the format has no pooling %q", e.files.pooling)
		case e.vocab.why != "":
			fault.Throw(fault.NotImplemented, op, "saving as GGUF: %s", e.vocab.why)
		}
		meta := &gguf.Metadata{}
		for _, key := range e.vocab.meta.Keys() {
			v, _ := e.vocab.meta.Get(key)
			meta.Set(key, v)
		}
		meta.Set("tokenizer.ggml.token_type_count", gguf.OfUint32(uint32(c.TokenTypes)))
		arch := model.WriteMetadata(meta, &c)
		meta.Set("general.type", gguf.OfText("model"))
		if e.facts.Name != "" {
			meta.Set("general.name", gguf.OfText(e.facts.Name))
		}
		meta.Set("general.file_type", gguf.OfUint32(r.number))
		meta.Set("general.quantization_version", gguf.OfUint32(2))
		meta.Set(arch+".vocab_size", gguf.OfUint32(uint32(c.Vocab)))
		meta.Set(arch+".attention.causal", gguf.OfBool(false))
		meta.Set(arch+".pooling_type", gguf.OfUint32(number))
		var list []gguf.Tensor
		all := nn.StateDict(e.Module())
		r.layers = c.Layers
		for name, t := range all.All() {
			o.tick(len(list)+1, all.Len())
			refuseBlocks(t)
			list = append(list, block(c.GGUFName(name), t, r))
		}
		err = gguf.Write(path, meta, list)
	})
	if caught != nil {
		return caught
	}
	return err
}

// wordPieceVocabulary adds the tokens of a WordPiece vocabulary as GGUF files have them: ▁ before those that begin a word, and nothing
// before the others.
func (v *vocabulary) wordPieceVocabulary(tokens []string, kinds []int64, unknown string) {
	ids := map[string]uint32{}
	for i, t := range tokens {
		ids[t] = uint32(i)
		switch rest, inside := strings.CutPrefix(t, "##"); {
		case kinds[i] != 1:
		case inside:
			tokens[i] = rest
		default:
			tokens[i] = "▁" + t
		}
	}
	v.meta.Set("tokenizer.ggml.model", gguf.OfText("bert"))
	v.meta.Set("tokenizer.ggml.tokens", gguf.OfTexts(tokens))
	v.meta.Set("tokenizer.ggml.token_type", gguf.OfInts(gguf.Int32, kinds))
	for _, t := range [][2]string{{"unknown", unknown}, {"cls", "[CLS]"}, {"bos", "[CLS]"}, {"seperator", "[SEP]"}, {"eos", "[SEP]"},
		{"padding", "[PAD]"}, {"mask", "[MASK]"}} { // as the format spells them, and in one order: a file is the same each time
		if id, ok := ids[t[1]]; ok {
			v.meta.Set("tokenizer.ggml."+t[0]+"_token_id", gguf.OfUint32(id))
		}
	}
}
