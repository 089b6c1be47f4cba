package graph

import (
	"sync"
	"unsafe"
)

// Index numbers nodes in the order they are added. It is a hash table of pointers with open addressing: a graph
// pass asks it several times a node, and a Go map is several times slower.
type Index struct {
	Nodes []*Node
	slots []int32 // 0: empty, else position in Nodes + 1

	// Space for walks.
	stack           []frame
	order, position []int32
	nodes           []*Node
}

var indexes = sync.Pool{New: func() any { return new(Index) }}

// NewIndex returns an empty index, with the space of one that was released.
func NewIndex() *Index { return indexes.Get().(*Index) }

// Release lets others have the space. Neither the index nor its list of nodes may be used any more.
func (x *Index) Release() {
	x.Reset()
	indexes.Put(x)
}

// Reset forgets all nodes. The space of a huge graph is given back.
func (x *Index) Reset() {
	clear(x.Nodes)
	if cap(x.Nodes) > 1<<16 {
		*x = Index{}
	}
	clear(x.slots)
	// A table as large as the last graph but one asked for would be gone over for every small one.
	for len(x.slots) > minSlots && len(x.slots) >= 8*len(x.Nodes) {
		x.slots = x.slots[:len(x.slots)/2]
	}
	x.Nodes = x.Nodes[:0]
}

const minSlots = 32

func (x *Index) probe(n *Node) uint {
	// Nodes are allocated 16-byte aligned or better; a multiplicative hash spreads the rest.
	h := uint64(uintptr(unsafe.Pointer(n))) >> 4 * 0x9e3779b97f4a7c15
	return uint(h >> 32)
}

// Get returns the node's number, -1 if it was not added.
func (x *Index) Get(n *Node) int {
	if len(x.slots) == 0 {
		return -1
	}
	mask := uint(len(x.slots) - 1)
	for p := x.probe(n) & mask; ; p = (p + 1) & mask {
		i := x.slots[p]
		if i == 0 {
			return -1
		}
		if x.Nodes[i-1] == n {
			return int(i - 1)
		}
	}
}

// Add numbers the node, or returns the number it has; fresh says which.
func (x *Index) Add(n *Node) (i int, fresh bool) {
	if i := x.Get(n); i >= 0 {
		return i, false
	}
	if 2*(len(x.Nodes)+1) > len(x.slots) {
		x.grow()
	}
	x.Nodes = append(x.Nodes, n)
	x.put(n, len(x.Nodes))
	return len(x.Nodes) - 1, true
}

func (x *Index) put(n *Node, i int) {
	mask := uint(len(x.slots) - 1)
	p := x.probe(n) & mask
	for x.slots[p] != 0 {
		p = (p + 1) & mask
	}
	x.slots[p] = int32(i)
}

func (x *Index) grow() {
	if n := max(minSlots, 2*len(x.slots)); n <= cap(x.slots) {
		clear(x.slots) // what is behind it is clear
		x.slots = x.slots[:n]
	} else {
		x.slots = make([]int32, n)
	}
	for i, n := range x.Nodes {
		x.put(n, i+1)
	}
}

// PostOrder numbers every node reachable from roots through inputs, inputs before consumers; the index must be empty.
// visit says whether to go into a node's inputs; nodes it refuses are still numbered. The walk uses its own stack.
func (x *Index) PostOrder(roots []*Node, visit func(*Node) bool) {
	// Nodes get numbers as they are first met; order lists those numbers as the nodes are finished.
	stack, order, deepest := x.stack[:0], x.order[:0], 0
	enter := func(n *Node) {
		i, fresh := x.Add(n)
		if !fresh {
			return
		}
		if !visit(n) {
			order = append(order, int32(i)) // its inputs are none of our business, and may be dropped while we look
			return
		}
		stack = append(stack, frame{n, int32(i), 0})
		deepest = max(deepest, len(stack))
	}
	for _, r := range roots {
		enter(r)
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if int(f.next) < f.n.NumIn() {
				f.next++
				enter(f.n.In(int(f.next) - 1))
				continue
			}
			order = append(order, f.at)
			stack = stack[:len(stack)-1]
		}
	}
	x.renumber(order)
	clear(stack[:deepest])
	x.stack, x.order = stack, order
}

// frame is a node on the way of a walk: its number and the input to look at next.
type frame struct {
	n        *Node
	at, next int32
}

// renumber gives node order[i] the number i.
func (x *Index) renumber(order []int32) {
	if cap(x.position) < len(order) {
		x.position, x.nodes = make([]int32, 2*len(order)), make([]*Node, 2*len(order))
	}
	position, nodes := x.position[:len(order)], x.nodes[:len(order)]
	for i, o := range order {
		position[o] = int32(i)
		nodes[i] = x.Nodes[o]
	}
	copy(x.Nodes, nodes)
	clear(nodes)
	for p, i := range x.slots {
		if i != 0 {
			x.slots[p] = position[i-1] + 1
		}
	}
}
