package asmgen

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
	rest := []int{1<<6 | t<<3 | 4, gpr[stride]&7<<3 | gpr[base]&7, off}
	if off > 127 { // four bytes
		rest[0] ^= 3 << 6
		rest = append(rest[:2], off&255, off>>8&255, off>>16&255, off>>24&255)
	}
	vex(w, fmt.Sprintf("%s %d(%s)(%s*1), T%d", name, off, base, stride, t), pp, 0, stride, base, 0x4b, rest...)
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

// tdpbuud: TDPBUUD b, a, c. VEX.128.NP.0F38.W0 5E 11:c:a with b in vvvv. The same for int8 in VNNI layout
// without sign, into int32.
func tdpbuud(w *asm, b, a, c int) {
	vex(w, fmt.Sprintf("TDPBUUD T%d, T%d, T%d", b, a, c), 0, b, "AX", "AX", 0x5e, 0xc0|c<<3|a)
}

// tdpbssd: TDPBSSD b, a, c. VEX.128.F2.0F38.W0 5E 11:c:a with b in vvvv. The same for int8 with sign.
func tdpbssd(w *asm, b, a, c int) {
	vex(w, fmt.Sprintf("TDPBSSD T%d, T%d, T%d", b, a, c), 3, b, "AX", "AX", 0x5e, 0xc0|c<<3|a)
}

// amxTypes are what tiles multiply.
var amxTypes = []struct {
	name string
	dot  func(w *asm, b, a, c int)
}{{"BF16", tdpbf16ps}, {"Int8", tdpbuud}}

const amxSig = "(full, tail *tileShape, steps, rest int, a []float32, ars int, b []float32, brs, bps int, c []float32, crs, panels int, " +
	"add bool)"

func amxName(t, rt, ct int) string { return fmt.Sprintf("tileAMX%sr%d%d", amxTypes[t].name, rt, ct) }

// amxTile writes the kernel of rt by ct tiles of C, each of up to 16 by 16, for one panel of B after the other:
//
//	for q < panels, i < rows, j < 16*ct: c[i*crs+q*16*ct+j] = (add ? c : 0) + Σ_p a[i*ars+p]·b[q*bps+p*brs+j]
//
// over pairs of bfloat16 or int8 in VNNI layout. The shapes say how many rows there are: full for steps of
// 16 elements, tail for the rest of them at the end. Registers: T0 to T3 sums, T4 and T5 A, T6 and T7 B; AX and R9 the
// two half types of A, BX its stride, R15 the panel of B, R10 the position in it, R11 its stride, DI and R8 the two half types of C,
// SI its stride, R13 the panels left, R14 the sums that come next.
func amxTile(w *asm, t, rt, ct int) {
	name := amxName(t, rt, ct)
	w.text("\n// func %s%s", name, amxSig)
	w.text("TEXT ·%s(SB), NOSPLIT, $0-145", name)
	w.op("MOVQ ars+56(FP), BX")
	w.op("SHLQ $2, BX")
	w.op("MOVQ b_base+64(FP), R15")
	w.op("MOVQ brs+88(FP), R11")
	w.op("SHLQ $2, R11")
	w.op("MOVQ R11, R12")
	w.op("SHLQ $4, R12 // 16 rows of B")
	w.op("MOVQ c_base+104(FP), DI")
	w.op("MOVQ crs+128(FP), SI")
	w.op("SHLQ $2, SI")
	w.op("MOVQ SI, R8")
	w.op("SHLQ $4, R8")
	w.op("ADDQ DI, R8 // row 16 of C")
	w.op("MOVQ panels+136(FP), R13")
	w.label("shape")
	w.op("MOVQ full+0(FP), CX")
	ldtilecfg(w, "CX")
	w.label("panel")
	w.op("MOVQ a_base+32(FP), AX")
	w.op("MOVQ BX, R9")
	w.op("SHLQ $4, R9")
	w.op("ADDQ AX, R9 // row 16 of A")
	w.op("MOVQ R15, R10")
	k := amxKernel{w, amxTypes[t].dot, rt, ct}
	w.op("CMPB add+144(FP), $0")
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
	w.op("LEAQ %d(DI), R14 // sums of the next panel", 64*ct)
	k.loads()
	w.op("JMP next")
	w.label("loop")
	k.products(true)
	k.ahead()
	w.label("next")
	w.op("ADDQ $64, AX")
	w.op("ADDQ $64, R9")
	w.op("ADDQ R12, R10")
	w.op("SUBQ $1, DX")
	w.op("JNE loop")
	k.products(false)
	w.label("rest")
	w.op("CMPQ rest+24(FP), $0")
	w.op("JEQ store")
	k.sums(tilestored) // new shapes clear the tiles
	w.op("MOVQ tail+8(FP), CX")
	ldtilecfg(w, "CX")
	k.sums(tileloadd)
	k.loads()
	k.products(false)
	w.label("store")
	k.sums(tilestored)
	w.op("ADDQ $%d, DI", 64*ct)
	w.op("ADDQ $%d, R8", 64*ct)
	w.op("MOVQ bps+96(FP), CX")
	w.op("SHLQ $2, CX")
	w.op("ADDQ CX, R15")
	w.op("SUBQ $1, R13")
	w.op("JEQ done")
	w.op("CMPQ rest+24(FP), $0")
	w.op("JEQ panel")
	w.op("JMP shape")
	w.label("done")
	tilerelease(w)
	w.op("RET")
}

