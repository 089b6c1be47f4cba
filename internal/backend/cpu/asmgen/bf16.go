package asmgen

import "fmt"

// Kernels of AVX512_BF16 take the factors as pairs: two bfloat16, neighbours in k, the first
// in the low half of 32 bits. VDPBF16PS multiplies both and adds them to a float32, so a
// tile is that of float32 with another instruction. The rest here makes pairs of rows.

// vdpbf16ps writes VDPBF16PS Zb, Za, Zacc, which the assembler does not know:
// EVEX.512.F3.0F38.W0 52 /r. acc += a.low·b.low + a.high·b.high in each lane. It rounds to
// nearest, takes subnormal factors as zero and flushes subnormal sums to zero.
func vdpbf16ps(w *asm, b, a, acc int) {
	off := func(r, bit int) int { return 1 &^ (r >> bit) & 1 } // EVEX stores these inverted
	p0 := off(acc, 3)<<7 | off(b, 4)<<6 | off(b, 3)<<5 | off(acc, 4)<<4 | 2
	p1 := (^a&15)<<3 | 1<<2 | 2
	p2 := 2<<5 | off(a, 4)<<3
	modrm := 3<<6 | acc&7<<3 | b&7
	w.op("LONG $0x%02x%02x%02x62; WORD $0x%02x52 // VDPBF16PS Z%d, Z%d, Z%d", p2, p1, p0, modrm, b, a, acc)
}

const (
	zipSig       = "(dst []float32, drs, dps int, src []uint16, srs, step, rows, panels, width int)"
	gaxpyBF16Sig = "(n int, y, x []float32, xs int, b []uint16, brs, step int, zero bool)"
)

// zip writes the copy of rows of bfloat16, two and two, into panels of pairs:
//
//	for p < rows, q < panels, i < width:
//	    dst[p*drs+q*dps+i] = pair of src[p*srs+q*width+i] and src[p*srs+step+q*width+i]
//
// width is at most two vectors of pairs.
func zip(w *asm, v isa) {
	w.text("\n// func zip%s%s", v.name, zipSig)
	w.text("TEXT ·zip%s(SB), NOSPLIT, $0-104", v.name)
	masks(w, v, bf16Pair, 2, "width+96(FP)")
	w.op("MOVQ dst_base+0(FP), DI")
	w.op("MOVQ src_base+40(FP), SI")
	for _, s := range []struct {
		arg, reg string
		shift    int
	}{{"drs+24(FP)", "R8", 2}, {"dps+32(FP)", "R9", 2}, {"srs+64(FP)", "R10", 1}, {"step+72(FP)", "CX", 1}, {"width+96(FP)", "R11", 1}} {
		w.op("MOVQ %s, %s", s.arg, s.reg)
		w.op("SHLQ $%d, %s", s.shift, s.reg)
	}
	w.op("MOVQ rows+80(FP), R12")
	w.label("row")
	w.op("MOVQ DI, AX")
	w.op("MOVQ SI, BX")
	w.op("LEAQ (SI)(CX*1), DX // the second row of the pair")
	w.op("MOVQ panels+88(FP), R13")
	w.label("panel")
	w.op("PREFETCHT0 (BX)(R10*%d)", rowsAhead)
	w.op("PREFETCHT0 (DX)(R10*%d)", rowsAhead)
	for j := range 2 {
		w.op("VPMOVZXWD.Z %d(BX), K%d, Z%d", j*v.bytes/2, j+1, 2*j)
		w.op("VPMOVZXWD.Z %d(DX), K%d, Z%d", j*v.bytes/2, j+1, 2*j+1)
	}
	for j := range 2 {
		w.op("VPSLLD $16, Z%d, Z%d", 2*j+1, 2*j+1)
		w.op("VPORD Z%d, Z%d, Z%d", 2*j+1, 2*j, 2*j)
		w.op("VMOVUPS Z%d, K%d, %d(AX)", 2*j, j+1, j*v.bytes)
	}
	w.op("ADDQ R11, BX")
	w.op("ADDQ R11, DX")
	w.op("ADDQ R9, AX")
	w.op("SUBQ $1, R13")
	w.op("JNE panel")
	w.op("ADDQ R8, DI")
	w.op("ADDQ R10, SI")
	w.op("SUBQ $1, R12")
	w.op("JNE row")
	w.op("VZEROUPPER")
	w.op("RET")
}

