package cuda

import (
	"slices"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/mem"
)

// order is what of a recording must run behind what. Small launches wait only for those whose memory they use, so that a
// graph runs them side by side; a large one fills the device anyway, and stands between all before and all behind it.
type order struct {
	uses    uses
	barrier []uintptr // what the last large launch ended with
	leaves  []uintptr // nodes nothing waits for yet
	pools   []*mem.Pool
	small   bool      // the launch under way
	behind  []uintptr // what it waits for
}

// stretch is memory that a launch uses. Temporaries of a program are pieces of one block, which is cut otherwise when it is
// used again, so stretches may overlap in part.
type stretch struct {
	lo, hi  uintptr
	written bool
}

// use is who wrote to memory, or has read it since.
type use struct {
	lo, hi      uintptr
	wrote, read []uintptr
}

// uses is what was done with which memory since the last large launch.
type uses []use

// before returns what a launch over such memory waits for.
func (u uses) before(list []stretch) (nodes []uintptr) {
	for _, s := range list {
		for _, x := range u {
			if x.lo < s.hi && s.lo < x.hi {
				nodes = append(nodes, x.wrote...)
				if s.written {
					nodes = append(nodes, x.read...)
				}
			}
		}
	}
	return nodes
}

// add notes that nodes use memory, behind what before told them to wait for.
func (u uses) add(list []stretch, nodes []uintptr) uses {
	for _, s := range list {
		if s.written { // who waits for this need not wait for what this waited for
			u = slices.DeleteFunc(u, func(x use) bool { return s.lo <= x.lo && x.hi <= s.hi })
			u = append(u, use{lo: s.lo, hi: s.hi, wrote: nodes})
			continue
		}
		k := slices.IndexFunc(u, func(x use) bool { return x.lo == s.lo && x.hi == s.hi })
		if k < 0 {
			k, u = len(u), append(u, use{lo: s.lo, hi: s.hi})
		}
		u[k].read = append(u[k].read, nodes...)
	}
	return u
}

// largeLaunch is the number of bytes from which a launch has nothing to gain from company.
const largeLaunch = 8 << 20

// workspace stands for the memory that matrix products share.
const workspace = 1

// begin says what a launch waits for, and gives it a place for what it needs on the way.
func (r *recorder) begin(f *Device, name string, out, in []backend.View) error {
	o := &r.order
	bytes := 0
	for _, v := range slices.Concat(out, in) {
		bytes += v.Buf.Size
	}
	o.small = bytes <= largeLaunch
	f.Device.Early = r.early && o.small // a large one only takes the processors from those before it: ResNet-50 was 4 % slower
	if !o.small {
		f.pool, o.behind = f.recordings.pool, o.leaves
		return f.Device.SetNodes(o.behind)
	}
	o.behind = append(slices.Clone(o.barrier), o.uses.before(touched(name, out, in))...)
	slices.Sort(o.behind)
	o.behind = slices.Compact(o.behind)
	// Memory given back by a launch beside it must not come to this one.
	f.pool = mem.NewPool("launch", &scratch{d: f, bufs: map[uintptr]*mem.Buffer{}, from: f.recordings.pool})
	o.pools = append(o.pools, f.pool)
	return f.Device.SetNodes(o.behind)
}

// touched lists the memory a launch uses.
func touched(name string, out, in []backend.View) (list []stretch) {
	of := func(b *mem.Buffer, written bool) stretch {
		return stretch{b.Dev, b.Dev + uintptr(max(b.Size, 1)), written}
	}
	for _, v := range in {
		if v.Buf.Dev != 0 {
			list = append(list, of(v.Buf, false))
		}
	}
	for _, v := range out {
		list = append(list, of(v.Buf, true))
	}
	switch name {
	case "matmul", "attention", "attention_grad", "gather_mm", "recurrent", "recurrent_grad":
		list = append(list, stretch{workspace, workspace + 1, true})
	}
	return list
}

// end notes what the launch ended with.
func (r *recorder) end(f *Device, name string, out, in []backend.View) error {
	o := &r.order
	nodes, err := f.Device.Nodes()
	if err != nil {
		return err
	}
	if !o.small {
		o.uses = nil
		o.barrier, o.leaves = nodes, nodes
		return nil
	}
	o.uses = o.uses.add(touched(name, out, in), nodes)
	o.leaves = slices.DeleteFunc(slices.Clone(o.leaves), func(n uintptr) bool { return slices.Contains(o.behind, n) })
	for _, n := range nodes {
		if !slices.Contains(o.leaves, n) {
			o.leaves = append(o.leaves, n)
		}
	}
	return nil
}

// join lets what follows wait for everything, and gives memory back.
func (r *recorder) join(f *Device) error {
	f.pool = f.recordings.pool
	for _, p := range r.order.pools {
		p.Trim()
	}
	r.order.pools = nil
	return f.Device.SetNodes(r.order.leaves)
}

// ordered runs a launch in a recording's order.
func (d *Device) ordered(name string, out, in []backend.View, run func() error) error {
	if d.face != recording {
		return d.did(out, in, run)
	}
	if err := d.rec.begin(d, name, out, in); err != nil {
		return err
	}
	if err := run(); err != nil {
		return err
	}
	return d.rec.end(d, name, out, in)
}
