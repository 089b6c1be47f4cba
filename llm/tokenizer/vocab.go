package tokenizer

import (
	"hash/maphash"
	"iter"
	"math/bits"
	"unsafe"
)

// vocab finds the id of a token by its text: open addressing over the list of tokens, at most two thirds full. A map takes ten times the
// memory, and for 262,144 tokens most of the time of loading a model.
type vocab struct {
	tokens []string // by id; the list may have others that are not to be found
	slots  []uint32 // bits of the hash above the id; 0: free
	n      int
}

const idBits = 24 // of a slot: maxIDs

var vocabSeed = maphash.MakeSeed()

// newVocab finds the tokens that take accepts, all of them if it is nil. Of equal ones the first counts.
func newVocab(tokens []string, take func(id int) bool) *vocab {
	v := &vocab{tokens: tokens}
	v.grow(len(tokens))
	for id := range tokens {
		if take == nil || take(id) {
			v.add(int32(id))
		}
	}
	return v
}

// grow makes room for n tokens in all.
func (v *vocab) grow(n int) {
	old := v.slots
	v.slots = make([]uint32, 1<<bits.Len(uint(n+n/2+1)))
	for _, s := range old {
		if s == 0 {
			continue
		}
		id := s & (1<<idBits - 1)
		at, tag := v.begin(maphash.String(vocabSeed, v.tokens[id]))
		for v.slots[at] != 0 {
			at = (at + 1) & (len(v.slots) - 1)
		}
		v.slots[at] = tag | id
	}
}

// begin is where to look first, and the bits of the hash in a slot.
func (v *vocab) begin(hash uint64) (at int, tag uint32) {
	return int(hash) & (len(v.slots) - 1), uint32(hash>>57+1) << idBits
}

// add makes the token of an id be found unless an equal one is.
func (v *vocab) add(id int32) {
	if at, tag, free := v.slot(v.tokens[id]); free {
		v.take(at, tag, id)
	}
}

// name gives an id its token, which is not to be found.
func (v *vocab) name(id int32, token string) {
	for int(id) >= len(v.tokens) {
		v.tokens = append(v.tokens, "")
	}
	v.tokens[id] = token
}

// set makes an id's token be found, in place of an equal one.
func (v *vocab) set(id int32, token string) {
	v.name(id, token)
	at, tag, free := v.slot(token)
	if free {
		v.take(at, tag, id)
		return
	}
	v.slots[at] = tag | uint32(id)
}

// put is set unless the id or the token is taken; it reports whether it was not.
func (v *vocab) put(id int32, token string) bool {
	if int(id) < len(v.tokens) {
		if old, there := v.find(v.tokens[id]); there && old == id {
			return false
		}
	}
	if _, there := v.find(token); there {
		return false
	}
	v.set(id, token)
	return true
}

// slot is where a token is, or a free slot for it, and the bits of its hash.
func (v *vocab) slot(s string) (at int, tag uint32, free bool) {
	at, tag = v.begin(maphash.String(vocabSeed, s))
	for ; v.slots[at] != 0; at = (at + 1) & (len(v.slots) - 1) {
		if v.slots[at]&^(1<<idBits-1) == tag && v.tokens[v.slots[at]&(1<<idBits-1)] == s {
			return at, tag, false
		}
	}
	return at, tag, true
}

// take fills a free slot.
func (v *vocab) take(at int, tag uint32, id int32) {
	v.slots[at] = tag | uint32(id)
	if v.n++; 3*v.n > 2*len(v.slots) {
		v.grow(2 * v.n)
	}
}

// find returns the id of a token.
func (v *vocab) find(s string) (id int32, ok bool) {
	at, _, free := v.slot(s)
	if free {
		return 0, false
	}
	return int32(v.slots[at] & (1<<idBits - 1)), true
}

// findBytes is find for bytes that are written over later.
func (v *vocab) findBytes(b []byte) (id int32, ok bool) {
	return v.find(unsafe.String(unsafe.SliceData(b), len(b)))
}

// all are the tokens that are found, in no order that says anything.
func (v *vocab) all() iter.Seq2[int32, string] {
	return func(yield func(int32, string) bool) {
		for _, s := range v.slots {
			if id := s & (1<<idBits - 1); s != 0 && !yield(int32(id), v.tokens[id]) {
				return
			}
		}
	}
}
