package asmgen

import "fmt"

const (
	gaxpySig     = "(n int, y, x []%[1]s, xs int, b []%[1]s, brs int, zero bool)"
	gaxpyHalfSig = "(n int, y, x []%[1]s, xs int, b []uint16, brs int, zero bool)"
)

// gaxpy writes the row-vector kernel: rows rows of B are read side by side, each
// from start to end, so that memory streams.
//
//	for j < n: y[j] = (zero ? 0 : y[j]) + Σ_{t<rows} x[t*xs]*b[t*brs+j], t in order, by FMA
//
// With half, B is BF16 or F16, widened on the way.
func gaxpy(w *asm, v isa, e elem, rows int, half string) {
	name, sig, bshift := fmt.Sprintf("gaxpy%d%s%s", rows, e.suffix, v.name), gaxpySig, e.shift
	if half != "" {
		name, sig, bshift = fmt.Sprintf("gaxpy%d%s%s", rows, half, v.name), gaxpyHalfSig, 1
	}
	bbytes := v.bytes >> (e.shift - bshift) // of B in one vector
	acc, xreg := 0, 4                       // registers: up to 4 vectors of y, then the x
	w.text("\n// func %s%s", name, fmt.Sprintf(sig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $0-97", name)
	w.op("MOVQ n+0(FP), R13")
	w.op("MOVQ R13, R12")
	w.op("ANDQ $%d, R12 // columns in the last, partial vector", v.lanes(e)-1)
	w.op("MOVQ x_base+32(FP), AX")
	w.op("MOVQ xs+56(FP), BX")
	w.op("SHLQ $%d, BX", e.shift)
	for t := range rows {
		w.op("%s (AX), %s // x[%d]", v.bcast(e), v.r(xreg+t), t)
		if t < rows-1 {
			w.op("ADDQ BX, AX")
		}
	}
	masks(w, v, e, 1, "R12")
	w.op("MOVQ b_base+64(FP), AX")
	w.op("MOVQ brs+88(FP), BX")
	w.op("SHLQ $%d, BX", bshift)
	multiples(w, rows)
	w.op("MOVQ y_base+8(FP), R10")
	w.op("MOVBLZX zero+96(FP), R11")
	w.op("SUBQ R12, R13 // columns in whole vectors")
	for _, u := range []int{4, 1} {
		w.op("SUBQ $%d, R13", u*v.lanes(e))
		w.op("JLT end%d", u)
		w.label(fmt.Sprintf("loop%d", u))
		for j := range u {
			v.clear(w, acc+j)
		}
		w.op("TESTL R11, R11")
		w.op("JNE zero%d", u)
		for j := range u {
			w.op("VMOVU%s %d(R10), %s", e.ps, j*v.bytes, v.r(acc+j))
		}
		w.label(fmt.Sprintf("zero%d", u))
		for t := range rows {
			for j := range u {
				from := fmt.Sprintf("%d%s", j*bbytes, rowAddr(t))
				if half != "" {
					widenTo(w, half, "", from, "", v.r(16+j))
					from = v.r(16 + j)
				}
				w.op("VFMADD231%s %s, %s, %s", e.ps, from, v.r(xreg+t), v.r(acc+j))
			}
		}
		for j := range u {
			w.op("VMOVU%s %s, %d(R10)", e.ps, v.r(acc+j), j*v.bytes)
		}
		w.op("ADDQ $%d, AX", u*bbytes)
		w.op("ADDQ $%d, R10", u*v.bytes)
		w.op("SUBQ $%d, R13", u*v.lanes(e))
		w.op("JGE loop%d", u)
		w.label(fmt.Sprintf("end%d", u))
		w.op("ADDQ $%d, R13", u*v.lanes(e))
	}
	w.op("TESTQ R12, R12")
	w.op("JEQ done")
	gaxpyTail(w, v, e, rows, xreg, half)
	w.label("done")
	w.op("VZEROUPPER")
	w.op("RET")
}

// gaxpyTail does the last, partial vector under a mask.
func gaxpyTail(w *asm, v isa, e elem, rows, xreg int, half string) {
	load := func(mem, reg string) { w.op("VMOVU%s.Z %s, K1, %s", e.ps, mem, reg) }
	store := func(reg, mem string) { w.op("VMOVU%s %s, K1, %s", e.ps, reg, mem) }
	if !v.masks {
		w.op("VMOVU%s (R9), %s // mask", e.ps, v.r(3))
		load = func(mem, reg string) { w.op("VMASKMOV%s %s, %s, %s", e.ps, mem, v.r(3), reg) }
		store = func(reg, mem string) { w.op("VMASKMOV%s %s, %s, %s", e.ps, reg, v.r(3), mem) }
	}
	v.clear(w, 0)
	w.op("TESTL R11, R11")
	w.op("JNE zeroTail")
	load("(R10)", v.r(0))
	w.label("zeroTail")
	for t := range rows {
		if half != "" {
			widenTo(w, half, ".Z", rowAddr(t), "K1, ", v.r(1))
		} else {
			load(rowAddr(t), v.r(1))
		}
		w.op("VFMADD231%s %s, %s, %s", e.ps, v.r(1), v.r(xreg+t), v.r(0))
	}
	store(v.r(0), "(R10)")
}
