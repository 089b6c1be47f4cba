package cuda

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/mem"
)

// dependencies orders the nodes of a capture. Small launches wait only for those whose memory they use, so that a graph
// runs them concurrently; a large one fills the device anyway and is a barrier.
type dependencies struct {
	uses    uses
	barrier []uintptr  // the last nodes of the last large launch
	leaves  []uintptr  // nodes that nothing waits for yet
	written []memRange // by the launches so far
	pools   []*mem.Pool

	// Of the current launch:
	small     bool
	behind    []uintptr // what it waits for
	chain     int       // launches so far that did not need to wait for their predecessors
	workspace bool      // it multiplies by cuBLASLt
	space     int       // with this workspace
}

// memRange is memory that a launch uses. Temporaries of a program are parts of one block, which is divided differently when
// it is reused, so ranges may overlap in part.
type memRange struct {
	lo, hi  uintptr
	written bool
}

// use is the nodes that wrote a range, or have read it since.
type use struct {
	lo, hi      uintptr
	wrote, read []uintptr
}

// uses is the memory used since the last barrier.
type uses []use

// before returns the nodes a launch over such memory waits for.
func (u uses) before(list []memRange) (nodes []uintptr) {
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

// add notes that nodes use memory, behind what before returned.
func (u uses) add(list []memRange, nodes []uintptr) uses {
	for _, s := range list {
		if s.written { // waiting for this node implies waiting for what it waited for
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

// largeLaunch is the number of bytes from which concurrency gains nothing.
const largeLaunch = 8 << 20

// workspaceRange stands for a workspace that products of cuBLASLt share.
func workspaceRange(space int) []memRange {
	return []memRange{{uintptr(1 + space), uintptr(2 + space), true}}
}

// bound reports whether a product of the library takes as long as reading its matrix, but waits for memory most of the time: queries, keys
// and values of many texts are worth overlapping.
func bound(name string, out, in []backend.View) bool {
	const most = 64 // rows
	r := out[0].Shape.Rank()
	if name != "matmul" || len(in) < 2 || r < 2 || out[0].Numel() == 0 {
		return false
	}
	rows := out[0].Numel() / out[0].Shape.Dim(r-1)
	return rows > mostRowsMMA && rows <= most
}

// weight estimates the bytes that a launch uses. Where a product has few rows its matrix does not count: however large that is, such
// launches are worth overlapping. Nor does a cache of which a launch writes or reads a part.
func weight(name string, out, in []backend.View) (bytes int) {
	if name == "control" {
		return math.MaxInt
	}
	few := out[0].Numel() > 0 && out[0].Shape.Rank() > 0 && out[0].Numel()/out[0].Shape.Dim(out[0].Shape.Rank()-1) <= streamedRows
	switch {
	case name == "products", (name == "matmul" || name == "block_matmul") && few && len(in) > 1, bound(name, out, in):
		in = in[:1]
	case name == "put_slices" && overwrites(out, in):
		in = slices.Clone(in)
		for i := range out {
			in = slices.Delete(in, 2*i, 2*i+1)
		}
		out = nil
	case name == "store":
		part := func(v backend.View) bool {
			return slices.ContainsFunc(in, func(b backend.View) bool { return b.Buf == v.Buf })
		}
		in, out = slices.DeleteFunc(slices.Clone(in), func(v backend.View) bool {
			return slices.ContainsFunc(out, func(b backend.View) bool { return b.Buf == v.Buf })
		}), slices.DeleteFunc(slices.Clone(out), part)
	case (name == "attention" || name == "paged_attention") && in[0].Shape.Dim(2) <= streamedRows:
		in = in[:1]
	}
	for _, v := range slices.Concat(out, in) {
		bytes += v.Buf.Size
	}
	return bytes
}

// overwrites reports whether each set of operands of put_slices writes over its base.
func overwrites(out, in []backend.View) bool {
	for i, v := range out {
		if v.Buf.Dev != in[i*len(in)/len(out)].Buf.Dev {
			return false
		}
	}
	return true
}

// A tiny launch that need not wait for its predecessor does so all the same, unless many such ones follow each other: a kernel with one
// predecessor begins while that ends (PDL), which a fork and a join of branches prevent, and they take longer than such a launch.
const (
	tinyLaunch = 1 << 20
	mostChain  = 3
)

// chained reports whether a launch is put behind the last one, which all others lead to.
func (o *dependencies) chained(bytes int) bool {
	if len(o.leaves) != 1 || slices.Contains(o.behind, o.leaves[0]) {
		o.chain = 0
		return len(o.leaves) == 1
	}
	o.chain++
	return bytes <= tinyLaunch && o.chain < mostChain
}

// begin sets what a launch waits for, and gives it a pool for its temporaries.
func (r *recorder) begin(f *Device, name string, out, in []backend.View) error {
	o := &r.dependencies
	size := weight(name, out, in)
	o.small, o.workspace = size <= largeLaunch, false
	o.written = append(o.written, touched(out, nil)...)
	f.Device.PDL = r.pdl && o.small // a large one would only occupy multiprocessors: ResNet-50 was 4 % slower
	if !o.small {
		f.pool, o.behind = f.graphs.pool, o.leaves
		return f.Device.SetNodes(o.behind)
	}
	o.behind = compacted(append(slices.Clone(o.barrier), o.uses.before(touched(out, in))...))
	if !bound(name, out, in) && o.chained(size) {
		o.behind = slices.Clone(o.leaves)
	}
	// Memory freed by a concurrent launch must not be reused by this one.
	f.pool = mem.NewPool("launch", &scratch{d: f, bufs: map[uintptr]*mem.Buffer{}, from: f.graphs.pool})
	o.pools = append(o.pools, f.pool)
	return f.Device.SetNodes(o.behind)
}

// alone reports whether no other launch goes on next to the current one.
func (d *Device) alone() bool {
	if d.mode != capturing {
		return true
	}
	o := &d.rec.dependencies
	return len(o.leaves) <= 1 && slices.Equal(o.behind, o.leaves)
}

func compacted(nodes []uintptr) []uintptr {
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// useWorkspace gives the current launch one of some workspaces, in turn, and lets what it captures next wait for the other launches that
// used it.
func (r *recorder) useWorkspace(f *Device, spaces int) (space int, err error) {
	o := &r.dependencies
	if !o.small {
		return 0, nil
	}
	if o.workspace {
		return o.space, nil
	}
	o.workspace, o.space = true, (o.space+1)%spaces
	before := o.uses.before(workspaceRange(o.space))
	if len(before) == 0 {
		return o.space, nil
	}
	nodes, err := f.Device.Nodes()
	if err != nil {
		return 0, err
	}
	o.behind = compacted(append(o.behind, before...))
	return o.space, f.Device.SetNodes(compacted(append(nodes, before...)))
}

// untouched reports whether no launch so far, nor the current one, writes a buffer: it may be read before they are done.
func (r *recorder) untouched(b *mem.Buffer) bool {
	return !slices.ContainsFunc(r.dependencies.written, func(w memRange) bool { return w.lo < b.Dev+uintptr(b.Size) && b.Dev < w.hi })
}

// touched lists the memory a launch uses.
func touched(out, in []backend.View) (list []memRange) {
	of := func(b *mem.Buffer, written bool) memRange {
		return memRange{b.Dev, b.Dev + uintptr(max(b.Size, 1)), written}
	}
	for _, v := range in {
		if v.Buf.Dev != 0 {
			list = append(list, of(v.Buf, false))
		}
	}
	for _, v := range out {
		list = append(list, of(v.Buf, true))
	}
	return list
}

// end notes the nodes the launch ended with.
func (r *recorder) end(f *Device, out, in []backend.View) error {
	o := &r.dependencies
	nodes, err := f.Device.Nodes()
	if err != nil {
		return err
	}
	if !o.small {
		o.uses = nil
		o.barrier, o.leaves = nodes, nodes
		return nil
	}
	list := touched(out, in)
	if o.workspace {
		list = append(list, workspaceRange(o.space)...)
	}
	o.uses = o.uses.add(list, nodes)
	o.leaves = slices.DeleteFunc(slices.Clone(o.leaves), func(n uintptr) bool { return slices.Contains(o.behind, n) })
	for _, n := range nodes {
		if !slices.Contains(o.leaves, n) {
			o.leaves = append(o.leaves, n)
		}
	}
	return nil
}

// join makes what follows wait for everything, and frees memory.
func (r *recorder) join(f *Device) error {
	if err := f.release(); err != nil {
		return err
	}
	f.pool = f.graphs.pool
	for _, p := range r.dependencies.pools {
		p.Trim()
	}
	r.dependencies.pools = nil
	return f.Device.SetNodes(r.dependencies.leaves)
}

// tracked runs a launch with its dependencies.
func (d *Device) tracked(name string, out, in []backend.View, run func() error) error {
	if d.mode != capturing {
		return d.did(out, in, run)
	}
	if err := d.release(); err != nil {
		return err
	}
	if err := d.rec.begin(d, name, out, in); err != nil {
		return err
	}
	if err := run(); err != nil {
		return err
	}
	return d.rec.end(d, out, in)
}
