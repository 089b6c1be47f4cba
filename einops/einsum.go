package einops

import (
	"slices"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// letters name the axes of lucid.Einsum.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

const ellipsis = "..."

// Einsum is lucid.Einsum with names for letters, such as "batch time in, out in -> batch time out": products are summed over the axes that
// the right side lacks. "..." stands for any number of axes that broadcast.
func Einsum(pattern string, operands ...*lucid.Tensor) *lucid.Tensor {
	const op = "einsum"
	left, right, ok := strings.Cut(pattern, "->")
	if !ok || strings.Contains(right, "->") {
		fault.Throw(fault.Value, op, "pattern %q; want one ->", pattern)
	}
	short := map[string]byte{}
	side := func(text string) string {
		var b strings.Builder
		for _, name := range axisWords(text) {
			switch {
			case name == ellipsis:
				b.WriteString(name)
				continue
			case !isAxisName(name):
				fault.Throw(fault.Value, op, "pattern %q: %q is no name of an axis; want letters, digits and _", pattern, name)
			case short[name] == 0 && len(short) == len(letters):
				fault.Throw(fault.Value, op, "pattern %q has more than %d axes", pattern, len(letters))
			case short[name] == 0:
				short[name] = letters[len(short)]
			}
			b.WriteByte(short[name])
		}
		return b.String()
	}
	parts := strings.Split(left, ",")
	for i, p := range parts {
		parts[i] = side(p)
	}
	known := len(short)
	result := side(right)
	if len(short) > known {
		fault.Throw(fault.Value, op, "pattern %q has an axis on the right alone; want those of the operands", pattern)
	}
	return lucid.Einsum(strings.Join(parts, ",")+"->"+result, operands...)
}

// axisWords splits a pattern at spaces and ellipses.
func axisWords(text string) []string {
	return strings.Fields(strings.ReplaceAll(text, ellipsis, " "+ellipsis+" "))
}

// ParseShape gives the sizes of a tensor by the names of a pattern such as "batch _ h w", for Options.AxesLengths. _ names no dimension,
// "..." any number of them, and 1 stands for a dimension of size 1.
func ParseShape(x *lucid.Tensor, pattern string) map[string]int {
	const op = "parse_shape"
	shape, names := x.Shape(), axisWords(pattern)
	if i := slices.Index(names, ellipsis); i >= 0 && len(shape) >= len(names)-1 {
		names = slices.Concat(names[:i], slices.Repeat([]string{"_"}, len(shape)-len(names)+1), names[i+1:])
	}
	if len(names) != len(shape) {
		fault.Throw(fault.Shape, op, "pattern %q names %d dimensions, the tensor has shape %v", pattern, len(names), shape)
	}
	sizes := map[string]int{}
	for i, name := range names {
		switch _, twice := sizes[name]; {
		case name == "_":
		case name == "1":
			if shape[i] != 1 {
				fault.Throw(fault.Shape, op, "pattern %q has 1 at dimension %d of the shape %v", pattern, i, shape)
			}
		case !isAxisName(name):
			fault.Throw(fault.Value, op, "pattern %q: %q is no name of an axis; want letters, digits and _", pattern, name)
		case twice:
			fault.Throw(fault.Value, op, "pattern %q names the axis %s twice", pattern, name)
		default:
			sizes[name] = shape[i]
		}
	}
	return sizes
}
