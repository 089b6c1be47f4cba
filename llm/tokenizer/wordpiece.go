package tokenizer

import "unicode/utf8"

// wordPiece takes the longest token at the beginning of a word, again and again; a word that does not come out even is
// unknown.
type wordPiece struct {
	vocab   *vocab
	unk     int32
	prefix  string // of tokens that do not begin a word
	maxWord int    // characters
	longest int    // bytes of the longest token
}

func (m *wordPiece) encode(piece string, out []int) []int {
	if utf8.RuneCountInString(piece) > m.maxWord {
		return append(out, int(m.unk))
	}
	begun := len(out)
	key := make([]byte, 0, 64)
	for at := 0; at < len(piece); {
		key = key[:0]
		if at > 0 {
			key = append(key, m.prefix...)
		}
		head := len(key)
		end := min(len(piece), at+m.longest)
		key = append(key, piece[at:end]...)
		for ; end > at; end-- {
			if end < len(piece) && !utf8.RuneStart(piece[end]) {
				continue
			}
			if id, ok := m.vocab.findBytes(key[:head+end-at]); ok {
				out = append(out, int(id))
				break
			}
		}
		if end == at {
			return append(out[:begun], int(m.unk))
		}
		at = end
	}
	return out
}

// wordLevel takes a piece as one token.
type wordLevel struct {
	vocab *vocab
	unk   int32
}

func (m *wordLevel) encode(piece string, out []int) []int {
	if id, ok := m.vocab.find(piece); ok {
		return append(out, int(id))
	}
	if m.unk >= 0 {
		return append(out, int(m.unk))
	}
	return out
}
