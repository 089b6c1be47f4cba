package tokenizer

import (
	"unicode"

	"github.com/lucid-go/lucid/internal/fault"
	"golang.org/x/text/unicode/norm"
)

// ParseJSON reads a tokenizer.json file.
func ParseJSON(data []byte) (t *Tokenizer, err error) {
	err = fault.Catch(func() { t = parseJSON(data) })
	if err != nil {
		return nil, err
	}
	return t, nil
}

func parseJSON(data []byte) *Tokenizer {
	p := newParser(data)
	rest := map[string]any{}
	var m *jsonModel
	check(p.Object(func(key string) error {
		if key == "model" {
			m = readModel(p)
		} else {
			rest[key] = readAny(p)
		}
		return nil
	}))
	check(p.End())
	if m == nil {
		refuse("the file has no model")
	}
	root := object{"tokenizer.json", rest}
	t := &Tokenizer{special: map[int32]bool{}, bos: -1, eos: -1}
	t.normalizer = newNormalizer(rest["normalizer"], "normalizer")
	t.pre = newPreTokenizer(rest["pre_tokenizer"], "pre_tokenizer")
	t.wantsFirst = wantsFirst(t.pre)
	t.decoder = newDecoder(rest["decoder"], "decoder")
	t.post = newPostProcessor(rest["post_processor"], "post_processor")
	t.setTokens(m.vocab)
	m.build(t)
	t.addTokens(root.list("added_tokens"))
	if s, ok := t.post.(surround); ok && len(s.before) > 0 {
		t.bos = s.before[0]
	}
	t.finishRaw()
	return t
}

// addTokens takes the list of added tokens.
func (t *Tokenizer) addTokens(list []any) {
	for _, v := range list {
		o, _ := asObject(v, "added_tokens")
		a := addedToken{text: o.text("content", ""), id: int32(o.number("id", -1)), special: o.flag("special", false),
			singleWord: o.flag("single_word", false), left: o.flag("lstrip", false), right: o.flag("rstrip", false)}
		if a.id < 0 || a.id >= maxIDs || a.text == "" {
			refuse("an added token %q with the id %d", a.text, a.id)
		}
		if old, ok := t.ID(a.text); ok {
			a.id = int32(old) // the model's own token
		}
		t.addToken(a, o.flag("normalized", true))
	}
}

func (t *Tokenizer) addToken(a addedToken, normalized bool) {
	if old, ok := t.Token(int(a.id)); ok && old != a.text {
		refuse("added token %q has the id %d of %q", a.text, a.id, old)
	}
	if n := t.Size(); t.holes == nil && int(a.id) > n {
		t.holes = make([]bool, n)
	}
	for t.holes != nil && int(a.id) >= len(t.holes) {
		t.holes = append(t.holes, true)
	}
	if _, ok := t.ID(a.text); !ok { // the model must not find it in a piece of text
		t.vocab.name(a.id, a.text)
		if t.beyond == nil {
			t.beyond = map[string]int32{}
		}
		t.beyond[a.text] = a.id
	}
	if t.holes != nil {
		t.holes[a.id] = false
	}
	if a.special {
		t.special[a.id] = true
	}
	if normalized {
		if t.normalizer != nil {
			a.text = t.normalizer.normalize(a.text)
		}
		t.added.normalized.add(a)
	} else {
		t.added.exact.add(a)
	}
}

// finishRaw prepares the fast way back for a byte-level vocabulary.
func (t *Tokenizer) finishRaw() {
	if _, ok := t.decoder.(byteLevelDecoder); ok {
		t.raw, _ = rawTokens(t.vocab.tokens)
	}
}

// rawTokens are the bytes that tokens of a byte-level vocabulary stand for, and those themselves that stand for none: mapped tells them
// apart. They are cut out of one text: a text for each would take twice the memory.
func rawTokens(tokens []string) (raw []string, mapped []bool) {
	var all []byte
	raw, mapped = make([]string, len(tokens)), make([]bool, len(tokens))
	ends := make([]int, len(tokens))
	for id, s := range tokens {
		start := len(all)
		if all, mapped[id] = appendBytes(all, s); !mapped[id] {
			all = append(all[:start], s...)
		}
		ends[id] = len(all)
	}
	text, start := string(all), 0
	for id, end := range ends {
		raw[id], start = text[start:end], end
	}
	return raw, mapped
}

