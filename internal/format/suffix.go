package format

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lucid-go/lucid/internal/dtype"
)

// part is one "name=value" after the data. wide is the width line breaking reckons with.
type part struct {
	text string
	wide int
}

func newPart(text string) part { return part{text, utf8.RuneCountInString(text)} }

// dtypePart names the dtype. It reckons with the "torch." we leave out, so that lines break where PyTorch's do.
func dtypePart(d dtype.DType) part {
	p := newPart("dtype=" + d.String())
	p.wide += len("torch.")
	return p
}

// parts lists what follows the data: device, size, dtype, and then the rest of what the caller gave.
func parts(o Options, d dtype.DType, shape []int, empty bool, suffix []string) []part {
	var ps []part
	for _, s := range suffix {
		if isDevice(s) {
			ps = append(ps, newPart(s))
		}
	}
	if showsSize(o, shape, empty) {
		ps = append(ps, newPart("size="+tuple(shape)))
	}
	if showsDType(d, empty) {
		ps = append(ps, dtypePart(d))
	}
	for _, s := range suffix {
		if !isDevice(s) {
			ps = append(ps, newPart(s))
		}
	}
	return ps
}

// showsSize reports whether the data may fail to tell its shape. [] alone says (0,). With no edge items a summary
// is only dots, and PyTorch then adds the size to every tensor, summarised or not.
func showsSize(o Options, shape []int, empty bool) bool {
	if empty {
		return len(shape) != 1
	}
	return o.EdgeItems == 0
}

// showsDType reports whether the look of the data leaves the dtype open.
func showsDType(d dtype.DType, empty bool) bool {
	switch d {
	case dtype.Float32:
		return false
	case dtype.Int64, dtype.Bool, dtype.Complex64:
		return empty // no element is there to tell them by
	}
	return true
}

func isDevice(s string) bool { return strings.HasPrefix(s, "device=") }

// appendParts adds the parts to out, each on a new line at column indent where the last line has no room for it.
func appendParts(out []byte, ps []part, width, indent int) []byte {
	const comma = len(", ")
	// The last line is taken as two columns longer than it is: room for what closes it.
	last := utf8.RuneCount(out[bytes.LastIndexByte(out, '\n')+1:]) + 2
	for _, p := range ps {
		if last+p.wide+comma > width {
			out = append(out, ",\n"...)
			out = appendSpaces(out, indent)
			last = indent + p.wide
		} else {
			out = append(out, ", "...)
			last += p.wide + comma
		}
		out = append(out, p.text...)
	}
	return out
}

// tuple writes a shape as Python does: (2, 0, 3), but (3,).
func tuple(shape []int) string {
	b := []byte{'('}
	for k, s := range shape {
		if k > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, int64(s), 10)
	}
	if len(shape) == 1 {
		b = append(b, ',')
	}
	return string(append(b, ')'))
}
