package exec

import (
	"cmp"
	"slices"

	"github.com/lucid-go/lucid/internal/backend"
)

// The offsets of a shared plan's temporaries follow from their sizes: of two that are live at the same time, the one that is above the
// other in the plan stays above it. That is one walk over the temporaries. Where sizes changed so much that this order wastes memory,
// the temporaries are packed anew.

const (
	maxOrdered = 4096     // temporaries of one arena for which the order is noted
	arenaSlack = 64 << 10 // bytes that an arena may waste in addition to a half
)

// arenaOrder is the temporaries of an arena, the lowest first.
type arenaOrder struct {
	dev   *backend.Device
	temps []orderedTemp // nil: they are packed for every size
}

// orderedTemp is a temporary and those that it must be above of.
type orderedTemp struct {
	root  int32
	above []int32 // positions in the order
}

// arenaOrders notes the order of the temporaries of a program.
func arenaOrders(p *Program) []arenaOrder {
	orders := make([]arenaOrder, len(p.arenas))
	for a := range p.arenas {
		orders[a].dev = p.arenas[a].dev
		list := p.tempsOf(int8(a))
		if len(list) > maxOrdered {
			continue
		}
		slices.SortStableFunc(list, func(x, y temp) int { return cmp.Compare(x.offset, y.offset) })
		temps := make([]orderedTemp, len(list))
		for i, t := range list {
			temps[i].root = t.root
			for j := i - 1; j >= 0; j-- {
				u := list[j]
				if !u.overlaps(t) || slices.ContainsFunc(temps[i].above, func(k int32) bool { return list[k].overlaps(u) }) {
					continue
				}
				temps[i].above = append(temps[i].above, int32(j))
			}
		}
		orders[a].temps = temps
	}
	return orders
}

// overlaps reports whether both are live at the same time.
func (t temp) overlaps(u temp) bool { return t.first <= u.last && u.first <= t.last }

// tempsOf lists the temporaries of an arena.
func (p *Program) tempsOf(a int8) (list []temp) {
	for i := p.numIn; i < len(p.bufs); i++ {
		b := &p.bufs[i]
		if b.data != nil || b.root != int32(i) || b.arena != a {
			continue
		}
		t := temp{root: b.root, size: align(b.size), first: b.first, last: b.end, offset: b.offset}
		if b.dev.Capturer != nil && t.size <= smallTemp {
			t.last += captureLifetime
		}
		list = append(list, t)
	}
	return list
}

// temporaries are the bytes of the program's temporaries.
func (p *Program) temporaries() (bytes int) {
	for i := p.numIn; i < len(p.bufs); i++ {
		if b := &p.bufs[i]; b.data == nil && !b.keep {
			bytes += b.size
		}
	}
	return bytes
}

// offsets gives the temporaries of a bound program their offsets.
func (b *binder) offsets(p *Program) {
	for a, order := range b.s.orders {
		top, live, peak := 0, 0, 0
		if order.temps != nil {
			b.change, b.ends = resize(b.change, len(p.steps)+1), resize(b.ends, len(order.temps))
			change, at := b.change, b.ends // where each ends
			clear(change)
			for i, t := range order.temps {
				buf := &p.bufs[t.root]
				buf.offset = 0
				for _, k := range t.above {
					buf.offset = max(buf.offset, at[k])
				}
				size := align(buf.size)
				at[i] = buf.offset + size
				top = max(top, at[i])
				change[buf.first] += size
				change[buf.end+1] -= size
			}
			for _, c := range change {
				live += c
				peak = max(peak, live)
			}
		}
		if order.temps == nil || top > peak+peak/2+arenaSlack {
			list := p.tempsOf(int8(a))
			for i := range list {
				list[i].offset = 0
			}
			top = assignOffsets(list)
			for _, t := range list {
				p.bufs[t.root].offset = t.offset
			}
		}
		p.arenas = append(p.arenas, arena{dev: order.dev, size: top})
	}
}
