package fake

import (
	"sync"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/mem"
)

// recorder is the launch mode in which launches are recorded.
type recorder struct{ list []recorded }

type recorded struct {
	step int
	ctx  backend.Ctx
	run  func(c *backend.Ctx) error
}

// take runs a launch, or records it over the memory it has now: buffers may be given back before it runs.
func take(c *backend.Ctx, out, in []backend.View, run func(c *backend.Ctx, out, in []backend.View) error) error {
	r, ok := c.LaunchMode.(*recorder)
	if !ok {
		return run(c, out, in)
	}
	same := map[*mem.Buffer]*mem.Buffer{} // kernels look whether an output is one of their inputs
	fixed := func(views []backend.View) []backend.View {
		views = append([]backend.View(nil), views...)
		for i, v := range views {
			if same[v.Buf] == nil {
				same[v.Buf] = &mem.Buffer{Mem: v.Buf.Mem, Size: v.Buf.Size}
			}
			views[i].Buf = same[v.Buf]
		}
		return views
	}
	out, in = fixed(out), fixed(in)
	ctx := *c
	ctx.LaunchMode = nil
	r.list = append(r.list, recorded{c.Step, ctx, func(c *backend.Ctx) error { return run(c, out, in) }})
	return nil
}

// recording is a Graph. What became of a run is known only to those who ask for the third time, or wait.
type recording struct {
	f    *Faults
	mu   *sync.Mutex
	list []recorded
	age  int
}

// capturer records launches of a device with faults.
type capturer struct {
	f       *Faults
	mu      *sync.Mutex
	scratch *mem.Pool
}

func (f *Faults) capturer() capturer {
	return capturer{f, new(sync.Mutex), mem.NewPool("fake recordings", source{f}).Shared()}
}

// Scratch is memory that recordings share.
func (c capturer) Scratch() *mem.Pool { return c.scratch }

// Capture records the launches that show makes.
func (c capturer) Capture(show func(mode any) error) (backend.Graph, error) {
	c.f.mu.Lock()
	planted, age := c.f.launch["record"], c.f.voided
	c.f.mu.Unlock()
	if planted != nil {
		return nil, planted
	}
	r := &recorder{}
	if err := show(r); err != nil {
		return nil, err
	}
	return &recording{c.f, c.mu, r.list, age}, nil
}

// VoidRecordings makes all recordings made so far void.
func (f *Faults) VoidRecordings() {
	f.mu.Lock()
	f.voided++
	f.mu.Unlock()
}

// Replayed returns how often a recording ran.
func (f *Faults) Replayed() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.replayed
}

// Launch runs the recording.
func (g *recording) Launch(before, behind []backend.Copy, _ []*mem.Buffer) (backend.Outcome, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.f.mu.Lock()
	void := g.f.voided != g.age
	g.f.replayed++
	g.f.mu.Unlock()
	if void {
		return nil, backend.ErrStaleRecording
	}
	var bad []backend.DeviceError
	for _, c := range before {
		copy(c.Dst.Mem[:c.Src.Size], c.Src.Mem)
	}
	for _, r := range g.list {
		var late []func() error
		ctx := r.ctx
		ctx.DeferCheck = func(check func() error) { late = append(late, check) }
		err := r.caught(&ctx)
		for _, check := range late {
			if e := check(); err == nil {
				err = e
			}
		}
		if err != nil {
			bad = append(bad, backend.DeviceError{Step: r.step, Err: err})
		}
	}
	for _, c := range behind {
		copy(c.Dst.Mem[:c.Src.Size], c.Src.Mem)
	}
	asked := 0
	return func(wait bool) (bool, []backend.DeviceError, error) {
		asked++
		return wait || asked > 2, bad, nil
	}, nil
}

// caught runs a launch; kernels on the host panic with what they refuse.
func (r *recorded) caught(c *backend.Ctx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.FromPanic("recorded", p)
		}
	}()
	return r.run(c)
}

// ReportsErrors reports that every kernel may refuse values.
func (g *recording) ReportsErrors() bool { return true }

// Close has nothing to give back.
func (g *recording) Close() {}
