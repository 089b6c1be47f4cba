package llm

import (
	"maps"

	"github.com/lucid-go/lucid/llm/model"
	"github.com/lucid-go/lucid/nn"
)

// Info is what the files of a model say.
type Info struct {
	Format     string         // GGUF, safetensors or PyTorch
	Name       string         // as the file has it
	Types      map[string]int // how many tensors are stored in each type
	Parameters int64
	Bytes      int64 // of the tensors in the files
	Tokens     int   // of the tokenizer
	Chat       bool  // there is a chat template
	Embeds     bool  // LoadEmbedder reads it: an encoder, or a decoder whose files say how it embeds
	Config     model.Config
}

// Info returns what the files said when the model was loaded.
func (m *Model) Info() Info {
	i := m.facts
	i.Types = maps.Clone(i.Types)
	return i
}

// Bytes is the memory of the weights.
func (m *Model) Bytes() (n int64) {
	for _, t := range nn.StateDict(m.net).All() {
		n += int64(t.NBytes())
		t.Free() // the handle: the weight stays
	}
	return n
}

// Describe reads what the files of a model say, and none of its weights.
func Describe(path string, opts ...LoadOptions) (Info, error) {
	m, err := open(location{path: path}, opts, true)
	if err != nil {
		return Info{}, err
	}
	return m.Info(), nil
}
