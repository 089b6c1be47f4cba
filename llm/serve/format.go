package serve

import (
	"encoding/json"
	"sync"

	"github.com/lucid-go/lucid/llm/grammar"
)

const (
	maxGrammar  = 1 << 16 // bytes of a grammar or a schema
	maxGrammars = 64      // stored
)

// grammars stores the last ones: their states are found once.
type grammars struct {
	mu   sync.Mutex
	list map[string]*grammar.Grammar
}

var compiled = &grammars{list: map[string]*grammar.Grammar{}}

// get returns a grammar, made by f if it is not there. Which one makes room for another does not matter.
func (g *grammars) get(key string, f func() (*grammar.Grammar, error)) (*grammar.Grammar, error) {
	g.mu.Lock()
	old := g.list[key]
	g.mu.Unlock()
	if old != nil {
		return old, nil
	}
	made, err := f()
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for other := range g.list {
		if len(g.list) < maxGrammars {
			break
		}
		delete(g.list, other)
	}
	g.list[key] = made
	return made, nil
}

// setFormat reads response_format.
func setFormat(q *request, raw json.RawMessage) *failure {
	m, bad := objectOf("response_format", raw, "type", "json_schema")
	if bad != nil {
		return bad
	}
	kind := ""
	if len(m["type"]) > 0 {
		if kind, bad = textOf("response_format.type", m["type"], maxName); bad != nil {
			return bad
		}
	}
	schema := m["json_schema"]
	switch {
	case kind != "json_schema" && len(schema) > 0:
		return wrong("response_format.json_schema", "with the type %.40q; want json_schema", kind)
	case kind == "text":
		return nil
	case kind == "json_object":
		return q.restrict("response_format", grammar.JSONObject())
	case kind != "json_schema":
		return wrong("response_format.type", "%.40q; want text, json_object or json_schema", kind)
	case len(schema) == 0:
		return wrong("response_format.json_schema", "is missing")
	}
	s, bad := objectOf("response_format.json_schema", schema, "name", "description", "schema", "strict")
	if bad != nil {
		return bad
	}
	text := s["schema"]
	if len(text) == 0 || len(text) > maxGrammar {
		return wrong("response_format.json_schema.schema", "%d bytes; want a schema of at most %d", len(text), maxGrammar)
	}
	g, err := compiled.get("schema "+string(text), func() (*grammar.Grammar, error) { return grammar.JSONSchema(text) })
	if err != nil {
		return wrong("response_format.json_schema.schema", "%v", err)
	}
	return q.restrict("response_format", g)
}

// setGrammar reads a grammar in llama.cpp's notation.
func setGrammar(q *request, raw json.RawMessage) *failure {
	text, bad := textOf("grammar", raw, maxGrammar)
	if bad != nil {
		return bad
	}
	g, err := compiled.get("gbnf "+text, func() (*grammar.Grammar, error) { return grammar.GBNF(text) })
	if err != nil {
		return wrong("grammar", "%v", err)
	}
	return q.restrict("grammar", g)
}

// restrict sets the grammar of the answer, of which there can be one.
func (q *request) restrict(name string, g *grammar.Grammar) *failure {
	if q.o.Grammar != nil {
		return wrong(name, "grammar together with response_format; want one of them")
	}
	q.o.Grammar = g
	return nil
}
