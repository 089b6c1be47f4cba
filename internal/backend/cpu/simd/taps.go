package simd

// A Tap adds W times a row of x to elements Lo to Hi of a sum: element i takes x[from+Offset+i], from being that of the call.
type Tap struct {
	Offset int
	mask   *uint16 // of the elements it adds to, 16 a word; assembly reads these fields
	W      float32
	Lo, Hi int32
}

// tapGroup is how many elements the assembly sums at a time.
const tapGroup = 64

// Limit says to which of n elements the tap adds. The tap can be used for many rows.
func (t *Tap) Limit(n, lo, hi int) {
	mask := make([]uint16, (n+tapGroup-1)/tapGroup*tapGroup/16+1)
	for i := lo; i < hi; i++ {
		mask[i/16] |= 1 << (i % 16)
	}
	t.mask, t.Lo, t.Hi = &mask[0], int32(lo), int32(max(lo, hi))
}

// SumTapsF32 sets z to the sum of the taps of x, in their order, each product rounded: as AxpyF32 tap by tap from zero.
func SumTapsF32(z, x []float32, from int, taps []Tap) {
	for i := range taps {
		t := &taps[i]
		if t.Lo < t.Hi && (from+t.Offset+int(t.Lo) < 0 || from+t.Offset+int(t.Hi) > len(x) || int(t.Hi) > len(z)) {
			panic("simd: a tap reads or writes outside its slice")
		}
	}
	if len(z) > 0 && len(taps) > 0 && sumTaps(z, x, from, taps) {
		return
	}
	sumTapsGeneric(z, x, from, taps)
}

func sumTapsGeneric(z, x []float32, from int, taps []Tap) {
	clear(z)
	for _, t := range taps {
		if at := from + t.Offset; t.Lo < t.Hi {
			AxpyF32(z[t.Lo:t.Hi], x[at+int(t.Lo):at+int(t.Hi)], t.W)
		}
	}
}
