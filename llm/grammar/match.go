package grammar

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/lucid-go/lucid/internal/fault"
)

// Vocabulary is the tokens of a model as a tree of their bytes. It is immutable.
type Vocabulary struct {
	size  int
	bytes [][]byte
	whole tokenTree // of all tokens
	text  plainTokens
}

// tokenTree is texts of tokens as a tree of their bytes.
type tokenTree struct {
	nodes []node
	ids   []int32
	deep  int
}

// node is a byte of some tokens. Nodes are in the order of a walk: those inside follow at once, up to end.
type node struct {
	c        byte
	depth    int32
	end      int32 // index behind the nodes inside
	from, to int32 // ids of the tokens that end here
}

// NewVocabulary makes a vocabulary of what each token adds to a text. Empty ones, as those of special tokens, are never allowed.
func NewVocabulary(tokens [][]byte) *Vocabulary {
	v := &Vocabulary{size: len(tokens), bytes: tokens}
	list := make([]entry, 0, len(tokens))
	for i, t := range tokens {
		if len(t) > 0 {
			list = append(list, entry{t, int32(i)})
		}
	}
	v.whole = newTree(list)
	v.text = newPlainTokens(list, v.size)
	return v
}

// entry is a text, and a token that has it.
type entry struct {
	text []byte
	id   int32
}

func newTree(list []entry) (t tokenTree) {
	slices.SortFunc(list, func(a, b entry) int { return cmp.Or(bytes.Compare(a.text, b.text), cmp.Compare(a.id, b.id)) })
	var open []int32 // nodes of the text before, by depth
	var last []byte
	for _, e := range list {
		n := 0
		for n < len(e.text) && n < len(last) && e.text[n] == last[n] {
			n++
		}
		for _, at := range open[n:] {
			t.nodes[at].end = int32(len(t.nodes))
		}
		open = open[:n]
		for ; n < len(e.text); n++ {
			open = append(open, int32(len(t.nodes)))
			t.nodes = append(t.nodes, node{c: e.text[n], depth: int32(n), from: int32(len(t.ids)), to: int32(len(t.ids))})
		}
		leaf := &t.nodes[open[len(open)-1]]
		t.ids = append(t.ids, e.id)
		leaf.to, last, t.deep = int32(len(t.ids)), e.text, max(t.deep, len(e.text))
	}
	for _, at := range open {
		t.nodes[at].end = int32(len(t.nodes))
	}
	return t
}

// Bytes returns what a token adds to a text; nothing if there is no such token. The caller must not change it.
func (v *Vocabulary) Bytes(id int) []byte {
	if id < 0 || id >= v.size {
		return nil
	}
	return v.bytes[id]
}

// Matcher follows one text. It is for one goroutine.
type Matcher struct {
	g *Grammar
	v *Vocabulary
	s *state
}

// Match begins a text made of tokens of a vocabulary.
func (g *Grammar) Match(v *Vocabulary) *Matcher {
	g.mu.Lock()
	defer g.mu.Unlock()
	return &Matcher{g, v, g.root}
}

// Mask has a bit for each token that may come next: bit id%64 of number id/64. It must not be changed. It is an error if
// the text would be too deep or have too many readings.
func (m *Matcher) Mask() (mask []uint64, err error) {
	err = fault.Catch(func() {
		m.g.mu.Lock()
		defer m.g.mu.Unlock()
		m.g.work = 0
		mask = m.s.masks[m.v]
		if mask == nil {
			mask = m.g.mask(m.s, m.v)
			if m.s.masks == nil {
				m.s.masks = map[*Vocabulary][]uint64{}
			}
			m.s.masks[m.v] = mask
			m.g.masks++
		}
	})
	return mask, err
}

// mask finds the tokens that may come next.
func (g *Grammar) mask(s *state, v *Vocabulary) []uint64 {
	mask := make([]uint64, (v.size+63)/64)
	if !g.plainMask(s, &v.text, mask) {
		g.walk(s, &v.whole, mask)
	}
	return mask
}

// walk goes through a tree of tokens as far as the grammar goes along.
func (g *Grammar) walk(s *state, t *tokenTree, mask []uint64) {
	if len(t.nodes) == 0 {
		return
	}
	for len(g.path) <= t.deep {
		g.path = append(g.path, nil)
	}
	at := g.path
	at[0] = s
	for i := int32(0); i < int32(len(t.nodes)); {
		n := &t.nodes[i]
		next := g.step(at[n.depth], n.c)
		if next == nil {
			i = n.end
			continue
		}
		at[n.depth+1] = next
		for _, id := range t.ids[n.from:n.to] {
			mask[id/64] |= 1 << (id % 64)
		}
		i++
	}
}

// Accept adds a token to the text. It reports false, and changes nothing, if the token may not come.
func (m *Matcher) Accept(id int) bool {
	if id < 0 || id >= m.v.size || len(m.v.bytes[id]) == 0 {
		return false
	}
	return m.accept(m.v.bytes[id])
}

// AcceptText adds a text to the one that is followed. It reports false, and changes nothing, if the text may not come.
func (m *Matcher) AcceptText(text string) bool { return m.accept([]byte(text)) }

func (m *Matcher) accept(text []byte) bool {
	ok := false
	err := fault.Catch(func() {
		m.g.mu.Lock()
		defer m.g.mu.Unlock()
		if s := m.g.read(m.s, text); s != nil {
			m.s, ok = s, true
		}
	})
	return ok && err == nil
}

// Accepts reports whether the text may end here.
func (m *Matcher) Accepts() bool { return m.s.accept }

// Final reports whether the text must end here.
func (m *Matcher) Final() bool { return m.s.accept && len(m.s.tops) == 0 }