// gaxpyBF16 writes the row-vector kernel for pairs in x and rows of bfloat16 in B:
//
//	for j < n: y[j] = (zero ? 0 : y[j]) + Σ_{t<rows} x[t*xs]·pair of b[t*brs+j] and b[t*brs+step+j]
func gaxpyBF16(w *asm, v isa, rows int) {
	const xreg, tmp = 4, 12 // registers: up to 4 vectors of y, then the x, then pairs of B
	name := fmt.Sprintf("gaxpy%dBF16Pair%s", rows, v.name)
	n := v.lanes(bf16Pair)
	w.text("\n// func %s%s", name, gaxpyBF16Sig)
	w.text("TEXT ·%s(SB), NOSPLIT, $0-105", name)
	w.op("MOVQ n+0(FP), R13")
	w.op("MOVQ R13, R12")
	w.op("ANDQ $%d, R12 // columns in the last, partial vector", n-1)
	w.op("MOVQ x_base+32(FP), AX")
	w.op("MOVQ xs+56(FP), BX")
	w.op("SHLQ $2, BX")
	for t := range rows {
		w.op("VBROADCASTSS (AX), %s // x[%d]", v.r(xreg+t), t)
		if t < rows-1 {
			w.op("ADDQ BX, AX")
		}
	}
	masks(w, v, bf16Pair, 1, "R12")
	w.op("MOVQ b_base+64(FP), AX")
	w.op("MOVQ brs+88(FP), BX")
	w.op("SHLQ $1, BX")
	multiples(w, rows)
	w.op("MOVQ step+96(FP), R8")
	w.op("SHLQ $1, R8")
	w.op("ADDQ AX, R8 // the second row of each pair")
	w.op("MOVQ y_base+8(FP), R10")
	w.op("MOVBLZX zero+104(FP), R11")
	w.op("SUBQ R12, R13 // columns in whole vectors")
	for _, u := range []int{4, 1} {
		w.op("SUBQ $%d, R13", u*n)
		w.op("JLT end%d", u)
		w.label(fmt.Sprintf("loop%d", u))
		gaxpyBF16Step(w, v, rows, u, xreg, tmp, fmt.Sprintf("zero%d", u), "")
		w.op("ADDQ $%d, AX", u*v.bytes/2)
		w.op("ADDQ $%d, R8", u*v.bytes/2)
		w.op("ADDQ $%d, R10", u*v.bytes)
		w.op("SUBQ $%d, R13", u*n)
		w.op("JGE loop%d", u)
		w.label(fmt.Sprintf("end%d", u))
		w.op("ADDQ $%d, R13", u*n)
	}
	w.op("TESTQ R12, R12")
	w.op("JEQ done")
	gaxpyBF16Step(w, v, rows, 1, xreg, tmp, "zeroTail", "K1, ")
	w.label("done")
	w.op("VZEROUPPER")
	w.op("RET")
}

// gaxpyBF16Step does u vectors of columns, under a mask if there is one.
func gaxpyBF16Step(w *asm, v isa, rows, u, xreg, tmp int, zero, mask string) {
	z := ""
	if mask != "" {
		z = ".Z"
	}
	for j := range u {
		v.clear(w, j)
	}
	w.op("TESTL R11, R11")
	w.op("JNE %s", zero)
	for j := range u {
		w.op("VMOVUPS%s %d(R10), %s%s", z, j*v.bytes, mask, v.r(j))
	}
	w.label(zero)
	for t := range rows {
		for j := range u {
			low, high := v.r(tmp+2*j), v.r(tmp+2*j+1)
			w.op("VPMOVZXWD%s %d%s, %s%s", z, j*v.bytes/2, rowAddr(t), mask, low)
			w.op("VPMOVZXWD%s %d%s, %s%s", z, j*v.bytes/2, rowAddrFrom("R8", t), mask, high)
			w.op("VPSLLD $16, %s, %s", high, high)
			w.op("VPORD %s, %s, %s", high, low, low)
			vdpbf16ps(w, tmp+2*j, xreg+t, j)
		}
	}
	for j := range u {
		w.op("VMOVUPS %s, %s%d(R10)", v.r(j), mask, j*v.bytes)
	}
}

// bf16Files writes the kernels of pairs.
func bf16Files(add func(string, func(*asm)), v isa) {
	for _, masked := range []bool{false, true} {
		for _, nv := range vectors {
			tileFiles(add, v, bf16Pair, nv, masked)
		}
	}
	fetchFiles(add, v, bf16Pair, "fetch_bf16pair", tileFetch)
	fetchFiles(add, v, bf16Pair, "stream_bf16pair", tileStream)
	add("dot_bf16pair_"+v.name, func(w *asm) {
		out := dotMacros(w, v, bf16Pair)
		for mr := 1; mr <= v.dotRows(); mr++ {
			dot(w, v, bf16Pair, mr, out)
		}
	})
	add("tilewide_bf16pair_"+v.name, func(w *asm) {
		for mr := 1; mr <= wideRows; mr++ {
			kernel(w, v, bf16Pair, mr, wideTile, false)
		}
	})
	add("dotwide_bf16pair_"+v.name, func(w *asm) {
		for mr := 1; mr <= wideRows; mr++ {
			dotWide(w, v, bf16Pair, mr)
		}
	})
	add("rows_bf16pair_"+v.name, func(w *asm) {
		zip(w, v)
		gaxpyBF16(w, v, bf16Rows)
		gaxpyBF16(w, v, 1)
		probe(w, v, bf16Pair)
	})
}

// bf16Rows is how many pairs of rows gaxpyBF16 reads side by side.
const bf16Rows = 4

// bf16Stubs declares them.
func bf16Stubs(w *asm, v isa) {
	tileFetchStubs(w, v, bf16Pair)
	tileStreamStubs(w, v, bf16Pair)
	kernelStubs(w, v, bf16Pair)
	dotWideStubs(w, v, bf16Pair)
	w.text("//go:noescape\nfunc zip%s%s\n", v.name, zipSig)
	for _, rows := range []int{bf16Rows, 1} {
		w.text("//go:noescape\nfunc gaxpy%dBF16Pair%s%s\n", rows, v.name, gaxpyBF16Sig)
	}
	w.text("func probeBF16Pair%s(iterations int)\n", v.name)
}
