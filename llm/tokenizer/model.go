package tokenizer

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/lucid-go/lucid/internal/codec/strictjson"
	"github.com/lucid-go/lucid/llm/tokenizer/internal/pattern"
)

func isNumeric(r rune) bool { return unicode.Is(unicode.N, r) }

func compilePattern(expr string) *pattern.Pattern {
	p, err := pattern.Compile(expr)
	check(err)
	return p
}

// jsonModel is the model of a tokenizer.json file as it is written there.
type jsonModel struct {
	object
	vocab  *vocab
	tokens []string // Unigram: by id
	scores []float64
	merges [][2]string
}

// readModel reads the model; the large parts are not held as JSON values.
func readModel(p *strictjson.Parser) *jsonModel {
	m := &jsonModel{object: object{"model", map[string]any{}}}
	check(p.Object(func(key string) error {
		switch key {
		case "vocab":
			if p.Peek() == '[' {
				return m.readScored(p)
			}
			return m.readVocab(p)
		case "merges":
			return m.readMerges(p)
		}
		m.values[key] = readAny(p)
		return nil
	}))
	if m.vocab == nil {
		refuse("the model has no vocabulary")
	}
	return m
}

func (m *jsonModel) readVocab(p *strictjson.Parser) error {
	m.vocab = newVocab(nil, nil)
	return p.Object(func(token string) error {
		id, err := p.Int()
		if err != nil {
			return err
		}
		if id < 0 || id >= maxIDs || !m.vocab.put(int32(id), token) {
			return p.Fail("token %q has the id %d, which is taken or out of range", token, id)
		}
		return nil
	})
}

// readScored reads a vocabulary of [token, score] pairs.
func (m *jsonModel) readScored(p *strictjson.Parser) error {
	err := p.Array(func(i int) error {
		if i >= maxIDs {
			return p.Fail("more than %d tokens", maxIDs)
		}
		return p.Array(func(k int) (err error) {
			switch k {
			case 0:
				var s string
				s, err = p.String()
				m.tokens = append(m.tokens, s)
			case 1:
				m.scores = append(m.scores, readFloat(p))
			default:
				err = p.Fail("token %d is no pair", i)
			}
			return err
		})
	})
	m.vocab = newVocab(slices.Clone(m.tokens), nil)
	return err
}

// readMerges reads pairs, or texts with a space between the two.
func (m *jsonModel) readMerges(p *strictjson.Parser) error {
	return p.Array(func(i int) error {
		var pair [2]string
		if p.Peek() == '"' {
			s, err := p.String()
			if err != nil {
				return err
			}
			a, b, ok := strings.Cut(s, " ")
			if !ok || strings.Contains(b, " ") {
				return p.Fail("merge %d, %q, is no pair", i, s)
			}
			pair = [2]string{a, b}
		} else {
			n := 0
			err := p.Array(func(k int) (err error) {
				if n = k; k > 1 {
					return p.Fail("merge %d has more than two parts", i)
				}
				pair[k], err = p.String()
				return err
			})
			if err != nil {
				return err
			}
			if n != 1 {
				return p.Fail("merge %d is no pair", i)
			}
		}
		m.merges = append(m.merges, pair)
		return nil
	})
}

// build makes the tokenizer's model.
func (m *jsonModel) build(t *Tokenizer) {
	kind := m.kind()
	if kind == "" && m.merges != nil {
		kind = "BPE" // files of the first versions do not say
	}
	switch kind {
	case "BPE":
		t.model = m.bpe(t)
	case "WordPiece":
		w := &wordPiece{vocab: m.vocab, prefix: m.text("continuing_subword_prefix", "##"),
			maxWord: m.number("max_input_chars_per_word", 100)}
		w.unk = m.unknown(m.text("unk_token", "[UNK]"), true)
		for _, s := range m.vocab.all() {
			w.longest = max(w.longest, len(s))
		}
		t.model = w
	case "WordLevel":
		t.model = &wordLevel{m.vocab, m.unknown(m.text("unk_token", ""), false)}
	case "Unigram":
		if len(m.tokens) != len(m.scores) || len(m.tokens) == 0 {
			refuse("a Unigram model with %d tokens and %d scores", len(m.tokens), len(m.scores))
		}
		u := newUnigram(m.tokens, m.scores, int32(m.number("unk_id", -1)))
		if int(u.unk) >= len(m.tokens) {
			refuse("the unknown token has the id %d of %d", u.unk, len(m.tokens))
		}
		if m.flag("byte_fallback", false) {
			u.fallback = byteTokens(m.vocab.find)
		}
		t.model = u
	default:
		unsupported("model", kind)
	}
}

// unknown returns the id of the unknown token, -1 if the model names none.
func (m *jsonModel) unknown(token string, must bool) int32 {
	id, ok := m.vocab.find(token)
	if !ok {
		if must || token != "" {
			refuse("the unknown token %q is not in the vocabulary", token)
		}
		return -1
	}
	return id
}

// byteTokens returns the ids of <0x00> to <0xFF>, -1 where one is missing.
func byteTokens(find func(token string) (int32, bool)) *[256]int32 {
	out := &[256]int32{}
	for b := range out {
		id, ok := find(fmt.Sprintf("<0x%02X>", b))
		if out[b] = id; !ok {
			out[b] = -1
		}
	}
	return out
}

// lastByteLevel returns the ByteLevel step that ends a pre-tokenizer, nil if none does.
func lastByteLevel(p preTokenizer) *byteLevelSplit {
	if all, ok := p.(preTokenizers); ok && len(all) > 0 {
		p = all[len(all)-1]
	}
	b, _ := p.(*byteLevelSplit)
	return b
}

func (m *jsonModel) bpe(t *Tokenizer) model {
	if v, ok := m.values["dropout"].(float64); ok && v != 0 {
		unsupported("BPE option", "dropout")
	}
	b := &bpe{unk: -1, fuseUnk: m.flag("fuse_unk", false), ignoreMerges: m.flag("ignore_merges", false),
		prefix: m.text("continuing_subword_prefix", ""), suffix: m.text("end_of_word_suffix", "")}
	if unk := m.text("unk_token", ""); unk != "" {
		b.unk = m.unknown(unk, true)
	}
	if m.flag("byte_fallback", false) {
		b.fallback = byteTokens(m.vocab.find)
	}
	b.pairs = newPairTable(len(m.merges))
	for i, pair := range m.merges {
		left, ok1 := m.vocab.find(pair[0])
		right, ok2 := m.vocab.find(pair[1])
		whole, ok3 := m.vocab.find(pair[0] + strings.TrimPrefix(pair[1], b.prefix))
		if !ok1 || !ok2 || !ok3 {
			refuse("merge %d of %q and %q: one of them, or what they become, is not in the vocabulary", i, pair[0], pair[1])
		}
		b.pairs.set(left, right, int32(i), whole)
	}
	b.vocab = m.vocab
	if last := lastByteLevel(t.pre); last != nil && b.prefix == "" && b.suffix == "" && b.fallback == nil && b.unk < 0 {
		last.raw, b.byteLevel = true, true
		b.vocab = rawVocab(m.vocab)
	}
	b.finish()
	return b
}

// rawVocab finds the tokens of a byte-level vocabulary by their bytes; others cannot come out of text.
func rawVocab(v *vocab) *vocab {
	raw, mapped := rawTokens(v.tokens)
	return newVocab(raw, func(id int) bool { return mapped[id] && v.tokens[id] != "" })
}
