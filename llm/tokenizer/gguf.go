package tokenizer

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/lucid-go/lucid/internal/codec/gguf"
	"github.com/lucid-go/lucid/internal/fault"
	"golang.org/x/text/unicode/norm"
)

// Types of tokens in a GGUF file.
const (
	ggufNormal  = 1
	ggufUnknown = 2
	ggufControl = 3
	ggufUser    = 4
	ggufUnused  = 5
	ggufByte    = 6
)

// OpenGGUF reads the vocabulary of a GGUF file.
func OpenGGUF(path string) (*Tokenizer, error) {
	f, err := gguf.Open(path, gguf.Options{})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return FromGGUF(f.Metadata())
}

// FromGGUF reads the vocabulary of a GGUF file that is open: for packages of this module.
func FromGGUF(meta *gguf.Metadata) (t *Tokenizer, err error) {
	err = fault.Catch(func() { t = (&ggufVocab{meta: meta}).build() })
	if err != nil {
		return nil, err
	}
	return t, nil
}

// ggufVocab is a vocabulary as a GGUF file has it.
type ggufVocab struct {
	meta   *gguf.Metadata
	tokens []string
	kinds  []int64
	scores []float64
	vocab  *vocab
}

func (v *ggufVocab) build() *Tokenizer {
	v.read()
	t := &Tokenizer{special: map[int32]bool{}, bos: v.id("bos"), eos: v.id("eos")}
	var post surround
	addBOS, addEOS := false, false
	switch kind := v.meta.Text("tokenizer.ggml.model", ""); kind {
	case "llama":
		v.sentencePiece(t)
		addBOS = true
	case "gpt2":
		v.byteLevel(t)
	case "gemma4":
		v.marked(t)
		addBOS = true
	case "bert":
		v.wordPiece(t)
		addBOS, addEOS = true, true
	case "t5":
		v.unigram(t)
		addEOS = true
	case "":
		refuse("the file has no vocabulary (tokenizer.ggml.model)")
	default:
		unsupported("vocabulary of a GGUF file", kind)
	}
	if v.meta.Bool("tokenizer.ggml.add_bos_token", addBOS) && t.bos >= 0 {
		post.before = []int{t.bos}
	}
	if v.meta.Bool("tokenizer.ggml.add_eos_token", addEOS) && t.eos >= 0 {
		post.after = []int{t.eos}
	}
	if len(post.before)+len(post.after) > 0 {
		t.post = post
	}
	return t
}

// read takes the lists out of the file and checks that they fit each other.
func (v *ggufVocab) read() {
	list, _ := v.meta.Get("tokenizer.ggml.tokens")
	tokens, ok := list.Texts()
	if !ok || len(tokens) == 0 || len(tokens) > maxIDs {
		refuse("tokenizer.ggml.tokens is no list of 1 to %d tokens", maxIDs)
	}
	v.tokens = tokens
	if kinds, there := v.meta.Get("tokenizer.ggml.token_type"); there {
		if v.kinds, ok = kinds.Ints(); !ok || len(v.kinds) != len(tokens) {
			refuse("tokenizer.ggml.token_type has %d entries, want %d whole numbers", kinds.Len(), len(tokens))
		}
	} else {
		v.kinds = slices.Repeat([]int64{ggufNormal}, len(tokens))
	}
	if scores, there := v.meta.Get("tokenizer.ggml.scores"); there {
		if v.scores, ok = scores.Floats(); !ok || len(v.scores) != len(tokens) {
			refuse("tokenizer.ggml.scores has %d entries, want %d numbers", scores.Len(), len(tokens))
		}
		if slices.ContainsFunc(v.scores, math.IsNaN) {
			refuse("tokenizer.ggml.scores holds NaN")
		}
	}
	v.vocab = newVocab(tokens, nil)
}

// id returns a special token's id, -1 if the file does not name it.
func (v *ggufVocab) id(name string) int {
	key := "tokenizer.ggml." + name + "_token_id"
	id := v.meta.Int(key, -1)
	if id == math.MaxUint32 {
		return -1 // written by some tools for "none"
	}
	if id < -1 || id >= int64(len(v.tokens)) {
		refuse("%s is %d, the vocabulary has %d tokens", key, id, len(v.tokens))
	}
	return int(id)
}

