package npz

import (
	"strings"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/fault"
)

// fields is the dictionary of an .npy header.
type fields struct {
	descr   string
	fortran bool
	shape   []int
}

// literal reads the Python dictionary of a header: exactly the keys descr, fortran_order and shape, once each, in
// any order, with plain strings, True, False and a tuple of integers. It is a grammar for headers, not for Python.
type literal struct {
	name string
	s    string
	i    int
	lim  codec.Limits
}

func parseFields(name, text string, lim codec.Limits) (f fields, err error) {
	l := &literal{name: name, s: text, lim: lim.Filled()}
	seen := map[string]bool{}
	if err := l.expect('{'); err != nil {
		return f, err
	}
	for l.peek() != '}' {
		key, err := l.str()
		if err != nil {
			return f, err
		}
		if seen[key] {
			return f, l.fail("key %q appears twice", key)
		}
		seen[key] = true
		if err := l.expect(':'); err != nil {
			return f, err
		}
		switch key {
		case "descr":
			f.descr, err = l.descr()
		case "fortran_order":
			f.fortran, err = l.boolean()
		case "shape":
			f.shape, err = l.tuple()
		default:
			err = l.fail("unknown key %.32q", key)
		}
		if err != nil {
			return f, err
		}
		if l.peek() != ',' {
			break
		}
		l.i++
	}
	if err := l.expect('}'); err != nil {
		return f, err
	}
	if l.peek(); l.i != len(l.s) {
		return f, l.fail("something follows the dictionary")
	}
	if len(seen) != 3 {
		return f, l.fail("descr, fortran_order or shape is missing")
	}
	return f, nil
}

func (l *literal) fail(format string, args ...any) error {
	e := fault.New(fault.Format, op, format, args...)
	e.Msg = "array " + l.name + ": bad .npy header: " + e.Msg
	return e
}

func (l *literal) peek() byte {
	for ; l.i < len(l.s); l.i++ {
		if c := l.s[l.i]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	return 0
}

func (l *literal) expect(c byte) error {
	if l.peek() != c {
		return l.fail("no %q at byte %d", c, l.i)
	}
	l.i++
	return nil
}

// str reads a quoted string. Escapes are refused: no header needs one.
func (l *literal) str() (string, error) {
	quote := l.peek()
	if quote != '\'' && quote != '"' {
		return "", l.fail("no string at byte %d", l.i)
	}
	rest := l.s[l.i+1:]
	end := strings.IndexByte(rest, quote)
	if end < 0 || strings.ContainsAny(rest[:end], "\\\n\r") {
		return "", l.fail("a string at byte %d has an escape or no end", l.i)
	}
	l.i += end + 2
	return rest[:end], nil
}

func (l *literal) descr() (string, error) {
	if c := l.peek(); c == '[' || c == '(' {
		return "", fault.New(fault.DType, op, "array %q has a structured type (named fields); save each field as an array of its own",
			l.name)
	}
	return l.str()
}

func (l *literal) boolean() (bool, error) {
	l.peek()
	for word, v := range map[string]bool{"True": true, "False": false} {
		if strings.HasPrefix(l.s[l.i:], word) {
			l.i += len(word)
			return v, nil
		}
	}
	return false, l.fail("fortran_order is neither True nor False")
}

// tuple reads (), (n,) or (n, m, …); (n) is a number in Python, not a tuple.
func (l *literal) tuple() ([]int, error) {
	if err := l.expect('('); err != nil {
		return nil, err
	}
	shape, comma := []int{}, true
	for l.peek() != ')' {
		if !comma {
			return nil, l.fail("no comma in the shape")
		}
		if len(shape) == l.lim.MaxRank {
			return nil, l.fail("more than %d dimensions", l.lim.MaxRank)
		}
		n, err := l.size()
		if err != nil {
			return nil, err
		}
		shape = append(shape, n)
		if comma = l.peek() == ','; comma {
			l.i++
		}
	}
	l.i++
	if len(shape) == 1 && !comma {
		return nil, l.fail("the shape is not a tuple")
	}
	return shape, nil
}

// size reads decimal digits, with the L that Python 2 put after them.
func (l *literal) size() (int, error) {
	l.peek()
	from, n := l.i, 0
	for ; l.i < len(l.s) && l.s[l.i] >= '0' && l.s[l.i] <= '9'; l.i++ {
		digit := int(l.s[l.i] - '0')
		if n > (maxInt-digit)/10 {
			return 0, l.fail("a size in the shape does not fit")
		}
		n = n*10 + digit
	}
	if digits := l.i - from; digits == 0 || digits > 1 && l.s[from] == '0' {
		return 0, l.fail("no size at byte %d", from)
	}
	if l.i < len(l.s) && l.s[l.i] == 'L' {
		l.i++
	}
	return n, nil
}

const maxInt = int(^uint(0) >> 1)
