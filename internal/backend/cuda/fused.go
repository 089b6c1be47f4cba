package cuda

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// A fused program is one kernel: every thread takes a vector of elements through all instructions in registers. The source
// depends on the instructions, the dtypes and the input layouts (their classes, the rank after merging dimensions, the
// vector length, the index width), never on sizes.

// program is a prepared fused program: what its source and its cache key depend on.
type program struct {
	key      string
	faults   string
	last     atomic.Pointer[readied]
	heavy    bool // it computes transcendental functions, so arithmetic limits it
	epilogue *epilogue
	*backend.Fused
}

// readied is the kernel a program last ran with.
type readied struct {
	form shortForm
	of   *shared
	f    *driver.Function
}

// shortForm is a form's key for few inputs, comparable and without allocation.
type shortForm struct {
	classes      [8]class
	vector, dims uint8
	cols         uint16
	wide         bool
}

func (f *form) short() (k shortForm, ok bool) {
	if len(f.classes) > len(k.classes) {
		return k, false
	}
	copy(k.classes[:], f.classes)
	k.vector, k.dims, k.cols, k.wide = uint8(f.vector), uint8(len(f.dims)), uint16(f.cols), f.wide
	return k, true
}

func prepare(p *backend.Fused) {
	q := &program{Fused: p, key: p.Code()}
	for _, ins := range p.Instrs {
		if mayFault(ins.Op, p.DTypes[ins.Src[0]]) {
			switch a := ins.Attr.(type) {
			case attr.Domain:
				q.faults = a.Op
			case attr.Bound:
				q.faults = cmp.Or(a.Op, ins.Op)
			default:
				q.faults = ins.Op
			}
		}
	}
	if p.Producer == nil && p.Reduction == nil && q.faults == "" {
		p.HorizontalKey = q.key
	}
	q.heavy = len(filesOf(q)) > 2
	if p.Producer != nil && canGenerate(p.Producer.Op, p.DTypes[p.Producer.Dst]) && !p.Producer.Stored && p.Reduction == nil {
		q.key, p.Producer.Unwritten = q.key+p.Producer.Op, true
	}
	if q.epilogue = epilogueOf(p); q.epilogue != nil {
		p.Producer.Unwritten, p.Producer.NoOverwrite = true, q.epilogue.geluGrad != nil
	}
	p.Prep = q
}

// runInMode is runFused in the launch mode a launch asks for.
func (d *Device) runInMode(c *backend.Ctx, p *backend.Fused, out, in []backend.View) error {
	f := d.inMode(c)
	if f.mode != capturing && p.Producer == nil {
		err := f.runFused(c, p, nil, out, in) // the fast path of a single op: no allocation
		if err != nil || f.mode != running {
			return err
		}
		return f.note(out, in)
	}
	if p.Producer != nil {
		return f.tracked(p.Producer.Op, out, in, func() error { return f.runProducer(c, p, out, in) })
	}
	return f.tracked("fused", out, in, func() error { return f.runFused(c, p, nil, out, in) })
}

// runFused runs a prepared program; rng, if not nil, is the input that its kernel generates.
func (d *Device) runFused(c *backend.Ctx, p *backend.Fused, w *fusedRNG, out, in []backend.View) error {
	s := out[0].Shape
	if p.Reduction != nil {
		s = p.Shape
	}
	if s.Numel() == 0 {
		return nil
	}
	q := p.Prep.(*program)
	var space [8]backend.View
	var kinds [8]class
	views, f := append(space[:0], in...), form{classes: append(kinds[:0], make([]class, len(in))...)}
	var tmp []*mem.Buffer
	defer func() {
		for _, b := range tmp {
			b.Free()
		}
	}()
	if w != nil {
		f.classes[p.Producer.Dst], views[p.Producer.Dst], f.rng = generated, w.key, w
	}
	tmp, err := d.lay(&f, s, out[:len(p.Out)], views, tmp)
	if err != nil {
		return err
	}
	if w != nil {
		f.pairUp(s.Numel())
	}
	if p.Reduction != nil {
		f.fitReductions(p.Reduction, s)
	}
	fn, err := d.fusedKernel(c, q, &f)
	if err != nil {
		return err
	}
	if q.faults != "" {
		g := f // a deferred check needs the form on the heap
		g.classes, views = slices.Clone(f.classes), slices.Clone(views)
		return d.checked(c, faultName(q.faults), func(record uintptr) error { return d.launchFused(fn, q, &g, s, record, views, out) })
	}
	return d.launchFused(fn, q, &f, s, 0, views, out)
}

// lay classifies the layouts of a program's inputs, and uploads those in host memory: the buffers are added to tmp, the
// caller's to free.
func (d *Device) lay(f *form, s *shape.Shape, out, in []backend.View, tmp []*mem.Buffer) ([]*mem.Buffer, error) {
	for i := range in {
		if f.classes[i] != generated {
			f.classes[i] = classOf(in[i])
		}
		if f.classes[i] == byValue {
			continue
		}
		b, err := d.bring(&in[i])
		if err != nil {
			return tmp, err
		}
		if b != nil {
			tmp = append(tmp, b)
		}
	}
	f.settle(s, out, in)
	return tmp, nil
}

// launchFused launches a program's kernel.
func (d *Device) launchFused(fn *driver.Function, q *program, f *form, s *shape.Shape, record uintptr, in, out []backend.View) error {
	if q.Reduction != nil {
		return d.launchReductions(fn, q, f, s, record, in, out)
	}
	n := s.Numel()
	span := f.span(q, n)
	var space [24]uint64
	return d.launch(fn, blocks(n, span), 1, threads, fusedArgs(space[:0], n, record, span, f, in, out))
}

// faultName is the op a device error names.
func faultName(op string) string {
	switch op {
	case "wrap_index":
		return "index"
	case "trunc_divide":
		return "div"
	}
	return op
}

// fusedArgs fills the struct Args that fusedSource declares, in the slice given as far as it goes.
func fusedArgs(a args, n int, record uintptr, span int, f *form, in, out []backend.View) args {
	a.int(n)
	a.ptr(record)
	a.int(span)
	a.int(f.dims...)
	for _, s := range f.strides {
		a.int(s...)
	}
	for i, v := range in {
		if f.classes[i] != byValue {
			a.ptr(address(v))
		}
	}
	for i, v := range in {
		if f.classes[i] == byValue {
			imm := immediateOf(v)
			a = append(a, imm[:]...)
		}
	}
	for _, v := range out {
		a.ptr(address(v))
	}
	if f.rng != nil && !f.rng.words {
		a = append(a, f.rng.below)
	}
	return a
}

// immediateOf is a value as it is passed with a launch.
func immediateOf(v backend.View) (imm [2]uint64) {
	size := v.DType.Size()
	copy(dtype.Bytes(imm[:]), v.Buf.Mem[v.Offset()*size:][:size])
	return imm
}
