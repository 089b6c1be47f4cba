package asmgen

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Kernels are written for AVX-512, and translated for AVX2: cells have 32 bytes, masks are vectors, an operation with a mask is one
// without and a blend. The 32 vector and 8 mask registers become 13 registers and, for those that loops use least, slots on the stack;
// three more hold what an instruction cannot have there.
const avx2Registers = 13

// Registers for values that are no longer needed after an instruction.
const (
	avx2Mask  = "Y13"
	avx2Left  = "Y14"
	avx2Value = "Y15"
)

var wideName = regexp.MustCompile(`\b(Z[0-9]+|K[1-7])\b`)

// line is an instruction or a label. Distances of a fixed one are not cells.
type line struct {
	text  string
	fixed bool
}

// narrow translates a kernel.
type narrow struct {
	e     *emitter
	names map[string]string // registers and slots on the stack
	frame int
}

// translate writes the lines of a kernel with its head.
func translate(e *emitter, name string, lines []line) {
	t := &narrow{e: e, names: map[string]string{}}
	t.assign(lines)
	e.head(name, t.frame)
	for _, l := range lines {
		if strings.HasSuffix(l.text, ":") {
			e.b.WriteString(l.text + "\n")
			continue
		}
		t.instruction(l)
	}
}

// assign gives each register a name: those that loops use most stay registers.
func (t *narrow) assign(lines []line) {
	weight := make([]int, len(lines))
	for i := range weight {
		weight[i] = 1
	}
	for i, l := range lines {
		words := strings.Fields(l.text)
		if len(words) != 2 || words[0][0] != 'J' {
			continue
		}
		from := slices.IndexFunc(lines[:i], func(l line) bool { return l.text == words[1]+":" })
		for k := from; from >= 0 && k <= i; k++ {
			weight[k] *= 8
		}
	}
	count := map[string]int{}
	var all []string
	for i, l := range lines {
		for _, r := range wideName.FindAllString(l.text, -1) {
			if count[r] == 0 {
				all = append(all, r)
			}
			count[r] += weight[i]
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return count[b] - count[a] })
	for i, r := range all {
		if i < avx2Registers {
			t.names[r] = fmt.Sprintf("Y%d", i)
			continue
		}
		t.names[r] = fmt.Sprintf("%d(SP)", t.frame)
		t.frame += 32
	}
}

func (t *narrow) emit(format string, args ...any) {
	t.e.b.WriteString("\t" + t.e.names.Replace(fmt.Sprintf(format, args...)) + "\n")
}

// reg is an operand in a register: the one it has, or room with a copy.
func (t *narrow) reg(x, room string) string {
	if x[0] == 'Y' {
		return x
	}
	t.emit("VMOVUP@ %s, %s", x, room)
	return room
}

// into runs f with a register for the result x, and stores it if it has none.
func (t *narrow) into(x string, f func(to string)) {
	if x[0] == 'Y' {
		f(x)
		return
	}
	f(avx2Value)
	t.emit("VMOVUP@ %s, %s", avx2Value, x)
}

var (
	cellDistance = regexp.MustCompile(`^(-?[0-9]+)\(`)
	cellStep     = regexp.MustCompile(`^\$(-?[0-9]+)$`)
)

// scaled divides the distances that are whole cells by two.
func scaled(op, x string) string {
	half := func(n string) string {
		if v, _ := strconv.Atoi(n); v%64 == 0 {
			return strconv.Itoa(v / 2)
		}
		return n
	}
	if m := cellDistance.FindStringSubmatch(x); m != nil {
		return half(m[1]) + x[len(m[1]):]
	}
	if m := cellStep.FindStringSubmatch(x); m != nil {
		if op == "SHLQ" && m[1] == "6" {
			return "$5"
		}
		if op == "ADDQ" || op == "SUBQ" {
			return "$" + half(m[1])
		}
	}
	return x
}

// instruction translates one.
func (t *narrow) instruction(l line) {
	op, rest, _ := strings.Cut(l.text, " ")
	var x []string
	for _, w := range strings.Split(rest, ",") {
		if w = strings.TrimSpace(w); w == "" {
			continue
		}
		switch name, ok := t.names[w]; {
		case ok:
			w = name
		case strings.HasPrefix(w, "."):
			w = t.e.field(w)
		case !l.fixed:
			w = scaled(op, w)
		}
		x = append(x, w)
	}
	if op[0] != 'V' && op[0] != 'K' {
		t.e.b.WriteString(strings.TrimRight("\t"+op+" "+strings.Join(x, ", "), " ") + "\n")
		return
	}
	if len(x) > 2 && strings.Contains(rest, " K") && t.masked(op, rest, x) {
		return
	}
	t.vector(op, x)
}

// blend writes b where a mask is set, and a elsewhere, to x.
func (t *narrow) blend(mask, b, a, x string) {
	t.into(x, func(to string) {
		m := t.reg(mask, avx2Mask)
		t.emit("VBLENDVP@ %s, %s, %s, %s", m, b, t.reg(a, avx2Left), to)
	})
}

