package lanes

// Peak32 is the index of the first element of the largest magnitude; 0 if all are NaN.
func Peak32(x []float32) int {
	var most [8]float32
	var at [8]int32
	n := peak32(x, &most, &at)
	best, index := float32(-1), 0
	if n > 0 {
		for l, v := range most {
			if i := int(at[l])*8 + l; v > best || v == best && i < index {
				best, index = v, i
			}
		}
	}
	for i := n; i < len(x); i++ {
		if v := max(x[i], -x[i]); v > best {
			best, index = v, i
		}
	}
	return index
}

// Peak64 is Peak32 for float64.
func Peak64(x []float64) int {
	var most [4]float64
	var at [4]int64
	n := peak64(x, &most, &at)
	best, index := -1.0, 0
	if n > 0 {
		for l, v := range most {
			if i := int(at[l])*4 + l; v > best || v == best && i < index {
				best, index = v, i
			}
		}
	}
	for i := n; i < len(x); i++ {
		if v := max(x[i], -x[i]); v > best {
			best, index = v, i
		}
	}
	return index
}
