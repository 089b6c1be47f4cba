package tokenizer

import (
	"strconv"

	"github.com/lucid-go/lucid/internal/codec/strictjson"
	"github.com/lucid-go/lucid/internal/fault"
)

// op names the package in errors.
const op = "tokenizer"

// Bounds on files.
const (
	maxDepth = 64
	maxIDs   = 1 << 24
	maxKeys  = 1 << 25
)

func refuse(format string, args ...any) { fault.Throw(fault.Format, op, format, args...) }

// unsupported throws for what a file asks for and this package does not know.
func unsupported(what, name string) {
	fault.Throw(fault.NotImplemented, op, "the %s %q is not supported", what, name)
}

func check(err error) {
	if err != nil {
		if e, ok := err.(*fault.Error); ok {
			panic(e)
		}
		panic(fault.Wrap(fault.Format, op, err, ""))
	}
}

// object is a JSON object of a configuration; where names it in errors.
type object struct {
	where  string
	values map[string]any
}

// readAny reads a JSON value of any kind: nil, bool, float64, string, []any, map[string]any.
func readAny(p *strictjson.Parser) any {
	switch c := p.Peek(); c {
	case '{':
		m := map[string]any{}
		check(p.Object(func(key string) error { m[key] = readAny(p); return nil }))
		return m
	case '[':
		list := []any{}
		check(p.Array(func(int) error { list = append(list, readAny(p)); return nil }))
		return list
	case '"':
		s, err := p.String()
		check(err)
		return s
	case 't', 'f', 'n':
		raw, err := p.Raw()
		check(err)
		switch raw {
		case "true":
			return true
		case "false":
			return false
		}
		return nil
	}
	return readFloat(p)
}

func readFloat(p *strictjson.Parser) float64 {
	s, err := p.Number()
	check(err)
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		refuse("the number %s is too large", s)
	}
	return f
}

// asObject returns v as an object; ok is false for null.
func asObject(v any, where string) (o object, ok bool) {
	if v == nil {
		return o, false
	}
	m, is := v.(map[string]any)
	if !is {
		refuse("%s is no object", where)
	}
	return object{where, m}, true
}

// kind is the object's "type".
func (o object) kind() string { return o.text("type", "") }

func (o object) text(key, def string) string {
	v, there := o.values[key]
	if !there || v == nil {
		return def
	}
	s, ok := v.(string)
	if !ok {
		refuse("%s: %q is no string", o.where, key)
	}
	return s
}

func (o object) flag(key string, def bool) bool {
	v, there := o.values[key]
	if !there || v == nil {
		return def
	}
	b, ok := v.(bool)
	if !ok {
		refuse("%s: %q is neither true nor false", o.where, key)
	}
	return b
}

func (o object) number(key string, def int) int {
	v, there := o.values[key]
	if !there || v == nil {
		return def
	}
	return wholeNumber(v, o.where+": "+key)
}

func wholeNumber(v any, where string) int {
	f, ok := v.(float64)
	if !ok || f != float64(int64(f)) || f < -1 || f > maxIDs {
		refuse("%s: %v is no whole number up to %d", where, v, maxIDs)
	}
	return int(f)
}

func (o object) list(key string) []any {
	v, there := o.values[key]
	if !there || v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		refuse("%s: %q is no list", o.where, key)
	}
	return list
}

func (o object) object(key string) (object, bool) { return asObject(o.values[key], o.where+"."+key) }

// newParser starts reading a JSON file.
func newParser(data []byte) *strictjson.Parser {
	p, err := strictjson.New(op, data, maxDepth, maxKeys)
	check(err)
	return p
}
