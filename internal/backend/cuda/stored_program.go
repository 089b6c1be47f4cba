package cuda

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/mem"
)

// Stored programs: a language model rotates the queries and keys of a token by a small program, and writes keys and values to caches. In a
// captured graph the launch of such a program is held back until the next launch is known. If that writes results of the program to one
// position of larger tensors, both are one launch: what the program makes is stored twice, what else is to be written is copied next to it.

// Up to so many elements a program is held, and so many units of a tensor that it does not make are copied next to it by one block.
const (
	mostHeld   = 64 << 10
	mostCopied = 4096
)

// heldProgram is a launch of a captured graph that was not captured yet.
type heldProgram struct {
	p       *backend.Fused
	sets    int
	out, in []backend.View
}

// hold holds a program back, if it may be stored; false: it must be launched.
func (d *Device) hold(p *backend.Fused, sets int, out, in []backend.View) bool {
	n := 0
	for _, v := range out {
		n += v.Numel()
	}
	if d.mode != capturing || n > mostHeld || len(p.Out) != 1 {
		return false
	}
	d.held = &heldProgram{p, sets, slices.Clone(out), slices.Clone(in)}
	return true
}

// release captures the program that is held.
func (d *Device) release() error {
	h := d.held
	if d.held = nil; h == nil {
		return nil
	}
	return d.tracked("fused", h.out, h.in, func() error { return d.runSets(h.p, h.sets, h.out, h.in) })
}

// storing is put_slices at one position of several tensors, with the program that makes some of what is written.
type storing struct {
	*heldProgram
	list  []setting
	axis  int
	slots []int // for each set of the program, which tensor its result goes to; -1: none
	at    backend.View
	out   []backend.View // the tensors
}

// storingOf matches what put_slices writes with what the held program makes.
func (d *Device) storingOf(axis, sets int, out, in []backend.View) (s storing, ok bool) {
	h := d.held
	if h == nil || sets > mostJoined || in[1].Numel() != 1 || in[1].Buf.Dev == 0 {
		return s, false
	}
	s = storing{heldProgram: h, axis: axis, slots: make([]int, h.sets), at: in[1], out: out}
	for i := range s.slots {
		s.slots[i] = -1
	}
	made, found := touched(h.out, nil), false
	apart := func(v backend.View) bool {
		return !slices.ContainsFunc(touched(nil, []backend.View{v}), func(r memRange) bool {
			return slices.ContainsFunc(made, func(w memRange) bool { return w.lo < r.hi && r.lo < w.hi })
		})
	}
	for i := range out {
		base, at, src := in[3*i], in[3*i+1], in[3*i+2]
		one, fits := settingOf(axis, out[i], in[3*i:3*i+3])
		s.list = append(s.list, one)
		if !fits || !one.alike(s.list[0]) || base.Buf != out[i].Buf || at.Buf != s.at.Buf || address(at) != address(s.at) || !apart(at) {
			return s, false
		}
		k := slices.IndexFunc(h.out, func(v backend.View) bool { return v.Buf == src.Buf && address(v) == address(src) })
		switch {
		case k >= 0 && s.slots[k] < 0 && h.out[k].Numel() == src.Numel() && h.out[k].Contiguous() && src.Contiguous() &&
			h.out[k].DType == out[i].DType:
			s.slots[k], found = i, true
		case !apart(src) || one.outer*one.inner > mostCopied:
			return s, false
		}
	}
	return s, found
}

// storeHeld captures put_slices and the held program as one launch; done is false if they are not one.
func (d *Device) storeHeld(c *backend.Ctx, a attr.Attr, sets int, out, in []backend.View) (done bool, err error) {
	s, ok := d.storingOf(a.(attr.Scatter).Axis, sets, out, in)
	if !ok {
		return false, nil
	}
	views := slices.Clone(s.in)
	m, tmp, err := d.setsOf(s.p, s.sets, s.heldProgram.out, views)
	defer freeBuffers(tmp)
	if err != nil || len(m) != 1 || len(m[0].each) != s.sets || !s.whole(m[0].form.vector) {
		return false, err
	}
	d.held = nil
	return true, d.tracked("store", slices.Concat(out, s.heldProgram.out), slices.Concat(in, s.in), func() error {
		return d.checked(c, "index", func(record uintptr) error { return d.launchStored(s, m[0], record) })
	})
}

