package ops

import (
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// An einsum is brought to a simple form first: every operand has each label once (diagonals are taken), labels of size
// 1 are gone, and labels that one operand alone has and the output does not are summed. What is left is contracted pair
// by pair in the order of a greedy path; each pair is one batched product.

// label stands for a dimension: a letter, or a dimension under the ellipsis counted from the end.
type label int

const firstEllipsis label = 256

// spec is an equation resolved against its operands.
type spec struct {
	in   [][]label
	out  []label
	size map[label]int
}

// parseEinsum reads an equation for operands of the given sizes.
func parseEinsum(equation string, dims [][]int) spec {
	bad := func(format string, args ...any) {
		fault.Throw(fault.Value, "einsum", "equation %q: "+format, append([]any{equation}, args...)...)
	}
	left, right, hasOut := strings.Cut(strings.ReplaceAll(equation, " ", ""), "->")
	terms := strings.Split(left, ",")
	if len(terms) != len(dims) {
		bad("names %d operands, got %d", len(terms), len(dims))
	}
	s := spec{size: map[label]int{}}
	count := map[label]int{}
	most := 0 // dimensions under the ellipsis
	for i, t := range terms {
		ls, covered := parseTerm(t, len(dims[i]), bad)
		most = max(most, covered)
		here := map[label]int{}
		for k, l := range ls {
			n := dims[i][k]
			if old, ok := here[l]; ok && old != n {
				bad("operand %d of sizes %v has two sizes for the repeated %s", i, dims[i], l.name())
			}
			here[l] = n
			if old, ok := s.size[l]; !ok || old == 1 {
				s.size[l] = n
			} else if n != 1 && n != old {
				bad("%s has sizes %d and %d", l.name(), old, n)
			}
			count[l]++
		}
		s.in = append(s.in, ls)
	}
	if hasOut {
		s.out = parseOutput(right, most, s.size, bad)
		return s
	}
	for k := most; k > 0; k-- {
		s.out = append(s.out, firstEllipsis+label(k))
	}
	var once []label
	for l, n := range count {
		if n == 1 && l < firstEllipsis {
			once = append(once, l)
		}
	}
	slices.Sort(once)
	s.out = append(s.out, once...)
	return s
}

func (l label) name() string {
	if l >= firstEllipsis {
		return "a dimension under the ellipsis"
	}
	return "subscript " + string(rune(l))
}

// parseTerm gives a label to every dimension of an operand, and says how many the ellipsis covers.
func parseTerm(t string, rank int, bad func(string, ...any)) (ls []label, covered int) {
	dots := strings.Index(t, "...")
	letters := len(t)
	if dots >= 0 {
		letters -= 3
		if covered = rank - letters; covered < 0 {
			bad("%q names %d dimensions, the operand has %d", t, letters, rank)
		}
	} else if letters != rank {
		bad("%q names %d dimensions, the operand has %d", t, letters, rank)
	}
	for i := 0; i < len(t); i++ {
		if i == dots {
			for k := covered; k > 0; k-- {
				ls = append(ls, firstEllipsis+label(k))
			}
			i += 2
			continue
		}
		ls = append(ls, letter(t[i], bad))
	}
	return ls, covered
}

func letter(c byte, bad func(string, ...any)) label {
	if c < 'A' || c > 'z' || c > 'Z' && c < 'a' {
		bad("%q is not a letter", c)
	}
	return label(c)
}

func parseOutput(t string, most int, size map[label]int, bad func(string, ...any)) (out []label) {
	dots := strings.Index(t, "...")
	for i := 0; i < len(t); i++ {
		if i == dots {
			for k := most; k > 0; k-- {
				out = append(out, firstEllipsis+label(k))
			}
			i += 2
			continue
		}
		l := letter(t[i], bad)
		if _, ok := size[l]; !ok {
			bad("output %s is in no operand", l.name())
		}
		if slices.Contains(out, l) {
			bad("output %s appears twice", l.name())
		}
		out = append(out, l)
	}
	return out
}

// Einsum sums products of the operands as the equation says: letters name dimensions, "..." the others, repeated
// letters in one operand take the diagonal; without "->" the output has the letters that occur once, sorted. Sizes of 1 broadcast.
// Integers keep their dtype where products are summed, and are int64 where a dimension is that one operand alone has, as for Sum.
// Bools stay bools where nothing is summed; sums of their products are refused.
//
//lucid:func
//lucid:amp half
func Einsum(equation string, operands ...*Node) *Node {
	if len(operands) == 0 {
		fault.Throw(fault.Value, "einsum", "equation %q: needs at least one operand", equation)
	}
	ops, dims := make([]Operand, len(operands)), make([][]int, len(operands))
	for i, x := range operands {
		ops[i], dims[i] = x, x.Shape().Dims()
	}
	s := parseEinsum(equation, dims)
	d := resultType("einsum", ops...)
	if !d.IsInexact() && s.sumsAlone() {
		d = dtype.Int64
	}
	if d == dtype.Bool {
		requireKind("einsum", operands[0], !s.sums(), "numbers, where products are summed")
		bytes := make([]*Node, len(operands))
		for i, x := range operands {
			bytes[i] = Cast(x, dtype.Uint8)
		}
		return Cast(Einsum(equation, bytes...), dtype.Bool)
	}
	terms := make([]term, len(operands))
	for i, x := range operands {
		terms[i] = simplify(Cast(x, d), s.in[i])
	}
	y := contractTerms(terms, &s)
	// Sizes of 1 come back, and every dimension goes to its position.
	var order []int
	final := make([]int, len(s.out))
	for i, l := range s.out {
		final[i] = s.size[l]
		if k := slices.Index(y.labels, l); k >= 0 {
			order = append(order, k)
		}
	}
	return Reshape(permute(y.x, order), final...)
}

// sums reports whether the result lacks a dimension of the operands.
func (s *spec) sums() bool {
	for _, list := range s.in {
		for _, l := range list {
			if !slices.Contains(s.out, l) {
				return true
			}
		}
	}
	return false
}

// sumsAlone reports whether a dimension is summed that one operand alone has.
func (s *spec) sumsAlone() bool {
	seen := map[label]int{}
	for _, list := range s.in {
		for i, l := range list {
			if !slices.Contains(list[:i], l) {
				seen[l]++
			}
		}
	}
	for l, n := range seen {
		if n == 1 && !slices.Contains(s.out, l) {
			return true
		}
	}
	return false
}