func newNormalizer(v any, where string) normalizer {
	o, ok := asObject(v, where)
	if !ok {
		return nil
	}
	switch kind := o.kind(); kind {
	case "Sequence":
		var all normalizers
		for _, one := range o.list("normalizers") {
			if n := newNormalizer(one, where); n != nil {
				all = append(all, n)
			}
		}
		return all
	case "NFC":
		return formNormalizer{norm.NFC}
	case "NFD":
		return formNormalizer{norm.NFD}
	case "NFKC":
		return formNormalizer{norm.NFKC}
	case "NFKD":
		return formNormalizer{norm.NFKD}
	case "Lowercase":
		return funcNormalizer(lower)
	case "StripAccents":
		return funcNormalizer(func(s string) string { return without(unicode.M, s) })
	case "Strip":
		return stripNormalizer{o.flag("strip_left", true), o.flag("strip_right", true)}
	case "Prepend":
		return prependNormalizer{o.text("prepend", "")}
	case "Replace":
		return newReplace(o)
	case "BertNormalizer":
		low := o.flag("lowercase", true)
		return bertNormalizer{o.flag("clean_text", true), o.flag("handle_chinese_chars", true), o.flag("strip_accents", low), low}
	case "ByteLevel":
		return funcNormalizer(toByteLevel)
	case "Nmt":
		return funcNormalizer(nmt)
	case "Precompiled":
		return newCharsmap(o.text("precompiled_charsmap", ""))
	default:
		unsupported("normalizer", kind)
		return nil
	}
}

// newReplace reads a Replace normalizer or decoder.
func newReplace(o object) normalizer {
	n := replaceNormalizer{with: o.text("content", "")}
	p, _ := o.object("pattern")
	if expr, ok := p.values["Regex"].(string); ok {
		n.expr = compilePattern(expr)
	} else if n.text = p.text("String", ""); n.text == "" {
		refuse("%s: a Replace without a pattern", o.where)
	}
	return n
}

func newPreTokenizer(v any, where string) preTokenizer {
	o, ok := asObject(v, where)
	if !ok {
		return nil
	}
	space := splitter{find: runeFinder(unicode.IsSpace), act: removed}
	switch kind := o.kind(); kind {
	case "Sequence":
		var all preTokenizers
		for _, one := range o.list("pretokenizers") {
			if p := newPreTokenizer(one, where); p != nil {
				all = append(all, p)
			}
		}
		return all
	case "ByteLevel":
		b := &byteLevelSplit{prefixSpace: o.flag("add_prefix_space", true)}
		if o.flag("use_regex", true) {
			b.cut = compilePattern(gpt2Expr)
		}
		return b
	case "Split":
		return newSplit(o)
	case "Metaspace":
		scheme := o.text("prepend_scheme", "always")
		if !o.flag("add_prefix_space", true) {
			scheme = "never"
		}
		if scheme != "always" && scheme != "never" && scheme != "first" {
			unsupported("prepend_scheme of Metaspace", scheme)
		}
		return metaspaceSplit{o.text("replacement", metaspace), scheme == "always", scheme == "first", o.flag("split", true)}
	case "Whitespace":
		return splitter{find: compilePattern(wordExpr), act: removed, invert: true}
	case "WhitespaceSplit":
		return space
	case "BertPreTokenizer":
		return preTokenizers{space, splitter{find: runeFinder(isPunctuation)}}
	case "Digits":
		act := contiguous
		if o.flag("individual_digits", false) {
			act = isolated
		}
		return splitter{find: runeFinder(isNumeric), act: act}
	case "Punctuation":
		return splitter{find: runeFinder(isPunctuation), act: newBehavior(o.text("behavior", "Isolated"))}
	case "FixedLength":
		n := o.number("length", 5)
		if n < 1 {
			refuse("%s: a FixedLength of %d", o.where, n)
		}
		return lengthSplit(n)
	case "UnicodeScripts":
		return scriptSplit{}
	case "CharDelimiterSplit":
		return splitter{find: textFinder(o.text("delimiter", "")), act: removed}
	default:
		unsupported("pre-tokenizer", kind)
		return nil
	}
}

