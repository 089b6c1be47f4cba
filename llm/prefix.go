package llm

import (
	"encoding/binary"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// prefixTree stores keys and values of texts, so that a beginning that several texts share is stored once. Texts are cut into blocks
// of tokens; a node is some blocks that follow its parent's. Its methods are for one goroutine at a time.
type prefixTree struct {
	m     *Model
	block int
	root  prefixNode
	bytes int64
	nodes int
	clock int64
}

type prefixNode struct {
	parent *prefixNode
	ids    []int           // whole blocks
	kv     []*lucid.Tensor // keys and values of each layer in turn, (1, heads, tokens, size)
	kids   map[string]*prefixNode
	bytes  int64
	used   int64 // clock of the last use
}

// prefixBlock is the tokens of a block. Texts part anywhere, and a token that is there need not be evaluated; larger blocks would make
// fewer nodes.
const prefixBlock = 1

func newPrefixTree(m *Model, block int) *prefixTree { return &prefixTree{m: m, block: block} }

// key is the first block of ids, as a node's children are found.
func (t *prefixTree) key(ids []int) string {
	b := make([]byte, 0, 4*t.block)
	for _, id := range ids[:t.block] {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
	}
	return string(b)
}

// common is how many tokens of whole blocks two lists begin with alike.
func (t *prefixTree) common(a, b []int) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n - n%t.block
}

// find returns the nodes that ids begin with, and how many tokens of them are the same.
func (t *prefixTree) find(ids []int) (path []*prefixNode, n int) {
	at := &t.root
	for len(ids)-n >= t.block {
		kid := at.kids[t.key(ids[n:])]
		if kid == nil {
			break
		}
		same := t.common(kid.ids, ids[n:])
		path, n = append(path, kid), n+same
		if same < len(kid.ids) {
			break
		}
		at = kid
	}
	return path, n
}

// load writes the first n tokens of a path into an empty session.
func (t *prefixTree) load(s *session, path []*prefixNode, n int) {
	t.clock++
	for _, node := range path {
		node.used = t.clock
		s.ids = append(s.ids, node.ids...)
	}
	s.ids = s.ids[:n]
	s.fill(n, func(i int) (parts []*lucid.Tensor) {
		at := 0
		for _, node := range path {
			take := min(len(node.ids), n-at)
			parts = append(parts, node.kv[i].Narrow(2, 0, take))
			at += take
		}
		return parts
	})
}

// freeAll frees views when they are not needed any more: a cache of which there are views cannot be written in place.
func freeAll(views []*lucid.Tensor) {
	for _, v := range views {
		v.Free()
	}
}

// fill makes the cache of an empty session: the first n tokens are parts one behind the other, which it frees. The rest is zeros. One
// pass over the memory is what it takes; an update in place would copy the cache first. A session that has a cache loses it.
func (s *session) fill(n int, parts func(i int) []*lucid.Tensor) {
	if n > s.capacity {
		s.capacity = s.m.capacityFor(n)
	}
	for _, c := range s.cache {
		c.Free()
	}
	lucid.NoGrad(func() {
		var views []*lucid.Tensor
		s.cache = make([]*lucid.Tensor, s.m.cacheTensors(s.bits))
		for i := range s.cache {
			list := parts(i)
			views = append(views, list...)
			if x := list[0]; n < s.capacity {
				list = append(list, lucid.With{DType: x.DType(), Device: x.Device()}.Zeros(1, x.Size(1), s.capacity-n, x.Size(3)))
			}
			if s.cache[i] = list[0].Contiguous(); len(list) > 1 {
				s.cache[i] = lucid.Cat(list, 2)
			}
		}
		if err := lucid.Eval(s.cache...); err != nil {
			fault.Rethrow(op, err)
		}
		freeAll(views)
	})
	s.pos = n
}

// insert stores the blocks of a session that are not there yet.
func (t *prefixTree) insert(s *session) {
	ids := s.ids[:s.pos-s.pos%t.block]
	path, n := t.find(ids)
	t.clock++
	at := &t.root
	for _, node := range path {
		node.used = t.clock
		at = node
	}
	if n == len(ids) {
		return
	}
	if len(path) > 0 {
		inside := n
		for _, node := range path[:len(path)-1] {
			inside -= len(node.ids)
		}
		if inside < len(at.ids) {
			at = t.split(at, inside)
		}
	}
	t.add(at, ids[n:], t.copied(s.cache, n, len(ids)-n))
}

// split cuts a node in two and returns the first of them.
func (t *prefixTree) split(node *prefixNode, n int) *prefixNode {
	head, tail := t.copied(node.kv, 0, n), t.copied(node.kv, n, len(node.ids)-n)
	parent, kids := node.parent, node.kids
	ids, used := node.ids, node.used
	t.remove(node)
	first := t.add(parent, ids[:n], head)
	second := t.add(first, ids[n:], tail)
	first.used, second.used, second.kids = used, used, kids
	for _, k := range kids {
		k.parent = second
	}
	return first
}

// copied is tokens of keys and values in memory of their own.
func (t *prefixTree) copied(kv []*lucid.Tensor, from, n int) []*lucid.Tensor {
	list, views := make([]*lucid.Tensor, len(kv)), make([]*lucid.Tensor, len(kv))
	lucid.NoGrad(func() {
		for i, x := range kv {
			views[i] = x.Narrow(2, from, n)
			list[i] = views[i].Contiguous() // a copy, where Clone would share memory
		}
		if err := lucid.Eval(list...); err != nil {
			fault.Rethrow(op, err)
		}
		freeAll(views)
	})
	return list
}

func (t *prefixTree) add(parent *prefixNode, ids []int, kv []*lucid.Tensor) *prefixNode {
	node := &prefixNode{parent: parent, ids: slices.Clone(ids), kv: kv, used: t.clock}
	for _, x := range kv {
		node.bytes += int64(x.NBytes())
	}
	if parent.kids == nil {
		parent.kids = map[string]*prefixNode{}
	}
	parent.kids[t.key(ids)] = node
	t.bytes += node.bytes
	t.nodes++
	return node
}

func (t *prefixTree) remove(node *prefixNode) {
	for _, x := range node.kv {
		x.Free()
	}
	delete(node.parent.kids, t.key(node.ids))
	t.bytes -= node.bytes
	t.nodes--
}

// evict removes the node that was not used for the longest time of those that none follow. It reports false if there are none.
func (t *prefixTree) evict() bool {
	var oldest *prefixNode
	var visit func(n *prefixNode)
	visit = func(n *prefixNode) {
		for _, k := range n.kids {
			visit(k)
		}
		if n != &t.root && len(n.kids) == 0 && (oldest == nil || n.used < oldest.used) {
			oldest = n
		}
	}
	visit(&t.root)
	if oldest == nil {
		return false
	}
	t.remove(oldest)
	return true
}

// free removes all.
func (t *prefixTree) free() {
	for t.evict() {
	}
}
