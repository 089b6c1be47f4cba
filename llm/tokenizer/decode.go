package tokenizer

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// decoder rewrites tokens on their way to text; in the end they are joined.
type decoder interface {
	decode(tokens []string) []string
}

type decoders []decoder

func (d decoders) decode(tokens []string) []string {
	for _, one := range d {
		tokens = one.decode(tokens)
	}
	return tokens
}

// funcDecoder is a plain function.
type funcDecoder func([]string) []string

func (f funcDecoder) decode(tokens []string) []string { return f(tokens) }

func fuse(tokens []string) []string { return []string{strings.Join(tokens, "")} }

// byteLevelDecoder joins tokens to the bytes they stand for; a token with another character stands for itself.
type byteLevelDecoder struct{}

func (byteLevelDecoder) decode(tokens []string) []string {
	var b []byte
	for _, t := range tokens {
		if raw, ok := fromByteLevel(t); ok {
			b = append(b, raw...)
		} else {
			b = append(b, t...)
		}
	}
	return []string{validText(b)}
}

// byteOf reads a token <0xXX>.
func byteOf(t string) (byte, bool) {
	if len(t) != 6 || !strings.HasPrefix(t, "<0x") || t[5] != '>' {
		return 0, false
	}
	v, err := strconv.ParseUint(t[3:5], 16, 8)
	return byte(v), err == nil
}

// byteFallback joins runs of <0xXX> tokens to text; a run that is no text becomes U+FFFD for each byte.
func byteFallback(tokens []string) []string {
	out := make([]string, 0, len(tokens))
	var run []byte
	flush := func() {
		if utf8.Valid(run) {
			if len(run) > 0 {
				out = append(out, string(run))
			}
		} else {
			for range run {
				out = append(out, "\ufffd")
			}
		}
		run = run[:0]
	}
	for _, t := range tokens {
		if b, ok := byteOf(t); ok {
			run = append(run, b)
			continue
		}
		flush()
		out = append(out, t)
	}
	flush()
	return out
}

// replaceDecoder replaces in every token.
type replaceDecoder struct{ with normalizer }

func (d replaceDecoder) decode(tokens []string) []string {
	for i := range tokens {
		tokens[i] = d.with.normalize(tokens[i])
	}
	return tokens
}

// stripDecoder removes up to a number of characters from the ends of every token.
type stripDecoder struct {
	char        string
	left, right int
}

func (d stripDecoder) decode(tokens []string) []string {
	for i := range tokens {
		for range d.left {
			tokens[i] = strings.TrimPrefix(tokens[i], d.char)
		}
		for range d.right {
			tokens[i] = strings.TrimSuffix(tokens[i], d.char)
		}
	}
	return tokens
}

// metaspaceDecoder writes the mark as a space; those of the first token are left out.
type metaspaceDecoder struct {
	mark  string
	first bool // a mark was put before the text
}

func (d metaspaceDecoder) decode(tokens []string) []string {
	for i := range tokens {
		with := " "
		if i == 0 && d.first {
			with = ""
		}
		tokens[i] = strings.ReplaceAll(tokens[i], d.mark, with)
	}
	return tokens
}

// wordPieceDecoder joins pieces to words with spaces between, and cleans up around punctuation.
type wordPieceDecoder struct {
	prefix string
	clean  bool
}

// cleanUp applies the rules one after the other.
func cleanUp(s string) string {
	for _, r := range [...][2]string{{" .", "."}, {" ?", "?"}, {" !", "!"}, {" ,", ","}, {" ' ", "'"}, {" n't", "n't"}, {" 'm", "'m"},
		{" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}} {
		s = strings.ReplaceAll(s, r[0], r[1])
	}
	return s
}

func (d wordPieceDecoder) decode(tokens []string) []string {
	for i, t := range tokens {
		if i > 0 {
			if rest, ok := strings.CutPrefix(t, d.prefix); ok {
				t = rest
			} else {
				t = " " + t
			}
		}
		if d.clean {
			t = cleanUp(t)
		}
		tokens[i] = t
	}
	return tokens
}

// suffixDecoder writes a space for the mark at the end of a word, but not of the last one.
type suffixDecoder string

func (d suffixDecoder) decode(tokens []string) []string {
	for i := range tokens {
		with := " "
		if i == len(tokens)-1 {
			with = ""
		}
		tokens[i] = strings.ReplaceAll(tokens[i], string(d), with)
	}
	return tokens
}

// ctcDecoder reads what a model of speech says for each moment: repeats are one, and the padding is nothing.
type ctcDecoder struct {
	pad, word string
	clean     bool
}

func (d ctcDecoder) decode(tokens []string) []string {
	out := make([]string, 0, len(tokens))
	for i, t := range tokens {
		if i > 0 && t == tokens[i-1] {
			continue
		}
		t = strings.ReplaceAll(t, d.pad, "")
		if d.clean {
			t = strings.ReplaceAll(cleanUp(t), d.word, " ")
		}
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}