// masked translates an instruction with a mask that is neither its first nor its last operand; it reports whether it is one.
func (t *narrow) masked(op, rest string, x []string) bool {
	words := strings.Split(rest, ",")
	last := len(x) - 1
	if strings.TrimSpace(words[last-1])[0] != 'K' || op[0] == 'K' || strings.HasPrefix(op, "VPTESTNM") {
		return false
	}
	mask, to := x[last-1], x[last]
	zero := strings.HasSuffix(op, ".Z")
	op = strings.TrimSuffix(op, ".Z")
	switch {
	case strings.HasPrefix(op, "VBLENDM"):
		t.blend(mask, x[0], x[1], to)
	case strings.HasPrefix(op, "VMOVUP") && !strings.HasPrefix(to, "Y"): // a store; the cell is the kernel's own
		m := t.reg(mask, avx2Mask)
		t.emit("VMOVUP@ %s, %s", to, avx2Value)
		t.emit("VBLENDVP@ %s, %s, %s, %s", m, x[0], avx2Value, avx2Value)
		t.emit("VMOVUP@ %s, %s", avx2Value, to)
	case strings.HasPrefix(op, "VMOVAP") && zero:
		t.into(to, func(r string) { t.emit("VANDP@ %s, %s, %s", x[0], t.reg(mask, avx2Mask), r) })
	case strings.HasPrefix(op, "VMOVAP"):
		t.blend(mask, x[0], to, to)
	default:
		t.emit("%s %s, %s, %s", op, x[0], t.reg(x[1], avx2Left), avx2Value)
		if zero {
			t.into(to, func(r string) { t.emit("VANDP@ %s, %s, %s", mask, avx2Value, r) })
			return true
		}
		m := t.reg(mask, avx2Mask)
		old := t.reg(to, avx2Left)
		t.emit("VBLENDVP@ %s, %s, %s, %s", m, avx2Value, old, avx2Value)
		t.emit("VMOVUP@ %s, %s", avx2Value, to)
	}
	return true
}

// plainNames are instructions that are called otherwise without EVEX.
var plainNames = map[string]string{"VPAND%": "VANDP@", "VPOR%": "VORP@", "VPXOR%": "VXORP@", "VPANDN%": "VANDNP@",
	"KANDW": "VANDP@", "KORW": "VORP@"}

// vector translates an instruction without a mask among its operands.
func (t *narrow) vector(op string, x []string) {
	last := len(x) - 1
	if name, ok := plainNames[op]; ok {
		op = name
	}
	switch {
	case op == "VZEROUPPER":
		t.emit("VZEROUPPER")
	case op == "VPTERNLOG%": // all ones
		t.into(x[last], func(to string) { t.emit("VPCMPEQ%% %s, %s, %s", to, to, to) })
	case op == "KORTESTW":
		m := t.reg(x[0], avx2Mask)
		t.emit("VPTEST %s, %s", m, m)
	case op == "KNOTW":
		t.emit("VPCMPEQ%% %s, %s, %s", avx2Left, avx2Left, avx2Left)
		t.into(x[1], func(to string) { t.emit("VXORP@ %s, %s, %s", x[0], avx2Left, to) })
	case op == "VPTESTNM%":
		t.emit("VXORP@ %s, %s, %s", avx2Left, avx2Left, avx2Left)
		t.emit("VPCMPEQ%% %s, %s, %s", x[0], avx2Left, avx2Left)
		t.into(x[3], func(to string) { t.emit("VANDP@ %s, %s, %s", x[2], avx2Left, to) })
	case op == "VPBROADCAST%":
		t.into(x[1], func(to string) { t.emit("VMOVQ %s, X15\n\tVPBROADCAST%% X15, %s", x[0], to) })
	case op == "VPMAXU%" && t.e.size == 8: // of magnitudes, whose bits are positive
		t.emit("VPCMPGTQ %s, %s, %s", x[1], t.reg(x[0], avx2Left), avx2Value)
		t.blend(avx2Value, x[0], x[1], x[2])
	case op == "VPCMP%":
		t.compare(x)
	case strings.HasPrefix(op, "VMOV") && x[1][0] != 'Y':
		t.emit("VMOVUP@ %s, %s", t.reg(x[0], avx2Value), x[1])
	case strings.HasPrefix(op, "VMOVAP") && x[0][0] != 'Y':
		t.emit("VMOVUP@ %s, %s", x[0], x[1])
	case last == 1:
		t.into(x[1], func(to string) { t.emit("%s %s, %s", op, x[0], to) })
	default:
		t.three(op, x)
	}
}

// three translates an instruction of two operands and a result, perhaps after a constant.
func (t *narrow) three(op string, x []string) {
	constant := ""
	if x[0][0] == '$' {
		constant, x = x[0]+", ", x[1:]
	}
	if len(x) == 2 {
		t.into(x[1], func(to string) { t.emit("%s %s%s, %s", op, constant, t.reg(x[0], avx2Left), to) })
		return
	}
	middle := t.reg(x[1], avx2Left)
	if strings.HasPrefix(op, "VFM") || strings.HasPrefix(op, "VFNM") { // the result is an operand too
		to := t.reg(x[2], avx2Value)
		t.emit("%s %s, %s, %s", op, x[0], middle, to)
		if to != x[2] {
			t.emit("VMOVUP@ %s, %s", to, x[2])
		}
		return
	}
	t.into(x[2], func(to string) { t.emit("%s %s%s, %s, %s", op, constant, x[0], middle, to) })
}

// compare compares integers: equal, unequal and greater.
func (t *narrow) compare(x []string) {
	left := t.reg(x[2], avx2Left)
	t.into(x[3], func(to string) {
		switch x[0] {
		case "$0":
			t.emit("VPCMPEQ%% %s, %s, %s", x[1], left, to)
		case "$6":
			t.emit("VPCMPGT%% %s, %s, %s", x[1], left, to)
		case "$4":
			t.emit("VPCMPEQ%% %s, %s, %s", x[1], left, avx2Mask)
			t.emit("VPCMPEQ%% %s, %s, %s", to, to, to)
			t.emit("VXORP@ %s, %s, %s", avx2Mask, to, to)
		default:
			panic("asmgen: no comparison " + x[0])
		}
	})
}