func newSplit(o object) preTokenizer {
	s := splitter{act: newBehavior(o.text("behavior", "")), invert: o.flag("invert", false)}
	p, _ := o.object("pattern")
	if expr, ok := p.values["Regex"].(string); ok {
		s.find = compilePattern(expr)
	} else if text := p.text("String", ""); text != "" {
		s.find = textFinder(text)
	} else {
		refuse("%s: a Split without a pattern", o.where)
	}
	return s
}

func newBehavior(name string) behavior {
	all := map[string]behavior{"Isolated": isolated, "Removed": removed, "MergedWithPrevious": withPrevious, "MergedWithNext": withNext,
		"Contiguous": contiguous}
	b, ok := all[name]
	if !ok {
		unsupported("behavior", name)
	}
	return b
}

func newDecoder(v any, where string) decoder {
	o, ok := asObject(v, where)
	if !ok {
		return nil
	}
	switch kind := o.kind(); kind {
	case "Sequence":
		var all decoders
		for _, one := range o.list("decoders") {
			if d := newDecoder(one, where); d != nil {
				all = append(all, d)
			}
		}
		return all
	case "ByteLevel":
		return byteLevelDecoder{}
	case "ByteFallback":
		return funcDecoder(byteFallback)
	case "Fuse":
		return funcDecoder(fuse)
	case "Replace":
		return replaceDecoder{newReplace(o)}
	case "Strip":
		return stripDecoder{o.text("content", " "), o.number("start", 0), o.number("stop", 0)}
	case "Metaspace":
		never := o.text("prepend_scheme", "always") == "never" || !o.flag("add_prefix_space", true)
		return metaspaceDecoder{o.text("replacement", metaspace), !never}
	case "BPEDecoder":
		return suffixDecoder(o.text("suffix", "</w>"))
	case "CTC":
		return ctcDecoder{o.text("pad_token", "<pad>"), o.text("word_delimiter_token", "|"), o.flag("cleanup", true)}
	case "WordPiece":
		return wordPieceDecoder{o.text("prefix", "##"), o.flag("cleanup", true)}
	default:
		unsupported("decoder", kind)
		return nil
	}
}

func newPostProcessor(v any, where string) postProcessor {
	o, ok := asObject(v, where)
	if !ok {
		return nil
	}
	switch kind := o.kind(); kind {
	case "Sequence":
		var all postProcessors
		for _, one := range o.list("processors") {
			if p := newPostProcessor(one, where); p != nil {
				all = append(all, p)
			}
		}
		if len(all) == 1 {
			return all[0]
		} else if len(all) > 1 {
			unsupported("post-processor", "Sequence of several that add tokens")
		}
		return all
	case "ByteLevel":
		return nil // it trims offsets, which this package does not give
	case "TemplateProcessing":
		return newTemplate(o)
	case "BertProcessing", "RobertaProcessing":
		return surround{[]int{pairID(o, "cls")}, []int{pairID(o, "sep")}}
	default:
		unsupported("post-processor", kind)
		return nil
	}
}

// pairID reads a token given as [text, id].
func pairID(o object, key string) int {
	pair := o.list(key)
	if len(pair) != 2 {
		refuse("%s: %q is no pair", o.where, key)
	}
	return wholeNumber(pair[1], o.where+": "+key)
}

func newTemplate(o object) postProcessor {
	known, _ := o.object("special_tokens")
	var s surround
	behind := false
	for _, v := range o.list("single") {
		item, _ := asObject(v, o.where+".single")
		if _, is := item.object("Sequence"); is {
			if behind {
				refuse("%s: the text is there twice", o.where)
			}
			behind = true
			continue
		}
		token, _ := item.object("SpecialToken")
		entry, ok := known.object(token.text("id", ""))
		if !ok {
			refuse("%s: the special token %q is not listed", o.where, token.text("id", ""))
		}
		for _, id := range entry.list("ids") {
			if n := wholeNumber(id, o.where); behind {
				s.after = append(s.after, n)
			} else {
				s.before = append(s.before, n)
			}
		}
	}
	if !behind {
		refuse("%s: the template has no text", o.where)
	}
	return s
}
