package cuda

import (
	"fmt"
	"math/bits"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/mem"
)

// Horizontal fusion: a program over several sets of operands is one launch. The kernel's parameter is the list of what
// would be the parameters of the separate launches, and of the block at which each set begins. It is passed by value, so it
// needs no memory and a captured graph holds it.

// operandSets are the sets of operands of equal layout.
type operandSets struct {
	form  form
	first []int // first block of each set
	each  []args
	total int // blocks
}

// runHorizontal runs a program over sets of operands.
func (d *Device) runHorizontal(c *backend.Ctx, p *backend.Fused, sets int, out, in []backend.View) error {
	f := d.inMode(c)
	if err := f.release(); err != nil {
		return err
	}
	if f.hold(p, sets, out, in) {
		return nil
	}
	return f.tracked("fused", out, in, func() error { return f.runSets(p, sets, out, in) })
}

func (d *Device) runSets(p *backend.Fused, sets int, out, in []backend.View) error {
	list, tmp, err := d.setsOf(p, sets, out, append([]backend.View(nil), in...))
	defer freeBuffers(tmp)
	if err != nil {
		return err
	}
	for _, m := range list {
		if err := d.launchHorizontal(p.Prep.(*program), m); err != nil {
			return err
		}
	}
	return nil
}

// setsOf puts sets of operands of equal layout together. Operands in host memory are uploaded: the buffers are the caller's to free.
func (d *Device) setsOf(p *backend.Fused, sets int, out, views []backend.View) (list []*operandSets, tmp []*mem.Buffer, err error) {
	q := p.Prep.(*program)
	no, ni := len(out)/sets, len(views)/sets
	alike := map[string]*operandSets{}
	for k := range sets {
		o, v := out[k*no:(k+1)*no], views[k*ni:(k+1)*ni]
		n := o[0].Numel()
		if n == 0 {
			continue
		}
		f := form{classes: make([]class, ni)}
		if tmp, err = d.lay(&f, o[0].Shape, o, v, tmp); err != nil {
			return nil, tmp, err
		}
		m := alike[f.key()]
		if m == nil {
			m = &operandSets{form: f}
			alike[f.key()], list = m, append(list, m)
		}
		span := f.span(q, n)
		m.first, m.each = append(m.first, m.total), append(m.each, fusedArgs(nil, n, 0, span, &f, v, o))
		m.total += blocks(n, span)
	}
	return list, tmp, nil
}

// launchHorizontal launches a program's kernel over sets of equal layout, as many at a time as the parameters allow.
func (d *Device) launchHorizontal(q *program, m *operandSets) error {
	if len(m.each) == 1 {
		fn, err := d.fusedKernel(nil, q, &m.form)
		if err != nil {
			return err
		}
		return d.launch(fn, m.total, 1, threads, m.each[0])
	}
	words := len(m.each[0])
	most := (maxArgs/8 - 1) / (words + 1)
	for at := 0; at < len(m.each); at += most {
		n := min(most, len(m.each)-at)
		room := min(most, 1<<bits.Len(uint(n-1))) // compiled for powers of two: the parameter's size is part of the code
		f := m.form
		fn, err := d.kernel(fmt.Sprintf("fused %s|%s*%d", q.key, f.key(), room), "fused", func() string { return fusedSource(q, &f, room) })
		if err != nil {
			return err
		}
		end := m.total
		if at+n < len(m.each) {
			end = m.first[at+n]
		}
		list := make(args, 0, 1+room*(words+1))
		list.int(n)
		for _, b := range m.first[at : at+n] {
			list.int(b - m.first[at])
		}
		list = list[:1+room]
		for _, a := range m.each[at : at+n] {
			list = append(list, a...)
		}
		if err := d.launch(fn, end-m.first[at], 1, threads, list[:cap(list)]); err != nil {
			return err
		}
	}
	return nil
}

// writeHorizontal begins a kernel over sets: a block finds its set by its index.
func writeHorizontal(w func(string, ...any), room int) {
	w("struct Many { i64 count; i64 first[%d]; Args each[%d]; };", room, room)
	w("extern \"C\" __global__ void __launch_bounds__(%d) fused(const __grid_constant__ Many all) {", threads)
	writeSet(w, room)
}

// writeSet finds the set of a block.
func writeSet(w func(string, ...any), room int) {
	w("int k = 0;\n#pragma unroll")
	w("for (int s = %d; s > 0; s /= 2) if (k + s < (int)all.count && (i64)blockIdx.x >= all.first[k + s]) k += s;",
		1<<(bits.Len(uint(room))-1))
	w("const Args &a = all.each[k];\nconst u32 block = blockIdx.x - (u32)all.first[k];")
}
