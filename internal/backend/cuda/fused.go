package cuda

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// A fused program is one kernel: every thread takes a vector of elements through all instructions in registers. The
// source depends on the instructions, the dtypes, and on how the inputs lie (their classes, the number of dimensions
// left after merging, the vector's length, the width of indices), never on sizes.

// program is a fused program made ready: what its source and its name in the table of kernels depend on.
type program struct {
	key    string
	faults string
	last   atomic.Pointer[readied]
	heavy  bool // it computes functions, not only sums and products
	after  *after
	*backend.Fused
}

// readied is the kernel a program last ran with.
type readied struct {
	form shortForm
	of   *shared
	f    *driver.Function
}

// shortForm is a form's key where the inputs are few, made without memory.
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
		if mayComplain(ins.Op, p.DTypes[ins.Src[0]]) {
			q.faults = ins.Op
		}
	}
	if p.Head == nil && p.Tail == nil && q.faults == "" {
		p.Join = q.key
	}
	q.heavy = len(filesOf(q)) > 2
	if q.after = afterProduct(p); q.after != nil {
		p.Head.Unwritten, p.Head.Apart = true, q.after.slope != nil
	}
	p.Prep = q
}

// class is how an input lies.
type class byte

const (
	byValue   class = 'v' // an immediate, passed with the launch
	scalar    class = 'b' // one value in memory for all elements
	aligned   class = 'c' // contiguous, whole vectors can be loaded
	unaligned class = 'u' // contiguous, from an odd address
	rows      class = 'p' // strided with contiguous, aligned vectors
	across    class = 'a' // one value for all of the last dimension
	strided   class = 's' // anything else
)

// form is what a run adds to a program's key.
type form struct {
	classes []class
	vector  int
	wide    bool // indices need 64 bits
	dims    []int
	strides [][]int // of the inputs of classes rows, across and strided, in order
	cols    int     // elements of the rows that tails sum, 0: they sum columns
}

// contiguousInputs counts the inputs that lie like the outputs; -1: some lie otherwise, and need offsets of their own.
func (f *form) contiguousInputs() (n int) {
	for _, c := range f.classes {
		switch c {
		case rows, across, strided:
			return -1
		case aligned, unaligned:
			n++
		}
	}
	return n
}

// looping reports whether a kernel walks a span of several vectors a thread, loading ahead: where functions are computed,
// arithmetic and memory must both be busy all the time.
func (f *form) looping(p *program) bool {
	n := f.contiguousInputs()
	return p.heavy && n > 0 && n <= 4
}

// many is how many vectors a thread takes at once: two where registers are enough, so that more bytes are under way.
func (f *form) many(p *program) int {
	if n := f.contiguousInputs(); n < 0 || n > 3 || f.looping(p) {
		return 1
	}
	return 2
}

// span is how many elements a block takes. Long loops need many blocks, so that the last ones do not run alone.
func (f *form) span(p *program, n int) int {
	const loops, fill = 8, 4096
	step := threads * f.vector
	if f.looping(p) {
		return step * max(1, min(loops, n/(step*fill)))
	}
	return step * f.many(p)
}

func (f *form) key() string {
	return fmt.Sprintf("%s/%d/%d/%v/%d", f.classes, f.vector, len(f.dims), f.wide, f.cols)
}

// runFace is runFused with the face a launch asks for.
func (d *Device) runFace(c *backend.Ctx, p *backend.Fused, out, in []backend.View) error {
	f := d.faced(c)
	if f.face != recording && p.Head == nil {
		err := f.runFused(c, p, out, in) // the way of a single op: without memory for the order of things
		if err != nil || f.face != running {
			return err
		}
		return f.note(out, in)
	}
	if p.Head != nil {
		return f.ordered(p.Head.Op, out, in, func() error { return f.runHead(c, p, out, in) })
	}
	return f.ordered("fused", out, in, func() error { return f.runFused(c, p, out, in) })
}

