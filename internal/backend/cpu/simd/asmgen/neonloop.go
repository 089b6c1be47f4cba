package main

import (
	"fmt"
	"slices"
	"strings"
)

// neonTail reports whether the last elements, fewer than a vector, are left to the twin: lanes of 8 and 16 bits.
func (k *kernel) neonTail() bool {
	if k.lane < 4 {
		return true
	}
	for _, s := range k.slices {
		if s.size() != k.lane && !strings.HasPrefix(s.name, "next") {
			return true
		}
	}
	return false
}

// neonKernel writes one TEXT: an unrolled loop, then vector by vector, then the tail of less than a vector.
func neonKernel(k *kernel, tab *neonTable) string {
	b := &B{tgt: neon}
	k.body(b)
	b.prune()
	a := &neonAsm{k: k, tab: tab}
	group := 1
	if len(rowsOf(b)) > 1 {
		group = 2
	}
	for !a.plan(b, group) {
		if group--; group == 0 {
			panic(k.name + ": too many registers needed")
		}
	}
	a.head(b)
	lanes := 16 / k.lane
	unroll := max(group, k.unroll(len(b.code), lanes))
	if len(k.accs) == 0 && !k.stops {
		unroll = max(unroll, 2)
	}
	step := unroll * lanes
	a.p("SUBS $%d, R9", step)
	a.p("BLT tail")
	a.out.WriteString("\n")
	a.label("loop")
	a.stopAt = "stopMain"
	a.body(b, 0, unroll)
	a.advance(step)
	a.p("SUBS $%d, R9", step)
	a.p("BGE loop")
	a.out.WriteString("\n")
	a.label("tail")
	a.p("ADDS $%d, R9", step)
	switch {
	case k.fullGroups:
	case len(k.accs) > 0:
		a.p("BEQ done")
		a.sumTail(b, unroll)
	default:
		a.p("BEQ done")
		a.mapTail(b, unroll, lanes)
	}
	a.out.WriteString("\n")
	a.finish(lanes)
	a.rareVectors()
	return a.out.String()
}

// head writes the beginning: arguments, constants, sums.
func (a *neonAsm) head(b *B) {
	k := a.k
	size := 8*len(k.slices) + 8
	for _, s := range k.scalars {
		size += s.size()
	}
	if len(k.accs) > 0 || k.stops {
		size = (size+7)&^7 + k.lane*len(k.accs) // results start at a word
	}
	if k.stops {
		size += 8
	}
	fmt.Fprintf(&a.out, "\n// %s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", k.asmDecl("NEON"), k.asmName("NEON"), size)
	for i, s := range k.slices {
		a.p("MOVD %s+%d(FP), R%d", s.name, 8*i, i)
	}
	off := 8 * len(k.slices)
	a.p("MOVD n+%d(FP), R9", off)
	off += 8
	for _, s := range k.scalars {
		a.p("%s %s+%d(FP), R10", map[int]string{4: "MOVWU", 8: "MOVD"}[s.size()], s.name, off)
		a.p("VDUP R10, V%d.%s", a.fixed[s.name], map[int]string{4: "S4", 8: "D2"}[s.size()])
		off += s.size()
	}
	all := []*B{b}
	if k.rare != nil {
		all = append(all, k.rarely(neon))
	}
	if len(k.accs) > 0 || slices.ContainsFunc(all, func(b *B) bool { return len(b.consts)+len(rowsOf(b)) > 0 }) {
		a.p("MOVD $%sNEON<>(SB), R11", a.tab.file)
	}
	for _, c := range b.consts {
		if n, ok := a.cregs[ckey(c)]; ok {
			a.constant(c, n)
		}
	}
	if a.keep {
		for _, v := range b.code {
			if v.op == "lookup" {
				a.row = ""
				a.pick(v.tab)
			}
		}
	}
	for _, c := range k.accs {
		for i := 0; ; i++ {
			r, ok := a.fixed[fmt.Sprintf("%s.%d", c.name, i)]
			if !ok {
				break
			}
			if c.init != 0 {
				a.constant(&val{t: f32, bits: c.init}, r)
			} else {
				a.word("EOR", 0, r, r, r)
			}
		}
	}
}

func (a *neonAsm) advance(n int) {
	for i, s := range a.k.slices {
		a.p("ADD $%d, R%d", n*s.size(), i)
	}
}

// mapTail does whole vectors, then the R9 elements that are left.
func (a *neonAsm) mapTail(b *B, unroll, lanes int) {
	if unroll > 1 {
		a.p("SUBS $%d, R9", lanes)
		a.p("BLT last")
		a.out.WriteString("\n")
		a.label("one")
		a.body(b, 0, 1)
		a.advance(lanes)
		a.p("SUBS $%d, R9", lanes)
		a.p("BGE one")
		a.out.WriteString("\n")
		a.label("last")
		a.p("ADDS $%d, R9", lanes)
		a.p("BEQ done")
	}
	if a.k.neonTail() {
		return // the caller passes whole vectors only
	}
	a.stopAt = "stopTail"
	a.masked = true
	a.body(b, 0, 1)
	a.masked = false
}

