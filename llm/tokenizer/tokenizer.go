package tokenizer

import (
	"slices"
	"strings"
	"sync"
)

// Tokenizer converts text to ids and back. It is immutable and safe for concurrent use.
type Tokenizer struct {
	normalizer normalizer // nil: text as it is
	pre        preTokenizer
	model      model
	post       postProcessor // nil: nothing is added
	decoder    decoder       // nil: tokens joined by spaces
	added      addedTokens

	vocab   *vocab           // its list has "" where holes says so
	holes   []bool           // ids without a token; nil: none
	beyond  map[string]int32 // added tokens that the model does not have
	special map[int32]bool
	bos     int
	eos     int
	raw     []string // by id, for a byte-level vocabulary: the bytes a token stands for
	scratch sync.Pool

	wantsFirst bool // a pre-tokenizer treats the beginning of the text in a way of its own
}

// model converts a piece of text, which no token crosses, to ids.
type model interface {
	encode(piece string, out []int) []int
}

// EncodeOptions says how to encode. The zero value is what Encode does.
type EncodeOptions struct {
	// NoAdded leaves out the tokens that the file asks to put before and after a text.
	NoAdded bool

	// SpecialAsText reads special tokens written in the text as plain text. Text from users of a program should be read so:
	// it cannot close a message or change a role then.
	SpecialAsText bool

	// Allowed are special tokens that SpecialAsText does not hold for.
	Allowed []string
}

// Encode returns the ids of text, with the tokens the file asks to put before and after it. A pattern of the file that takes
// too many steps on the text is a panic with the project's error, which lucid.Try returns.
func (t *Tokenizer) Encode(text string) []int { return t.EncodeWith(text, EncodeOptions{}) }

// EncodeWith returns the ids of text.
func (t *Tokenizer) EncodeWith(text string, o EncodeOptions) []int {
	ids := make([]int, 0, len(text)/3+4)
	ids = t.append(ids, text, o)
	if t.post != nil && !o.NoAdded {
		ids = t.post.process(ids)
	}
	return ids
}

// buffers are reused between calls.
type buffers struct{ a, b []segment }

// maxReused is the size of buffers, in segments, above which clearing them costs more than new ones.
const maxReused = 1 << 12

// segment is a piece of text on its way to the model; first: it begins the text.
type segment struct {
	text  string
	first bool
}

// append converts text without what the post-processor adds.
func (t *Tokenizer) append(ids []int, text string, o EncodeOptions) []int {
	buf, _ := t.scratch.Get().(*buffers)
	if buf == nil {
		buf = &buffers{}
	}
	defer func() {
		if cap(buf.a)+cap(buf.b) > maxReused {
			return
		}
		clear(buf.a[:cap(buf.a)]) // the texts must not be held
		clear(buf.b[:cap(buf.b)])
		t.scratch.Put(buf)
	}()
	plain := func(s string, first bool) {
		if s == "" {
			return
		}
		buf.a = append(buf.a[:0], segment{s, first})
		if t.pre != nil {
			buf.a, buf.b = t.pre.split(buf.a, buf.b[:0])
		}
		for _, p := range buf.a {
			if p.text != "" {
				ids = t.model.encode(p.text, ids)
			}
		}
	}
	id := func(n int32) { ids = append(ids, int(n)) }
	t.added.cut(&t.added.exact, text, 0, o, id, func(s string, at int) {
		if s == "" {
			return
		}
		if t.normalizer != nil {
			if at == 0 && t.wantsFirst && dropsLead(t.normalizer, s) {
				at = 1 // what is left does not begin the text
			}
			s = t.normalizer.normalize(s)
		}
		t.added.cut(&t.added.normalized, s, at, o, id, func(s string, at int) { plain(s, at == 0) })
	})
	return ids
}

// DecodeOptions says how to decode. The zero value is what Decode does.
type DecodeOptions struct {
	// SkipSpecial leaves out special tokens.
	SkipSpecial bool
}

