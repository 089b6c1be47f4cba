package exec

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/par"
	"github.com/lucid-go/lucid/internal/shape"
)

// A replay whose launches all go to one device that captures launches runs as one recording from its third run on. A recording uses
// fixed addresses. State that is written in place has the same address in every run, and so may other inputs: they are recorded where
// they are. An input whose address changes is copied to a staging buffer of the recording. Results are copied out of it, unless that
// takes longer than the launches that a recording saves.

const (
	maxRecordings = 8         // after so many the state's address will not stop changing
	maxStaged     = 512 << 20 // bytes worth copying rather than launching one by one
	maxCopied     = 8 << 20   // bytes of results worth copying rather than one more launch: some 4 µs on a device
	muchCached    = 64 << 20
)

// capture is the state of a replay's recording.
type capture struct {
	mu    sync.Mutex
	dev   *backend.Device
	why   string // why there is none and will be none
	last  []uintptr
	moves []bool // inputs whose address changes from run to run
	state []bool // those of them that may be state, whose address is fixed once it is written in place
	again []bool // arguments that are assigned, and moved once: the first run could not write them in place, later ones may
	made  int
	rec   *recording
	// recordings are those of other sizes of the plan, nil: it has none; used is when the last run was, among theirs.
	recordings *recordings
	used       int
}

// recording is a program recorded over fixed memory.
type recording struct {
	graph      backend.Graph
	at         []uintptr     // addresses of the inputs when they were recorded
	staged     []*mem.Buffer // staging buffer of an input; nil: it is read at its own address
	sent       [][]byte      // what was last copied to the staging buffer of an input in host memory
	hostStaged []*mem.Buffer // staging buffers of inputs in host memory, which outlive a run
	taken      []int         // inputs written over
	outs       []recordedOut // by output
}

// recordedOut is the memory of an output after a run.
type recordedOut struct {
	input int         // the input it shows, -1: none
	buf   *mem.Buffer // a constant, or the memory to copy it from
	fixed bool        // a constant
}

// newCapture says whether a program can be recorded.
func newCapture(p *Program, lays []*shape.Layout) *capture {
	c := &capture{}
	for _, l := range lays {
		if l != nil && slices.Min(l.Strides) < 0 {
			c.why = "an argument has negative strides"
		}
	}
	at := slices.IndexFunc(p.steps, func(s step) bool { return s.dev.Capturer != nil })
	if at < 0 {
		return nil
	}
	c.dev = p.steps[at].dev
	if i := slices.IndexFunc(p.steps, func(s step) bool { return s.dev != c.dev }); i >= 0 {
		c.why = fmt.Sprintf("it runs on more than one device: %s on %v", p.steps[i].name(), p.steps[i].dev.Type)
	}
	if p.control && (c.dev.ControlRecorder == nil || !c.dev.RecordsControl()) {
		c.why = "control flow reads what it decides by on the host"
	}
	return c
}

// Graph tells how the replay runs: as a recording, one launch after the other for now, or why never otherwise. ""
// if the device records nothing.
func (r *Replay) Graph() string {
	c := r.capture
	if c == nil {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.why != "":
		return "launched one by one: " + c.why
	case c.rec == nil:
		return "not recorded yet"
	}
	text := fmt.Sprintf("recorded: %d launches, %d inputs copied in, %d results copied out", len(r.prog.steps), c.rec.copiesIn(),
		c.rec.copiesOut())
	if r.prog.control {
		text += "; control flow decides on the device"
	}
	return text
}

func (r *recording) copiesIn() (n int) {
	for _, b := range r.staged {
		if b != nil {
			n++
		}
	}
	return n
}

func (r *recording) copiesOut() (n int) {
	for _, o := range r.outs {
		if o.input < 0 && !o.fixed {
			n++
		}
	}
	return n
}

// address is the address of a buffer's memory.
func address(b *mem.Buffer) uintptr {
	if b.Dev != 0 || len(b.Mem) == 0 {
		return b.Dev
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(b.Mem)))
}

