package strictjson

import (
	"unicode/utf8"

	"github.com/lucid-go/lucid/internal/fault"
)

// Parser reads one JSON text from front to back. The caller asks for what it expects; anything else is an error.
type Parser struct {
	op       string
	b        []byte
	i        int
	depth    int
	maxDepth int
	keysLeft int
}

// New starts reading b. The text may nest maxDepth deep and have maxKeys object keys in all.
func New(op string, b []byte, maxDepth, maxKeys int) (*Parser, error) {
	p := &Parser{op: op, b: b, maxDepth: maxDepth, keysLeft: maxKeys}
	if !utf8.Valid(b) {
		return nil, fault.New(fault.Format, op, "the JSON text is not valid UTF-8")
	}
	return p, nil
}

// Valid says whether b is one JSON value this package would read.
func Valid(op string, b []byte, maxDepth, maxKeys int) error {
	p, err := New(op, b, maxDepth, maxKeys)
	if err != nil {
		return err
	}
	if err := p.Skip(); err != nil {
		return err
	}
	return p.End()
}

// Fail is an error at the current position.
func (p *Parser) Fail(format string, args ...any) error {
	e := fault.New(fault.Format, p.op, format, args...)
	e.Msg += " (byte " + itoa(p.i) + " of the JSON text)"
	return e
}

// Peek returns the first byte of the next token, 0 at the end.
func (p *Parser) Peek() byte {
	for ; p.i < len(p.b); p.i++ {
		switch c := p.b[p.i]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

func (p *Parser) expect(c byte) error {
	if got := p.Peek(); got != c || p.i >= len(p.b) {
		if p.i >= len(p.b) {
			return p.Fail("the text ends where %q was expected", c)
		}
		return p.Fail("found %q where %q was expected", got, c)
	}
	p.i++
	return nil
}

// End checks that only white space is left.
func (p *Parser) End() error {
	if p.Peek(); p.i < len(p.b) {
		return p.Fail("something follows the value")
	}
	return nil
}

func (p *Parser) enter() error {
	if p.depth++; p.depth > p.maxDepth {
		return p.Fail("nested more than %d deep", p.maxDepth)
	}
	return nil
}

// Object reads an object; f is called at each value and must consume it.
func (p *Parser) Object(f func(key string) error) error {
	if err := p.expect('{'); err != nil {
		return err
	}
	if err := p.enter(); err != nil {
		return err
	}
	defer func() { p.depth-- }()
	var seen keySet
	return p.list('}', func(int) error {
		key, err := p.String()
		if err != nil {
			return err
		}
		if p.keysLeft--; p.keysLeft < 0 {
			return p.Fail("too many keys")
		}
		if !seen.add(key) {
			return p.Fail("key %q appears twice", key)
		}
		if err := p.expect(':'); err != nil {
			return err
		}
		return f(key)
	})
}

// Array reads an array; f is called at each value and must consume it.
func (p *Parser) Array(f func(i int) error) error {
	if err := p.expect('['); err != nil {
		return err
	}
	if err := p.enter(); err != nil {
		return err
	}
	defer func() { p.depth-- }()
	return p.list(']', f)
}

// list reads items up to the closing byte.
func (p *Parser) list(end byte, item func(i int) error) error {
	if p.Peek() == end {
		p.i++
		return nil
	}
	for n := 0; ; n++ {
		if err := item(n); err != nil {
			return err
		}
		if p.Peek() == ',' {
			p.i++
			continue
		}
		return p.expect(end)
	}
}

// Skip reads any value and checks it as strictly as the rest.
func (p *Parser) Skip() error {
	switch c := p.Peek(); {
	case c == '{':
		return p.Object(func(string) error { return p.Skip() })
	case c == '[':
		return p.Array(func(int) error { return p.Skip() })
	case c == '"':
		_, err := p.String()
		return err
	case c == '-' || c >= '0' && c <= '9':
		_, err := p.Number()
		return err
	}
	return p.word()
}

// Raw reads any value and returns its text.
func (p *Parser) Raw() (string, error) {
	p.Peek()
	from := p.i
	if err := p.Skip(); err != nil {
		return "", err
	}
	return string(p.b[from:p.i]), nil
}

// keySet finds duplicates. Nearly all objects have a handful of keys, so it is a list first and a map later.
type keySet struct {
	few  []string
	many map[string]struct{}
}

func (s *keySet) add(key string) bool {
	if s.many == nil {
		for _, k := range s.few {
			if k == key {
				return false
			}
		}
		if s.few = append(s.few, key); len(s.few) <= 8 {
			return true
		}
		s.many = map[string]struct{}{}
		for _, k := range s.few {
			s.many[k] = struct{}{}
		}
		return true
	}
	if _, dup := s.many[key]; dup {
		return false
	}
	s.many[key] = struct{}{}
	return true
}
