package einops

import (
	"math"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// packPattern is a pattern of Pack: names of single dimensions around one *, which stands for any number of them.
type packPattern struct {
	before, after int
}

func parsePack(op, pattern string) packPattern {
	var p packPattern
	star := false
	seen := map[string]bool{}
	for _, name := range strings.Fields(pattern) {
		switch {
		case name == "*" && star:
			fault.Throw(fault.Value, op, "pattern %q has several *; want one", pattern)
		case name == "*":
			star = true
			continue
		case !isAxisName(name):
			fault.Throw(fault.Value, op, "pattern %q: %q is no name of an axis; want letters, digits and _, such as \"b * c\"",
				pattern, name)
		case seen[name]:
			fault.Throw(fault.Value, op, "pattern %q names the axis %s twice", pattern, name)
		}
		seen[name] = true
		if star {
			p.after++
		} else {
			p.before++
		}
	}
	if !star {
		fault.Throw(fault.Value, op, "pattern %q has no *, which stands for the dimensions that are joined; want one, such as \"b * c\"",
			pattern)
	}
	return p
}

func isAxisName(s string) bool {
	for i, c := range s {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// Pack joins tensors into one, along the dimension that * stands for in a pattern such as "b * c". In each tensor any number of dimensions
// may be there, none included. They are made one, and the tensors are concatenated along it. shapes are the sizes that * stands for in each
// tensor: Unpack takes them.
func Pack(tensors []*lucid.Tensor, pattern string) (packed *lucid.Tensor, shapes [][]int) {
	const op = "einops_pack"
	p := parsePack(op, pattern)
	if len(tensors) == 0 {
		fault.Throw(fault.Value, op, "there are no tensors")
	}
	flat := make([]*lucid.Tensor, len(tensors))
	for i, t := range tensors {
		if t == nil {
			fault.Throw(fault.Value, op, "tensor %d is nil", i)
		}
		s := t.Shape()
		if len(s) < p.before+p.after {
			fault.Throw(fault.Shape, op, "tensor %d has shape %v; pattern %q names %d dimensions", i, s, pattern, p.before+p.after)
		}
		inner := append([]int{}, s[p.before:len(s)-p.after]...)
		joined := 1
		for _, n := range inner {
			joined *= n
		}
		sizes := append(append(append([]int{}, s[:p.before]...), joined), s[len(s)-p.after:]...)
		flat[i], shapes = t.Reshape(sizes...), append(shapes, inner)
		for k, n := range sizes {
			if k != p.before && n != flat[0].Size(k) {
				fault.Throw(fault.Shape, op, "tensor %d has shape %v, tensor 0 %v; pattern %q wants them equal but for *", i, s,
					tensors[0].Shape(), pattern)
			}
		}
	}
	return lucid.Cat(flat, p.before), shapes
}

// Unpack undoes Pack: it splits the dimension that * stands for in the pattern into parts of the given shapes. One entry of one shape may
// be -1, which takes what the others leave.
func Unpack(packed *lucid.Tensor, shapes [][]int, pattern string) []*lucid.Tensor {
	const op = "einops_unpack"
	p := parsePack(op, pattern)
	if packed == nil {
		fault.Throw(fault.Value, op, "the tensor is nil")
	}
	s := packed.Shape()
	if len(s) != p.before+p.after+1 {
		fault.Throw(fault.Shape, op, "the tensor has shape %v; pattern %q names %d dimensions", s, pattern, p.before+p.after+1)
	}
	lengths := partLengths(op, shapes, s[p.before])
	out := make([]*lucid.Tensor, len(shapes))
	at := 0
	for i, n := range lengths {
		sizes := append(append([]int{}, s[:p.before]...), inferred(shapes[i], n)...)
		out[i] = lucid.Narrow(packed, p.before, at, n).Reshape(append(sizes, s[p.before+1:]...)...)
		at += n
	}
	return out
}

// partLengths finds how many elements of the packed dimension each shape takes.
func partLengths(op string, shapes [][]int, total int) []int {
	lengths, open, rest := make([]int, len(shapes)), -1, total
	for i, shape := range shapes {
		n := 1
		for _, d := range shape {
			switch {
			case d == -1 && open >= 0:
				fault.Throw(fault.Value, op, "the shapes %v have several -1; want one at most", shapes)
			case d == -1:
				open = i
			case d < 0:
				fault.Throw(fault.Value, op, "shape %v has the size %d; want sizes from 0, or -1 once", shape, d)
			case d > 0 && n > math.MaxInt/d:
				fault.Throw(fault.Shape, op, "shape %v is larger than the packed dimension, which has %d elements", shape, total)
			default:
				n *= d
			}
		}
		lengths[i] = n
		if open == i {
			continue
		}
		if n > rest {
			fault.Throw(fault.Shape, op, "the shapes %v have more elements than the packed dimension, which has %d", shapes, total)
		}
		rest -= n
	}
	switch {
	case open < 0 && rest != 0:
		fault.Throw(fault.Shape, op, "the shapes %v have %d elements; the packed dimension has %d", shapes, total-rest, total)
	case open >= 0 && (lengths[open] == 0 || rest%lengths[open] != 0):
		fault.Throw(fault.Shape, op, "%d elements are left for the shape %v, which they do not fill", rest, shapes[open])
	case open >= 0:
		lengths[open] = rest
	}
	return lengths
}

// inferred is a shape with n elements, whose -1 is found.
func inferred(shape []int, n int) []int {
	out, known := append([]int{}, shape...), 1
	at := -1
	for i, d := range shape {
		if d == -1 {
			at = i
			continue
		}
		known *= d
	}
	if at >= 0 {
		out[at] = n / known
	}
	return out
}
