package tokenizer

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/lucid-go/lucid/internal/fault"
)

// Types of pieces in a SentencePiece model, and of models.
const (
	pieceNormal  = 1
	pieceUnknown = 2
	pieceControl = 3
	pieceUser    = 4
	pieceUnused  = 5
	pieceByte    = 6

	spUnigram = 1
	spBPE     = 2
)

// ParseSentencePiece reads a SentencePiece .model file of type Unigram or BPE.
func ParseSentencePiece(data []byte) (t *Tokenizer, err error) {
	err = fault.Catch(func() {
		t = (&spModel{kind: spUnigram, unk: 0, bos: 1, eos: 2, prefix: true, collapse: true, escape: true}).build(data)
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// spModel is a model as the file has it, with the format's defaults.
type spModel struct {
	tokens   []string
	scores   []float64
	kinds    []int64
	kind     int64
	unk      int64
	bos, eos int64
	bytes    bool
	table    []byte
	prefix   bool // put a space before the text
	collapse bool // runs of spaces become one
	escape   bool // write spaces as marks
}

// message walks over a protocol buffers message: f gets each field, by its number, as a number or as bytes.
func message(b []byte, f func(field int, number uint64, data []byte)) {
	varint := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			refuse("the model file is damaged: a bad number")
		}
		b = b[n:]
		return v
	}
	fixed := func(n int) []byte {
		if len(b) < n {
			refuse("the model file ends early")
		}
		head := b[:n]
		b = b[n:]
		return head
	}
	for len(b) > 0 {
		tag := varint()
		field := int(tag >> 3 & math.MaxInt32)
		switch tag & 7 {
		case 0:
			f(field, varint(), nil)
		case 1:
			f(field, binary.LittleEndian.Uint64(fixed(8)), nil)
		case 2:
			n := varint()
			if n > uint64(len(b)) {
				refuse("the model file is damaged: a field of %d bytes in %d", n, len(b))
			}
			f(field, 0, fixed(int(n)))
		case 5:
			f(field, uint64(binary.LittleEndian.Uint32(fixed(4))), nil)
		default:
			refuse("the model file is damaged: a field of kind %d", tag&7)
		}
	}
}

func (m *spModel) read(data []byte) {
	message(data, func(field int, _ uint64, b []byte) {
		switch field {
		case 1: // a piece
			piece, score, kind := "", 0.0, int64(pieceNormal)
			message(b, func(field int, n uint64, b []byte) {
				switch field {
				case 1:
					piece = string(b)
				case 2:
					score = float64(math.Float32frombits(uint32(n)))
				case 3:
					kind = int64(n)
				}
			})
			if piece == "" || math.IsNaN(score) {
				refuse("piece %d is empty or has no score", len(m.tokens))
			}
			m.tokens, m.scores, m.kinds = append(m.tokens, piece), append(m.scores, score), append(m.kinds, kind)
		case 2: // how it was trained
			message(b, func(field int, n uint64, _ []byte) {
				switch field {
				case 3:
					m.kind = int64(n)
				case 35:
					m.bytes = n != 0
				case 40:
					m.unk = int64(int32(n))
				case 41:
					m.bos = int64(int32(n))
				case 42:
					m.eos = int64(int32(n))
				}
			})
		case 3: // how text is normalized
			message(b, func(field int, n uint64, b []byte) {
				switch field {
				case 2:
					m.table = b
				case 3:
					m.prefix = n != 0
				case 4:
					m.collapse = n != 0
				case 5:
					m.escape = n != 0
				}
			})
		}
	})
	if len(m.tokens) == 0 || len(m.tokens) > maxIDs {
		refuse("the model has %d pieces, want 1 to %d", len(m.tokens), maxIDs)
	}
	for _, id := range []int64{m.unk, m.bos, m.eos} {
		if id < -1 || id >= int64(len(m.tokens)) {
			refuse("a special token has the id %d of %d", id, len(m.tokens))
		}
	}
	if !m.escape {
		unsupported("SentencePiece option", "escape_whitespaces=false")
	}
}

func (m *spModel) build(data []byte) *Tokenizer {
	m.read(data)
	t := &Tokenizer{special: map[int32]bool{}, bos: int(m.bos), eos: int(m.eos), vocab: newVocab(m.tokens, nil)}
	for id, s := range m.tokens {
		if first, _ := t.vocab.find(s); t.vocab.n < len(m.tokens) && int(first) != id {
			refuse("the piece %q is there twice", s)
		}
	}
	switch m.kind {
	case spBPE:
		mergeable := func(id int) bool { return m.kinds[id] == pieceNormal || m.kinds[id] == pieceUser }
		t.model = newScored(t.vocab, m.scores, mergeable, int(m.unk))
	case spUnigram:
		t.model = m.unigram(t)
	default:
		unsupported("SentencePiece model of type", map[int64]string{3: "word", 4: "char"}[m.kind])
	}
	marks, back := spaceMarks(m.prefix)
	var all normalizers
	if len(m.table) > 0 {
		all = append(all, parseCharsmap(m.table))
	}
	if m.collapse {
		all = append(all, funcNormalizer(collapseSpaces))
	}
	all = append(all, marks)
	if m.collapse {
		all = append(all, funcNormalizer(func(s string) string { return strings.TrimRight(s, metaspace) }))
		back = append(decoders{funcDecoder(dropLead)}, back[:3]...)
	}
	t.normalizer, t.decoder = all, back
	for id, kind := range m.kinds {
		a := addedToken{text: m.tokens[id], id: int32(id)}
		switch kind {
		case pieceControl, pieceUnknown:
			a.special = true
			t.special[a.id] = true
			t.added.exact.add(a)
		case pieceUser:
			t.added.normalized.add(a)
		}
	}
	return t
}

func (m *spModel) unigram(t *Tokenizer) *unigram {
	tokens := make([]string, len(m.tokens))
	for id, kind := range m.kinds {
		if kind == pieceNormal || kind == pieceUser {
			tokens[id] = m.tokens[id]
		}
	}
	u := newUnigram(tokens, m.scores, int32(m.unk))
	if m.bytes {
		u.fallback = byteTokens(t.vocab.find)
	}
	return u
}

// dropLead removes the marks before the first text.
func dropLead(tokens []string) []string {
	for i, s := range tokens {
		tokens[i] = strings.TrimPrefix(s, metaspace)
		if tokens[i] != "" {
			break
		}
	}
	return tokens
}
