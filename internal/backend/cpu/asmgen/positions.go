package asmgen

import "fmt"

// positionSig is the Go signature of every output-position kernel; offsets below follow it.
const positionSig = "(channels int, off []int, x []%[1]s, second, xcs int, w []%[1]s, wcs int, c []%[1]s, cs int, add bool)"

// positionName names the kernel of two rows of h positions by nv vectors.
func positionName(v isa, e elem, h, nv int) string {
	return fmt.Sprintf("positions%s%sh%dv%d", e.suffix, v.name, h, nv)
}

// positionMost is the longest row of positions: two of them, two vectors each, leave registers for two vectors of W and
// two scalars of X, or one.
func positionMost(v isa) int {
	if v.regs < 32 {
		return 3
	}
	return 7
}

// positions writes the kernel of two rows of h positions by nv vectors of output channels:
//
//	for r < 2, i < h, j < nv·lanes: s = Σ_ch Σ_p x[r*second+ch*xcs+off[p]+i] * w[ch*wcs+p*nv*lanes+j], in this order, by FMA
//	c[r*cs+i*nv*lanes+j] = s, or += s
//
// Registers: AX and BX the rows of X, CX channels left, DX and SI what is between two channels of X and of W, DI the
// offsets, R8 their number, R10 W, R11 and R12 the next offset and how many are left, R13 the offset.
func positions(w *asm, v isa, e elem, h, nv int) {
	k := tile{w, v, e, 2 * h, nv, false}
	name := positionName(v, e, h, nv)
	w.text("\n// func %s%s", name, fmt.Sprintf(positionSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $0-137", name)
	w.op("MOVQ channels+0(FP), CX")
	w.op("MOVQ off_base+8(FP), DI")
	w.op("MOVQ off_len+16(FP), R8")
	w.op("MOVQ x_base+32(FP), AX")
	w.op("MOVQ second+56(FP), BX")
	w.op("LEAQ (AX)(BX*%d), BX", e.size)
	w.op("MOVQ xcs+64(FP), DX")
	w.op("SHLQ $%d, DX", e.shift)
	w.op("MOVQ w_base+72(FP), R10")
	w.op("MOVQ wcs+96(FP), SI")
	w.op("SHLQ $%d, SI", e.shift)
	w.op("IMUL3Q $%d, R8, R9", nv*v.bytes)
	w.op("SUBQ R9, SI // from the last row of a channel to the next one")
	for i := range 2 * h * nv {
		v.clear(w, i)
	}
	w.label("channel")
	w.op("MOVQ DI, R11")
	w.op("MOVQ R8, R12")
	w.op("PCALIGN $32")
	w.label("tap")
	w.op("MOVQ (R11), R13")
	for j := range nv {
		w.op("VMOVU%s %d(R10), %s", e.ps, j*v.bytes, v.r(k.breg(j)))
	}
	for i := range 2 * h {
		row, a := "AX", v.r(k.areg(i))
		if i >= h {
			row = "BX"
		}
		w.op("%s %d(%s)(R13*%d), %s", v.bcast(e), i%h*e.size, row, e.size, a)
		for j := range nv {
			w.op("VFMADD231%s %s, %s, %s", e.ps, v.r(k.breg(j)), a, k.acc(i, j))
		}
	}
	w.op("ADDQ $8, R11")
	w.op("ADDQ $%d, R10", nv*v.bytes)
	w.op("SUBQ $1, R12")
	w.op("JNE tap")
	w.op("ADDQ DX, AX")
	w.op("ADDQ DX, BX")
	w.op("ADDQ SI, R10")
	w.op("SUBQ $1, CX")
	w.op("JNE channel")
	w.op("MOVQ c_base+104(FP), AX")
	w.op("MOVQ cs+128(FP), BX")
	w.op("LEAQ (AX)(BX*%d), BX", e.size)
	w.op("CMPB add+136(FP), $0")
	w.op("JEQ write")
	for i := range 2 * h {
		for j := range nv {
			w.op("VADD%s %s, %s, %s", e.ps, k.positionAddr(i, j), k.acc(i, j), k.acc(i, j))
		}
	}
	w.label("write")
	for i := range 2 * h {
		for j := range nv {
			w.op("VMOVU%s %s, %s", e.ps, k.acc(i, j), k.positionAddr(i, j))
		}
	}
	w.op("VZEROUPPER")
	w.op("RET")
}

// positionAddr is where vector j of position i is in C.
func (k tile) positionAddr(i, j int) string {
	row, h := "AX", k.mr/2
	if i >= h {
		row = "BX"
	}
	return fmt.Sprintf("%d(%s)", (i%h*k.nv+j)*k.v.bytes, row)
}

// positionFile writes the kernels of an instruction set.
func positionFile(w *asm, v isa, e elem) {
	for h := 1; h <= positionMost(v); h++ {
		for _, nv := range vectors {
			positions(w, v, e, h, nv)
		}
	}
}

// positionStubs is the Go file of the output-position kernels.
func positionStubs() string {
	w := newGoFile("amd64", "kernel")
	for _, c := range combos {
		v, e := c.v, c.e
		w.text("// positions%s%s holds the output-position kernels, by the length of a row and by vectors.", e.suffix, v.name)
		w.text("var positions%s%s = [][maxVectors + 1]positionTile[%s]{", e.suffix, v.name, e.goType)
		for h := 1; h <= positionMost(v); h++ {
			w.text("%d: {1: %s, 2: %s},", h, positionName(v, e, h, 1), positionName(v, e, h, 2))
		}
		w.text("}\n")
		for h := 1; h <= positionMost(v); h++ {
			for _, nv := range vectors {
				w.text("//go:noescape\nfunc %s%s\n", positionName(v, e, h, nv), fmt.Sprintf(positionSig, e.goType))
			}
		}
	}
	return w.formatted()
}
