package qmm

// The K formats: 256 elements, of which each block of 32 is read alone.

// scaleMin unpacks the six-bit scale and minimum of group j of 8.
func scaleMin(packed []byte, j int) (scale, low byte) {
	if j < 4 {
		return packed[j] & 63, packed[j+4] & 63
	}
	return packed[j+4]&15 | packed[j-4]>>6<<4, packed[j+4]>>4 | packed[j]>>6<<4
}

func readQ4K(src []byte, j int, o *rowBlock) {
	o.scale, o.low = halfBits(src, 0), halfBits(src, 2)
	o.factors[0], o.lows[0] = scaleMin(src[4:16], j)
	q, shift := src[16+j/2*32:], j%2*4
	for g := range o.words {
		o.words[g] = word32(q, g) >> shift & low4
	}
}

func readQ5K(src []byte, j int, o *rowBlock) {
	o.scale, o.low = halfBits(src, 0), halfBits(src, 2)
	o.factors[0], o.lows[0] = scaleMin(src[4:16], j)
	q, shift := src[48+j/2*32:], j%2*4
	for g := range o.words {
		o.words[g] = word32(q, g)>>shift&low4 | word32(src[16:], g)>>j&ones4<<4
	}
}

func readQ6K(src []byte, j int, o *rowBlock) {
	h, k := j/4, j%4
	o.scale = halfBits(src, 208)
	o.factors = [2]byte{src[192+2*j], src[193+2*j]}
	low, high := src[h*64+k%2*32:], src[128+h*32:]
	for g := range o.words {
		o.words[g] = word32(low, g)>>(k/2*4)&low4 | word32(high, g)>>(2*k)&low2<<4
	}
}

func readQ2K(src []byte, j int, o *rowBlock) {
	o.scale, o.low = halfBits(src, 80), halfBits(src, 82)
	for g := range 2 {
		s := src[2*j+g]
		o.factors[g], o.lows[g] = s&15, s>>4
	}
	q, shift := src[16+j/4*32:], j%4*2
	for g := range o.words {
		o.words[g] = word32(q, g) >> shift & low2
	}
}

func readQ3K(src []byte, j int, o *rowBlock) {
	packed := src[96:108]
	o.scale = halfBits(src, 108)
	for i := range 2 {
		g := 2*j + i
		scale := packed[g%8]>>(g/8*4)&15 | packed[8+g%4]>>(g/4*2)&3<<4
		o.factors[i] = scale - 32
	}
	q, shift := src[32+j/4*32:], j%4*2
	for g := range o.words { // a clear high bit subtracts four, so with the offset of four it is the third bit
		o.words[g] = word32(q, g)>>shift&low2 | word32(src, g)>>j&ones4<<2
	}
}

func readIQ4XS(src []byte, j int, o *rowBlock) {
	o.scale = halfBits(src, 0)
	o.factors[0] = src[4+j/2]>>(j%2*4)&15 | byte(halfBits(src, 2)>>(2*j)&3)<<4 - 32
	o.nibbles(src[8+16*j : 24+16*j])
}
