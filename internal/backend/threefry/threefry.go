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

// Stream is the random words of one element, as many as it needs: for samplers that reject. Word j of element i is the hash of the
// pair (i, j), with the upper half of i above j: a kernel can hash word j of many elements at once.
type Stream struct {
	k0, k1, element, high, next uint32
	ready                       [3]uint64 // the first words, if they were hashed before
	hashed                      uint32    // how many of them
}

// Element returns the words of element i under a key.
func Element(k0, k1 uint32, i uint64) Stream {
	return Stream{k0: k0, k1: k1, element: uint32(i), high: High(i)}
}

// High is the second word of the counter of word 0 of element i; word j has High(i) + j.
func High(i uint64) uint32 { return uint32(i>>32) << 16 }

// Start makes s the words of element i under a key, the first n of which were hashed already.
func (s *Stream) Start(k0, k1 uint32, i, word0, word1, word2 uint64, n int) {
	s.k0, s.k1, s.element, s.high, s.next, s.hashed = k0, k1, uint32(i), High(i), 0, uint32(n)
	s.ready[0], s.ready[1], s.ready[2] = word0, word1, word2
}

// Skip leaves out n words.
func (s *Stream) Skip(n int) { s.next += uint32(n) }

// Word returns the next 64 bits.
func (s *Stream) Word() uint64 {
	j := s.next
	s.next++
	if j < s.hashed {
		return s.ready[min(j, 2)]
	}
	return s.hash(j)
}

func (s *Stream) hash(j uint32) uint64 {
	x, y := Hash(s.k0, s.k1, s.element, s.high+j)
	return uint64(x)<<32 | uint64(y)
}

// Float returns a number in [0, 1) with 53 random bits.
func (s *Stream) Float() float64 { return Unit(s.Word()) }

// Unit is a number in [0, 1) of the upper 53 bits of a word.
func Unit(w uint64) float64 { return float64(int64(w>>11)) * (1.0 / (1 << 53)) }

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
