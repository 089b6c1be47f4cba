package strictjson

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

func itoa(i int) string { return strconv.Itoa(i) }

// String reads a string.
func (p *Parser) String() (string, error) {
	if err := p.expect('"'); err != nil {
		return "", err
	}
	from := p.i
	for ; p.i < len(p.b); p.i++ {
		switch c := p.b[p.i]; {
		case c == '"':
			p.i++
			return string(p.b[from : p.i-1]), nil
		case c == '\\':
			return p.escaped(append([]byte(nil), p.b[from:p.i]...))
		case c < 0x20:
			return "", p.Fail("a control character in a string")
		}
	}
	return "", p.Fail("a string without an end")
}

// escaped reads on from the first backslash; out is what came before it.
func (p *Parser) escaped(out []byte) (string, error) {
	for p.i < len(p.b) {
		c := p.b[p.i]
		p.i++
		switch {
		case c == '"':
			return string(out), nil
		case c < 0x20:
			return "", p.Fail("a control character in a string")
		case c != '\\':
			out = append(out, c)
			continue
		}
		if p.i >= len(p.b) {
			break
		}
		c = p.b[p.i]
		p.i++
		if c == 'u' {
			r, err := p.unicode()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, r)
			continue
		}
		k := bytes.IndexByte([]byte(`"\/bfnrt`), c)
		if k < 0 {
			return "", p.Fail("unknown escape \\%c", c)
		}
		out = append(out, "\"\\/\b\f\n\r\t"[k])
	}
	return "", p.Fail("a string without an end")
}

// unicode reads the digits of \uXXXX, and the second half of a surrogate pair. Half a pair is no character.
func (p *Parser) unicode() (rune, error) {
	r, err := p.hex4()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	if !bytes.HasPrefix(p.b[p.i:], []byte(`\u`)) {
		return 0, p.Fail("half a surrogate pair")
	}
	p.i += 2
	low, err := p.hex4()
	if err != nil {
		return 0, err
	}
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return 0, p.Fail("half a surrogate pair")
	}
	return r, nil
}

func (p *Parser) hex4() (rune, error) {
	if len(p.b)-p.i < 4 {
		return 0, p.Fail("a \\u escape without four digits")
	}
	v := rune(0)
	for _, c := range p.b[p.i : p.i+4] {
		switch {
		case c >= '0' && c <= '9':
			v = v<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			v = v<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			v = v<<4 | rune(c-'A'+10)
		default:
			return 0, p.Fail("a \\u escape without four digits")
		}
	}
	p.i += 4
	return v, nil
}

// Number reads a number and returns its text.
func (p *Parser) Number() (string, error) {
	p.Peek()
	from := p.i
	if p.i < len(p.b) && p.b[p.i] == '-' {
		p.i++
	}
	switch n := p.digits(); {
	case n == 0:
		return "", p.Fail("a number without digits")
	case n > 1 && p.b[p.i-n] == '0':
		return "", p.Fail("a number with a leading zero")
	}
	if p.i < len(p.b) && p.b[p.i] == '.' {
		if p.i++; p.digits() == 0 {
			return "", p.Fail("a number without digits after the point")
		}
	}
	if p.i < len(p.b) && p.b[p.i]|0x20 == 'e' {
		if p.i++; p.i < len(p.b) && (p.b[p.i] == '+' || p.b[p.i] == '-') {
			p.i++
		}
		if p.digits() == 0 {
			return "", p.Fail("a number without digits in its exponent")
		}
	}
	return string(p.b[from:p.i]), nil
}

func (p *Parser) digits() int {
	from := p.i
	for p.i < len(p.b) && p.b[p.i] >= '0' && p.b[p.i] <= '9' {
		p.i++
	}
	return p.i - from
}

// Int reads a number that is an integer, written as one, and fits int64.
func (p *Parser) Int() (int64, error) {
	text, err := p.Number()
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, p.Fail("%.40s is not an integer of 64 bits", text)
	}
	return v, nil
}

// Len reads an integer that can be a length: not negative, and fitting int.
func (p *Parser) Len() (int, error) {
	v, err := p.Int()
	if err != nil {
		return 0, err
	}
	if v < 0 || int64(int(v)) != v {
		return 0, p.Fail("%d cannot be a size", v)
	}
	return int(v), nil
}

// word reads true, false or null.
func (p *Parser) word() error {
	p.Peek()
	for _, w := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(p.b[p.i:], []byte(w)) {
			p.i += len(w)
			return nil
		}
	}
	return p.Fail("no JSON value")
}