// run runs the recording, making it first if it is time. done is false if the program must run launch by launch.
func (c *capture) run(ctx context.Context, b *binding, det bool) (outs []*graph.Node, done bool, err error) {
	if c.why != "" || ctx.Err() != nil {
		return nil, false, nil
	}
	c.recordings.use(c)
	if c.rec != nil && !c.fits(b) {
		c.drop()
		return nil, false, nil
	}
	if c.rec == nil {
		if !c.learn(b) || !b.unseen(c.state) || !c.recordings.admit(c) {
			return nil, false, nil
		}
		if err := c.record(b, det); err != nil {
			b.untakeAll()
			c.why = err.Error()
			return nil, false, nil
		}
	} else if !b.takeAll(c.rec.taken) {
		return nil, false, nil // the state has another reader: this run writes it elsewhere
	} else {
		for _, i := range b.taken {
			b.in[i].BumpVersion()
			c.dev.Pool.CountDonation()
		}
	}
	return c.launch(b)
}

// learn notes the addresses of the inputs; it reports whether it knows which of them change.
func (c *capture) learn(b *binding) bool {
	in := b.in
	known := c.last != nil
	if !known {
		c.last, c.moves, c.state, c.again = make([]uintptr, len(in)), make([]bool, len(in)), b.state(), make([]bool, len(in))
	}
	knows := known
	for i, m := range in {
		if known && c.last[i] != address(m) {
			if k := b.argOf[i] - 1; k >= 0 && k < len(b.replay.Assigned) && b.replay.Assigned[k] && !c.again[i] {
				c.again[i], knows = true, false
			} else {
				c.moves[i] = true
			}
		}
		c.last[i] = address(m)
	}
	return knows
}

// fits reports whether the inputs have the addresses that were recorded, or are copied anyway.
func (c *capture) fits(b *binding) bool {
	ok := true
	for i, m := range b.in {
		if c.rec.staged[i] == nil && c.rec.at[i] != address(m) {
			c.moves[i], ok = true, false
			if !slices.Contains(c.rec.taken, i) {
				c.state[i] = false // the program could write over it, but never does
			}
		}
	}
	return ok
}

func (c *capture) drop() {
	c.rec.graph.Close()
	for _, b := range c.rec.hostStaged {
		b.Free()
	}
	c.rec = nil
	if c.made >= maxRecordings {
		c.why = fmt.Sprintf("it was recorded %d times, and its state still moves", c.made)
	}
}

