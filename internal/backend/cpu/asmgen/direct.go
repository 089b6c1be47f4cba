package asmgen

import "fmt"

// directSig is the Go signature of every direct convolution kernel; offsets below follow it.
const directSig = "(kc int, a []%[1]s, off []int, b []%[1]s, c []%[1]s, crs int, spots []scatterSpot, add bool)"

// directName names a kernel; those that scatter write each vector to its spot.
func directName(v isa, e elem, mr, nv int, scatter bool) string {
	to := ""
	if scatter {
		to = "To"
	}
	return fmt.Sprintf("direct%s%s%sr%dv%d", to, e.suffix, v.name, mr, nv)
}

// directVectors lists the widths, in vectors, of the kernels of mr rows: the widest that leaves registers for the vectors of
// B and a scalar of A, so that a few rows still give many sums, then two and one for what is left.
func directVectors(v isa, mr int) []int {
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

// taps writes the kernel of mr rows by nv vectors whose rows of B are anywhere:
//
//	for i < mr, j < nv·lanes: s = Σ_p a[p*mr+i] * b[off[p]+j] in order of p, by FMA
//	c[i*crs+j] = s, or += s; one that scatters: at the spot of the vector instead of j
//
// Registers: AX A, R10 B, R11 offsets, R12 steps left.
func taps(w *asm, v isa, e elem, mr, nv int, scatter bool) {
	k := tile{w, v, e, mr, nv, false}
	name := directName(v, e, mr, nv, scatter)
	w.text("\n// func %s%s", name, fmt.Sprintf(directSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $0-137", name)
	if scatter {
		k.prefetchSpots()
	}
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
	if scatter {
		k.storeSpots("add+136(FP)")
	} else {
		w.op("MOVQ crs+104(FP), BX")
		w.op("SHLQ $%d, BX", e.shift)
		multiples(w, mr)
		k.storeRows("add+136(FP)")
	}
	w.op("VZEROUPPER")
	w.op("RET")
}

// spotSize is the size of a spot in bytes: two positions in elements, and a mask of 32 bits for each.
const spotSize = 24

// prefetchSpots asks for the first line of each vector of C. The multiples of the row stride stay in their registers for storeSpots.
func (k tile) prefetchSpots() {
	w := k.w
	w.op("MOVQ c_base+80(FP), AX")
	w.op("MOVQ crs+104(FP), BX")
	w.op("SHLQ $%d, BX", k.e.shift)
	multiples(w, k.mr)
	w.op("MOVQ spots_base+112(FP), R13")
	for j := range k.nv {
		k.spot(j, 0)
		for i := range k.mr {
			w.op("PREFETCHT0 %s", rowAddrFrom("R10", i))
		}
	}
}

// spot makes R10 the address of a position of spot j, which is at an offset in it.
func (k tile) spot(j, offset int) {
	k.w.op("MOVQ %d(R13), R10", j*spotSize+offset)
	k.w.op("LEAQ (AX)(R10*%d), R10", k.e.size)
}

// storeSpots writes each vector to its spot, counted from AX, or adds what is there first. A vector that reaches into the next output
// row is written in two parts.
func (k tile) storeSpots(addArg string) {
	w, ps := k.w, k.e.ps
	w.op("MOVQ spots_base+112(FP), R13")
	w.op("CMPB %s, $0", addArg)
	w.op("JEQ write")
	k.eachSpot("add", func(acc, at string) { w.op("VADD%s %s, %s, K1, %s", ps, at, acc, acc) })
	w.label("write")
	k.eachSpot("write", func(acc, at string) { w.op("VMOVU%s %s, K1, %s", ps, acc, at) })
}

// eachSpot gives f the vectors of sums and where they go: those of the first part, then those of the second if there is one. K1 is
// the mask of the part.
func (k tile) eachSpot(name string, f func(acc, at string)) {
	w := k.w
	for j := range k.nv {
		k.spot(j, 0)
		w.op("KMOVW %d(R13), K1", j*spotSize+16)
		for i := range k.mr {
			f(k.acc(i, j), rowAddrFrom("R10", i))
		}
		w.op("MOVL %d(R13), R12", j*spotSize+20)
		w.op("TESTL R12, R12")
		w.op("JEQ %s%d", name, j)
		w.op("KMOVW R12, K1")
		k.spot(j, 8)
		for i := range k.mr {
			f(k.acc(i, j), rowAddrFrom("R10", i))
		}
		w.label(fmt.Sprintf("%s%d", name, j))
	}
}

// scatters lists the kinds of kernels: scattering needs masks. float64 goes through scratch: 6,900 lines less. Measured on float32,
// that costs a third with three input channels and a hundredth with 64; no benchmark row is float64.
func scatters(v isa, e elem) []bool {
	if v.masks && e.size == 4 {
		return []bool{false, true}
	}
	return []bool{false}
}

// directFiles writes the kernels of an instruction set.
func directFiles(add func(string, func(*asm)), v isa, e elem) {
	half := (v.rows + 1) / 2
	for _, scatter := range scatters(v, e) {
		for from := 1; from <= v.rows; from += half {
			name := fmt.Sprintf("direct_%s_%s_r%d", e.suffix, v.name, from)
			if scatter {
				name = fmt.Sprintf("direct_to_%s_%s_r%d", e.suffix, v.name, from)
			}
			add(name, func(w *asm) {
				for mr := from; mr < min(from+half, v.rows+1); mr++ {
					for _, nv := range directVectors(v, mr) {
						taps(w, v, e, mr, nv, scatter)
					}
				}
			})
		}
	}
}

// allDirectStubs is the Go file of the direct convolution kernels.
func allDirectStubs() string {
	w := newGoFile("amd64", "kernel")
	for _, c := range combos {
		directStubs(w, c.v, c.e)
	}
	return w.formatted()
}

// directStubs writes the declarations and the tables.
func directStubs(w *asm, v isa, e elem) {
	for _, scatter := range scatters(v, e) {
		name := "direct" + e.suffix + v.name
		if scatter {
			name = "directTo" + e.suffix + v.name
		}
		w.text("// %s holds the direct convolution kernels, by rows; the widest first.", name)
		w.text("var %s = [][]directTile[%s]{", name, e.goType)
		for mr := 1; mr <= v.rows; mr++ {
			w.text("%d: {", mr)
			for _, nv := range directVectors(v, mr) {
				w.text("{%d, %s},", nv, directName(v, e, mr, nv, scatter))
			}
			w.text("},")
		}
		w.text("}\n")
		for mr := 1; mr <= v.rows; mr++ {
			for _, nv := range directVectors(v, mr) {
				w.text("//go:noescape\nfunc %s%s\n", directName(v, e, mr, nv, scatter), fmt.Sprintf(directSig, e.goType))
			}
		}
	}
}
