package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
)

// cachedRun is a bound run of one block, cached with its launch: only the addresses of operands change from run to run.
type cachedRun struct {
	r      runState
	w      workspace
	weight cachedWeights
	err    error // of the last run
}

// keep makes a cached run, with a workspace of its own.
func (r *runState) keep(p *prepared) *cachedRun {
	k := &cachedRun{}
	r.copyTo(&k.r, p)
	k.r.open(&k.w) // never closed: the run owns its scratch
	return k
}

// run runs the program again. It reports whether it did: not if memory is shared by other operands than before.
func (k *cachedRun) run(c *backend.Ctx, p *backend.Fused, out, in []backend.View) bool {
	var head backend.View
	var operands []backend.View
	if p.Producer != nil {
		head, out, operands, in = out[0], out[1:], in[p.In:], in[:p.In]
	}
	r := &k.r
	for i := range r.out {
		o, v := &r.out[i], &out[i]
		o.base = v.Base()
		staged := false
		for j := range in {
			staged = staged || in[j].Buf == v.Buf && r.p.last[j] > r.p.madeBy[o.reg]
		}
		if staged != o.staged {
			return false
		}
	}
	reg := k.w.regs()
	for i := range r.in {
		o, v := &r.in[i], &in[i]
		o.base = v.Base()
		if v.Lay != nil {
			o.base = unsafe.Add(o.base, v.Lay.Offset*o.size)
		}
		if o.scalar && p.Producer == nil {
			fill(reg[i], o.base, o.size, r.fill)
		}
	}
	if p.Producer != nil {
		if k.err = k.weight.product(c, p.In, head, operands); k.err != nil {
			return true
		}
		for i := range r.in { // one of them may be the product
			if o := &r.in[i]; o.scalar {
				fill(reg[i], o.base, o.size, r.fill)
			}
		}
	}
	k.w.held = [len(k.w.held)]repeated{} // there may be other values now
	r.tiles(&k.w, 0, r.n, nil)
	return true
}
