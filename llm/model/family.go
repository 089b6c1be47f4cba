package model

import (
	"slices"
	"strings"
)

// family is how files describe one kind of model. hf and gguf read what differs from other families, after the rest was read.
type family struct {
	name    string   // in config.json (model_type)
	arch    string   // in GGUF files; "": the same
	classes []string // architectures of config.json
	hf      func(k *keys, c *Config)
	gguf    func(k *metadata, c *Config)           // nil: GGUF files have no such family
	write   func(k *writer, c *Config)             // what gguf reads; nil: nothing
	weights func(c *Config, weights Source) Source // shows a checkpoint whose names or forms differ from the modules'; nil: none does

	interleave bool // GGUF files store rows of queries and keys so that rotating pairs are neighbours
	partial    bool // a part of each head may rotate
	fused      bool // GGUF files have queries, keys and values as one matrix
}

var families []*family

func findFamily(match func(*family) bool) *family {
	if i := slices.IndexFunc(families, match); i >= 0 {
		return families[i]
	}
	return nil
}

func familyNamed(name string) *family {
	return findFamily(func(f *family) bool { return f.name == name })
}

// archName is the name of the family in GGUF files.
func (f *family) archName() string {
	if f.arch != "" {
		return f.arch
	}
	return f.name
}

// Renamed reports whether checkpoints of the family have other names, or other forms, of weights than the modules: Hugging Face's
// libraries cannot read what is saved by the names of the modules.
func (c *Config) Renamed() bool {
	f := familyNamed(c.Family)
	return f != nil && f.weights != nil
}

// Families lists the supported families by the names that config.json has for them.
func Families() (names []string) {
	for _, f := range families {
		names = append(names, f.name)
	}
	slices.Sort(names)
	return names
}

func unknownFamily(what, name string, known []string) {
	unsupported("%s %q is not supported; want one of: %s", what, name, strings.Join(known, ", "))
}

// architectures lists the families by the names of GGUF files.
func architectures() (names []string) {
	for _, f := range families {
		if f.gguf != nil {
			names = append(names, f.archName())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
