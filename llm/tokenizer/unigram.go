package tokenizer

import "unicode/utf8"

// unigram finds the cut of a piece whose tokens have the largest sum of scores.
type unigram struct {
	trie     byteTrie
	scores   []float64
	unk      int32
	unkScore float64
	fallback *[256]int32
}

// unkPenalty is what an unknown character costs below the worst token.
const unkPenalty = 10

func newUnigram(tokens []string, scores []float64, unk int32) *unigram {
	m := &unigram{scores: scores, unk: unk}
	lowest := 0.0
	for i, s := range tokens {
		if s != "" {
			m.trie.add(s, int32(i))
		}
		if i == 0 || scores[i] < lowest {
			lowest = scores[i]
		}
	}
	m.unkScore = lowest - unkPenalty
	return m
}

// step is the best way to a position.
type step struct {
	score float64
	from  int32 // -1: not reached
	id    int32
}

func (m *unigram) encode(piece string, out []int) []int {
	steps := make([]step, len(piece)+1)
	for i := range steps {
		steps[i].from = -1
	}
	steps[0].from = 0
	for at := 0; at < len(piece); {
		_, w := utf8.DecodeRuneInString(piece[at:])
		here := steps[at].score
		single := false
		reach := func(end int, id int32, score float64) {
			if s := &steps[end]; s.from < 0 || here+score > s.score {
				*s = step{here + score, int32(at), id}
			}
		}
		m.trie.walk(piece[at:], func(n int, id int32) {
			reach(at+n, id, m.scores[id])
			single = single || n == w
		})
		if !single {
			reach(at+w, m.unk, m.unkScore)
		}
		at += w
	}
	return m.emit(piece, steps, out)
}

// emit follows the best way back; neighbouring unknown characters are one token.
func (m *unigram) emit(piece string, steps []step, out []int) []int {
	var ends []int
	for end := len(piece); end > 0; end = int(steps[end].from) {
		ends = append(ends, end)
	}
	for i := len(ends) - 1; i >= 0; {
		end := ends[i]
		s := steps[end]
		i--
		if s.id != m.unk {
			out = append(out, int(s.id))
			continue
		}
		from := int(s.from)
		for i >= 0 && steps[ends[i]].id == m.unk {
			end = ends[i]
			i--
		}
		out = m.unknown(piece[from:end], out)
	}
	return out
}

func (m *unigram) unknown(s string, out []int) []int {
	if m.fallback != nil {
		all := true
		for i := range len(s) {
			all = all && m.fallback[s[i]] >= 0
		}
		if all {
			for i := range len(s) {
				out = append(out, int(m.fallback[s[i]]))
			}
			return out
		}
	}
	if m.unk < 0 {
		return out
	}
	return append(out, int(m.unk))
}

// byteTrie holds tokens by their bytes.
type byteTrie struct {
	root  [256]int32
	nodes []trieNode
}

func (t *byteTrie) add(s string, id int32) {
	if t.nodes == nil {
		t.nodes = make([]trieNode, 1) // index 0: no node
	}
	at := t.root[s[0]]
	if at == 0 {
		t.nodes = append(t.nodes, trieNode{token: -1})
		at = int32(len(t.nodes) - 1)
		t.root[s[0]] = at
	}
	for i := 1; i < len(s); i++ {
		next := t.nodes[at].child(s[i])
		if next == 0 {
			t.nodes = append(t.nodes, trieNode{token: -1})
			next = int32(len(t.nodes) - 1)
			n := &t.nodes[at]
			n.bytes, n.next = append(n.bytes, s[i]), append(n.next, next)
		}
		at = next
	}
	t.nodes[at].token = id
}

func (n *trieNode) child(b byte) int32 {
	for i, c := range n.bytes {
		if c == b {
			return n.next[i]
		}
	}
	return 0
}

// walk calls found for every token that s begins with, the shortest first.
func (t *byteTrie) walk(s string, found func(n int, id int32)) {
	at := t.root[s[0]]
	for i := 1; at != 0; i++ {
		if id := t.nodes[at].token; id >= 0 {
			found(i, id)
		}
		if i >= len(s) {
			return
		}
		at = t.nodes[at].child(s[i])
	}
}
