package grammar

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/lucid-go/lucid/internal/fault"
)

// Grammar describes texts. It is safe for concurrent use.
type Grammar struct {
	code   []element // alternatives one behind the other, each ended by an element of rule end
	starts [][]int32 // of the alternatives of each rule
	plain  []int32   // of the element that begins an alternative: the rule it belongs to, if that is any plain character; else -1

	mu     sync.Mutex
	stacks map[position]*frame
	states map[string]*state
	root   *state
	frames uint32 // made so far
	masks  int    // stored
	work   int    // steps since the mask or the token began
	key    []byte
	path   []*state // of a walk
}

const end = -2

// maxStates is how many states are stored, maxMasks how many masks; when there are more, all are forgotten.
const (
	maxStates = 1 << 13
	maxMasks  = 1 << 10
)

// dead is the state after a byte that may not come.
var dead = &state{}

// maxStack bounds how deep rules may call each other in a text, and how many readings it may have.
const (
	maxStack    = 1 << 10
	maxReadings = 1 << 12
	maxWork     = 1 << 21 // steps to find one mask, or to read one token: a fraction of a second
)

// frame is where a reading of the text is: at an element, with the elements to go on with when its rule ends. Equal ones are one.
type frame struct {
	at    int32
	depth int32
	id    uint32 // in the order in which they were made
	up    *frame
}

// position tells frames apart.
type position struct {
	at int32
	up *frame
}

// state is all readings of a text so far.
type state struct {
	tops   []*frame    // at elements that are bytes
	accept bool        // the text may end here
	next   [256]*state // nil: not known yet
	masks  map[*Vocabulary][]uint64
	after  *state // behind any plain character: see plainNext; nil: not known yet
}

// finish makes the grammar of rules, and refuses those that call themselves before they read anything.
func (b *builder) finish() (*Grammar, error) {
	g := &Grammar{}
	for i, alternatives := range b.rules {
		if alternatives == nil {
			return nil, fault.New(fault.Format, op, "the rule %q is not defined", b.names[i])
		}
	}
	if !b.prune() {
		return nil, fault.New(fault.Value, op, "no text is as the grammar wants it: a rule needs itself")
	}
	for _, alternatives := range b.rules {
		var starts []int32
		for _, a := range alternatives {
			starts = append(starts, int32(len(g.code)))
			g.code = append(append(g.code, a...), element{rule: end})
		}
		g.starts = append(g.starts, starts)
	}
	g.markPlain()
	if bad := b.leftRecursive(); bad >= 0 {
		return nil, fault.New(fault.NotImplemented, op,
			"the rule %q calls itself before it reads a character; write it so that it does so last",
			b.names[bad])
	}
	g.reset()
	return g, nil
}

// prune removes alternatives that no finite text has, so that no text leads into them. It reports whether any text is left.
func (b *builder) prune() bool {
	ends := make([]bool, len(b.rules))
	dead := func(a sequence) bool {
		return slices.ContainsFunc(a, func(e element) bool { return e.rule >= 0 && !ends[e.rule] })
	}
	for changed := true; changed; {
		changed = false
		for i, alternatives := range b.rules {
			for _, a := range alternatives {
				if !ends[i] && !dead(a) {
					ends[i], changed = true, true
				}
			}
		}
	}
	for i := range b.rules {
		b.rules[i] = slices.DeleteFunc(b.rules[i], dead)
	}
	return ends[0]
}

// reset forgets all states: those in use stay with those who use them. The first one is made anew, as all others can be reached from it.
func (g *Grammar) reset() {
	g.stacks, g.states, g.masks, g.work = map[position]*frame{}, map[string]*state{}, 0, 0
	var all []*frame
	for _, at := range g.starts[0] {
		all = append(all, g.frame(at, nil))
	}
	g.root = g.closure(all)
}

// read follows a text from a state on; nil: it may not come. What is stored is bounded.
func (g *Grammar) read(s *state, text []byte) *state {
	g.work = 0
	for _, c := range text {
		if s = g.step(s, c); s == nil {
			return nil
		}
	}
	if len(g.states) > maxStates || g.masks > maxMasks {
		g.reset()
	}
	return s
}

// leftRecursive finds a rule that reaches itself through first elements, with something left to do each time; -1: none.
func (b *builder) leftRecursive() int {
	nullable := make([]bool, len(b.rules))
	for changed := true; changed; {
		changed = false
		for i, alternatives := range b.rules {
			for _, a := range alternatives {
				if !nullable[i] && !slices.ContainsFunc(a, func(e element) bool { return e.rule < 0 || !nullable[e.rule] }) {
					nullable[i], changed = true, true
				}
			}
		}
	}
	edges := make([]map[int32]bool, len(b.rules)) // by rule that comes first: whether something is left to do behind it
	for i, alternatives := range b.rules {
		edges[i] = map[int32]bool{}
		for _, a := range alternatives {
			for j, e := range a {
				if e.rule < 0 {
					break
				}
				edges[i][e.rule] = edges[i][e.rule] || j < len(a)-1
				if !nullable[e.rule] {
					break
				}
			}
		}
	}
	group := components(edges)
	for i := range edges {
		for to, grows := range edges[i] {
			if grows && group[i] == group[to] {
				return i
			}
		}
	}
	return -1
}

