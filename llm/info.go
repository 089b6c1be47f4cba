package llm

import "maps"

// Info is what the files of a model say.
type Info struct {
	Format     string         // GGUF or safetensors
	Name       string         // as the file has it
	Types      map[string]int // how many tensors are stored in each type
	Parameters int64
	Bytes      int64 // of the tensors in the files
}

// Info returns what the files said when the model was loaded.
func (m *Model) Info() Info {
	i := m.facts
	i.Types = maps.Clone(i.Types)
	return i
}
