// Package threefry is the counter-based generator Threefry-2x32 with 20 rounds (Salmon et al., 2011), and the order
// in which its words fill memory: the order MLX uses, so that equal keys give equal bits there and here.
package threefry

import "math/bits"

var rotations = [2][4]int{{13, 15, 26, 6}, {17, 29, 16, 24}}

// Hash mixes the counter pair under the key.
func Hash(k0, k1, c0, c1 uint32) (uint32, uint32) {
	ks := [3]uint32{k0, k1, k0 ^ k1 ^ 0x1BD11BDA}
	x, y := c0+ks[0], c1+ks[1]
	for g := range 5 {
		for _, r := range rotations[g%2] {
			x += y
			y = bits.RotateLeft32(y, r) ^ x
		}
		x += ks[(g+1)%3]
		y += ks[(g+2)%3] + uint32(g+1)
	}
	return x, y
}

// Fill writes random bytes: for n words, word i and word i+⌈n/2⌉ are the two halves of one hash; with odd n the
// middle word has a hash of its own. A tail shorter than a word is cut off its word's low bytes.
func Fill(k0, k1 uint32, b []byte) {
	n := (len(b) + 3) / 4
	half := n / 2
	even := n%2 == 0
	step := half
	if !even {
		step++
	}
	for i := range half {
		x, y := Hash(k0, k1, uint32(i), uint32(i+step))
		put(b, i, x)
		put(b, i+step, y)
	}
	if !even {
		x, _ := Hash(k0, k1, uint32(half), 0)
		put(b, half, x)
	}
}

func put(b []byte, word int, v uint32) {
	b = b[4*word:]
	for i := range min(4, len(b)) {
		b[i] = byte(v >> (8 * i))
	}
}
