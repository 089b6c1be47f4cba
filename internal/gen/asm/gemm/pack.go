package gemm

import "fmt"

const packSig = "(dst []%[1]s, drs int, src []%[1]s, scs, kc, cols int)"

// packT writes the transposing copy of one vector of columns into a panel of B:
//
//	for p < kc, j < lanes: dst[p*drs+j] = src[min(j, cols-1)*scs+p]
//
// Columns past the last repeat it: what they give is never stored, and a repeated
// column cannot raise a fault or meet a slow subnormal that the real one does not.
func packT(w *asm, v isa, e elem) {
	n := v.lanes(e)
	name := "packT" + e.suffix + v.name
	w.text("\n// func %s%s", name, fmt.Sprintf(packSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $%d-80", name, n*8)
	w.op("MOVQ src_base+32(FP), AX")
	w.op("MOVQ scs+56(FP), BX")
	w.op("SHLQ $%d, BX", e.shift)
	w.op("MOVQ cols+72(FP), CX")
	for j := range n {
		w.op("MOVQ AX, %d(SP) // column %d", j*8, j)
		if j < n-1 {
			w.op("LEAQ (AX)(BX*1), DX")
			w.op("CMPQ CX, $%d", j+1)
			w.op("CMOVQGT DX, AX // stay on the last column")
		}
	}
	w.op("MOVQ dst_base+0(FP), DI")
	w.op("MOVQ drs+24(FP), R8")
	w.op("SHLQ $%d, R8", e.shift)
	w.op("MOVQ kc+64(FP), R13")
	w.op("XORQ SI, SI // byte offset of p")
	w.op("SUBQ $%d, R13", n)
	w.op("JLT tail")
	w.label("loop")
	for j := range n {
		w.op("MOVQ %d(SP), AX", j*8)
		w.op("VMOVU%s (AX)(SI*1), %s", e.ps, v.r(j))
	}
	for p, r := range transpose(w, v, e) {
		w.op("VMOVU%s %s, (DI) // p+%d", e.ps, v.r(r), p)
		w.op("ADDQ R8, DI")
	}
	w.op("ADDQ $%d, SI", v.bytes)
	w.op("SUBQ $%d, R13", n)
	w.op("JGE loop")
	w.label("tail")
	w.op("ADDQ $%d, R13", n)
	w.op("JEQ done")
	w.label("single")
	mov := map[int]string{4: "MOVL", 8: "MOVQ"}[e.size]
	for j := range n {
		w.op("MOVQ %d(SP), AX", j*8)
		w.op("%s (AX)(SI*1), BX", mov)
		w.op("%s BX, %d(DI)", mov, j*e.size)
	}
	w.op("ADDQ R8, DI")
	w.op("ADDQ $%d, SI", e.size)
	w.op("SUBQ $1, R13")
	w.op("JNE single")
	w.label("done")
	w.op("VZEROUPPER")
	w.op("RET")
}

// transpose turns the square in registers 0 to lanes-1 around, using the registers
// above as a second bank, and returns the register of each column. First squares
// of 128 bits are turned inside their lanes, then the lanes are exchanged.
func transpose(w *asm, v isa, e elem) []int {
	n := v.lanes(e)
	per := 16 / e.size // elements in 128 bits
	groups := n / per  // 128-bit lanes in a register
	src, dst := 0, n   // the two banks
	pair := func(op string, lo, hi, out int) { w.op("%s %s, %s, %s", op, v.r(hi), v.r(lo), v.r(out)) }
	if e.size == 4 {
		for i := 0; i < n; i += 2 {
			pair("VUNPCKLPS", src+i, src+i+1, dst+i)
			pair("VUNPCKHPS", src+i, src+i+1, dst+i+1)
		}
		src, dst = dst, src
		for g := 0; g < n; g += 4 {
			pair("VUNPCKLPD", src+g, src+g+2, dst+g)
			pair("VUNPCKHPD", src+g, src+g+2, dst+g+1)
			pair("VUNPCKLPD", src+g+1, src+g+3, dst+g+2)
			pair("VUNPCKHPD", src+g+1, src+g+3, dst+g+3)
		}
	} else {
		for i := 0; i < n; i += 2 {
			pair("VUNPCKLPD", src+i, src+i+1, dst+i)
			pair("VUNPCKHPD", src+i, src+i+1, dst+i+1)
		}
	}
	src, dst = dst, src
	// Now register src+g*per+c holds, in lane l, rows g*per… of column l*per+c.
	out := make([]int, n)
	lanes := func(imm int, a, b, to int) {
		op := "VPERM2F128"
		if groups == 4 {
			op = map[int]string{4: "VSHUFF32X4", 8: "VSHUFF64X2"}[e.size]
		}
		w.op("%s $0x%02x, %s, %s, %s", op, imm, v.r(b), v.r(a), v.r(to))
	}
	for c := range per {
		at := func(g int) int { return src + g*per + c }
		if groups == 2 {
			lanes(0x20, at(0), at(1), dst+2*c)
			lanes(0x31, at(0), at(1), dst+2*c+1)
			out[c], out[per+c] = dst+2*c, dst+2*c+1
			continue
		}
		t := dst + 4*c
		lanes(0x88, at(0), at(1), t)
		lanes(0x88, at(2), at(3), t+1)
		lanes(0xdd, at(0), at(1), t+2)
		lanes(0xdd, at(2), at(3), t+3)
		for l := range 4 {
			lanes([]int{0x88, 0xdd}[l/2], t+l%2*2, t+l%2*2+1, at(l)) // the sources are free now
			out[l*per+c] = at(l)
		}
	}
	return out
}
