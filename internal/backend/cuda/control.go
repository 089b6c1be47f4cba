package cuda

import (
	"encoding/binary"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
)

// Control flow in captured graphs: conditional nodes, whose handles are set by a kernel behind the launches that compute what decides.
// That kernel calls a function of the driver, which is linked when the driver compiles PTX; NVRTC could not link it.

// setters set a handle h: set_flag to whether a byte is not 0, set_index to whether a number is the one given, set_rounds to whether
// there are rounds left, of which it takes one. Their parameter is {h, address, number}.
const setters = `.version 7.0
.target sm_70
.address_size 64

.extern .func cudaGraphSetConditional (.param .b64 handle, .param .b32 value);

.visible .entry set_flag (.param .align 8 .b8 a[24])
{
	.reg .b64 %h, %p;
	.reg .b32 %v;
	ld.param.u64 %h, [a];
	ld.param.u64 %p, [a+8];
	ld.global.u8 %v, [%p];
	{
		.param .b64 x;
		.param .b32 y;
		st.param.b64 [x], %h;
		st.param.b32 [y], %v;
		call.uni cudaGraphSetConditional, (x, y);
	}
	ret;
}

.visible .entry set_index (.param .align 8 .b8 a[24])
{
	.reg .b64 %h, %p;
	.reg .b32 %v, %n;
	.reg .pred %same;
	ld.param.u64 %h, [a];
	ld.param.u64 %p, [a+8];
	ld.param.u32 %n, [a+16];
	ld.global.u32 %v, [%p];
	setp.eq.u32 %same, %v, %n;
	selp.u32 %v, 1, 0, %same;
	{
		.param .b64 x;
		.param .b32 y;
		st.param.b64 [x], %h;
		st.param.b32 [y], %v;
		call.uni cudaGraphSetConditional, (x, y);
	}
	ret;
}

.visible .entry set_rounds (.param .align 8 .b8 a[24])
{
	.reg .b64 %h, %p, %n;
	.reg .b32 %v;
	.reg .pred %more;
	ld.param.u64 %h, [a];
	ld.param.u64 %p, [a+8];
	ld.global.u64 %n, [%p];
	setp.ne.u64 %more, %n, 0;
	selp.u32 %v, 1, 0, %more;
	@%more sub.u64 %n, %n, 1;
	st.global.u64 [%p], %n;
	{
		.param .b64 x;
		.param .b32 y;
		st.param.b64 [x], %h;
		st.param.b32 [y], %v;
		call.uni cudaGraphSetConditional, (x, y);
	}
	ret;
}
`

// RecordsControl implements backend.ControlRecorder.
func (g withGraphs) RecordsControl() bool { return g.d.SupportsConditional() }

// setter finds a kernel of setters.
func (d *Device) setter(name string) (*driver.Function, error) {
	if f, ok := d.setters.Load(name); ok {
		return f.(*driver.Function), nil
	}
	f, err := d.Device.Load([]byte(setters), name)
	if err == nil {
		d.setters.Store(name, f)
	}
	return f, err
}

// set captures a launch that sets a handle.
func (d *Device) set(name string, handle uint64, at uintptr, n int) error {
	f, err := d.setter(name)
	if err != nil {
		return err
	}
	a := args{handle}
	a.ptr(at)
	a.int(n)
	pdl := d.Device.PDL
	d.Device.PDL = false // it does not wait on the device
	defer func() { d.Device.PDL = pdl }()
	return d.launch(f, 1, 1, 1, a)
}

// part shows launches to a Device that captures them into a graph of their own.
func (d *Device) part(c *backend.Ctx, to *driver.Device, show func(c *backend.Ctx) error, then func(f *Device) error) error {
	r := &recorder{d: d.rec.d, main: d.rec.main, outer: d.rec}
	f := &Device{shared: d.shared, Device: to, pool: d.graphs.pool, mode: capturing, rec: r}
	ctx := *c
	ctx.LaunchMode = f
	err := show(&ctx)
	if jerr := r.join(f); err == nil {
		err = jerr
	}
	d.rec.written = append(d.rec.written, r.written...)
	if err == nil && then != nil {
		err = then(f)
	}
	return err
}

// control runs record as a launch of its own, with which nothing else runs at the same time. In a precompilation the parts are shown
// alone.
func (g withGraphs) control(c *backend.Ctx, in []backend.View, parts []func(c *backend.Ctx) error, record func(d *Device) error) error {
	d := g.d.inMode(c)
	if d.mode == precompiling {
		for _, show := range parts {
			if err := show(c); err != nil {
				return err
			}
		}
		return nil
	}
	return d.tracked("control", nil, in, func() error { return record(d) })
}

// RecordBranch implements backend.ControlRecorder.
func (g withGraphs) RecordBranch(c *backend.Ctx, which backend.View, parts []func(c *backend.Ctx) error) error {
	return g.control(c, []backend.View{which}, parts, func(d *Device) error {
		for i, show := range parts {
			h, err := d.NewHandle()
			if err != nil {
				return err
			}
			if err := d.set("set_index", h, address(which), i); err != nil {
				return err
			}
			err = d.AddConditional(h, false, func(to *driver.Device) error { return d.part(c, to, show, nil) })
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// RecordLoop implements backend.ControlRecorder.
func (g withGraphs) RecordLoop(c *backend.Ctx, again backend.View, round func(c *backend.Ctx) error) error {
	return g.control(c, []backend.View{again}, []func(c *backend.Ctx) error{round}, func(d *Device) error {
		return d.captureLoop(c, "set_flag", address(again), round)
	})
}

// RecordRounds implements backend.ControlRecorder.
func (g withGraphs) RecordRounds(c *backend.Ctx, n int, round func(c *backend.Ctx) error) error {
	return g.control(c, nil, []func(c *backend.Ctx) error{round}, func(d *Device) error {
		left, err := d.rec.fixed(make([]byte, 8))
		if err != nil {
			return err
		}
		if err := d.Upload(left.Dev, binary.LittleEndian.AppendUint64(nil, uint64(n))); err != nil {
			return err
		}
		return d.captureLoop(c, "set_rounds", left.Dev, round)
	})
}

// captureLoop captures a loop whose handle a setter sets before every round.
func (d *Device) captureLoop(c *backend.Ctx, setter string, at uintptr, round func(c *backend.Ctx) error) error {
	h, err := d.NewHandle()
	if err != nil {
		return err
	}
	if err := d.set(setter, h, at, 0); err != nil {
		return err
	}
	return d.AddConditional(h, true, func(to *driver.Device) error {
		return d.part(c, to, round, func(f *Device) error { return f.set(setter, h, at, 0) })
	})
}

// root is the recorder of the whole graph.
func (r *recorder) root() *recorder {
	for r.outer != nil {
		r = r.outer
	}
	return r
}
