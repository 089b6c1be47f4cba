package grammar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/fault"
)

// JSONSchema is the JSON texts that a schema allows. Properties come in the order of the schema, without others than it names. What
// cannot be held to, such as format, not, or minimum of numbers that are no integers, is refused by name.
func JSONSchema(schema []byte) (g *Grammar, err error) {
	caught := fault.Catch(func() {
		if len(schema) > maxText {
			fault.Throw(fault.OutOfMemory, op, "the schema has %d bytes; want at most %d", len(schema), maxText)
		}
		s := &schemas{b: newBuilder(), refs: map[string]sequence{}}
		root := s.b.declare("root")
		s.root = parse("#", schema)
		s.b.set(root, s.value("#", s.root))
		g, err = s.b.finish()
	})
	if caught != nil {
		return nil, caught
	}
	return g, err
}

// schemas makes rules of a schema.
type schemas struct {
	b     *builder
	root  any
	refs  map[string]sequence // by $ref
	depth int
}

// object is a JSON object whose keys have an order.
type object struct {
	keys   []string
	values map[string]any
}

func bad(path, format string, args ...any) {
	fault.Throw(fault.Value, op, "%s: %s", path, fmt.Sprintf(format, args...))
}

// parse reads JSON with the order of its keys.
func parse(path string, data []byte) any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v := next(path, d, 0)
	if _, err := d.Token(); err != io.EOF {
		bad(path, "there is something behind the schema")
	}
	return v
}

func next(path string, d *json.Decoder, depth int) any {
	t, err := d.Token()
	if err != nil || depth > maxNesting {
		bad(path, "the schema is no JSON, or is nested more than %d deep", maxNesting)
	}
	closed := func() { // More is false at the end of a text that was cut, too
		if _, err := d.Token(); err != nil {
			bad(path, "the schema is no JSON: %v", err)
		}
	}
	switch t {
	case json.Delim('{'):
		o := &object{values: map[string]any{}}
		for d.More() {
			key, err := d.Token()
			name, ok := key.(string)
			if err != nil || !ok {
				bad(path, "the schema is no JSON")
			}
			if _, twice := o.values[name]; twice {
				bad(path, "the key %q is there twice", name)
			}
			o.keys = append(o.keys, name)
			o.values[name] = next(path, d, depth+1)
		}
		closed()
		return o
	case json.Delim('['):
		list := []any{}
		for d.More() {
			list = append(list, next(path, d, depth+1))
		}
		closed()
		return list
	}
	return t
}

// notes are keys that say nothing about the text.
var notes = []string{"title", "description", "default", "examples", "example", "$schema", "$id", "$comment", "$defs", "definitions",
	"deprecated", "readOnly", "writeOnly", "strict"}

// keysOf are the keys that kinds of values know.
var keysOf = map[string][]string{
	"object": {"properties", "required", "additionalProperties"}, "array": {"items", "minItems", "maxItems"},
	"string": {"minLength", "maxLength", "pattern"}, "integer": boundKeys, "number": {}, "boolean": {}, "null": {},
}

// value is what a schema allows.
func (s *schemas) value(path string, schema any) sequence {
	if s.depth++; s.depth > maxNesting {
		bad(path, "schemas are nested more than %d deep", maxNesting)
	}
	defer func() { s.depth-- }()
	if schema == true {
		return s.b.anyValue()
	}
	o, ok := schema.(*object)
	if !ok {
		bad(path, "want an object, or true")
	}
	allowed := slices.Clone(notes)
	check := func(keys ...string) {
		for _, k := range o.keys {
			if !slices.Contains(allowed, k) && !slices.Contains(keys, k) {
				bad(path, "%q is not supported here", k)
			}
		}
	}
	if to, ok := o.values["$ref"].(string); ok {
		check("$ref")
		return s.reference(path, to)
	}
	if list, ok := o.values["enum"].([]any); ok {
		check("enum", "type")
		return s.enum(path, o, list)
	}
	if v, ok := o.values["const"]; ok {
		check("const", "type")
		return s.enum(path, o, []any{v})
	}
	if list, ok := o.values["allOf"].([]any); ok && len(list) == 1 { // a $ref with a description, as some generators write it
		check("allOf")
		return s.value(path+"/allOf/0", list[0])
	}
	if list, ok := o.values["anyOf"].([]any); ok && len(list) > 0 {
		check("anyOf")
		var all []sequence
		for i, one := range list {
			all = append(all, s.value(fmt.Sprintf("%s/anyOf/%d", path, i), one))
		}
		return s.b.either(all...)
	}
	kinds := s.kinds(path, o)
	for _, k := range kinds {
		allowed = append(allowed, keysOf[k]...)
	}
	check("type")
	if kinds == nil {
		return s.b.anyValue()
	}
	var all []sequence
	for _, k := range kinds {
		all = append(all, s.kind(path, k, o))
	}
	return s.b.either(all...)
}

