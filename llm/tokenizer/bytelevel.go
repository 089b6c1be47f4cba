package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// Byte-level vocabularies write each byte as a printable character: those of Latin-1 as they are, the others from U+0100 on.

var byteRunes [256]rune
var runeBytes [256 + 256]int16 // by character: the byte plus one; 0: it stands for none

func init() {
	n := rune(256)
	for b := range 256 {
		r := rune(b)
		if !(b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae) {
			r = n
			n++
		}
		byteRunes[b], runeBytes[r] = r, int16(b+1)
	}
}

// toByteLevel writes the bytes of s as such characters.
func toByteLevel(s string) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/2)
	for i := range len(s) {
		b.WriteRune(byteRunes[s[i]])
	}
	return b.String()
}

// fromByteLevel returns the bytes a token stands for; ok is false if a character stands for none.
func fromByteLevel(s string) (out []byte, ok bool) {
	return appendBytes(make([]byte, 0, len(s)), s)
}

// appendBytes appends the bytes a token stands for; if ok is false, some of them.
func appendBytes(out []byte, s string) (all []byte, ok bool) {
	for _, r := range s {
		if int(r) >= len(runeBytes) || runeBytes[r] == 0 {
			return out, false
		}
		out = append(out, byte(runeBytes[r]-1))
	}
	return out, true
}

// validText replaces each longest run of bytes that begins a character and does not finish it by U+FFFD.
func validText(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = partLen(b)
		}
		out.WriteRune(r)
		b = b[n:]
	}
	return out.String()
}

// partLen is the length of the longest beginning of b that could begin a character.
func partLen(b []byte) int {
	lo, hi, more := byte(0x80), byte(0xbf), 0
	switch c := b[0]; {
	case c >= 0xc2 && c <= 0xdf:
		more = 1
	case c >= 0xe0 && c <= 0xef:
		if more = 2; c == 0xe0 {
			lo = 0xa0
		} else if c == 0xed {
			hi = 0x9f
		}
	case c >= 0xf0 && c <= 0xf4:
		if more = 3; c == 0xf0 {
			lo = 0x90
		} else if c == 0xf4 {
			hi = 0x8f
		}
	}
	n := 1
	for n <= more && n < len(b) && b[n] >= lo && b[n] <= hi {
		n++
		lo, hi = 0x80, 0xbf
	}
	return n
}