// inner is how many elements follow each other at a position of a tensor.
func (s storing) inner() int { return product(s.out[0].Shape.Dims()[s.axis+1:]) }

// whole reports whether vectors of results are whole vectors of the tensors.
func (s storing) whole(vector int) bool {
	for _, i := range s.slots {
		if i >= 0 && (s.inner()%vector != 0 || address(s.out[i])%uintptr(vector*s.out[i].DType.Size()) != 0) {
			return false
		}
	}
	return true
}

func (d *Device) launchStored(s storing, m *operandSets, record uintptr) error {
	var plain []setting
	for i, one := range s.list {
		if !slices.Contains(s.slots, i) {
			plain = append(plain, one)
		}
	}
	q, first := s.p.Prep.(*program), s.list[0]
	room := 1 << bits.Len(uint(len(m.each)-1))
	f := m.form
	f.stored = &storedForm{unitOf[first.size], len(plain)}
	fn, err := d.kernel(fmt.Sprintf("stored %s|%s*%d %v", q.key, f.key(), room, *f.stored), "fused", func() string {
		return fusedSource(q, &f, room)
	})
	if err != nil {
		return err
	}
	inner := s.inner()
	var list args
	list.int(len(m.each))
	list.int(m.first...)
	list = append(list, make(args, room-len(m.first))...)
	for k, a := range m.each {
		list = append(list, a...)
		if i := s.slots[k]; i >= 0 {
			list.ptr(address(s.out[i]))
		} else {
			list.ptr(0)
		}
		list.int(inner)
	}
	list = append(list, make(args, (room-len(m.each))*(len(m.each[0])+2))...)
	list.int(m.total, first.n, first.outer, first.inner)
	list.ptr(address(s.at), record)
	for _, p := range plain {
		list.ptr(p.out, p.src)
		list.int(p.so)
	}
	return d.launch(fn, m.total+len(plain), 1, threads, list)
}

// storedForm is how a program's kernel stores: the unit of what it copies next to that, and of how many tensors.
type storedForm struct {
	unit   string
	copies int
}

// writeStored begins the kernel of a stored program: behind the blocks of the sets each block copies to a tensor.
func (s *storedForm) writeStored(w func(string, ...any), room int) {
	w("struct Copy { %s *to; const %s *from; i64 so; };", s.unit, s.unit)
	w("struct Many { i64 count; i64 first[%d]; Args each[%d]; i64 total, n, outer, inner; const i64 *at; Fault *record; Copy copy[%d]; };",
		room, room, max(1, s.copies))
	w(`extern "C" __global__ void __launch_bounds__(%d) fused(const __grid_constant__ Many all) {
const i64 at = *all.at;
const bool inside = (u64)at < (u64)all.n;
if (!inside && (blockIdx.x | threadIdx.x) == 0) report_fault(all.record, 1, at, all.n);
if (blockIdx.x >= (u32)all.total) {
    const Copy &c = all.copy[blockIdx.x - (u32)all.total];
    const u32 inner = (u32)all.inner;
    for (u32 e = threadIdx.x; inside && e < (u32)all.outer * inner; e += %d) {
        const u32 o = e / inner, i = e - o * inner;
        c.to[(o * all.n + at) * inner + i] = c.from[o * c.so + i];
    }
    return;
}`, threads, threads)
	writeSet(w, room)
}

// writeStore stores a vector of results a second time.
func writeStore(w func(string, ...any), p *program, index string) {
	m := ctype[p.DTypes[p.Out[0]]]
	w("if (a.slot && inside) {\nconst %s x = e + u * S, o = x / (%s)a.inner;", index, index)
	w("store_vec<%s, V>((%s *)a.slot + (o * all.n + at) * a.inner + (x - o * (%s)a.inner), o0, left);\n}", m, m, index)
}

func freeBuffers(list []*mem.Buffer) {
	for _, b := range list {
		b.Free()
	}
}