// kinds reads type, or guesses it by the other keys.
func (s *schemas) kinds(path string, o *object) (list []string) {
	switch t := o.values["type"].(type) {
	case string:
		list = []string{t}
	case []any:
		for _, one := range t {
			k, _ := one.(string)
			list = append(list, k)
		}
	case nil:
		for _, k := range []string{"object", "array", "string"} {
			if slices.ContainsFunc(o.keys, func(key string) bool { return slices.Contains(keysOf[k], key) }) {
				list = append(list, k)
			}
		}
		return list
	}
	for _, k := range list {
		if keysOf[k] == nil {
			bad(path, "the type %q is not known", k)
		}
	}
	if len(list) == 0 {
		bad(path, "type is no text, or an empty list")
	}
	return list
}

func (s *schemas) kind(path, kind string, o *object) sequence {
	switch kind {
	case "object":
		return s.object(path, o)
	case "array":
		items := s.b.anyValue()
		if v, ok := o.values["items"]; ok {
			items = s.value(path+"/items", v)
		}
		return s.b.listOf(items, s.count(path, o, "minItems", 0), s.count(path, o, "maxItems", -1))
	case "string":
		return s.text(path, o)
	case "integer":
		return s.integer(path, o)
	case "number":
		for _, key := range boundKeys {
			if o.values[key] != nil {
				bad(path, "%q is supported for integers alone", key)
			}
		}
		return s.b.anyNumber()
	case "boolean":
		return s.b.either(lit("true"), lit("false"))
	}
	return lit("null")
}

// count reads a number of items or characters.
func (s *schemas) count(path string, o *object, key string, none int) int {
	v, ok := o.values[key]
	if !ok {
		return none
	}
	n, err := v.(json.Number)
	i, e := n.Int64()
	if !err || e != nil || i < 0 || i > maxRepeat {
		bad(path, "%s is %v; want 0 to %d", key, v, maxRepeat)
	}
	if most := o.values["max"+strings.TrimPrefix(key, "min")]; strings.HasPrefix(key, "min") && most != nil {
		if m, ok := most.(json.Number); ok {
			if j, err := m.Int64(); err == nil && j < i {
				bad(path, "%s is %d, more than the largest number %d", key, i, j)
			}
		}
	}
	return int(i)
}

func (s *schemas) text(path string, o *object) sequence {
	if v, ok := o.values["pattern"]; ok {
		p, ok := v.(string)
		if !ok {
			bad(path, "pattern is no text")
		}
		if o.values["minLength"] != nil || o.values["maxLength"] != nil {
			bad(path, "pattern together with a length is not supported")
		}
		if !strings.HasPrefix(p, "^") || !strings.HasSuffix(p, "$") || strings.HasSuffix(p, `\$`) {
			bad(path, "the pattern %q; want one that begins with ^ and ends with $", p)
		}
		return s.pattern(path, p)
	}
	return join(lit(`"`), s.b.many(s.b.character(), s.count(path, o, "minLength", 0), s.count(path, o, "maxLength", -1)), lit(`"`))
}

// pattern is a text in quotes whose characters need no escapes.
func (s *schemas) pattern(path, p string) sequence {
	from := len(s.b.rules)
	q := s.b.regex(p)
	plain := func(list sequence) {
		for _, e := range list {
			if e.rule == -1 && (e.lo < 0x20 || e.lo <= '"' && e.hi >= '"' || e.lo <= '\\' && e.hi >= '\\') {
				bad(path, "the pattern %q allows characters that JSON escapes (control characters, quotation marks, backslashes)", p)
			}
		}
	}
	plain(q)
	for _, alternatives := range s.b.rules[from:] {
		for _, a := range alternatives {
			plain(a)
		}
	}
	return join(lit(`"`), q, lit(`"`))
}

