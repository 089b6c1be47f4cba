package main

import "fmt"

// kernel writes one TEXT: the loop over whole groups of vectors, the masked tail,
// and for reductions the fixed tree that joins the lanes.
func (a *asm) kernel(k *kernel) {
	b := &B{tgt: a.tgt}
	k.body(b)
	b.prune()
	f := a.newFrame(k)
	f.cregs = a.plan(k, b)
	for _, r := range f.cregs {
		f.free[r] = false
	}
	a.head(k)
	f.setup(b)
	lanes, unroll := f.lanes(), k.unroll(len(b.code), f.lanes())
	step := lanes * unroll
	f.stopLbl = "stopMain"
	a.p("SUBQ $%d, CX", step)
	a.p("JL tail")
	a.out.WriteString("\n")
	a.label("loop")
	for i := range unroll {
		f.copyNo = i
		f.vector(b)
	}
	f.advance(step)
	a.p("SUBQ $%d, CX", step)
	a.p("JGE loop")
	a.out.WriteString("\n")
	a.label("tail")
	a.p("ADDQ $%d, CX", step)
	if !k.fullGroups {
		a.p("JZ done")
		f.stopLbl = "stopTail"
		f.tail(b, lanes, unroll)
	}
	a.out.WriteString("\n")
	f.finish(lanes)
	f.rareVectors()
	if f.failed {
		panic(k.name + ": too many registers needed")
	}
}

func (a *asm) head(k *kernel) {
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
	fmt.Fprintf(&a.out, "\n// %s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", k.asmDecl(a.isa()), k.asmName(a.isa()), size)
	for i, s := range k.slices {
		a.p("MOVQ %s+%d(FP), %s", s.name, 8*i, ptrRegs[i])
	}
	a.p("MOVQ n+%d(FP), CX", 8*len(k.slices))
}

// setup broadcasts scalars, loads constants and clears accumulators.
func (f *frame) setup(b *B) {
	off := 8*len(f.k.slices) + 8
	for _, s := range f.k.scalars {
		f.p("%s %s+%d(FP), %s", map[int]string{4: "VBROADCASTSS", 8: "VBROADCASTSD"}[s.size()], s.name, off, f.reg(f.fixed[s.name]))
		off += s.size()
	}
	for _, c := range b.consts {
		if n, ok := f.cregs[ckey(c)]; ok {
			f.loadConst(c, n)
		}
	}
	for _, c := range f.k.accs {
		for i := 0; ; i++ {
			r, ok := f.fixed[fmt.Sprintf("%s.%d", c.name, i)]
			if !ok {
				break
			}
			switch {
			case c.init != 0:
				f.loadConst(&val{t: f32, bits: c.init}, r)
			case f.tgt == avx512:
				f.p("VPXORD Z%d, Z%d, Z%d", r, r, r)
			default:
				f.p("VXORPS Y%d, Y%d, Y%d", r, r, r)
			}
		}
	}
}

func (f *frame) advance(n int) {
	for i, s := range f.k.slices {
		f.p("ADDQ $%d, %s", n*s.size(), ptrRegs[i])
	}
}

// tail handles fewer than step elements: vector by vector under a mask. A reduction
// must go on with the accumulators in order, so there the vectors are written out.
func (f *frame) tail(b *B, lanes, unroll int) {
	if f.k.goTail(f.tgt) {
		// The caller passes whole vectors only, and does the rest itself.
		f.label("tailLoop")
		f.copyNo = 0
		f.vector(b)
		f.advance(lanes)
		f.p("SUBQ $%d, CX", lanes)
		f.p("JG tailLoop")
		return
	}
	n := 1
	if len(f.k.accs) > 0 {
		n = unroll
	}
	f.masked = true
	f.out.WriteString("\n")
	if n == 1 {
		f.label("tailLoop")
	}
	for i := range n {
		f.copyNo = i
		f.p("MOVQ $%d, DX", lanes)
		f.p("CMPQ CX, DX")
		f.p("CMOVQLT CX, DX")
		if f.tgt == avx512 {
			f.p("MOVL $-1, AX")
			f.p("BZHIL DX, AX, AX")
			f.p("KMOVW AX, K7")
		} else {
			f.p("NEGQ DX")
			f.p("LEAQ tailMask<>+32(SB), AX")
			f.p("VMOVDQU (AX)(DX*%d), Y15", f.k.lane)
		}
		f.vector(b)
		f.advance(lanes)
		f.p("SUBQ $%d, CX", lanes)
		switch {
		case n == 1:
			f.p("JG tailLoop")
		case i < n-1:
			f.p("JLE done")
		}
	}
	f.masked = false
}

// finish ends the function; CX is the number of elements left if it stopped early.
func (f *frame) finish(lanes int) {
	f.label("done")
	off := 8*len(f.k.slices) + 8
	for _, s := range f.k.scalars {
		off += s.size()
	}
	off = (off + 7) &^ 7
	for i, c := range f.k.accs {
		f.reduce(c)
		f.p("VMOVS%s X%d, %s+%d(FP)", f.kind(), f.fixed[c.name+".0"], c.name, off+f.k.lane*i)
	}
	f.p("VZEROUPPER")
	if f.k.stops {
		f.p("MOVQ n+%d(FP), AX", 8*len(f.k.slices))
		f.p("MOVQ AX, done+%d(FP)", off)
		f.p("RET")
		f.out.WriteString("\n")
		f.label("stopMain")
		f.p("ADDQ $%d, CX", lanes)
		f.out.WriteString("\n")
		f.label("stopTail")
		f.p("VZEROUPPER")
		f.p("MOVQ n+%d(FP), AX", 8*len(f.k.slices))
		f.p("SUBQ CX, AX")
		f.p("MOVQ AX, done+%d(FP)", off)
	}
	f.p("RET")
}

// kind is the letter of the lanes' floats.
func (f *frame) kind() string { return map[int]string{4: "S", 8: "D"}[f.k.lane] }

// reduce joins the lanes: lane i with that half of them away, then a quarter, and so on.
func (f *frame) reduce(c acc) {
	op := map[string]string{"add": "VADDP" + f.kind(), "max": "VMAXPS", "min": "VMINPS", "imax": "VPMAXSD"}[c.op]
	join := func(hi, lo string) { f.p("%s %s, %s, %s", op, lo, hi, lo) }
	r := func(i int) int { return f.fixed[fmt.Sprintf("%s.%d", c.name, i)] }
	n := 0
	for ; ; n++ {
		if _, ok := f.fixed[fmt.Sprintf("%s.%d", c.name, n)]; !ok {
			break
		}
	}
	for n > 1 {
		n /= 2
		for i := range n {
			join(f.reg(r(i+n)), f.reg(r(i)))
		}
	}
	lo := r(0)
	t := f.alloc()
	f.free[t] = true
	if f.tgt == avx512 {
		f.p("VEXTRACTF64X4 $1, Z%d, Y%d", lo, t)
		join(fmt.Sprintf("Y%d", t), fmt.Sprintf("Y%d", lo))
		f.p("VEXTRACTF32X4 $1, Y%d, X%d", lo, t)
	} else {
		f.p("VEXTRACTF128 $1, Y%d, X%d", lo, t)
	}
	shuffles := []int{0, 0x4e, 0xb1}
	if f.k.lane == 8 {
		shuffles = shuffles[:2]
	}
	for _, imm := range shuffles {
		if imm != 0 {
			f.p("VPERMILPS $%#x, X%d, X%d", imm, lo, t)
		}
		join(fmt.Sprintf("X%d", t), fmt.Sprintf("X%d", lo))
	}
}
