package cuda

import (
	"cmp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/nvrtc"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/profile"
)

// threads is the default block size.
const threads = 256

// options forbid contraction to multiply-add, as on the CPU; functions use fma explicitly. Nothing of std is used.
var options = []string{"--fmad=false", "--builtin-move-forward=false", "--builtin-initializer-list=false"}

// briefly is for kernels that run a few times only.
var briefly = append(options[:len(options):len(options)], nvrtc.Fast)

// compiled is a kernel being compiled or ready.
type compiled struct {
	once  sync.Once
	asked atomic.Bool // queued before its first launch
	done  atomic.Bool
	f     *driver.Function
	err   error
}

// text is a kernel before it is compiled.
type text struct {
	name    string
	source  func() string
	image   []byte // compiled already, instead of source
	options []string
	arch    string // instead of the device's; "": that
	ours    bool   // it begins with the wait of programmatic dependent launch
	long    bool   // it takes several times as long to compile as others
}

// kernel returns the function called name of one of our sources, compiled the first time; the key identifies the source.
func (d *Device) kernel(key, name string, source func() string) (*driver.Function, error) {
	return d.find(key, text{name: name, source: source, options: options, ours: true})
}

// find returns a kernel, compiled the first time; the key identifies its text.
func (d *Device) find(key string, t text) (*driver.Function, error) {
	e, ok := d.kernels.Load(key)
	if !ok {
		e, _ = d.kernels.LoadOrStore(key, new(compiled))
	}
	c := e.(*compiled)
	if d.mode == precompiling {
		if !c.asked.Swap(true) {
			d.queue.add(t.long, func() { d.compile(c, key, t) })
		}
		return nil, nil
	}
	d.compile(c, key, t)
	return c.f, c.err
}

func (d *Device) compile(c *compiled, key string, t text) {
	if c.done.Load() {
		return
	}
	c.once.Do(func() {
		d.begun.Add(1)
		begin := time.Now()
		source, code := "", t.image
		if code == nil {
			switch source = t.source(); {
			case t.ours && d.timeline != nil:
				source = d.timeline.marked(source, key)
			case t.ours:
				source = withPDL(source)
			}
			code, c.err = nvrtc.Cached(driver.Version, t.name, source, cmp.Or(t.arch, d.arch), t.options...)
		}
		if c.err == nil {
			if c.f, c.err = d.Load(code, t.name); c.err == nil {
				c.f.Label, c.f.PDL = key, t.ours
			}
		}
		c.done.Store(true)
		profile.Once(begin, "kernel %s of %d bytes: %s", t.name, len(source), key)
	})
}

// compiled reports whether a kernel is ready.
func (d *Device) compiled(key string) bool {
	e, ok := d.kernels.Load(key)
	return ok && e.(*compiled).done.Load()
}

// args is a kernel's parameter struct, all of whose fields are 8 bytes wide.
type args []uint64

func (a *args) int(v ...int) {
	for _, x := range v {
		*a = append(*a, uint64(x))
	}
}
func (a *args) ptr(p ...uintptr) {
	for _, x := range p {
		*a = append(*a, uint64(x))
	}
}

// maxArgs is the limit of a launch's parameters since CUDA 12.1.
const maxArgs = 32764

// launch launches a kernel.
func (d *Device) launch(f *driver.Function, blocks, gridY, threads int, a args) error {
	return d.launchShared(f, blocks, gridY, threads, 0, a)
}

// launchShared is launch with dynamic shared memory, in bytes.
func (d *Device) launchShared(f *driver.Function, blocks, gridY, threads, shared int, a args) error {
	if 8*len(a) > maxArgs {
		return fault.New(fault.NotImplemented, "cuda", "a kernel with %d bytes of arguments; a launch carries %d", 8*len(a), maxArgs)
	}
	if d.mode == precompiling {
		return nil
	}
	if d.slow && d.mode == running {
		begin := time.Now()
		defer func() { d.spent(f.Label, begin) }()
		if err := d.Launch(f, blocks, gridY, threads, shared, a); err != nil {
			return err
		}
		return d.Sync()
	}
	return d.Launch(f, blocks, gridY, threads, shared, a)
}

// blocks is n divided by per, rounded up.
func blocks(n, per int) int { return (n + per - 1) / per }

// kernel computes out from in on a device; host operands have been uploaded, out is not empty.
type kernel func(d *call, a attr.Attr, out, in []backend.View) error

// call is a device for the time of one kernel.
type call struct {
	*Device
	ctx *backend.Ctx
}

// bind adapts a kernel to the engine's type.
func (d *Device) bind(name string, k kernel) backend.Kernel {
	return func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		empty := true
		for _, o := range out {
			empty = empty && o.Numel() == 0
		}
		if empty {
			return nil
		}
		return d.inMode(c).tracked(name, out, in, func() error { return d.inMode(c).run(k, c, a, out, in) })
	}
}

// run runs a kernel over operands in device memory.
func (d *Device) run(k kernel, c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	up := make([]backend.View, len(in))
	var tmp []*mem.Buffer
	defer func() {
		for _, b := range tmp {
			b.Free()
		}
	}()
	for i, v := range in {
		b, err := d.bring(&v)
		if err != nil {
			return err
		}
		if b != nil {
			tmp = append(tmp, b)
		}
		up[i] = v
	}
	return k(&call{d, c}, a, out, up)
}

// bring uploads a view of host memory to a buffer that the caller frees.
func (d *Device) bring(v *backend.View) (*mem.Buffer, error) {
	if v.Buf.Mem == nil || v.Buf.Dev != 0 {
		return nil, nil
	}
	if d.mode != running {
		b, err := d.fixed(v.Buf.Mem)
		v.Buf = b
		return nil, err
	}
	b, err := d.pool.Get("upload", len(v.Buf.Mem))
	if err != nil {
		return nil, err
	}
	if err := d.Upload(b.Dev, v.Buf.Mem); err != nil {
		b.Free()
		return nil, err
	}
	v.Buf = b
	return b, nil
}

// address is that of a view's first element.
func address(v backend.View) uintptr { return v.Buf.Dev + uintptr(v.Offset()*v.DType.Size()) }

// ctype is the name of an element type in the sources.
var ctype = [dtype.N]string{dtype.Bool: "b8", dtype.Uint8: "u8", dtype.Uint16: "u16", dtype.Uint32: "u32", dtype.Uint64: "u64",
	dtype.Int8: "i8", dtype.Int16: "i16", dtype.Int32: "i32", dtype.Int64: "i64", dtype.Float16: "f16", dtype.BFloat16: "bf16",
	dtype.Float32: "f32", dtype.Float64: "f64", dtype.Complex64: "c64", dtype.Complex128: "c128"}

// dense returns a contiguous view of v, copying if it must; the buffer, if any, is the caller's to free.
func (d *Device) dense(v backend.View) (backend.View, *mem.Buffer, error) {
	if v.Contiguous() {
		return v, nil, nil
	}
	b, err := d.pool.Get("copy", v.Numel()*v.DType.Size())
	if err != nil {
		return v, nil, err
	}
	to := backend.View{Buf: b, DType: v.DType, Shape: v.Shape}
	if err := d.move(to, v); err != nil {
		b.Free()
		return v, nil, err
	}
	return to, b, nil
}
