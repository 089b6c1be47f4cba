// Package tiny holds a small language model in the program itself: five layers, a million weights of eight bits, a token for each byte.
// It has read Newton's Opticks, and nothing else, so its English is of 1704 and its sense is small. It is for first tries, tests and
// examples: all that llm does with a model, it does with this one.
//
//	m, err := tiny.Model()
//	for token, err := range m.Generate(ctx, "The Rays of Light ", llm.Options{MaxTokens: 80}) { … }
//
// scripts/tiny_model made it from the book, which is in package data/sets.
package tiny

import (
	"embed"

	"github.com/lucid-go/lucid/llm"
)

//go:generate go run ../../scripts/tiny_model -out opticks.gguf

// FS is a file system in the program with the model as the file Path.
//
//go:embed opticks.gguf
var FS embed.FS

// Path is the path of the model in FS.
const Path = "opticks.gguf"

// Name is what the command lucid calls the model where it takes a path.
const Name = "tiny"

// Model returns the model, each time a new one. Without options its matrices stay as they are: quantized.
func Model(opts ...llm.LoadOptions) (*llm.Model, error) {
	o := llm.LoadOptions{Quantized: true}
	if len(opts) > 0 {
		o = opts[0]
	}
	o.FS = FS
	return llm.Load(Path, o)
}
