package template

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// conversion writes one value by the flags, width and precision between % and the letter.
func (e *env) conversion(spec string, letter byte, v any) string {
	flags := spec[:len(spec)-len(strings.TrimLeft(spec, "-+ #0"))]
	wide, precise, hasDot := strings.Cut(spec[len(flags):], ".")
	width, err1 := strconv.Atoi("0" + wide)
	precision, err2 := strconv.Atoi("0" + precise)
	if err1 != nil || err2 != nil || width > 1<<16 || precision > 1000 || strings.Contains(flags, "#") {
		throw("the format %%%s%c is not supported", spec, letter)
	}
	f, n, isInt, isNumber := number(v)
	if letter != 's' && letter != 'r' && letter != 'c' && !isNumber {
		throw("%%%c wants a number, not a %s", letter, kindOf(v))
	}
	if !isInt && isNumber {
		n = int64(f)
	}
	body, sign := "", ""
	switch letter {
	case 's', 'r':
		body = e.text(v)
		if letter == 'r' {
			body = e.written(v)
		}
		if hasDot {
			body = body[:e.position(body, int64(precision))]
		}
	case 'c':
		body = e.text(v)
		if isInt {
			body = string(rune(n))
		}
	case 'd', 'i', 'u':
		body = strconv.FormatInt(n, 10)
	case 'x', 'o', 'X':
		if !isInt {
			throw("%%%c wants a whole number, not a %s", letter, kindOf(v))
		}
		body = strconv.FormatInt(n, map[byte]int{'x': 16, 'X': 16, 'o': 8}[letter])
		if letter == 'X' {
			body = strings.ToUpper(body)
		}
	case 'f', 'F', 'e', 'E':
		if !hasDot {
			precision = 6
		}
		body = strconv.FormatFloat(f, letter|0x20, precision, 64)
		if letter == 'E' {
			body = strings.ToUpper(body)
		}
	default:
		throw("the format %%%s%c is not supported", spec, letter)
	}
	numeric := letter != 's' && letter != 'r' && letter != 'c'
	if numeric {
		if rest, minus := strings.CutPrefix(body, "-"); minus {
			body, sign = rest, "-"
		} else if strings.Contains(flags, "+") {
			sign = "+"
		} else if strings.Contains(flags, " ") {
			sign = " "
		}
	}
	e.scan(body)
	missing := max(width-utf8.RuneCountInString(body)-len(sign), 0)
	e.take(2 * missing)
	if missing > 0 || sign != "" {
		e.take(len(body))
	}
	switch {
	case strings.Contains(flags, "-"):
		return sign + body + strings.Repeat(" ", missing)
	case numeric && strings.Contains(flags, "0"):
		return sign + strings.Repeat("0", missing) + body
	}
	return strings.Repeat(" ", missing) + sign + body
}