func (s *schemas) enum(path string, o *object, list []any) sequence {
	kinds := s.kinds(path, o)
	var all []sequence
	for _, v := range list {
		if kinds != nil && !slices.ContainsFunc(kinds, func(kind string) bool { return isKind(v, kind) }) {
			bad(path, "the value %s is not of the type %s", written(v), strings.Join(kinds, " or "))
		}
		all = append(all, lit(written(v)))
	}
	if all == nil {
		bad(path, "enum is empty")
	}
	return s.b.either(all...)
}

// isKind reports whether a value is of a type that schemas name.
func isKind(v any, kind string) bool {
	switch v := v.(type) {
	case *object:
		return kind == "object"
	case []any:
		return kind == "array"
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case json.Number:
		if kind == "integer" {
			f, _ := v.Float64() // an infinity for numbers so large that they are whole
			return f == math.Trunc(f)
		}
		return kind == "number"
	}
	return kind == "null"
}

// written is a value as JSON text.
func written(v any) string {
	switch v := v.(type) {
	case *object:
		parts := make([]string, len(v.keys))
		for i, k := range v.keys {
			parts[i] = written(k) + ": " + written(v.values[k])
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = written(x)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		fault.Throw(fault.Internal, op, "a value cannot be written: %v", err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// reference finds what #/… points to. A schema may hold itself.
func (s *schemas) reference(path, to string) sequence {
	if q, ok := s.refs[to]; ok {
		return q
	}
	at := s.root
	if to != "#" {
		if !strings.HasPrefix(to, "#/") {
			bad(path, "$ref %q; want one that begins with #", to)
		}
		for _, part := range strings.Split(to[2:], "/") {
			o, ok := at.(*object)
			part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
			if !ok || o.values[part] == nil {
				bad(path, "$ref %q points to nothing", to)
			}
			at = o.values[part]
		}
	}
	r := s.b.declare(to)
	s.refs[to] = ref(r)
	s.b.set(r, s.value(to, at))
	return s.refs[to]
}

// object is the properties in their order; those that are not required may be missing.
func (s *schemas) object(path string, o *object) sequence {
	props := &object{}
	if v, ok := o.values["properties"]; ok {
		if props, ok = v.(*object); !ok {
			bad(path, "properties is no object")
		}
	}
	required := map[string]bool{}
	list, ok := o.values["required"].([]any)
	if !ok && o.values["required"] != nil {
		bad(path, "required is no list")
	}
	for _, v := range list {
		name, ok := v.(string)
		if !ok {
			bad(path, "required has %s; want names of properties", written(v))
		}
		if required[name] = true; !slices.Contains(props.keys, name) {
			bad(path, "the property %q is required and not described", name)
		}
	}
	switch more := o.values["additionalProperties"].(type) {
	case nil:
		if len(props.keys) == 0 && o.values["properties"] == nil {
			return s.b.anyObject()
		}
	case bool:
		if more && len(props.keys) == 0 {
			return s.b.anyObject()
		}
	default:
		if len(props.keys) > 0 {
			bad(path, "additionalProperties with a schema next to properties is not supported")
		}
		return s.b.mapOf(s.value(path+"/additionalProperties", more))
	}
	// rest[i][comma] is the properties from i on, where comma says whether one came before.
	last := join(s.b.space(), lit("}"))
	rest := [2]sequence{last, last}
	for i := len(props.keys) - 1; i >= 0; i-- {
		name := props.keys[i]
		pair := join(lit(written(name)), s.b.space(), lit(":"), s.b.space(), s.value(path+"/properties/"+name, props.values[name]))
		var now [2]sequence
		for comma, before := range []sequence{s.b.space(), join(s.b.space(), lit(","), s.b.space())} {
			alternatives := []sequence{join(before, pair, rest[1])}
			if !required[name] {
				alternatives = append(alternatives, rest[comma])
			}
			r := s.b.declare(path + "/properties/" + name)
			s.b.set(r, alternatives...)
			now[comma] = ref(r)
		}
		rest = now
	}
	return join(lit("{"), rest[0])
}
