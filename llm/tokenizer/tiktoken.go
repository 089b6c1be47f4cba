package tokenizer

import (
	"bytes"
	"encoding/base64"
	"strconv"

	"github.com/lucid-go/lucid/internal/fault"
)

// TiktokenOptions is what a tiktoken file does not say.
type TiktokenOptions struct {
	// Pattern is the regular expression that cuts the text, in the syntax of tokenizer.json files.
	Pattern string

	// Special are the special tokens and their ids.
	Special map[string]int
}

// Patterns of well-known tiktoken vocabularies.
const (
	PatternGPT2   = gpt2Expr
	PatternCL100K = `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s`
	PatternO200K  = o200kExpr
	PatternLlama3 = llama3Expr
)

// ParseTiktoken reads a file of lines with a token in base64 and its rank. Neighbours whose bytes are a token merge, the lowest
// rank first; a piece that is a token is taken whole.
func ParseTiktoken(data []byte, o TiktokenOptions) (t *Tokenizer, err error) {
	err = fault.Catch(func() { t = parseTiktoken(data, o) })
	if err != nil {
		return nil, err
	}
	return t, nil
}

func parseTiktoken(data []byte, o TiktokenOptions) *Tokenizer {
	raws := newVocab(nil, nil)
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		code, number, ok := bytes.Cut(line, []byte(" "))
		rank, err := strconv.ParseUint(string(number), 10, 31)
		raw, err2 := base64.StdEncoding.DecodeString(string(code))
		if !ok || err != nil || err2 != nil || len(raw) == 0 || rank >= maxIDs {
			refuse("the line %.60q is no token in base64 and a rank", line)
		}
		if !raws.put(int32(rank), string(raw)) {
			refuse("the token %q or its rank %d is there twice", raw, rank)
		}
	}
	if raws.n == 0 {
		refuse("the file has no tokens")
	}
	if o.Pattern == "" {
		fault.Throw(fault.Value, op, "a tiktoken file needs a pattern; see PatternCL100K and others")
	}
	t := &Tokenizer{special: map[int32]bool{}, bos: -1, eos: -1, decoder: byteLevelDecoder{}}
	shown := make([]string, len(raws.tokens))
	for id, s := range raws.tokens {
		shown[id] = toByteLevel(s)
	}
	t.setTokens(newVocab(shown, func(id int) bool { return shown[id] != "" }))
	m := &bpe{byteLevel: true, unk: -1, ignoreMerges: true, vocab: raws, ranks: make([]int32, t.Size())}
	for i := range m.ranks {
		m.ranks[i] = int32(i)
	}
	m.finish()
	t.model = m
	t.pre = splitter{find: compilePattern(o.Pattern)}
	for s, id := range o.Special {
		if id < 0 || id >= maxIDs {
			fault.Throw(fault.Value, op, "special token %q has the id %d", s, id)
		}
		t.addToken(addedToken{text: s, id: int32(id), special: true}, false)
	}
	t.finishRaw()
	for s, id := range o.Special {
		t.raw[id] = s
	}
	return t
}
