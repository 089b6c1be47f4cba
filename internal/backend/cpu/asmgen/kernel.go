package asmgen

import "fmt"

// kernelSig is the Go signature of every kernel; offsets below follow it.
const kernelSig = "(kc int, a []%[1]s, ars, acs int, b []%[1]s, brs int, c []%[1]s, crs, cols int, add bool)"

// kernelName names a tile kernel; masked ones take any number of columns.
func kernelName(v isa, e elem, mr, nv int, masked bool) string {
	m := ""
	if masked {
		m = "m"
	}
	return fmt.Sprintf("tile%s%sr%dv%d%s", e.suffix, v.name, mr, nv, m)
}

// kernel writes one register tile of mr rows by nv vectors:
//
//	for i < mr, j < cols: s = Σ_p a[i*ars+p*acs] * b[p*brs+j] in order of p, by FMA
//	c[i*crs+j] = s, or += s
func kernel(w *asm, v isa, e elem, mr, nv int, masked bool) {
	name := kernelName(v, e, mr, nv, masked)
	w.text("\n// func %s%s", name, fmt.Sprintf(kernelSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $0-121", name)
	tile{w, v, e, mr, nv, masked}.body(nothingAhead)
}

// body writes the instructions of a tile, which may fetch what is read soon (tilefetch.go).
func (k tile) body(fetches ahead) {
	w, v, mr, nv, masked := k.w, k.v, k.mr, k.nv, k.masked
	k.prefetchC()
	k.arguments()
	if fetches == elsewhere {
		w.op("MOVQ next+128(FP), R14")
		w.op("MOVQ pace+136(FP), R15")
	}
	for i := range mr * nv {
		v.clear(w, i)
	}
	w.macro("STEP", k.step)
	w.op("MOVQ kc+0(FP), R13")
	if !masked { // edges are rare: their code stays short
		w.op("SUBQ $%d, R13", unroll)
		w.op("JLT tail")
		w.op("PCALIGN $64")
		w.label("loop")
		for i := range unroll {
			if fetches == panelItself {
				k.fetchPanel()
			}
			w.op("STEP")
			if fetches == elsewhere && (i+1)%fetchSteps == 0 {
				w.op("PREFETCHT1 (R14)")
				w.op("ADDQ R15, R14")
			}
		}
		w.op("SUBQ $%d, R13", unroll)
		w.op("JGE loop")
		w.label("tail")
		w.op("ADDQ $%d, R13", unroll)
		w.op("JEQ done")
	}
	if masked {
		w.op("PCALIGN $64")
	}
	w.label("single")
	w.op("STEP")
	w.op("SUBQ $1, R13")
	w.op("JNE single")
	w.text("#undef STEP")
	if !masked {
		w.label("done")
	}
	k.store()
	w.op("VZEROUPPER")
	w.op("RET")
}

// unroll is the number of steps of k in the main loop.
const unroll = 4

// tile is a kernel being written. Registers: AX A, R10 B, R11 row stride of B,
// R12 column stride of A, R13 steps left, row multiples by rowRegs.
type tile struct {
	w      *asm
	v      isa
	e      elem
	mr, nv int
	masked bool
}

func (k tile) acc(i, j int) string { return k.v.r(i*k.nv + j) }
func (k tile) breg(j int) int      { return k.mr*k.nv + j }
func (k tile) areg(i int) int {
	first := k.mr*k.nv + k.nv
	return first + i%min(2, k.v.regs-first)
}

// prefetchC asks for the lines of C now, so that they are near when the sums are ready.
func (k tile) prefetchC() {
	w := k.w
	w.op("MOVQ c_base+80(FP), AX")
	w.op("MOVQ crs+104(FP), BX")
	w.op("SHLQ $%d, BX", k.e.shift)
	for i := range k.mr {
		for off := 0; off < k.nv*k.v.bytes; off += 64 {
			w.op("PREFETCHT0 %d(AX)", off)
		}
		w.op("PREFETCHT0 %d(AX)", k.nv*k.v.bytes-1)
		if i < k.mr-1 {
			w.op("ADDQ BX, AX")
		}
	}
}

func (k tile) arguments() {
	w := k.w
	if k.masked {
		masks(w, k.v, k.e, k.nv, "cols+112(FP)")
	}
	w.op("MOVQ a_base+8(FP), AX")
	w.op("MOVQ ars+32(FP), BX")
	w.op("SHLQ $%d, BX", k.e.shift)
	multiples(w, k.mr)
	w.op("MOVQ acs+40(FP), R12")
	w.op("SHLQ $%d, R12", k.e.shift)
	w.op("MOVQ b_base+48(FP), R10")
	w.op("MOVQ brs+72(FP), R11")
	w.op("SHLQ $%d, R11", k.e.shift)
}

func (k tile) loadB(j int) {
	w, v, r := k.w, k.v, k.breg(j)
	off := j * v.bytes
	switch {
	case !k.masked:
		w.op("VMOVU%s %d(R10), %s", k.e.ps, off, v.r(r))
	case v.masks:
		w.op("VMOVU%s.Z %d(R10), K%d, %s", k.e.ps, off, j+1, v.r(r))
	default:
		w.op("VMOVU%s %d(R9), %s // mask", k.e.ps, off, v.r(r))
		w.op("VMASKMOV%s %d(R10), %s, %s", k.e.ps, off, v.r(r), v.r(r))
	}
}

// step does one k: nv vectors of B, mr scalars of A, mr*nv multiply-adds.
func (k tile) step() {
	w, v := k.w, k.v
	for j := range k.nv {
		k.loadB(j)
	}
	for i := range k.mr {
		a := k.areg(i)
		w.op("%s %s, %s // a[%d]", v.bcast(k.e), rowAddr(i), v.r(a), i)
		for j := range k.nv {
			v.multiplyAdd(w, k.e, k.breg(j), a, i*k.nv+j)
		}
	}
	w.op("ADDQ R11, R10 // next row of B")
	w.op("ADDQ R12, AX // next column of A")
}

// store writes the sums to C, or adds them.
func (k tile) store() {
	w := k.w
	w.op("MOVQ c_base+80(FP), AX")
	w.op("MOVQ crs+104(FP), BX")
	w.op("SHLQ $%d, BX", k.e.shift)
	multiples(w, k.mr)
	k.storeRows("add+120(FP)")
}

// storeRows writes the sums to C from AX on, rows BX apart, or adds them first: then C is added to the sums, and one run of
// stores serves both.
func (k tile) storeRows(addArg string) {
	w, v, ps := k.w, k.v, k.e.ps
	if k.masked && !v.masks {
		for j := range k.nv { // registers of B are free by now
			w.op("VMOVU%s %d(R9), %s // mask", ps, j*v.bytes, v.r(k.breg(j)))
		}
	}
	w.op("CMPB %s, $0", addArg)
	w.op("JEQ write")
	k.eachSum(func(acc, at string, j int) {
		switch {
		case !k.masked:
			w.op("%s %s, %s, %s", k.e.sum(), at, acc, acc)
		case v.masks:
			w.op("%s %s, %s, K%d, %s", k.e.sum(), at, acc, j+1, acc)
		default:
			t := v.r(v.regs - 1)
			w.op("VMASKMOV%s %s, %s, %s", ps, at, v.r(k.breg(j)), t)
			w.op("%s %s, %s, %s", k.e.sum(), t, acc, acc)
		}
	})
	w.label("write")
	k.eachSum(func(acc, at string, j int) {
		switch {
		case !k.masked:
			w.op("VMOVU%s %s, %s", ps, acc, at)
		case v.masks:
			w.op("VMOVU%s %s, K%d, %s", ps, acc, j+1, at)
		default:
			w.op("VMASKMOV%s %s, %s, %s", ps, acc, v.r(k.breg(j)), at)
		}
	})
}

// eachSum gives f each vector of sums, where it goes, and the number of the vector in its row.
func (k tile) eachSum(f func(acc, at string, j int)) {
	for i := range k.mr {
		for j := range k.nv {
			at := rowAddr(i)
			if j > 0 {
				at = fmt.Sprint(j*k.v.bytes) + at
			}
			f(k.acc(i, j), at, j)
		}
	}
}