type amxKernel struct {
	w      *asm
	dot    func(w *asm, b, a, c int)
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

// loads brings the first tiles of A and B.
func (k amxKernel) loads() {
	for j := range k.ct {
		k.loadB(j)
	}
	for i := range k.rt {
		k.loadA(i)
	}
}

func (k amxKernel) loadA(i int) { tileloadd(k.w, 4+i, 0, [...]string{"AX", "R9"}[i], "BX") }
func (k amxKernel) loadB(j int) { tileloadd(k.w, 6+j, 64*j, "R10", "R11") }

// products multiplies the tiles of A and B; with more of them to come, each is loaded anew as soon as it was used for the last time,
// so that loads run next to products. B comes from the second-level cache: what the next step loads is asked for now.
func (k amxKernel) products(more bool) {
	if more {
		k.w.op("LEAQ (R10)(R12*1), CX")
	}
	for j := range k.ct {
		for i := range k.rt {
			k.dot(k.w, 6+j, 4+i, 2*i+j)
			if more && j == k.ct-1 {
				k.loadA(i)
			}
			if more {
				k.soon(j*k.rt + i)
			}
		}
		if more {
			k.loadB(j)
		}
	}
}

// soon asks for a part of the next 16 rows of a panel of B, which are 128 bytes each; a narrow panel is half of one.
func (k amxKernel) soon(part int) {
	lines := 16 * k.ct / (k.rt * k.ct)
	for l := part * lines; l < (part+1)*lines; l++ {
		k.w.op("PREFETCHT0 %d(CX)", 128/k.ct*l)
	}
}

// ahead asks for four rows of the sums of the next panel, which would otherwise be waited for at its beginning: a chunk of eight steps
// asks for all 32.
func (k amxKernel) ahead() {
	for range 2 {
		for _, row := range []string{"(R14)", "(R14)(SI*1)"} {
			for j := range k.ct {
				k.w.op("PREFETCHT0 %d%s", 64*j, row)
			}
		}
		k.w.op("LEAQ (R14)(SI*2), R14")
	}
}

// amxProbe writes a loop of products of tiles that need no memory: the peak rate.
func amxProbe(w *asm, t int) {
	w.text("\n// func probeAMX%s(shape *tileShape, iterations int)", amxTypes[t].name)
	w.text("// Four sums, each of two tiles of zeros.")
	w.text("TEXT ·probeAMX%s(SB), NOSPLIT, $0-16", amxTypes[t].name)
	w.op("MOVQ shape+0(FP), CX")
	ldtilecfg(w, "CX")
	w.op("MOVQ iterations+8(FP), AX")
	w.op("PCALIGN $64")
	w.label("loop")
	for i := range 2 {
		for j := range 2 {
			amxTypes[t].dot(w, 6+j, 4+i, 2*i+j)
		}
	}
	w.op("SUBQ $1, AX")
	w.op("JGT loop")
	tilerelease(w)
	w.op("RET")
}

func amxFile(w *asm) {
	for t := range amxTypes {
		for rt := 1; rt <= 2; rt++ {
			for ct := 1; ct <= 2; ct++ {
				amxTile(w, t, rt, ct)
			}
		}
		amxProbe(w, t)
	}
}

func amxStubs(w *asm) {
	for t := range amxTypes {
		for rt := 1; rt <= 2; rt++ {
			for ct := 1; ct <= 2; ct++ {
				w.text("//go:noescape\nfunc %s%s\n", amxName(t, rt, ct), amxSig)
			}
		}
		w.text("//go:noescape\nfunc probeAMX%s(shape *tileShape, iterations int)\n", amxTypes[t].name)
	}
}
