package cuda

import (
	"slices"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/mem"
)

// order is what of a recording must run behind what. Small launches wait only for those whose memory they use, so that a
// graph runs them side by side; a large one fills the device anyway, and stands between all before and all behind it.
type order struct {
	uses    map[uintptr]*use
	barrier []uintptr // what the last large launch ended with
	leaves  []uintptr // nodes nothing waits for yet
	pools   []*mem.Pool
	small   bool      // the launch under way
	behind  []uintptr // what it waits for
}

// use is who wrote a buffer last, and who has read it since.
type use struct{ wrote, read []uintptr }

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
	if o.uses == nil {
		o.uses = map[uintptr]*use{}
	}
	if !o.small {
		f.pool, o.behind = f.recordings.pool, o.leaves
		return f.Device.SetNodes(o.behind)
	}
	o.behind = slices.Clone(o.barrier)
	for p, written := range touched(name, out, in) {
		if u := o.uses[p]; u != nil {
			o.behind = append(o.behind, u.wrote...)
			if written {
				o.behind = append(o.behind, u.read...)
			}
		}
	}
	slices.Sort(o.behind)
	o.behind = slices.Compact(o.behind)
	// Memory given back by a launch beside it must not come to this one.
	f.pool = mem.NewPool("launch", &scratch{d: f, bufs: map[uintptr]*mem.Buffer{}, from: f.recordings.pool})
	o.pools = append(o.pools, f.pool)
	return f.Device.SetNodes(o.behind)
}

// touched lists the buffers a launch uses, and whether it writes them.
func touched(name string, out, in []backend.View) map[uintptr]bool {
	m := map[uintptr]bool{}
	for _, v := range in {
		if v.Buf.Dev != 0 {
			m[v.Buf.Dev] = false
		}
	}
	for _, v := range out {
		m[v.Buf.Dev] = true
	}
	switch name {
	case "matmul", "attention", "attention_grad", "gather_mm":
		m[workspace] = true
	}
	return m
}

// end notes what the launch ended with.
func (r *recorder) end(f *Device, name string, out, in []backend.View) error {
	o := &r.order
	nodes, err := f.Device.Nodes()
	if err != nil {
		return err
	}
	if !o.small {
		clear(o.uses)
		o.barrier, o.leaves = nodes, nodes
		return nil
	}
	for p, written := range touched(name, out, in) {
		u := o.uses[p]
		if u == nil {
			u = &use{}
			o.uses[p] = u
		}
		if written {
			u.wrote, u.read = nodes, nil
		} else {
			u.read = append(u.read, nodes...)
		}
	}
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
		return run()
	}
	if err := d.rec.begin(d, name, out, in); err != nil {
		return err
	}
	if err := run(); err != nil {
		return err
	}
	return d.rec.end(d, name, out, in)
}
