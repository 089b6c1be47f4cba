package llm

import (
	"slices"

	"github.com/lucid-go/lucid/llm/model"
)

// prefixTree knows the blocks of texts, so that a beginning that several texts share is evaluated and stored once. A node is a block
// behind its parent's; one with fewer tokens than a block has is the end of a text. Its methods are for one goroutine at a time.
type prefixTree struct {
	pool  *pagePool
	root  prefixNode
	nodes int
	idle  int // nodes that no text has: all of them can be evicted, since none of those behind them is in use
	clock int64
}

type prefixNode struct {
	parent *prefixNode
	ids    []int
	block  int
	kids   map[int][]*prefixNode // by their first token
	texts  int                   // that have the block in their tables
	used   int64                 // clock of the last use
}

// pagedText is a text whose keys and values are in blocks of a pool.
type pagedText struct {
	ids      []int // tokens whose keys and values are there
	table    []int
	path     []*prefixNode // of the first blocks, which others may read too
	need     int           // blocks it may have in the end
	capacity int           // tokens after which rotary positions may change
}

// common is how many tokens two lists begin with alike.
func common(a, b []int) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// find returns the nodes of whole blocks that ids begin with, and the node of those behind them that begins with most of the rest: same
// tokens of it.
func (t *prefixTree) find(ids []int) (path []*prefixNode, next *prefixNode, same int) {
	at := &t.root
	for len(ids) > 0 {
		next, same = nil, 0
		for _, kid := range at.kids[ids[0]] {
			if n := common(kid.ids, ids); n > same {
				next, same = kid, n
			}
		}
		if same < model.PageTokens {
			return path, next, same
		}
		path, at, ids = append(path, next), next, ids[same:]
	}
	return path, nil, 0
}

// begin gives an empty text the blocks that its first tokens have in the tree, if there are least of them or more. A block of which it has
// a part only is copied: what follows in it is another text's.
func (t *prefixTree) begin(x *pagedText, ids []int, least int) error {
	path, next, same := t.find(ids)
	n := len(path)*model.PageTokens + same
	if n < least {
		return nil
	}
	t.clock++
	for _, node := range path {
		node.used = t.clock
		t.hold(node)
		x.table, x.path = append(x.table, node.block), append(x.path, node)
	}
	if next != nil {
		next.used = t.clock
		if same == len(next.ids) && next.texts == 0 && len(next.kids) == 0 { // the text goes on where another one ended
			t.cut(next)
			x.table = append(x.table, next.block)
		} else {
			t.hold(next) // taking a block must not evict it
			block, err := t.take(x)
			t.release(next)
			if err == nil {
				x.table = append(x.table, block)
				err = t.pool.copy(next.block, block)
			}
			if err != nil {
				return err
			}
		}
	}
	x.ids = slices.Clone(ids[:n])
	return nil
}

// take returns a block for a text, for which others are evicted if there is none.
func (t *prefixTree) take(x *pagedText) (int, error) {
	for t.pool.room() == 0 && t.evict() {
	}
	last := 0
	if n := len(x.table); n > 0 {
		last = x.table[n-1]
	}
	return t.pool.take(last, max(1, x.need-len(x.table)))
}

// reserve gives a text blocks for n tokens in all.
func (t *prefixTree) reserve(x *pagedText, n int) error {
	for len(x.table) < pagesOf(n) {
		block, err := t.take(x)
		if err != nil {
			return err
		}
		x.table = append(x.table, block)
	}
	return nil
}

// publish lets others read the blocks of a text that are full. A block that another text has published meanwhile is used instead.
func (t *prefixTree) publish(x *pagedText) {
	for i := len(x.path); (i+1)*model.PageTokens <= len(x.ids); i++ {
		at := &t.root
		if i > 0 {
			at = x.path[i-1]
		}
		ids := x.ids[i*model.PageTokens : (i+1)*model.PageTokens]
		node := at.kid(ids)
		if node == nil {
			node = t.add(at, ids, x.table[i])
		} else {
			t.pool.free(x.table[i])
			x.table[i] = node.block
		}
		t.hold(node)
		x.path = append(x.path, node)
	}
}

// hold says that one more text has a node, release that one does not any more.
func (t *prefixTree) hold(node *prefixNode) {
	if node.texts++; node.texts == 1 {
		t.idle--
	}
}

func (t *prefixTree) release(node *prefixNode) {
	if node.texts--; node.texts == 0 {
		t.idle++
	}
}

// end takes the blocks of a text back. keep says that its last tokens are worth storing, too.
func (t *prefixTree) end(x *pagedText, keep bool) {
	t.clock++
	at := &t.root
	for _, node := range x.path {
		t.release(node)
		node.used = t.clock
		at = node
	}
	own := x.table[len(x.path):]
	if rest := x.ids[len(x.path)*model.PageTokens:]; keep && len(rest) > 0 {
		own = t.endWith(at, rest, own)
	}
	for _, block := range own {
		t.pool.free(block)
	}
	x.ids, x.table, x.path = nil, nil, nil
}

// endWith stores the last tokens of a text, less than a block, and returns the blocks that are not needed.
func (t *prefixTree) endWith(at *prefixNode, rest, own []int) []int {
	for _, kid := range slices.Clone(at.kids[rest[0]]) {
		switch n := common(kid.ids, rest); {
		case n == len(rest): // it is there
			kid.used = t.clock
			return own
		case n == len(kid.ids) && kid.texts == 0: // it is the beginning of these
			t.remove(kid)
		}
	}
	t.add(at, rest, own[0])
	return own[1:]
}

// kid is the child that has just these tokens, nil if there is none.
func (n *prefixNode) kid(ids []int) *prefixNode {
	for _, kid := range n.kids[ids[0]] {
		if slices.Equal(kid.ids, ids) {
			return kid
		}
	}
	return nil
}

func (t *prefixTree) add(parent *prefixNode, ids []int, block int) *prefixNode {
	node := &prefixNode{parent: parent, ids: slices.Clone(ids), block: block, used: t.clock}
	if parent.kids == nil {
		parent.kids = map[int][]*prefixNode{}
	}
	parent.kids[ids[0]] = append(parent.kids[ids[0]], node)
	t.nodes++
	t.idle++
	return node
}

// cut takes a node out that no text has; its block stays taken.
func (t *prefixTree) cut(node *prefixNode) {
	kids, first := node.parent.kids, node.ids[0]
	if kids[first] = slices.DeleteFunc(kids[first], func(n *prefixNode) bool { return n == node }); len(kids[first]) == 0 {
		delete(kids, first)
	}
	t.nodes--
	t.idle--
}

func (t *prefixTree) remove(node *prefixNode) {
	t.cut(node)
	t.pool.free(node.block)
}

// each calls f for all nodes; it may remove the one it is called with.
func (n *prefixNode) each(f func(*prefixNode)) {
	for _, list := range n.kids {
		for _, kid := range slices.Clone(list) {
			kid.each(f)
			f(kid)
		}
	}
}

// clear forgets all texts, none of which is under way, and frees the memory.
func (t *prefixTree) clear() {
	t.root, t.nodes, t.idle = prefixNode{}, 0, 0
	t.pool.close()
}

// evict removes the node that was not used for the longest time of those that none follow and no text has. It reports false if there are
// none.
func (t *prefixTree) evict() bool {
	var oldest *prefixNode
	t.root.each(func(n *prefixNode) {
		if len(n.kids) == 0 && n.texts == 0 && (oldest == nil || n.used < oldest.used) {
			oldest = n
		}
	})
	if oldest == nil {
		return false
	}
	t.remove(oldest)
	return true
}