// setTokens takes the list of tokens and adds those that are looked for in the text itself.
func (v *ggufVocab) setTokens(t *Tokenizer) {
	t.vocab = v.vocab
	kind := v.meta.Text("tokenizer.ggml.model", "")
	marks := kind == "llama" || kind == "gemma4"
	for id, kind := range v.kinds {
		switch kind {
		case ggufControl, ggufUnknown:
			t.special[int32(id)] = true
			t.added.exact.add(addedToken{text: v.tokens[id], id: int32(id), special: true})
		case ggufUser:
			a := addedToken{text: v.tokens[id], id: int32(id)}
			if marked := strings.ReplaceAll(a.text, " ", metaspace); marks && marked != a.text {
				a.text = marked // spaces are marks by the time it is looked for
				t.added.normalized.add(a)
			} else {
				t.added.exact.add(a)
			}
		}
	}
}

// sentencePiece is the vocabulary of Llama 2, Gemma and others: any two neighbours whose text is a token merge, the best score
// first.
func (v *ggufVocab) sentencePiece(t *Tokenizer) {
	if v.scores == nil {
		refuse("the vocabulary has no scores")
	}
	prefix := v.meta.Bool("tokenizer.ggml.add_space_prefix", true)
	mergeable := func(id int) bool {
		return v.kinds[id] == ggufNormal || v.kinds[id] == ggufUser || v.kinds[id] == ggufUnused
	}
	t.model = newScored(v.vocab, v.scores, mergeable, v.id("unknown"))
	t.normalizer, t.decoder = spaceMarks(prefix)
	v.setTokens(t)
	if v.meta.Bool("tokenizer.ggml.remove_extra_whitespaces", false) {
		t.normalizer = normalizers{funcNormalizer(collapseSpaces), t.normalizer}
	}
}

// spaceMarks returns how SentencePiece vocabularies write spaces, and how they are read back.
func spaceMarks(prefix bool) (normalizer, decoders) {
	replace := replaceNormalizer{text: " ", with: metaspace}
	back := decoders{replaceDecoder{replaceNormalizer{text: metaspace, with: " "}}, funcDecoder(byteFallback), funcDecoder(fuse)}
	if !prefix {
		return replace, back
	}
	return normalizers{prependNormalizer{metaspace}, replace}, append(back, stripDecoder{char: " ", left: 1})
}

func collapseSpaces(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' }), " ")
}

// newScored makes a BPE model whose ranks are the order of the scores. Of vocab those that are mergeable are tokens of texts.
func newScored(v *vocab, scores []float64, mergeable func(id int) bool, unk int) *bpe {
	tokens := v.tokens
	m := &bpe{vocab: v, ranks: make([]int32, len(tokens)), unk: int32(unk), fuseUnk: true}
	if v.n < len(tokens) { // the first of equal ones may be no token of texts
		m.vocab = newVocab(tokens, mergeable)
	}
	order := make([]int32, len(tokens))
	all := make(map[string]int32, 256)
	for i, s := range tokens {
		order[i] = int32(i)
		if _, ok := byteOf(s); ok {
			all[s] = int32(i)
		}
	}
	better := func(a, b int32) int { return cmp.Compare(scores[b], scores[a]) }
	if !slices.IsSortedFunc(order, better) { // most files have them in order
		slices.SortStableFunc(order, better)
	}
	for i, id := range order {
		m.ranks[id] = int32(i)
		if i > 0 && scores[id] == scores[order[i-1]] {
			m.ranks[id] = m.ranks[order[i-1]]
		}
	}
	for i, s := range tokens {
		if !mergeable(i) || s == "" {
			m.ranks[i] = -1
		}
	}
	if len(all) > 0 {
		m.fallback = byteTokens(func(token string) (int32, bool) { id, ok := all[token]; return id, ok })
	}
	m.finish()
	return m
}

// byteLevel is the vocabulary of GPT-2 and those after it; the pre-tokenizer is named by tokenizer.ggml.pre.
func (v *ggufVocab) byteLevel(t *Tokenizer) {
	name := v.meta.Text("tokenizer.ggml.pre", "default")
	pre, known := preTypes[name]
	if !known {
		unsupported("pre-tokenizer of a GGUF file", name)
	}
	m := &bpe{byteLevel: true, unk: -1, ignoreMerges: pre.ignoreMerges}
	v.merges(m)
	raw, mapped := rawTokens(v.tokens)
	m.vocab = newVocab(raw, func(id int) bool {
		if first, _ := v.vocab.find(v.tokens[id]); v.vocab.n < len(v.tokens) && int(first) != id {
			return false // of equal ones the first counts
		}
		return mapped[id] && (v.kinds[id] == ggufNormal || v.kinds[id] == ggufUnused)
	})
	m.finish()
	t.model = m
	v.setTokens(t)
	t.decoder = byteLevelDecoder{}
	if pre.nfc {
		t.normalizer = formNormalizer{norm.NFC}
	}
	var all preTokenizers
	for _, s := range pre.splits {
		all = append(all, s.splitter())
	}
	t.pre = all
	t.raw = raw
	for id, kind := range v.kinds { // tokens of these kinds are written as they are; those of texts are others
		if kind == ggufControl || kind == ggufUser {
			t.raw[id] = v.tokens[id]
		}
	}
}