// sumTail goes on with the accumulators in order, so the vectors are written out.
func (a *neonAsm) sumTail(b *B, unroll int) {
	a.masked = true
	for i := range unroll {
		a.p("MOVD $4, R12")
		a.p("CMP R12, R9")
		a.p("CSEL LT, R9, R12, R12")
		a.p("ADD $%d, R11, R10", a.tab.masks())
		a.p("SUB R12<<2, R10")
		a.p("FMOVQ (R10), F%d // ones for the elements there are", a.fixed["mask"])
		a.body(b, i, 1)
		a.advance(4)
		a.p("SUBS $4, R9")
		if i < unroll-1 {
			a.p("BLE done")
		}
	}
	a.masked = false
}

// finish ends the function; R9 is the number of elements left if it stopped early.
func (a *neonAsm) finish(lanes int) {
	k := a.k
	a.label("done")
	off := 8*len(k.slices) + 8
	for _, s := range k.scalars {
		off += s.size()
	}
	off = (off + 7) &^ 7
	for i, c := range k.accs {
		a.reduce(c)
		a.p("FMOV%s F%d, %s+%d(FP)", map[int]string{4: "S", 8: "D"}[k.lane], a.fixed[c.name+".0"], c.name, off+k.lane*i)
	}
	if k.stops {
		a.p("MOVD n+%d(FP), R10", 8*len(k.slices))
		a.p("MOVD R10, done+%d(FP)", off)
		a.p("RET")
		a.out.WriteString("\n")
		a.label("stopMain")
		a.p("ADD $%d, R9", lanes)
		a.out.WriteString("\n")
		a.label("stopTail")
		a.p("MOVD n+%d(FP), R10", 8*len(k.slices))
		a.p("SUB R9, R10")
		a.p("MOVD R10, done+%d(FP)", off)
	}
	a.p("RET")
}

// reduce joins the lanes: lane i with that half of them away, then a quarter, and so on.
func (a *neonAsm) reduce(c acc) {
	r := func(i int) int { return a.fixed[fmt.Sprintf("%s.%d", c.name, i)] }
	n := 1
	if c.lanes {
		n = a.k.group() * a.k.lane / 16
	}
	t, u := a.alloc(), a.alloc()
	join := func(lo, hi int) {
		switch c.op {
		case "add":
			a.word("FADD", a.k.lane, lo, lo, hi)
		case "imax":
			a.word("SMAX", 4, lo, lo, hi)
		default:
			a.greater(c.op, lo, hi, u)
		}
	}
	for n > 1 {
		n /= 2
		for i := range n {
			join(r(i), r(i+n))
		}
	}
	for _, ext := range []string{"EXT8", "EXT4"}[:8/a.k.lane] {
		a.word(ext, 0, t, r(0), r(0))
		join(r(0), t)
	}
	a.free[t], a.free[u] = true, true
}

// neonFiles writes the assembly of a family and the exported functions on arm64; assembly is nil if there is none.
func (f family) neonFiles() (assembly, dispatch []byte) {
	tab := &neonTable{file: f.file, at: map[string]int{}}
	var text, decl strings.Builder
	for _, k := range f.kernels {
		can := neonCan(k)
		if can {
			text.WriteString(neonKernel(k, tab))
		}
		if !k.handWritten {
			k.neonDispatch(&decl, can)
		}
		if can {
			fmt.Fprintf(&decl, "//go:noescape\n%s\n\n", k.asmDecl("NEON"))
		}
	}
	if text.Len() == 0 {
		return nil, prolog("!purego", decl.String())
	}
	head := header + "//go:build !purego\n\n#include \"textflag.h\"\n"
	if tab.size > 0 {
		head += fmt.Sprintf("\n%sGLOBL %sNEON<>(SB), RODATA|NOPTR, $%d\n", tab.text.String(), tab.file, tab.size)
	}
	return []byte(head + text.String()), prolog("!purego", decl.String())
}

// neonDispatch writes the exported function of a kernel.
func (k *kernel) neonDispatch(b *strings.Builder, can bool) {
	do := k.twinName()
	if !can {
		if k.cached != "" {
			do = k.cached
		}
		fmt.Fprintf(b, "%sfunc %s(%s) { %s(%s) }\n\n", k.comment(), k.name, k.params(), do, k.namesOf(k.cachedSlices(), "", ""))
		return
	}
	fmt.Fprintf(b, "%sfunc %s(%s) {\n%s\tswitch {\n\tcase len(z) == 0:\n\tcase useNEON:\n", k.comment(), k.name, k.params(), k.reslice())
	k.callVariant(b, "NEON", 16, k.neonTail())
	fmt.Fprintf(b, "\tdefault:\n\t\t%s(%s)\n\t}\n}\n\n", do, k.names("", ""))
}
