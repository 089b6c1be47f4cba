// Package grammar describes texts and says which tokens may come next in one: JSON, a JSON schema, a regular expression or a grammar in
// llama.cpp's GBNF notation. It needs no other part of the project.
//
//	g, err := grammar.JSONSchema([]byte(`{"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}`))
//	m := g.Match(grammar.NewVocabulary(tokens))
//	allowed := m.Mask() // a bit a token
//	m.Accept(id)
//
// A grammar becomes an automaton with a stack, whose states are made when a text reaches them. The tokens that each state allows are
// found once, by a walk over a tree of all tokens.
package grammar

// op names the package in errors.
const op = "grammar"
