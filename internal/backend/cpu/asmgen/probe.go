package asmgen

// probe writes a loop of multiply-adds that need no memory: the peak rate.
func probe(w *asm, v isa, e elem) {
	n := probeChains(v)
	name := "probe" + e.suffix + v.name
	w.text("\n// func %s(iterations int)", name)
	w.text("// %d independent chains, enough to hide the latency.", n)
	w.text("TEXT ·%s(SB), NOSPLIT, $0-8", name)
	w.op("MOVQ iterations+0(FP), AX")
	for i := range v.regs {
		v.clear(w, i)
	}
	w.op("PCALIGN $64")
	w.label("loop")
	for i := range n {
		v.multiplyAdd(w, e, v.regs-1, v.regs-2, i)
	}
	w.op("SUBQ $1, AX")
	w.op("JGT loop")
	w.op("VZEROUPPER")
	w.op("RET")
}

func probeChains(v isa) int { return v.regs - 4 }
