package grammar

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/fault"
)

// Function is a function that a model may call: its name and the JSON schema of its arguments; an empty schema is an object without
// properties.
type Function struct {
	Name   string
	Schema []byte
}

// CallOptions are the form in which a model writes calls of functions.
type CallOptions struct {
	Begin, Between, End string // texts before the first call, between two calls and behind the last one
	// Arguments is the key of the arguments, next to "name"; "": no object, but the name, Separator and the arguments.
	Arguments string
	Separator string // between name and arguments, if Arguments is empty
	Single    bool   // one call and no more
}

// maxCalls is the most calls of one answer.
const maxCalls = 32

// Calls is the texts that are one or more calls of functions, with arguments that their schemas allow.
func Calls(list []Function, o CallOptions) (g *Grammar, err error) {
	caught := fault.Catch(func() {
		if len(list) == 0 {
			fault.Throw(fault.Value, op, "there are no functions to call")
		}
		b := newBuilder()
		root := b.declare("root")
		var all []sequence
		for _, f := range list {
			args := b.functionArguments(f)
			if o.Arguments == "" {
				all = append(all, join(lit(f.Name+o.Separator), args))
				continue
			}
			head := fmt.Sprintf(`{"name": %s, %s: `, written(f.Name), written(o.Arguments))
			all = append(all, join(lit(head), args, lit("}")))
		}
		call, most := b.either(all...), maxCalls-1
		if o.Single {
			most = 0
		}
		b.set(root, join(lit(o.Begin), call, b.many(join(lit(o.Between), call), 0, most), lit(o.End)))
		g, err = b.finish()
	})
	if caught != nil {
		return nil, caught
	}
	return g, err
}

// functionArguments is the arguments of a function. References in its schema are to the schema's own root.
func (b *builder) functionArguments(f Function) sequence {
	text := f.Schema
	if len(text) == 0 {
		text = []byte(`{"type": "object", "properties": {}}`)
	}
	if len(text) > maxText {
		fault.Throw(fault.OutOfMemory, op, "the schema of %q has %d bytes; want at most %d", f.Name, len(text), maxText)
	}
	s := &schemas{b: b, refs: map[string]sequence{}}
	s.root = parse("#", text)
	o, ok := s.root.(*object)
	if !ok {
		bad("#", "the arguments of %q; want an object", f.Name)
	}
	if kind := o.values["type"]; kind != nil && kind != "object" {
		bad("#", "the arguments of %q are of the type %v; want an object", f.Name, kind)
	}
	if o.values["type"] == nil && o.values["properties"] == nil && o.values["$ref"] == nil && o.values["anyOf"] == nil {
		return b.anyObject() // a schema that says nothing
	}
	return s.value("#", s.root)
}
