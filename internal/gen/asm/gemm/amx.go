package gemm

import "fmt"

// The assembler does not know AMX. All of its instructions are encoded here, one function
// each; tiles are numbers from 0 to 7, general registers have the numbers of x86.

// gpr are the registers that addresses of tiles use.
var gpr = map[string]int{"AX": 0, "CX": 1, "DX": 2, "BX": 3, "SI": 6, "DI": 7, "R8": 8, "R9": 9, "R10": 10, "R11": 11, "R12": 12}

// vex writes an instruction with a three-byte VEX prefix of map 0F38, W 0, length 128. pp is
// the mandatory prefix (0 none, 2 F3, 3 F2), v the register in vvvv.
func vex(w *asm, note string, pp, v int, index, base string, opcode int, rest ...int) {
	p0 := 1<<7 | (1^gpr[index]>>3)<<6 | (1^gpr[base]>>3)<<5 | 2
	p1 := (^v&15)<<3 | pp
	line := fmt.Sprintf("BYTE $0xc4; BYTE $0x%02x; BYTE $0x%02x; BYTE $0x%02x", p0, p1, opcode)
	for _, b := range rest {
		line += fmt.Sprintf("; BYTE $0x%02x", b)
	}
	w.op("%s // %s", line, note)
}

// ldtilecfg: LDTILECFG (base). VEX.128.NP.0F38.W0 49 /0. Sets the shapes of all tiles, and clears them.
func ldtilecfg(w *asm, base string) {
	vex(w, "LDTILECFG ("+base+")", 0, 0, "AX", base, 0x49, gpr[base]&7)
}

// tilerelease: TILERELEASE. VEX.128.NP.0F38.W0 49 C0. Gives the tiles back.
func tilerelease(w *asm) { vex(w, "TILERELEASE", 0, 0, "AX", "AX", 0x49, 0xc0) }

// tilezero: TILEZERO t. VEX.128.F2.0F38.W0 49 11:t:000.
func tilezero(w *asm, t int) {
	vex(w, fmt.Sprintf("TILEZERO T%d", t), 3, 0, "AX", "AX", 0x49, 0xc0|t<<3)
}

// tilemem is the common form of loads and stores: rows at base+off, a stride apart.
func tilemem(w *asm, name string, pp, t int, off int, base, stride string) {
	vex(w, fmt.Sprintf("%s %d(%s)(%s*1), T%d", name, off, base, stride, t), pp, 0, stride, base, 0x4b,
		1<<6|t<<3|4, gpr[stride]&7<<3|gpr[base]&7, off)
}

// tileloadd: TILELOADD off(base)(stride*1), t. VEX.128.F2.0F38.W0 4B /r with SIB.
func tileloadd(w *asm, t, off int, base, stride string) {
	tilemem(w, "TILELOADD", 3, t, off, base, stride)
}

// tilestored: TILESTORED t, off(base)(stride*1). VEX.128.F3.0F38.W0 4B /r with SIB.
func tilestored(w *asm, t, off int, base, stride string) {
	tilemem(w, "TILESTORED", 2, t, off, base, stride)
}

// tdpbf16ps: TDPBF16PS b, a, c. VEX.128.F3.0F38.W0 5C 11:c:a with b in vvvv. c += a·b, where a
// has rows of pairs and b pairs of rows.
func tdpbf16ps(w *asm, b, a, c int) {
	vex(w, fmt.Sprintf("TDPBF16PS T%d, T%d, T%d", b, a, c), 2, b, "AX", "AX", 0x5c, 0xc0|c<<3|a)
}

const amxSig = "(full, tail *tileShape, steps, rest int, a []float32, ars int, b []float32, brs int, c []float32, crs int, add bool)"