// record lets the device record the launches.
func (c *capture) record(b *binding, det bool) error {
	p, rec := b.replay.prog, &recording{at: make([]uintptr, len(b.in)), staged: make([]*mem.Buffer, len(b.in)),
		sent: make([][]byte, len(b.in))}
	in := append([]*mem.Buffer(nil), b.in...)
	var shared []*mem.Buffer // staging buffers that other recordings use too
	free := func() {
		for _, m := range shared {
			m.Free()
		}
	}
	total := 0
	for i, m := range b.in {
		onHost := m.Mem != nil && !c.dev.Host
		if b.argOf[i] == 0 || !onHost && (!c.moves[i] || c.state[i]) {
			continue
		}
		pool := c.dev.Scratch()
		if onHost {
			pool = c.dev.Pool // what was sent stays
		}
		staging, err := pool.Get("record", m.Size)
		if err != nil {
			free()
			return err
		}
		if in[i], rec.staged[i] = staging, describe(staging); onHost {
			rec.hostStaged = append(rec.hostStaged, staging)
		} else {
			shared = append(shared, staging)
			total += m.Size
		}
	}
	defer free()
	if total > maxStaged {
		return fault.New(fault.Value, "record", "its arguments, %d bytes, have other addresses at every call", total)
	}
	if c.dev.Pool.Stats().Cached > muchCached {
		c.dev.Pool.Trim() // what runs launch by launch had is of no use to the recording
	}
	take := func(i int) bool { return rec.staged[i] == nil && b.take(i) }
	run, err := p.reserve(c.dev.Scratch(), in, take, b.untakeFn)
	if err != nil {
		return err
	}
	for i, m := range in {
		rec.at[i] = address(m)
	}
	rec.taken = append([]int(nil), b.taken...)
	back, copied := c.recordOuts(rec, b, run, in)
	defer func() { // the memory of results goes back to the recordings' pool
		for m := range back {
			m.Free()
		}
		run.free(false)
	}()
	if copied > maxCopied*len(p.steps) && !slices.Contains(c.state, true) { // state may be written in place the next time
		for _, m := range rec.hostStaged {
			m.Free()
		}
		return fault.New(fault.Value, "record", "its results, %d bytes, take longer to copy than its launches, %d", copied, len(p.steps))
	}
	c.made++
	if c.dev.Precompiler != nil { // an input that was in host memory is on the device now, which may take another kernel
		c.dev.Precompile(func(mode any) { run.precompile(0, c.dev, mode) })
	}
	rec.graph, err = c.dev.Capture(func(mode any) error {
		kc := &backend.Ctx{Context: context.Background(), Deterministic: det, For: par.For, LaunchMode: mode}
		for k := range p.steps {
			if err := run.launchInMode(kc, k); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		for _, m := range rec.hostStaged {
			m.Free()
		}
		return err
	}
	c.rec = rec
	return nil
}

// recordOuts notes where the outputs are; it returns the memory that they are copied from, and how many bytes.
func (c *capture) recordOuts(rec *recording, b *binding, run *run, in []*mem.Buffer) (back map[*mem.Buffer]bool, copied int) {
	back = map[*mem.Buffer]bool{}
	for _, o := range b.replay.outs {
		m := run.bufs[o.at.buf]
		out := recordedOut{input: -1, buf: m, fixed: run.prog.bufs[o.at.buf].data != nil}
		for i := range in {
			if in[i] == m {
				out.input = i
			}
		}
		if out.input < 0 && !out.fixed {
			if !back[m] {
				copied += m.Size
			}
			out.buf, back[m] = describe(m), true
		}
		rec.outs = append(rec.outs, out)
	}
	return back, copied
}

// describe is a buffer at the same address which owns nothing.
func describe(m *mem.Buffer) *mem.Buffer { return &mem.Buffer{Mem: m.Mem, Dev: m.Dev, Size: m.Size} }

// launch runs the recording; the inputs it writes over are taken.
func (c *capture) launch(b *binding) ([]*graph.Node, bool, error) {
	rec := c.rec
	var before, behind []backend.Copy
	for i, staging := range rec.staged {
		switch m := b.in[i]; {
		case staging == nil || m.Size == 0:
		case m.Mem != nil && !c.dev.Host:
			if !bytes.Equal(rec.sent[i], m.Mem) {
				before = append(before, backend.Copy{Dst: staging, Src: m})
			}
		case address(staging) != address(m):
			before = append(before, backend.Copy{Dst: staging, Src: m})
		}
	}
	fresh := make([]*mem.Buffer, len(rec.outs))
	giveUp := func() {
		for i, m := range fresh {
			if m != nil && rec.outs[i].input < 0 && !rec.outs[i].fixed {
				m.Free()
			}
		}
		b.untakeAll()
	}
	for i, o := range rec.outs {
		switch {
		case o.input >= 0:
			fresh[i] = b.in[o.input]
		case o.fixed:
			fresh[i] = o.buf
		case i > 0 && sameOut(rec.outs[:i], o) >= 0:
			fresh[i] = fresh[sameOut(rec.outs[:i], o)]
		default:
			m, err := c.dev.Pool.Get("result", o.buf.Size)
			if err != nil {
				giveUp()
				return nil, false, nil
			}
			fresh[i] = m
			behind = append(behind, backend.Copy{Dst: m, Src: o.buf})
		}
	}
	outcome, err := rec.graph.Launch(before, behind, fresh)
	if err != nil {
		giveUp()
		if err == backend.ErrStaleRecording {
			c.drop()
			return nil, false, nil
		}
		return nil, true, err
	}
	for i, staging := range rec.staged {
		if m := b.in[i]; staging != nil && m.Mem != nil && !c.dev.Host {
			rec.sent[i] = append(rec.sent[i][:0], m.Mem...)
		}
	}
	c.mark(b, fresh, outcome)
	outs := make([]*graph.Node, len(fresh))
	for i, o := range b.replay.outs {
		buf, lay := fresh[i], o.at.lay
		if k := rec.outs[i].input; k >= 0 && b.argOf[k] > 0 && !b.isTaken(k) {
			buf, lay = ofArgument(b.args[b.argOf[k]-1], o)
		}
		outs[i] = graph.NewStoredView(buf, o.Spec, o.Dev, lay)
	}
	b.finish()
	return outs, true, nil
}

// sameOut finds an earlier output in the same memory.
func sameOut(outs []recordedOut, o recordedOut) int {
	for i, p := range outs {
		if p.input < 0 && !p.fixed && address(p.buf) == address(o.buf) {
			return i
		}
	}
	return -1
}
