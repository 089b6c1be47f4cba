package pattern

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/fault"
)

// Pattern is a compiled expression. It is safe for concurrent use.
type Pattern struct {
	source string
	start  *node
	stars  int
}

// node is a step of the program; the path goes on at next.
type node struct {
	kind     nodeKind
	mode     repeatMode
	negative bool
	assert   byte
	class    *class
	min, max int
	next     *node
	alts     []branch // nodeAlt
	sub      *node    // nodeLook, nodeAtomic: a program of its own; nodeStar: the body, which comes back here
	star     int      // nodeEnter, nodeStar: where the position of the last round is stored
	width    int      // nodeLook behind: runes to go back
}

type branch struct {
	first *node
	ascii [2]uint64 // next bytes that can begin it
	other bool      // it can begin with another byte, or match nothing
}

type nodeKind uint8

const (
	nodeAccept nodeKind = iota
	nodeClass
	nodeRun // a repeated class
	nodeAlt
	nodeEnter // resets a star and goes on to it
	nodeStar
	nodeLook
	nodeBehind
	nodeAtomic
	nodeAssert
)

// Compile parses an expression. What it does not understand is an error that says what.
func Compile(source string) (p *Pattern, err error) {
	if len(source) > maxSource {
		return nil, fault.New(fault.Format, op, "a pattern of %d bytes, more than %d", len(source), maxSource)
	}
	err = fault.Catch(func() {
		ps := &parser{src: source}
		t := ps.alternatives()
		if ps.more() {
			ps.fail("a ) without (")
		}
		c := &compiler{p: &Pattern{source: source}, classes: map[string]*class{}}
		c.p.start = c.compile(t, &node{kind: nodeAccept})
		p = c.p
	})
	return p, err
}

// String returns the source.
func (p *Pattern) String() string { return p.source }

type compiler struct {
	p       *Pattern
	nodes   int
	classes map[string]*class // by their spans: repetitions share them
}

func (c *compiler) class(set []span) *class {
	set = merged(set)
	key := fmt.Sprint(set)
	if c.classes[key] == nil {
		c.classes[key] = newClass(set)
	}
	return c.classes[key]
}

func (c *compiler) node(n node) *node {
	if c.nodes++; c.nodes > maxNodes {
		fault.Throw(fault.Format, op, "%.40q… repeats too much: more than %d steps", c.p.source, maxNodes)
	}
	return &n
}

// compile makes the program of t that goes on at next.
func (c *compiler) compile(t *tree, next *node) *node {
	switch t.kind {
	case treeSet:
		return c.node(node{kind: nodeClass, class: c.class(t.set), next: next})
	case treeSeq:
		for i := len(t.subs) - 1; i >= 0; i-- {
			next = c.compile(t.subs[i], next)
		}
		return next
	case treeAlt:
		n := c.node(node{kind: nodeAlt})
		for _, s := range t.subs {
			n.alts = append(n.alts, newBranch(c.compile(s, next)))
		}
		return n
	case treeRepeat:
		return c.repeat(t, next)
	case treeLook:
		sub := c.compile(t.subs[0], c.node(node{kind: nodeAccept}))
		if !t.behind {
			return c.node(node{kind: nodeLook, sub: sub, negative: t.negative, next: next})
		}
		w, ok := width(t.subs[0])
		if !ok {
			fault.Throw(fault.Format, op, "%q: a look-behind of variable length", c.p.source)
		}
		return c.node(node{kind: nodeBehind, sub: sub, negative: t.negative, width: w, next: next})
	case treeAtomic:
		return c.node(node{kind: nodeAtomic, sub: c.compile(t.subs[0], c.node(node{kind: nodeAccept})), next: next})
	}
	return c.node(node{kind: nodeAssert, assert: t.assert, next: next})
}

func (c *compiler) repeat(t *tree, next *node) *node {
	sub := t.subs[0]
	for sub.kind == treeSeq && len(sub.subs) == 1 {
		sub = sub.subs[0]
	}
	if sub.kind == treeSet {
		return c.node(node{kind: nodeRun, class: c.class(sub.set), min: t.min, max: t.max, mode: t.mode, next: next})
	}
	if t.mode == possessive {
		plain := *t
		plain.mode = greedy
		return c.node(node{kind: nodeAtomic, sub: c.compile(&plain, c.node(node{kind: nodeAccept})), next: next})
	}
	// x{2,4} is x x (x (x)?)?
	after := next
	if t.max < 0 {
		star := c.node(node{kind: nodeStar, star: c.p.stars, mode: t.mode, next: next})
		c.p.stars++
		star.sub = c.compile(sub, star)
		after = c.node(node{kind: nodeEnter, star: star.star, next: star})
	} else {
		for range t.max - t.min {
			body := c.compile(sub, after)
			n := c.node(node{kind: nodeAlt, alts: []branch{newBranch(body), newBranch(next)}})
			if t.mode == lazy {
				n.alts[0], n.alts[1] = n.alts[1], n.alts[0]
			}
			after = n
		}
	}
	for range t.min {
		after = c.compile(sub, after)
	}
	return after
}

// width is the number of runes an expression takes, if it is always the same.
func width(t *tree) (int, bool) {
	switch t.kind {
	case treeSet:
		return 1, true
	case treeSeq:
		total := 0
		for _, s := range t.subs {
			n, ok := width(s)
			if !ok {
				return 0, false
			}
			total += n
		}
		return total, true
	case treeAlt:
		first, ok := width(t.subs[0])
		for _, s := range t.subs[1:] {
			n, same := width(s)
			ok = ok && same && n == first
		}
		return first, ok
	case treeRepeat:
		n, ok := width(t.subs[0])
		return n * t.min, ok && t.min == t.max
	case treeAtomic:
		return width(t.subs[0])
	}
	return 0, true
}

func newBranch(first *node) branch {
	b := branch{first: first}
	b.begin(first, 0)
	return b
}

// begin collects the bytes that can begin n. It gives up, which is safe, at what it cannot see through.
func (b *branch) begin(n *node, depth int) {
	open := func() { b.other, b.ascii = true, [2]uint64{^uint64(0), ^uint64(0)} }
	if depth > 8 {
		open()
		return
	}
	switch n.kind {
	case nodeClass:
		b.take(n.class)
	case nodeRun:
		b.take(n.class)
		if n.min == 0 {
			b.begin(n.next, depth+1)
		}
	case nodeAlt:
		for _, a := range n.alts {
			b.ascii[0] |= a.ascii[0]
			b.ascii[1] |= a.ascii[1]
			b.other = b.other || a.other
		}
	default:
		open()
	}
}

func (b *branch) take(c *class) {
	b.ascii[0] |= c.ascii[0]
	b.ascii[1] |= c.ascii[1]
	b.other = true // bytes above 127 are not told apart
}