// amxTile writes the kernel of rt by ct tiles of C, each of up to 16 by 16:
//
//	for i < rows, j < 16*ct: c[i*crs+j] = (add ? c : 0) + Σ_p a[i*ars+p]·b[p*brs+j], over pairs
//
// The shapes say how many rows there are: full for steps of 16 pairs, tail for the rest of
// them at the end. Registers: T0 to T3 sums, T4 and T5 A, T6 and T7 B; AX and R9 the two halves
// of A, BX its stride, R10 B, R11 its stride, DI and R8 the two halves of C, SI its stride.
func amxTile(w *asm, rt, ct int) {
	name := fmt.Sprintf("tileAMX%d%d", rt, ct)
	w.text("\n// func %s%s", name, amxSig)
	w.text("TEXT ·%s(SB), NOSPLIT, $0-129", name)
	w.op("MOVQ a_base+32(FP), AX")
	w.op("MOVQ ars+56(FP), BX")
	w.op("SHLQ $2, BX")
	w.op("MOVQ BX, R9")
	w.op("SHLQ $4, R9")
	w.op("ADDQ AX, R9 // row 16 of A")
	w.op("MOVQ b_base+64(FP), R10")
	w.op("MOVQ brs+88(FP), R11")
	w.op("SHLQ $2, R11")
	w.op("MOVQ R11, R12")
	w.op("SHLQ $4, R12 // 16 rows of B")
	w.op("MOVQ c_base+96(FP), DI")
	w.op("MOVQ crs+120(FP), SI")
	w.op("SHLQ $2, SI")
	w.op("MOVQ SI, R8")
	w.op("SHLQ $4, R8")
	w.op("ADDQ DI, R8 // row 16 of C")
	w.op("MOVQ full+0(FP), CX")
	ldtilecfg(w, "CX")
	k := amxKernel{w, rt, ct}
	w.op("CMPB add+128(FP), $0")
	w.op("JEQ zero")
	k.sums(tileloadd)
	w.op("JMP begin")
	w.label("zero")
	for i := range rt {
		for j := range ct {
			tilezero(w, 2*i+j)
		}
	}
	w.label("begin")
	w.op("MOVQ steps+16(FP), DX")
	w.op("TESTQ DX, DX")
	w.op("JEQ rest")
	w.label("loop")
	k.step()
	w.op("ADDQ $64, AX")
	w.op("ADDQ $64, R9")
	w.op("ADDQ R12, R10")
	w.op("SUBQ $1, DX")
	w.op("JNE loop")
	w.label("rest")
	w.op("CMPQ rest+24(FP), $0")
	w.op("JEQ store")
	k.sums(tilestored) // new shapes clear the tiles
	w.op("MOVQ tail+8(FP), CX")
	ldtilecfg(w, "CX")
	k.sums(tileloadd)
	k.step()
	w.label("store")
	k.sums(tilestored)
	tilerelease(w)
	w.op("RET")
}

type amxKernel struct {
	w      *asm
	rt, ct int
}

// sums loads or stores all tiles of C.
func (k amxKernel) sums(f func(w *asm, t, off int, base, stride string)) {
	for i := range k.rt {
		for j := range k.ct {
			f(k.w, 2*i+j, 64*j, [...]string{"DI", "R8"}[i], "SI")
		}
	}
}

// step multiplies one tile of k.
func (k amxKernel) step() {
	for j := range k.ct {
		tileloadd(k.w, 6+j, 64*j, "R10", "R11")
	}
	for i := range k.rt {
		tileloadd(k.w, 4+i, 0, [...]string{"AX", "R9"}[i], "BX")
		for j := range k.ct {
			tdpbf16ps(k.w, 6+j, 4+i, 2*i+j)
		}
	}
}

func amxFile(w *asm) {
	for rt := 1; rt <= 2; rt++ {
		for ct := 1; ct <= 2; ct++ {
			amxTile(w, rt, ct)
		}
	}
}

func amxStubs(w *asm) {
	for rt := 1; rt <= 2; rt++ {
		for ct := 1; ct <= 2; ct++ {
			w.text("//go:noescape\nfunc tileAMX%d%d%s\n", rt, ct, amxSig)
		}
	}
}
