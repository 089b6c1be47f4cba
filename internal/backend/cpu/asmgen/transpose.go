package asmgen

// transpose transposes around the square of lanes by lanes elements in the registers from
// base on, using one more register after them, and returns the register that holds each
// column. First squares of 128 bits are transposed inside their lanes, then the lanes
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
	free = transposeLanes(w, v, e, at, free)
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

// transposeLoad reads the square whose byte at of vector j is at from(j, at), and leaves it transposed as transpose does,
// with a quarter or a third less shuffles: half types of vectors are read into the position where they belong, which the units for
// shuffles have no part in. (Reading quarters of the vectors of AVX-512 was tried, and is slower.) reach(j) comes before vector j.
func transposeLoad(w *asm, v isa, e elem, base int, reach func(j int), from func(j, at int) string) []int {
	n, per := v.lanes(e), 16/e.size
	groups, half := n/per, v.bytes/2
	narrow, insert := "X", "VINSERTF128"
	if groups == 4 {
		narrow, insert = "Y", "VINSERTF64X4"
	}
	// Half h of vectors c and per+c is in register h·n/2+c, that of 2·per+c and 3·per+c in register h·n/2+per+c.
	for j := range n {
		reach(j)
		for h := range 2 {
			r := base + h*n/2 + j/(2*per)*per + j%per
			if j/per%2 == 0 {
				w.op("VMOVU%s %s, %s%d", e.ps, from(j, h*half), narrow, r)
			} else {
				w.op("%s $1, %s, %s, %s", insert, from(j, h*half), v.r(r), v.r(r))
			}
		}
	}
	at := make([]int, n)
	for i := range at {
		at[i] = base + i
	}
	free := transposeLanes(w, v, e, at, base+n)
	if groups == 2 {
		return at
	}
	op := map[int]string{4: "VSHUFF32X4 ", 8: "VSHUFF64X2 "}[e.size]
	for h := 0; h < n; h += n / 2 {
		for c := h; c < h+per; c++ { // lanes 0 and 2 of both are one column, lanes 1 and 3 another
			w.op("%s$0x88, %s, %s, %s", op, v.r(at[c+per]), v.r(at[c]), v.r(free))
			w.op("%s$0xdd, %s, %s, %s", op, v.r(at[c+per]), v.r(at[c]), v.r(at[c]))
			at[c], at[c+per], free = free, at[c], at[c+per]
		}
	}
	return at
}

// transposeLanes transposes squares of 128 bits around inside their lanes: vectors at[g*per] to at[g*per+per-1] for each g. It uses the
// register free next to them, changes at accordingly, and returns the register that is free then.
func transposeLanes(w *asm, v isa, e elem, at []int, free int) int {
	pair := func(lo, hi string, i, j int) {
		w.op("%s%s, %s, %s", lo, v.r(at[j]), v.r(at[i]), v.r(free))
		w.op("%s%s, %s, %s", hi, v.r(at[j]), v.r(at[i]), v.r(at[i]))
		at[i], at[j], free = free, at[i], at[j]
	}
	if e.size == 8 {
		for i := 0; i < len(at); i += 2 {
			pair("VUNPCKLPD ", "VUNPCKHPD ", i, i+1)
		}
		return free
	}
	for i := 0; i < len(at); i += 2 {
		pair("VUNPCKLPS ", "VUNPCKHPS ", i, i+1)
	}
	for g := 0; g < len(at); g += 4 {
		pair("VUNPCKLPD ", "VUNPCKHPD ", g, g+2)
		pair("VUNPCKLPD ", "VUNPCKHPD ", g+1, g+3)
		// Columns 0 and 1 are now at g and g+2, columns 2 and 3 at g+1 and g+3.
		at[g+1], at[g+2] = at[g+2], at[g+1]
	}
	return free
}
