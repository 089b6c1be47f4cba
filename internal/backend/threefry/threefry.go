// Package threefry is the counter-based generator Threefry-2x32 with 20 rounds (Salmon et al., 2011), and the order
// in which its words fill memory: the order MLX uses, so that equal keys give equal bits there and here.
package threefry

import (
	"encoding/binary"
	"math/bits"
)

// Hash mixes the counter pair under the key. Rounds come in groups of four; a key word is added after each group.
func Hash(k0, k1, c0, c1 uint32) (uint32, uint32) {
	k2 := k0 ^ k1 ^ 0x1BD11BDA
	x, y := c0+k0, c1+k1
	x, y = even(x, y)
	x, y = odd(x+k1, y+k2+1)
	x, y = even(x+k2, y+k0+2)
	x, y = odd(x+k0, y+k1+3)
	x, y = even(x+k1, y+k2+4)
	return x + k2, y + k0 + 5
}

func even(x, y uint32) (uint32, uint32) {
	x += y
	y = bits.RotateLeft32(y, 13) ^ x
	x += y
	y = bits.RotateLeft32(y, 15) ^ x
	x += y
	y = bits.RotateLeft32(y, 26) ^ x
	x += y
	return x, bits.RotateLeft32(y, 6) ^ x
}

func odd(x, y uint32) (uint32, uint32) {
	x += y
	y = bits.RotateLeft32(y, 17) ^ x
	x += y
	y = bits.RotateLeft32(y, 29) ^ x
	x += y
	y = bits.RotateLeft32(y, 16) ^ x
	x += y
	return x, bits.RotateLeft32(y, 24) ^ x
}

// Fill writes random bytes: for n words, word i and word i+⌈n/2⌉ are the two words of one hash; with odd n the
// middle word has a hash of its own. A tail shorter than a word is cut off its word's low bytes.
func Fill(k0, k1 uint32, b []byte) { FillPart(k0, k1, b, 0, Hashes(len(b))) }

// Hashes is how many hashes fill n bytes.
func Hashes(n int) int { return ((n+3)/4 + 1) / 2 }

// FillPart writes what the hashes from lo to hi give to a Fill of b, so that several can fill it together.
func FillPart(k0, k1 uint32, b []byte, lo, hi int) {
	n := (len(b) + 3) / 4
	half := n / 2
	step := n - half
	whole := len(b) / 4 // words that are not cut
	i := lo
	for ; i < min(hi, half) && i+step < whole; i++ {
		x, y := Hash(k0, k1, uint32(i), uint32(i+step))
		binary.LittleEndian.PutUint32(b[4*i:], x)
		binary.LittleEndian.PutUint32(b[4*(i+step):], y)
	}
	for ; i < min(hi, half); i++ {
		x, y := Hash(k0, k1, uint32(i), uint32(i+step))
		put(b, i, x)
		put(b, i+step, y)
	}
	if n%2 == 1 && lo <= half && half < hi {
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

// Stream is the random words of one element, as many as it needs: for samplers that reject. The first is the hash of
// the element's number, and the key of the others.
type Stream struct{ k0, k1, next uint32 }

// Element returns the words of element i under a key.
func Element(k0, k1 uint32, i uint64) Stream {
	x, y := Hash(k0, k1, uint32(i), uint32(i>>32))
	return Stream{k0: x, k1: y}
}

// Word returns the next 64 bits.
func (s *Stream) Word() uint64 {
	x, y := s.k0, s.k1
	if s.next > 0 {
		x, y = Hash(s.k0, s.k1, s.next, 0)
	}
	s.next++
	return uint64(x)<<32 | uint64(y)
}

// Float returns a number in [0, 1) with 53 random bits.
func (s *Stream) Float() float64 { return float64(s.Word()>>11) * (1.0 / (1 << 53)) }

// Below returns an integer in [0, n), each equally likely; n = 0 means 2⁶⁴ (Lemire, 2019).
func (s *Stream) Below(n uint64) uint64 {
	w := s.Word()
	if n == 0 {
		return w
	}
	hi, lo := bits.Mul64(w, n)
	if lo < n {
		// Of the 2⁶⁴ words the first 2⁶⁴ mod n are too many.
		for over := -n % n; lo < over; {
			hi, lo = bits.Mul64(s.Word(), n)
		}
	}
	return hi
}