// Decode returns the text of ids, special tokens included. Ids without a token are passed over; bytes that are not UTF-8
// become U+FFFD.
func (t *Tokenizer) Decode(ids []int) string { return t.DecodeWith(ids, DecodeOptions{}) }

// DecodeWith returns the text of ids.
func (t *Tokenizer) DecodeWith(ids []int, o DecodeOptions) string {
	if t.raw != nil {
		return t.decodeBytes(ids, o)
	}
	tokens := make([]string, 0, len(ids))
	for _, id := range ids {
		if s, ok := t.Token(id); ok && !(o.SkipSpecial && t.special[int32(id)]) {
			tokens = append(tokens, s)
		}
	}
	if t.decoder == nil {
		return strings.Join(tokens, " ")
	}
	return strings.Join(t.decoder.decode(tokens), "")
}

func (t *Tokenizer) decodeBytes(ids []int, o DecodeOptions) string {
	var b []byte
	for _, id := range ids {
		if id >= 0 && id < len(t.raw) && !(o.SkipSpecial && t.special[int32(id)]) {
			b = append(b, t.raw[id]...)
		}
	}
	return validText(b)
}

// TokenBytes returns what each id adds to a text it does not begin: nothing for special tokens and for ids without a token.
func (t *Tokenizer) TokenBytes() [][]byte {
	out := make([][]byte, t.Size())
	before, prefix := t.ordinary()
	for id := range out {
		token, ok := t.Token(id)
		switch b, isByte := byteOf(token); {
		case !ok || t.special[int32(id)]:
		case t.raw != nil:
			out[id] = []byte(t.raw[id])
		case isByte:
			out[id] = []byte{b}
		default:
			text := t.DecodeWith([]int{before, id}, DecodeOptions{})
			if rest, ok := strings.CutPrefix(text, prefix); ok {
				out[id] = []byte(rest)
			}
		}
	}
	return out
}

// ordinary returns an id that is the beginning of a text, and its text.
func (t *Tokenizer) ordinary() (id int, text string) {
	for i := range t.vocab.tokens {
		token, ok := t.Token(i)
		if _, isByte := byteOf(token); ok && !isByte && !t.special[int32(i)] {
			if text := t.Decode([]int{i}); text != "" {
				return i, text
			}
		}
	}
	return -1, ""
}

// Size is the number of ids: one more than the largest.
func (t *Tokenizer) Size() int { return len(t.vocab.tokens) }

// Token returns the token of an id as the vocabulary has it.
func (t *Tokenizer) Token(id int) (string, bool) {
	if id < 0 || id >= t.Size() || t.holes != nil && t.holes[id] {
		return "", false
	}
	return t.vocab.tokens[id], true
}

// ID returns the id of a token as the vocabulary has it.
func (t *Tokenizer) ID(token string) (int, bool) {
	id, ok := t.vocab.find(token)
	if !ok {
		id, ok = t.beyond[token]
	}
	return int(id), ok
}

// Special lists the ids of special tokens in ascending order.
func (t *Tokenizer) Special() []int {
	out := make([]int, 0, len(t.special))
	for id := range t.special {
		out = append(out, int(id))
	}
	slices.Sort(out)
	return out
}

// IsSpecial reports whether an id is that of a special token.
func (t *Tokenizer) IsSpecial(id int) bool { return t.special[int32(id)] }

// BOS returns the id that begins a text, -1 if the file names none.
func (t *Tokenizer) BOS() int { return t.bos }

// EOS returns the id that ends a text, -1 if the file names none.
func (t *Tokenizer) EOS() int { return t.eos }

// setTokens takes the vocabulary. Ids whose token is another's are holes.
func (t *Tokenizer) setTokens(v *vocab) {
	t.vocab, t.holes = v, slices.Repeat([]bool{true}, len(v.tokens))
	size := 0
	for id := range v.all() {
		t.holes[id], size = false, max(size, int(id)+1)
	}
	v.tokens, t.holes = v.tokens[:size], t.holes[:size]
	for id, hole := range t.holes {
		if hole {
			v.tokens[id] = ""
		}
	}
	if v.n == size {
		t.holes = nil
	}
}
