package ops

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/lucid-go/lucid/internal/fault"
)

// einAxis is an elementary axis of a pattern: a name, or a number, which has a name no pattern can write.
type einAxis struct {
	name string
	size int // of a number; 0 for a name
}

// joinedEllipsis names an ellipsis in parentheses, whose axes make one dimension, also where it stands there alone or for none.
const joinedEllipsis = "(...)"

// einSide is one side of a pattern: for every dimension the axes it is made of, none for a 1.
type einSide [][]einAxis

// einPattern reads "left -> right" for a tensor of the given rank; an ellipsis becomes as many axes as are left over.
func einPattern(op, pattern string, rank int) (left, right einSide) {
	l, r, ok := strings.Cut(pattern, "->")
	if !ok || strings.Contains(r, "->") {
		fault.Throw(fault.Value, op, "pattern %q; want one ->", pattern)
	}
	rest := -1
	read := func(text, side string) einSide {
		s, err := einParse(text, side)
		if err != "" {
			fault.Throw(fault.Value, op, "pattern %q: %s", pattern, err)
		}
		if rest < 0 { // the left side says how many dimensions an ellipsis stands for
			rest = 0
			for _, group := range s {
				if len(group) == 1 && group[0].name == "..." {
					rest = rank - len(s) + 1
				}
			}
			if rest < 0 {
				fault.Throw(fault.Shape, op, "pattern %q has %d dimensions besides the ellipsis, the tensor %d", pattern, len(s)-1, rank)
			}
		}
		return s.expand(rest)
	}
	left, right = read(l, "l"), read(r, "r")
	if strings.Contains(r, "...") && !strings.Contains(l, "...") {
		fault.Throw(fault.Value, op, "pattern %q has an ellipsis on the right alone", pattern)
	}
	if len(left) != rank {
		fault.Throw(fault.Shape, op, "the left side of %q has %d dimensions, the tensor %d", pattern, len(left), rank)
	}
	return left, right
}

// einParse reads one side; side makes the names of numbers differ between the two.
func einParse(text, side string) (einSide, string) {
	text = strings.NewReplacer("(", " ( ", ")", " ) ", "...", " ... ", "…", " ... ").Replace(text)
	var s einSide
	seen := map[string]bool{}
	open := false
	for i, word := range strings.Fields(text) {
		switch {
		case word == "(" && !open:
			open = true
			s = append(s, nil)
			continue
		case word == ")" && open:
			open = false
			continue
		case word == "(" || word == ")":
			return nil, "parentheses do not match or are nested"
		}
		var group []einAxis
		n, err := strconv.Atoi(word)
		switch {
		case err == nil && n < 1:
			return nil, fmt.Sprintf("a size of %d", n)
		case err == nil && n > 1:
			group = []einAxis{{fmt.Sprintf("%s%d:%d", side, i, n), n}}
		case err == nil: // a 1 is made of nothing
		case word != "..." && !einName(word):
			return nil, fmt.Sprintf("%q is no name of an axis", word)
		case seen[word]:
			return nil, fmt.Sprintf("%q stands twice on one side", word)
		case word == "..." && open && side == "l":
			return nil, "an ellipsis stands in parentheses on the left"
		case word == "..." && open:
			seen[word] = true
			group = []einAxis{{joinedEllipsis, 0}}
		default:
			seen[word] = true
			group = []einAxis{{word, 0}}
		}
		if open {
			s[len(s)-1] = append(s[len(s)-1], group...)
		} else {
			s = append(s, group)
		}
	}
	if open {
		return nil, "a parenthesis is not closed"
	}
	return s, ""
}

func einName(word string) bool {
	for i, c := range word {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return true
}

// expand replaces the ellipsis by n axes: dimensions of their own, or part of the group it stands in.
func (s einSide) expand(n int) einSide {
	rest := make([]einAxis, n)
	for i := range rest {
		rest[i].name = fmt.Sprintf("...%d", i)
	}
	var out einSide
	for _, group := range s {
		if len(group) == 1 && group[0].name == "..." {
			for _, axis := range rest {
				out = append(out, []einAxis{axis})
			}
			continue
		}
		var wide []einAxis
		for _, a := range group {
			if a.name == joinedEllipsis {
				wide = append(wide, rest...)
			} else {
				wide = append(wide, a)
			}
		}
		out = append(out, wide)
	}
	return out
}

// axes lists the elementary axes in order.
func (s einSide) axes() (all []einAxis) {
	for _, group := range s {
		all = append(all, group...)
	}
	return all
}

// sizes finds the sizes of all axes from the tensor's and the lengths given.
func (s einSide) sizes(op, pattern string, x *Node, lengths map[string]int) map[string]int {
	size := map[string]int{}
	for d, group := range s {
		known, open := 1, ""
		for _, a := range group {
			n, given := lengths[a.name]
			if a.size > 0 {
				n, given = a.size, true
			}
			switch {
			case given:
				size[a.name] = n
				known *= n
			case open != "":
				fault.Throw(fault.Value, op, "pattern %q: the lengths of %s and %s are both unknown; give one", pattern, open, a.name)
			default:
				open = a.name
			}
		}
		switch whole := x.Dim(d); {
		case open == "" && known != whole:
			fault.Throw(fault.Shape, op, "pattern %q: dimension %d has size %d, its axes make %d", pattern, d, whole, known)
		case open != "" && (known == 0 || whole%known != 0):
			fault.Throw(fault.Shape, op, "pattern %q: dimension %d of size %d cannot be cut into parts of %d", pattern, d, whole, known)
		case open != "":
			size[open] = whole / known
		}
	}
	return size
}
