package tokenizer

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// addedToken is a token that is looked for in the text itself, before the model sees it.
type addedToken struct {
	text       string
	id         int32
	special    bool
	singleWord bool // only between characters that are not of words
	left       bool // takes the spaces before it
	right      bool // takes the spaces after it
}

// addedTokens are the tokens of a vocabulary that are not the model's. Those of the second set are looked for in the
// normalized text.
type addedTokens struct{ exact, normalized tokenSet }

// tokenSet finds the longest of its tokens at the leftmost position.
type tokenSet struct {
	tokens []addedToken
	nodes  []trieNode
	first  [256]bool // bytes a token can begin with
}

type trieNode struct {
	bytes []byte
	next  []int32
	token int32 // index into tokens, -1: none ends here
}

func (s *tokenSet) add(t addedToken) {
	if t.text == "" {
		return
	}
	if s.nodes == nil {
		s.nodes = []trieNode{{token: -1}}
	}
	s.first[t.text[0]] = true
	at := int32(0)
	for i := range len(t.text) {
		b := t.text[i]
		k := slices.Index(s.nodes[at].bytes, b)
		if k < 0 {
			s.nodes = append(s.nodes, trieNode{token: -1})
			k = len(s.nodes[at].bytes)
			s.nodes[at].bytes = append(s.nodes[at].bytes, b)
			s.nodes[at].next = append(s.nodes[at].next, int32(len(s.nodes)-1))
		}
		at = s.nodes[at].next[k]
	}
	s.nodes[at].token = int32(len(s.tokens))
	s.tokens = append(s.tokens, t)
}

// find returns the longest token at the leftmost position from from, -1 if there is none.
func (s *tokenSet) find(text string, from int) (token, at int) {
	for ; from < len(text); from++ {
		if !s.first[text[from]] {
			continue
		}
		node, found := int32(0), int32(-1)
		for i := from; i < len(text); i++ {
			k := slices.Index(s.nodes[node].bytes, text[i])
			if k < 0 {
				break
			}
			node = s.nodes[node].next[k]
			if t := s.nodes[node].token; t >= 0 {
				found = t
			}
		}
		if found >= 0 {
			return int(found), from
		}
	}
	return -1, -1
}

// cut calls id for each token of the set in text, and rest for what is between them; base is where text begins.
func (a *addedTokens) cut(s *tokenSet, text string, base int, o EncodeOptions, id func(int32), rest func(string, int)) {
	if len(s.tokens) == 0 {
		rest(text, base)
		return
	}
	done := 0 // up to here it is given out
	for from := 0; ; {
		k, at := s.find(text, from)
		if k < 0 {
			break
		}
		t := &s.tokens[k]
		start, end := at, at+len(t.text)
		from = end
		if t.special && o.SpecialAsText && !slices.Contains(o.Allowed, t.text) {
			continue
		}
		if t.singleWord && (wordBefore(text[:start]) || wordAfter(text[end:])) {
			continue
		}
		if t.left {
			start = max(start, done)
			for start > done {
				r, n := utf8.DecodeLastRuneInString(text[:start])
				if !unicode.IsSpace(r) {
					break
				}
				start -= n
			}
		}
		if t.right {
			for end < len(text) {
				r, n := utf8.DecodeRuneInString(text[end:])
				if !unicode.IsSpace(r) {
					break
				}
				end += n
			}
		}
		if start > done {
			rest(text[done:start], base+done)
		}
		if start < end { // else the spaces of the token before were all of it
			id(t.id)
		}
		done = end // the search goes on behind the token itself: one in the spaces it took counts too
	}
	if done < len(text) {
		rest(text[done:], base+done)
	}
}

func isWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.M, unicode.Nd, unicode.Pc, unicode.Join_Control)
}

func wordBefore(s string) bool {
	r, n := utf8.DecodeLastRuneInString(s)
	return n > 0 && isWord(r)
}

func wordAfter(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n > 0 && isWord(r)
}
