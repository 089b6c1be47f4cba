package tokenizer

import (
	"container/heap"
	"hash/maphash"
	"math"
	"math/bits"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// bpe merges neighbouring symbols, the pair of the lowest rank first, the leftmost of equals.
type bpe struct {
	vocab *vocab    // pieces as the text has them: bytes for a byte-level vocabulary
	pairs pairTable // empty if scored
	ranks []int32   // scored: the rank of a token by id, -1: not in texts; any two neighbours whose text is a token may merge

	byteLevel    bool
	symbols      [256]int32 // the token of a byte (byte level) or of an ASCII character, -1: none
	fallback     *[256]int32
	unk          int32 // -1: characters without a token are left out
	fuseUnk      bool
	ignoreMerges bool
	prefix       string // before symbols that do not begin a piece
	suffix       string // after the symbol that ends a piece
	spaced       bool   // the text can be cut before ▁, which is a token, unless one of joins is before it
	joins        map[rune]bool
	cache        wordCache
}

const metaspace = "▁"

// finish makes the tables that depend on the vocabulary.
func (m *bpe) finish() {
	m.cache = newWordCache()
	for b := range m.symbols {
		m.symbols[b] = -1
		if b < utf8.RuneSelf || m.byteLevel {
			if id, ok := m.find(string([]byte{byte(b)})); ok {
				m.symbols[b] = id
			}
		}
	}
	if _, ok := m.find(metaspace); ok && !m.byteLevel && m.prefix == "" && m.suffix == "" {
		m.spaced = true
		m.joins = map[rune]bool{}
		for _, s := range m.vocab.tokens { // in the order of memory
			if len(s) == 0 || strings.IndexByte(s[1:], metaspace[0]) < 0 { // most of them, and this is faster
				continue
			}
			for i := strings.Index(s, metaspace); i >= 0; {
				if i > 0 {
					r, _ := utf8.DecodeLastRuneInString(s[:i])
					m.joins[r] = true
				}
				next := strings.Index(s[i+1:], metaspace)
				if next < 0 {
					break
				}
				i += 1 + next
			}
		}
	}
}

// find returns the token of a part of a text.
func (m *bpe) find(s string) (id int32, ok bool) {
	id, ok = m.vocab.find(s)
	if ok && m.ranks != nil && m.ranks[id] < 0 {
		return -1, false
	}
	return id, ok
}

func (m *bpe) encode(piece string, out []int) []int {
	if !m.spaced || m.ignoreMerges {
		return m.word(piece, out)
	}
	// No token crosses the cuts: the parts merge by themselves as they would together.
	for {
		cut := m.nextCut(piece)
		if cut < 0 {
			return m.word(piece, out)
		}
		out = m.word(piece[:cut], out)
		piece = piece[cut:]
	}
}

// nextCut finds the first ▁ that no token joins to the character before it; -1: none.
func (m *bpe) nextCut(s string) int {
	for from := 1; from < len(s); {
		i := strings.Index(s[from:], metaspace)
		if i < 0 {
			return -1
		}
		at := from + i
		if r, n := utf8.DecodeLastRuneInString(s[:at]); n > 0 && !m.joins[r] {
			return at
		}
		from = at + len(metaspace)
	}
	return -1
}

const maxCached = 48 // bytes of a piece

// word converts a piece, by the cache if it is short.
func (m *bpe) word(piece string, out []int) []int {
	if len(piece) > maxCached {
		return m.merge(piece, out)
	}
	e, at := m.cache.find(piece)
	if e == nil {
		var buf [maxCached]int
		e = &wordEntry{text: strings.Clone(piece)}
		for _, id := range m.merge(piece, buf[:0]) {
			e.ids = append(e.ids, int32(id))
		}
		at.Store(e)
	}
	for _, id := range e.ids {
		out = append(out, int(id))
	}
	return out
}

// symbol is a part of a piece: a token, or text without one.
type symbol struct {
	id         int32 // -1: not a token
	start, end int32 // bytes of the piece
	prev, next int32
}

// start cuts a piece into its characters, or bytes.
func (m *bpe) start(piece string, buf []symbol) []symbol {
	drop := m.unk < 0 && m.ranks == nil // what has no token is not there: its neighbours may merge
	if m.byteLevel {
		for i := range len(piece) {
			if id := m.symbols[piece[i]]; id >= 0 {
				buf = append(buf, symbol{id: id, start: int32(i), end: int32(i + 1)})
			}
		}
		return buf
	}
	for i := 0; i < len(piece); {
		_, n := utf8.DecodeRuneInString(piece[i:])
		s := symbol{start: int32(i), end: int32(i + n)}
		if m.prefix != "" || m.suffix != "" {
			s.id = m.affixed(piece, i, i+n)
		} else if n == 1 {
			s.id = m.symbols[piece[i]]
		} else if id, ok := m.find(piece[i : i+n]); ok {
			s.id = id
		} else {
			s.id = -1
		}
		i += n
		if s.id >= 0 || !drop || m.fallbackOf(piece[s.start:s.end]) {
			buf = append(buf, s)
		}
	}
	return buf
}

func (m *bpe) affixed(piece string, from, to int) int32 {
	s := piece[from:to]
	if from > 0 {
		s = m.prefix + s
	}
	if to == len(piece) {
		s += m.suffix
	}
	if id, ok := m.find(s); ok {
		return id
	}
	return -1
}

const never = math.MaxInt32

// rank is that of merging two neighbours, and the token they become.
func (m *bpe) rank(piece string, a, b *symbol) (rank, id int32) {
	if m.ranks == nil {
		if a.id < 0 || b.id < 0 {
			return never, -1
		}
		return m.pairs.find(a.id, b.id)
	}
	if id, ok := m.find(piece[a.start:b.end]); ok {
		return m.ranks[id], id
	}
	return never, -1
}

func (m *bpe) merge(piece string, out []int) []int {
	if m.ignoreMerges {
		if id, ok := m.find(piece); ok {
			return append(out, int(id))
		}
	}
	var local [64]symbol
	syms := m.start(piece, local[:0])
	if len(syms) <= len(local) {
		syms = m.mergeShort(piece, syms)
	} else {
		syms = m.mergeLong(piece, syms)
	}
	return m.emit(piece, syms, out)
}

// mergeShort scans all pairs for the best one, again and again: the fastest way for a word.
func (m *bpe) mergeShort(piece string, syms []symbol) []symbol {
	var ranks, ids [64]int32 // of symbol i with the next
	for i := 0; i+1 < len(syms); i++ {
		ranks[i], ids[i] = m.rank(piece, &syms[i], &syms[i+1])
	}
	for n := len(syms); n > 1; n-- {
		best, lowest := -1, int32(never)
		for i, r := range ranks[:n-1] {
			if r < lowest {
				best, lowest = i, r
			}
		}
		if best < 0 {
			return syms[:n]
		}
		syms[best].id, syms[best].end = ids[best], syms[best+1].end
		copy(syms[best+1:n], syms[best+2:n])
		if best+2 < n {
			copy(ranks[best+1:n-1], ranks[best+2:n-1])
			copy(ids[best+1:n-1], ids[best+2:n-1])
			ranks[best], ids[best] = m.rank(piece, &syms[best], &syms[best+1])
		}
		if best > 0 {
			ranks[best-1], ids[best-1] = m.rank(piece, &syms[best-1], &syms[best])
		}
		syms = syms[:n-1]
	}
	return syms
}

// candidate is a pair that may merge; it is stale when either symbol has changed since.
type candidate struct {
	rank, id    int32
	left, right int32
	end         int32 // of the right symbol
}

type candidates []candidate

func (c candidates) Len() int { return len(c) }
func (c candidates) Less(i, j int) bool {
	return c[i].rank < c[j].rank || c[i].rank == c[j].rank && c[i].left < c[j].left
}
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *candidates) Push(x any)   { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// mergeLong keeps the pairs in a heap: n log n for a long piece.
func (m *bpe) mergeLong(piece string, syms []symbol) []symbol {
	var queue candidates
	pair := func(i, j int32) (candidate, bool) {
		rank, id := m.rank(piece, &syms[i], &syms[j])
		return candidate{rank, id, i, j, syms[j].end}, rank != never
	}
	for i := range syms {
		syms[i].prev, syms[i].next = int32(i)-1, int32(i)+1
		if i > 0 {
			if c, ok := pair(int32(i)-1, int32(i)); ok {
				queue = append(queue, c)
			}
		}
	}
	syms[len(syms)-1].next = -1
	heap.Init(&queue)
	for len(queue) > 0 {
		c := heap.Pop(&queue).(candidate)
		l, r := &syms[c.left], &syms[c.right]
		if l.next != c.right || r.end != c.end || l.start == l.end || r.start == r.end {
			continue // one of them is part of another by now
		}
		l.id, l.end, l.next = c.id, r.end, r.next
		r.start = r.end // empty
		if l.next >= 0 {
			syms[l.next].prev = c.left
			if n, ok := pair(c.left, l.next); ok {
				heap.Push(&queue, n)
			}
		}
		if l.prev >= 0 {
			if n, ok := pair(l.prev, c.left); ok {
				heap.Push(&queue, n)
			}
		}
	}
	out := syms[:0]
	for _, s := range syms {
		if s.start < s.end {
			out = append(out, s)
		}
	}
	return out
}

// emit writes the ids; text without a token becomes bytes or the unknown token.
func (m *bpe) emit(piece string, syms []symbol, out []int) []int {
	unknown := false // the symbol before was
	for _, s := range syms {
		if s.id >= 0 {
			out = append(out, int(s.id))
			unknown = false
			continue
		}
		if bytes := m.fallbackOf(piece[s.start:s.end]); bytes {
			for i := s.start; i < s.end; i++ {
				out = append(out, int(m.fallback[piece[i]]))
			}
			unknown = false
			continue
		}
		if m.unk >= 0 && !(unknown && m.fuseUnk) {
			out = append(out, int(m.unk))
		}
		unknown = true
	}
	return out
}

// fallbackOf reports whether every byte of s has a token of its own.
func (m *bpe) fallbackOf(s string) bool {
	if m.fallback == nil {
		return false
	}
	for i := range len(s) {
		if m.fallback[s[i]] < 0 {
			return false
		}
	}
	return true
}

// pairTable maps two ids to a rank and an id: open addressing, at most two thirds full.
type pairTable struct {
	keys   []uint64 // left<<32 | right, plus one
	values []uint64 // rank<<32 | id
	shift  uint
}

func newPairTable(n int) pairTable {
	size := uint(bits.Len(uint(n + n/2 + 1)))
	return pairTable{make([]uint64, 1<<size), make([]uint64, 1<<size), 64 - size}
}

// set stores a pair unless it is there: the first rank counts.
func (p *pairTable) set(a, b, rank, id int32) {
	key := uint64(a)<<32 | uint64(b) + 1
	for i := key * 0x9e3779b97f4a7c15 >> p.shift; ; i = (i + 1) & uint64(len(p.keys)-1) {
		if p.keys[i] == key {
			return
		}
		if p.keys[i] == 0 {
			p.keys[i], p.values[i] = key, uint64(rank)<<32|uint64(uint32(id))
			return
		}
	}
}

func (p *pairTable) find(a, b int32) (rank, id int32) {
	key := uint64(a)<<32 | uint64(b) + 1
	for i := key * 0x9e3779b97f4a7c15 >> p.shift; ; i = (i + 1) & uint64(len(p.keys)-1) {
		switch p.keys[i] {
		case key:
			return int32(p.values[i] >> 32), int32(uint32(p.values[i]))
		case 0:
			return never, -1
		}
	}
}

// wordCache holds what words became. A word's slot is fixed by its hash; another word of the slot replaces it.
type wordCache struct {
	slots []atomic.Pointer[wordEntry]
	seed  maphash.Seed
}

type wordEntry struct {
	text string
	ids  []int32
}

const cacheSlots = 1 << 15

func newWordCache() wordCache {
	return wordCache{make([]atomic.Pointer[wordEntry], cacheSlots), maphash.MakeSeed()}
}

// find returns the entry of a word, nil if there is none, and its slot.
func (c *wordCache) find(word string) (*wordEntry, *atomic.Pointer[wordEntry]) {
	slot := &c.slots[maphash.String(c.seed, word)&(cacheSlots-1)]
	if e := slot.Load(); e != nil && e.text == word {
		return e, slot
	}
	return nil, slot
}
