package grammar

import (
	"bytes"
	"slices"

	"github.com/lucid-go/lucid/internal/fault"
)

// Vocabulary is the tokens of a model as a tree of their bytes. It is immutable.
type Vocabulary struct {
	size  int
	bytes [][]byte
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
	order := make([]int32, 0, len(tokens))
	for i, t := range tokens {
		if len(t) > 0 {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		if c := bytes.Compare(tokens[a], tokens[b]); c != 0 {
			return c
		}
		return int(a - b)
	})
	var open []int32 // nodes of the token before, by depth
	var last []byte
	for _, id := range order {
		t, n := tokens[id], 0
		for n < len(t) && n < len(last) && t[n] == last[n] {
			n++
		}
		for _, at := range open[n:] {
			v.nodes[at].end = int32(len(v.nodes))
		}
		open = open[:n]
		for ; n < len(t); n++ {
			open = append(open, int32(len(v.nodes)))
			v.nodes = append(v.nodes, node{c: t[n], depth: int32(n), from: int32(len(v.ids)), to: int32(len(v.ids))})
		}
		leaf := &v.nodes[open[len(open)-1]]
		v.ids = append(v.ids, id)
		leaf.to, last, v.deep = int32(len(v.ids)), t, max(v.deep, len(t))
	}
	for _, at := range open {
		v.nodes[at].end = int32(len(v.nodes))
	}
	return v
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
func (g *Grammar) Match(v *Vocabulary) *Matcher { return &Matcher{g, v, g.root} }

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
			m.s.masks[m.v] = mask
		}
	})
	return mask, err
}

// mask walks the tree of tokens as far as the grammar goes along.
func (g *Grammar) mask(s *state, v *Vocabulary) []uint64 {
	mask := make([]uint64, (v.size+63)/64)
	at := make([]*state, v.deep+1)
	at[0] = s
	for i := int32(0); i < int32(len(v.nodes)); {
		n := &v.nodes[i]
		next := g.step(at[n.depth], n.c)
		if next == nil {
			i = n.end
			continue
		}
		at[n.depth+1] = next
		for _, id := range v.ids[n.from:n.to] {
			mask[id/64] |= 1 << (id % 64)
		}
		i++
	}
	return mask
}

// Accept adds a token to the text. It reports false, and changes nothing, if the token may not come.
func (m *Matcher) Accept(id int) bool {
	if id < 0 || id >= m.v.size || len(m.v.bytes[id]) == 0 {
		return false
	}
	ok := false
	err := fault.Catch(func() {
		m.g.mu.Lock()
		defer m.g.mu.Unlock()
		s := m.s
		m.g.work = 0
		for _, c := range m.v.bytes[id] {
			if s = m.g.step(s, c); s == nil {
				return
			}
		}
		m.s, ok = s, true
		if len(m.g.states) > maxStates { // states in use stay with those who use them
			m.g.stacks, m.g.states = map[frame]*frame{}, map[string]*state{}
		}
	})
	return ok && err == nil
}

// Accepts reports whether the text may end here.
func (m *Matcher) Accepts() bool { return m.s.accept }

// Final reports whether the text must end here.
func (m *Matcher) Final() bool { return m.s.accept && len(m.s.tops) == 0 }
