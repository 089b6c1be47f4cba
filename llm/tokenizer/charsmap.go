package tokenizer

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"
)

// charsmap is SentencePiece's table of replacements: a double-array trie from texts to positions in a list of texts, each
// ended by a zero byte.
type charsmap struct {
	units []uint32
	texts string
}

const maxCharsmap = 1 << 24

func newCharsmap(encoded string) normalizer {
	if len(encoded) > maxCharsmap {
		refuse("a table of replacements of %d bytes, more than %d", len(encoded), maxCharsmap)
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		refuse("the table of replacements is no base64: %v", err)
	}
	return parseCharsmap(data)
}

func parseCharsmap(data []byte) normalizer {
	if len(data) == 0 {
		return funcNormalizer(func(s string) string { return s })
	}
	if len(data) < 4 {
		refuse("a table of replacements of %d bytes", len(data))
	}
	n := int64(binary.LittleEndian.Uint32(data))
	if n%4 != 0 || n > int64(len(data)-4) {
		refuse("a table of replacements with a trie of %d bytes in %d", n, len(data))
	}
	c := &charsmap{units: make([]uint32, n/4), texts: string(data[4+n:])}
	for i := range c.units {
		c.units[i] = binary.LittleEndian.Uint32(data[4+4*i:])
	}
	return c
}

// find returns the replacement of the shortest beginning of s that has one.
func (c *charsmap) find(s string) (with string, n int, ok bool) {
	unit := func(at uint32) (uint32, bool) {
		if int64(at) >= int64(len(c.units)) {
			return 0, false // a damaged table
		}
		return c.units[at], true
	}
	offset := func(u uint32) uint32 { return u >> 10 << (u & (1 << 9) >> 6) }
	u, ok := unit(0)
	if !ok {
		return "", 0, false
	}
	at := offset(u)
	for i := range len(s) {
		b := uint32(s[i])
		if b == 0 {
			return "", 0, false
		}
		at ^= b
		if u, ok = unit(at); !ok || u&(1<<31|0xff) != b {
			return "", 0, false
		}
		at ^= offset(u)
		if u>>8&1 == 0 { // no text ends here
			continue
		}
		leaf, ok := unit(at)
		value := leaf & (1<<31 - 1)
		if !ok || int64(value) > int64(len(c.texts)) {
			return "", 0, false
		}
		with, _, _ = strings.Cut(c.texts[value:], "\x00")
		return with, i + 1, true
	}
	return "", 0, false
}

// maxCluster is the bytes below which a character with its marks is looked up as one.
const maxCluster = 6

func (c *charsmap) normalize(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		n := cluster(s)
		if n < maxCluster {
			if with, _, ok := c.find(s[:n]); ok {
				b.WriteString(with)
				s = s[n:]
				continue
			}
		}
		for _, r := range s[:n] {
			if with, _, ok := c.find(string(r)); ok {
				b.WriteString(with)
			} else {
				b.WriteRune(r)
			}
		}
		s = s[n:]
	}
	return b.String()
}

// cluster is the length of the first character with the marks behind it. Longer clusters (flags, joined emoji, Hangul) are of
// maxCluster bytes and more, where a cluster is taken apart anyway.
func cluster(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if r == '\r' && strings.HasPrefix(s[n:], "\n") {
		return n + 1
	}
	if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
		return n
	}
	for n < len(s) {
		r, w := utf8.DecodeRuneInString(s[n:])
		if !unicode.In(r, unicode.Mn, unicode.Me,
			unicode.Mc) && r != '\u200d' && r != '\u200c' && !unicode.Is(unicode.Other_Grapheme_Extend, r) {
			break
		}
		n += w
	}
	return n
}