// merges reads the pairs of tokens that merge, in the order of their ranks.
func (v *ggufVocab) merges(m *bpe) {
	list, _ := v.meta.Get("tokenizer.ggml.merges")
	merges, ok := list.Texts()
	if !ok {
		refuse("tokenizer.ggml.merges is no list of texts")
	}
	m.pairs = newPairTable(len(merges))
	for i, s := range merges {
		a, b, ok := cutMerge(s)
		left, ok1 := v.vocab.find(a)
		right, ok2 := v.vocab.find(b)
		whole, ok3 := v.vocab.find(a + b)
		if !ok || !ok1 || !ok2 || !ok3 {
			refuse("merge %d, %q: one of the pair, or what it becomes, is not in the vocabulary", i, s)
		}
		m.pairs.set(left, right, int32(i), whole)
	}
}

// marked is a vocabulary with merges over characters, spaces written as marks, and bytes for what is unknown.
func (v *ggufVocab) marked(t *Tokenizer) {
	m := &bpe{unk: int32(v.id("unknown")), fuseUnk: true, fallback: byteTokens(v.vocab.find), vocab: v.vocab}
	v.merges(m)
	m.finish()
	t.model = m
	t.normalizer, t.decoder = spaceMarks(v.meta.Bool("tokenizer.ggml.add_space_prefix", false))
	v.setTokens(t)
}

// cutMerge cuts a merge at its space; the first part is not empty.
func cutMerge(s string) (a, b string, ok bool) {
	if s == "" {
		return "", "", false
	}
	i := strings.IndexByte(s[1:], ' ')
	if i < 0 {
		return "", "", false
	}
	return s[:i+1], s[i+2:], i+2 < len(s)
}

// wordPiece is BERT's vocabulary. In the file, tokens that begin a word have ▁ before them, and the others nothing.
func (v *ggufVocab) wordPiece(t *Tokenizer) {
	w := &wordPiece{vocab: newVocab(nil, nil), prefix: "##", maxWord: 100, unk: int32(v.id("unknown"))}
	for id, s := range v.tokens {
		switch rest, begins := strings.CutPrefix(s, metaspace); {
		case v.kinds[id] == ggufControl || v.kinds[id] == ggufUnknown:
		case begins:
			s = rest
		default:
			s = "##" + s
		}
		w.vocab.set(int32(id), s)
		w.longest = max(w.longest, len(s))
	}
	if w.unk < 0 {
		refuse("the vocabulary has no unknown token")
	}
	t.model = w
	v.vocab, v.tokens = w.vocab, w.vocab.tokens // not the list in the file's metadata
	v.setTokens(t)
	t.normalizer = bertNormalizer{true, true, true, true}
	t.pre = preTokenizers{splitter{find: runeFinder(unicode.IsSpace), act: removed}, splitter{find: runeFinder(isPunctuation)}}
	t.decoder = wordPieceDecoder{"##", true}
	if cls := v.id("cls"); cls >= 0 {
		t.bos = cls
	}
	if sep := v.id("seperator"); sep >= 0 { // as the files spell it
		t.eos = sep
	} else if sep := v.id("separator"); sep >= 0 {
		t.eos = sep
	}
}

// unigram is the vocabulary of T5 and others.
func (v *ggufVocab) unigram(t *Tokenizer) {
	if v.scores == nil {
		refuse("the vocabulary has no scores")
	}
	tokens := slices.Clone(v.tokens)
	for id, kind := range v.kinds {
		if kind == ggufControl || kind == ggufUnknown || kind == ggufByte {
			tokens[id] = "" // not to be found in text
		}
	}
	t.model = newUnigram(tokens, v.scores, int32(v.id("unknown")))
	v.setTokens(t)
	prefix := v.meta.Bool("tokenizer.ggml.add_space_prefix", true)
	marks, back := spaceMarks(prefix)
	var all normalizers
	if table, there := v.meta.Get("tokenizer.ggml.precompiled_charsmap"); there {
		list, ok := table.Ints()
		if !ok {
			refuse("tokenizer.ggml.precompiled_charsmap is no list of bytes")
		}
		raw := make([]byte, len(list))
		for i, b := range list {
			raw[i] = byte(b)
		}
		all = append(all, parseCharsmap(raw))
	}
	if v.meta.Bool("tokenizer.ggml.remove_extra_whitespaces", false) {
		all = append(all, funcNormalizer(collapseSpaces))
	}
	t.normalizer, t.decoder = append(all, marks), back
}
