package gemm

// transpose turns around the square of lanes by lanes elements in the registers from
// base on, using one more register after them, and returns the register that holds each
// column. First squares of 128 bits are turned inside their lanes, then the lanes
// are exchanged.
func transpose(w *asm, v isa, e elem, base int) []int {
	n := v.lanes(e)
	at := make([]int, n) // register of each vector of the network
	for i := range at {
		at[i] = base + i
	}
	free := base + n
	// pair replaces vectors i and j by the two results of an instruction pair. The
	// first result takes the free register; the second overwrites i; j becomes free.
	pair := func(lo, hi string, i, j int) {
		w.op("%s%s, %s, %s", lo, v.r(at[j]), v.r(at[i]), v.r(free))
		w.op("%s%s, %s, %s", hi, v.r(at[j]), v.r(at[i]), v.r(at[i]))
		at[i], at[j], free = free, at[i], at[j]
	}
	per := 16 / e.size // elements in 128 bits
	if e.size == 4 {
		for i := 0; i < n; i += 2 {
			pair("VUNPCKLPS ", "VUNPCKHPS ", i, i+1)
		}
		for g := 0; g < n; g += 4 {
			pair("VUNPCKLPD ", "VUNPCKHPD ", g, g+2)
			pair("VUNPCKLPD ", "VUNPCKHPD ", g+1, g+3)
			// Columns 0 and 1 are now at g and g+2, columns 2 and 3 at g+1 and g+3.
			at[g+1], at[g+2] = at[g+2], at[g+1]
		}
	} else {
		for i := 0; i < n; i += 2 {
			pair("VUNPCKLPD ", "VUNPCKHPD ", i, i+1)
		}
	}
	// Vector g*per+c holds, in 128-bit lane l, rows g*per… of column l*per+c.
	groups := n / per
	out := make([]int, n)
	for c := range per {
		if groups == 2 {
			pair("VPERM2F128 $0x20, ", "VPERM2F128 $0x31, ", c, per+c)
			out[c], out[per+c] = at[c], at[per+c]
			continue
		}
		op := map[int]string{4: "VSHUFF32X4 ", 8: "VSHUFF64X2 "}[e.size]
		even, odd := op+"$0x88, ", op+"$0xdd, "
		pair(even, odd, c, per+c)         // lanes 0 2 and 1 3 of the first two groups
		pair(even, odd, 2*per+c, 3*per+c) // and of the last two
		pair(even, odd, c, 2*per+c)       // lanes 0 and 2
		pair(even, odd, per+c, 3*per+c)   // lanes 1 and 3
		out[c], out[2*per+c] = at[c], at[2*per+c]
		out[per+c], out[3*per+c] = at[per+c], at[3*per+c]
	}
	return out
}