// runFused runs a prepared program.
func (d *Device) runFused(c *backend.Ctx, p *backend.Fused, out, in []backend.View) error {
	s := out[0].Shape
	if p.Tail != nil {
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
	tmp, err := d.lay(&f, s, out[:len(p.Out)], views, tmp)
	if err != nil {
		return err
	}
	if p.Tail != nil {
		f.fitTails(p.Tail, s)
	}
	fn, err := d.fusedKernel(c, q, &f)
	if err != nil {
		return err
	}
	if q.faults != "" {
		g := f // what is checked late lies on the heap, what runs at once does not
		g.classes, views = slices.Clone(f.classes), slices.Clone(views)
		return d.checked(c, faultName(q.faults), func(word uintptr) error { return d.launchFused(fn, q, &g, s, word, views, out) })
	}
	return d.launchFused(fn, q, &f, s, 0, views, out)
}

// lay finds out how the inputs of a program lie, and brings those of the host to the device: that memory is added to tmp, the
// caller's to free.
func (d *Device) lay(f *form, s *shape.Shape, out, in []backend.View, tmp []*mem.Buffer) ([]*mem.Buffer, error) {
	for i := range in {
		f.classes[i] = classOf(in[i])
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

// launchFused runs a program's kernel.
func (d *Device) launchFused(fn *driver.Function, q *program, f *form, s *shape.Shape, word uintptr, in, out []backend.View) error {
	if q.Tail != nil {
		return d.launchTails(fn, q, f, s, word, in, out)
	}
	n := s.Numel()
	span := f.span(q, n)
	var space [24]uint64
	return d.launch(fn, blocks(n, span), 1, threads, fusedArgs(space[:0], n, word, span, f, in, out))
}

// faultName is the op a complaint names.
func faultName(op string) string {
	switch op {
	case "wrap_index":
		return "index"
	case "trunc_divide":
		return "div"
	}
	return op
}

// classOf tells immediates and lone values from the rest.
func classOf(v backend.View) class {
	one := true
	for i, s := range v.Strides() {
		if s != 0 && v.Shape.Dim(i) != 1 {
			one = false
		}
	}
	switch {
	case one && v.Buf.Dev == 0:
		return byValue
	case one:
		return scalar
	case v.Contiguous():
		return aligned
	}
	return strided
}

// settle chooses the vector's length for elements of a shape, 16 bytes of the widest type that lies like the outputs, and merges dimensions.
func (f *form) settle(s *shape.Shape, out, in []backend.View) {
	widest := 1
	for _, v := range out {
		widest = max(widest, v.DType.Size())
	}
	for i, c := range f.classes {
		if c == aligned {
			widest = max(widest, in[i].DType.Size())
		} else if widest == 1 && in[i].DType.Size() > 1 {
			widest = 2 // registers for more than 8 wide values would be too many
		}
	}
	f.vector = 16 / widest
	var layouts [][]int
	last := s.Numel()
	for i, c := range f.classes {
		if c == strided {
			if layouts == nil {
				layouts = append(layouts, s.Strides())
			}
			layouts = append(layouts, in[i].Strides())
			lo, hi := span(in[i])
			last = max(last, hi, -lo)
		}
	}
	f.wide = last >= 1<<31-1<<16
	if len(layouts) > 1 {
		dims, strides := shape.Collapse(s, layouts...)
		f.dims, f.strides = dims, strides[1:]
		for dims[len(dims)-1]%f.vector != 0 {
			f.vector /= 2
		}
	}
	k := 0
	for i, c := range f.classes {
		size := in[i].DType.Size()
		fits := address(in[i])%uintptr(min(16, f.vector*size)) == 0
		switch c {
		case aligned:
			if !fits {
				f.classes[i] = unaligned
			}
		case strided:
			if f.strides[k][len(f.dims)-1] == 0 {
				f.classes[i] = across
			} else if fits && f.vector > 1 && wholeVectors(f.strides[k], f.vector) {
				f.classes[i] = rows
			}
			k++
		}
	}
}

// wholeVectors reports whether vectors of the last dimension are contiguous and begin at multiples of their length.
func wholeVectors(strides []int, vector int) bool {
	last := len(strides) - 1
	for _, s := range strides[:last] {
		if s%vector != 0 {
			return false
		}
	}
	return strides[last] == 1
}

// span returns the lowest and the highest element a view shows, from its first.
func span(v backend.View) (lo, hi int) {
	for i, s := range v.Strides() {
		if d := (v.Shape.Dim(i) - 1) * s; d < 0 {
			lo += d
		} else {
			hi += d
		}
	}
	return lo, hi
}

// fusedArgs fills the struct Args that fusedSource declares, in the space given as far as it goes.
func fusedArgs(a args, n int, word uintptr, span int, f *form, in, out []backend.View) args {
	a.int(n)
	a.ptr(word)
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
			var imm [2]uint64
			size := v.DType.Size()
			copy(dtype.Bytes(imm[:]), v.Buf.Mem[v.Offset()*size:][:size])
			a = append(a, imm[:]...)
		}
	}
	for _, v := range out {
		a.ptr(address(v))
	}
	return a
}