// components numbers the rules so that those which reach each other have one number (Tarjan).
func components(edges []map[int32]bool) []int32 {
	n := len(edges)
	group, low, index := make([]int32, n), make([]int32, n), make([]int32, n)
	var open []int32
	next := int32(0)
	var visit func(v int32)
	visit = func(v int32) {
		next++
		index[v], low[v] = next, next
		open = append(open, v)
		for w := range edges[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if group[w] == 0 {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] == index[v] {
			for {
				w := open[len(open)-1]
				open = open[:len(open)-1]
				if group[w] = index[v]; w == v {
					return
				}
			}
		}
	}
	for v := range int32(n) {
		if index[v] == 0 {
			visit(v)
		}
	}
	return group
}

// frame returns the one frame of its kind.
func (g *Grammar) frame(at int32, up *frame) *frame {
	key := position{at, up}
	f := g.stacks[key]
	if f == nil {
		g.frames++
		f = &frame{at: at, id: g.frames, up: up, depth: 1}
		if up != nil {
			f.depth = up.depth + 1
		}
		if f.depth > maxStack {
			fault.Throw(fault.OutOfMemory, op, "the text is nested more than %d deep", maxStack)
		}
		g.stacks[key] = f
	}
	return f
}

// closure follows rules and ends of rules until all readings wait for a byte.
func (g *Grammar) closure(list []*frame) *state {
	var tops []*frame
	var few []*frame // seen; a map if they are many
	var many map[*frame]bool
	accept := false
	for len(list) > 0 {
		f := list[len(list)-1]
		list = list[:len(list)-1]
		if many != nil && many[f] || many == nil && slices.Contains(few, f) {
			continue
		}
		if few = append(few, f); len(few) == 32 {
			many = map[*frame]bool{}
			for _, f := range few {
				many[f] = true
			}
		} else if many != nil {
			many[f] = true
		}
		if g.work++; g.work > maxWork {
			fault.Throw(fault.OutOfMemory, op, "the grammar has so many readings that a token takes more than %d steps", maxWork)
		}
		if len(few) > maxReadings {
			fault.Throw(fault.OutOfMemory, op, "a text has more than %d readings", maxReadings)
		}
		switch e := g.code[f.at]; {
		case e.rule == end && f.up == nil:
			accept = true
		case e.rule == end:
			list = append(list, f.up)
		case e.rule < 0:
			tops = append(tops, f)
		default:
			up := f.up
			if g.code[f.at+1].rule != end { // else there is nothing to come back to
				up = g.frame(f.at+1, f.up)
			}
			for _, at := range g.starts[e.rule] {
				list = append(list, g.frame(at, up))
			}
		}
	}
	return g.intern(tops, accept)
}

// intern returns the one state with these readings.
func (g *Grammar) intern(tops []*frame, accept bool) *state {
	slices.SortFunc(tops, func(a, b *frame) int { return cmp.Compare(a.id, b.id) })
	g.key = g.key[:0]
	for _, f := range tops {
		g.key = binary.LittleEndian.AppendUint32(g.key, f.id)
	}
	if accept {
		g.key = append(g.key, 1)
	}
	if old := g.states[string(g.key)]; old != nil {
		return old
	}
	s := &state{tops: tops, accept: accept}
	g.states[string(g.key)] = s
	return s
}

// step reads a byte; nil: it may not come. Bytes next to it that the same readings take lead to the same state.
func (g *Grammar) step(s *state, c byte) *state {
	if n := s.next[c]; n == dead {
		return nil
	} else if n != nil {
		return n
	}
	var list []*frame
	from, to := 0, 255
	for _, f := range s.tops {
		switch e := g.code[f.at]; {
		case c < e.lo:
			to = min(to, int(e.lo)-1)
		case c > e.hi:
			from = max(from, int(e.hi)+1)
		default:
			from, to = max(from, int(e.lo)), min(to, int(e.hi))
			list = append(list, g.frame(f.at+1, f.up))
		}
	}
	next := dead
	if list != nil {
		next = g.closure(list)
	}
	for i := from; i <= to; i++ {
		s.next[i] = next
	}
	if next == dead {
		return nil
	}
	return next
}

// Matches reports whether the whole text is one that the grammar describes.
func (g *Grammar) Matches(text string) bool {
	ok := false
	err := fault.Catch(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		s := g.root
		for i := 0; s != nil && i < len(text); i++ {
			s = g.read(s, []byte{text[i]})
		}
		ok = s != nil && s.accept
	})
	return ok && err == nil
}
