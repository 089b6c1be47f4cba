package gemm

import "fmt"

// tapSig is the Go signature of every kernel of taps; offsets below follow it.
const tapSig = "(kc int, a []%[1]s, off []int, b []%[1]s, c []%[1]s, crs int, add bool)"

func tapName(v isa, e elem, mr, nv int) string {
	return fmt.Sprintf("taps%s%sr%dv%d", e.suffix, v.name, mr, nv)
}

// tapVectors lists the widths, in vectors, of the kernels of mr rows: the widest that leaves registers for the vectors of
// B and a scalar of A, so that a few rows still give many sums, then two and one for what is left.
func tapVectors(v isa, mr int) []int {
	spare := 2
	if v.regs < 32 {
		spare = 1
	}
	list := []int{min(8, (v.regs-spare)/(mr+1))}
	for _, nv := range []int{2, 1} {
		if nv < list[0] {
			list = append(list, nv)
		}
	}
	return list
}

// taps writes the kernel of mr rows by nv vectors whose rows of B lie anywhere:
//
//	for i < mr, j < nv·lanes: s = Σ_p a[p*mr+i] * b[off[p]+j] in order of p, by FMA
//	c[i*crs+j] = s, or += s
//
// Registers: AX A, R10 B, R11 offsets, R12 steps left.
func taps(w *asm, v isa, e elem, mr, nv int) {
	k := tile{w, v, e, mr, nv, false}
	name := tapName(v, e, mr, nv)
	w.text("\n// func %s%s", name, fmt.Sprintf(tapSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $0-113", name)
	w.op("MOVQ kc+0(FP), R12")
	w.op("MOVQ a_base+8(FP), AX")
	w.op("MOVQ off_base+32(FP), R11")
	w.op("MOVQ b_base+56(FP), R10")
	for i := range mr * nv {
		v.clear(w, i)
	}
	w.op("PCALIGN $64")
	w.label("loop")
	w.op("MOVQ (R11), R13")
	w.op("LEAQ (R10)(R13*%d), R13 // row of B", e.size)
	for j := range nv {
		w.op("VMOVU%s %d(R13), %s", e.ps, j*v.bytes, v.r(k.breg(j)))
	}
	for i := range mr {
		a := v.r(k.areg(i))
		w.op("%s %d(AX), %s", v.bcast(e), i*e.size, a)
		for j := range nv {
			w.op("VFMADD231%s %s, %s, %s", e.ps, v.r(k.breg(j)), a, k.acc(i, j))
		}
	}
	w.op("ADDQ $8, R11")
	w.op("ADDQ $%d, AX", mr*e.size)
	w.op("SUBQ $1, R12")
	w.op("JNE loop")
	w.op("MOVQ c_base+80(FP), AX")
	w.op("MOVQ crs+104(FP), BX")
	w.op("SHLQ $%d, BX", e.shift)
	w.op("CMPB add+112(FP), $0")
	w.op("JEQ write")
	k.storeRows(true)
	w.op("VZEROUPPER")
	w.op("RET")
	w.label("write")
	k.storeRows(false)
	w.op("VZEROUPPER")
	w.op("RET")
}

// storeRows writes the sums to C from AX on, rows BX apart, or adds them.
func (k tile) storeRows(add bool) {
	for i := range k.mr {
		for j := range k.nv {
			k.storeOne(i, j, add)
		}
		if i < k.mr-1 {
			k.w.op("ADDQ BX, AX")
		}
	}
}

// tapFiles writes the kernels of an instruction set.
func tapFiles(add func(string, func(*asm)), v isa, e elem) {
	half := (v.rows + 1) / 2
	for from := 1; from <= v.rows; from += half {
		add(fmt.Sprintf("taps_%s_%s_r%d", e.suffix, v.name, from), func(w *asm) {
			for mr := from; mr < min(from+half, v.rows+1); mr++ {
				for _, nv := range tapVectors(v, mr) {
					taps(w, v, e, mr, nv)
				}
			}
		})
	}
}

// tapStubs writes the declarations and the table.
func tapStubs(w *asm, v isa, e elem) {
	w.text("// taps%s%s holds the kernels of scattered rows, by rows; the widest first.", e.suffix, v.name)
	w.text("var taps%s%s = [][]tapTile[%s]{", e.suffix, v.name, e.goType)
	for mr := 1; mr <= v.rows; mr++ {
		w.text("%d: {", mr)
		for _, nv := range tapVectors(v, mr) {
			w.text("{%d, %s},", nv, tapName(v, e, mr, nv))
		}
		w.text("},")
	}
	w.text("}\n")
	for mr := 1; mr <= v.rows; mr++ {
		for _, nv := range tapVectors(v, mr) {
			w.text("//go:noescape\nfunc %s%s\n", tapName(v, e, mr, nv), fmt.Sprintf(tapSig, e.goType))
		}
	}
}
