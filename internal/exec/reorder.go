package exec

import "github.com/lucid-go/lucid/internal/graph"

// The launches of a plan come level by level first. That may hold more memory than need be: a value waits for readers that could have
// run long ago, or is computed long before it is read. Where temporaries are large enough, the launches get another order of the same
// dependencies, in two walks: one from the end, in which a launch that writes more than it reads moves down to its first reader
// (reorder_sink.go), and one from the start, in which the last readers of a value move up once they are all ready and free more than
// they write (reorder_hoist.go). Neither move raises what is live between the old position and the new one; what a launch holds while
// it runs is bounded by the peak of the first order.

// MinReorderBytes are the bytes of temporaries from which on another order is looked for; tests lower it.
var MinReorderBytes = 4 << 20

// worthPart: another order is taken if it lowers the peak by such a part at least.
const worthPart = 32

// deps are the dependencies of a program's launches in its first order, and what they make and read.
type deps struct {
	p *Program
	// By launch: distinct temporaries it reads, what it makes, and the launches that must come behind it and before it.
	reads, after, before links
	// By buffer: the launches that read it, in order. Of inputs of the program only those that are written over matter.
	readers links
	size    []int // by buffer; 0 for what is no temporary
	made    []int // by launch: bytes it makes
	bound   int   // the peak of the first order
	small   int   // bytes that do not matter
}

// links are lists of numbers, one behind the other.
type links struct {
	start []int32
	list  []int32
}

func (l *links) of(i int) []int32 { return l.list[l.start[i]:l.start[i+1]] }

// linked makes lists of pairs (from, to), in the order of the pairs.
func linked(n int, pairs [][2]int32) links {
	l := links{make([]int32, n+2), make([]int32, len(pairs))}
	for _, p := range pairs {
		l.start[p[0]+2]++
	}
	for i := 2; i < len(l.start); i++ {
		l.start[i] += l.start[i-1]
	}
	for _, p := range pairs {
		l.list[l.start[p[0]+1]] = p[1]
		l.start[p[0]+1]++
	}
	l.start = l.start[:n+1]
	return l
}

// reorder looks for an order of the launches that holds less memory at its peak.
func (p *planner) reorder() {
	temps := 0
	for i := p.prog.numIn; i < len(p.prog.bufs); i++ {
		if b := &p.prog.bufs[i]; b.data == nil && !b.keep {
			temps += b.size
		}
	}
	if temps < MinReorderBytes || len(p.prog.steps) < 4 {
		return
	}
	first := p.prog.peakBytes()
	if first < MinReorderBytes {
		return
	}
	p.reordered = true
	d := p.dependencies(first)
	order := d.hoist(d.sink())
	back := p.arrange(order)
	if best := p.prog.peakBytes(); best > first-first/worthPart {
		p.arrange(back)
	}
}

// arrange puts the launches in another order; it returns the one that brings them back.
func (p *planner) arrange(order []int32) (back []int32) {
	steps := make([]step, len(order))
	back = make([]int32, len(order))
	for k, from := range order {
		steps[k], back[from] = p.prog.steps[from], int32(k)
	}
	p.renumber(steps)
	p.findDonors()
	return back
}

// peakBytes is the most that temporaries hold at once; those written over each other count once.
func (p *Program) peakBytes() (peak int) {
	peak, _ = p.peakStep()
	return peak
}

// changes lists by launch how many bytes of temporaries more are alive than before it.
func (p *Program) changes() []int {
	change := make([]int, len(p.steps)+1)
	root := make([]int32, len(p.bufs))
	end := make([]int32, len(p.bufs))
	stays := make([]bool, len(p.bufs))
	for i := range p.written() {
		b := &p.bufs[i]
		root[i] = i
		if int(b.donor) >= p.numIn {
			root[i] = root[b.donor]
		}
		end[root[i]] = max(end[root[i]], b.last)
		stays[root[i]] = stays[root[i]] || b.keep
	}
	for i := p.numIn; i < len(p.bufs); i++ {
		if b := &p.bufs[i]; b.data == nil && root[i] == int32(i) && b.donor < 0 && !stays[i] {
			change[b.first] += b.size
			change[end[i]+1] -= b.size
		}
	}
	return change
}

// dependencies finds what must come before what. In addition to values: state is written in place behind the readers of its old value
// that came before in the first order, and prints stay in order.
func (p *planner) dependencies(bound int) *deps {
	prog := p.prog
	n := len(prog.steps)
	d := &deps{p: prog, bound: bound, small: bound >> 12, size: make([]int, len(prog.bufs)), made: make([]int, n)}
	for i := prog.numIn; i < len(prog.bufs); i++ {
		if b := &prog.bufs[i]; b.data == nil && !b.keep {
			d.size[i] = b.size
		}
	}
	var edges, reads, readers [][2]int32
	seen := make([]int32, len(prog.bufs)) // by buffer: the launch that was last seen to read it, +1
	print := int32(-1)
	for k := range prog.steps {
		s := &prog.steps[k]
		for _, o := range s.out {
			d.made[k] += d.size[o.buf]
			seen[o.buf] = int32(k) + 1 // a producer is an output that its epilogue reads
		}
		for _, o := range s.in {
			if seen[o.buf] == int32(k)+1 || prog.bufs[o.buf].data != nil {
				continue
			}
			seen[o.buf] = int32(k) + 1
			readers = append(readers, [2]int32{o.buf, int32(k)})
			if from := prog.bufs[o.buf].first; from >= 0 {
				edges = append(edges, [2]int32{from, int32(k)})
			}
			if d.size[o.buf] > 0 {
				reads = append(reads, [2]int32{int32(k), o.buf})
			}
		}
		if s.role == graph.RolePrint {
			if print >= 0 {
				edges = append(edges, [2]int32{print, int32(k)})
			}
			print = int32(k)
		}
	}
	d.readers = linked(len(prog.bufs), readers)
	for i := prog.numIn; i < len(prog.bufs); i++ {
		if b := &prog.bufs[i]; b.donor >= 0 && int(b.donor) < prog.numIn {
			for _, k := range d.readers.of(int(b.donor)) {
				if k < b.first {
					edges = append(edges, [2]int32{k, b.first})
				}
			}
		}
	}
	d.reads = linked(n, reads)
	d.after = linked(n, edges)
	for i := range edges {
		edges[i][0], edges[i][1] = edges[i][1], edges[i][0]
	}
	d.before = linked(n, edges)
	return d
}
