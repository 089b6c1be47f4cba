package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid/llm/grammar"
)

// The piece of docs/packages/llm-grammar.md.
func Example_llmGrammar() {
	g, err := grammar.JSONSchema([]byte(`{
		"type": "object",
		"properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
		"required": ["name", "age"]
	}`))
	if err != nil {
		panic(err)
	}
	fmt.Println(g.Matches(`{"name": "Ada", "age": 36}`), g.Matches(`{"name": "Ada"}`))

	// Token by token: which may come next?
	tokens := [][]byte{[]byte(`{"`), []byte("name"), []byte("age"), []byte("nam")}
	m := g.Match(grammar.NewVocabulary(tokens))
	m.Accept(0)
	mask, err := m.Mask()
	fmt.Printf("%04b %v\n", mask[0], err)
	// Output:
	// true false
	// 1010 <nil>
}
