package fake

import (
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/mem"
)

// remote is the memory of a device that the host cannot read: buffers have addresses alone.
type remote struct {
	mu     sync.Mutex
	blocks map[uintptr][]byte
}

// NewRemote makes a device over the kernels of another one as a GPU is to the host: values are copied to and from it, and kernels that
// refuse a value go on and say so when the deferred checks run.
func NewRemote(from *backend.Device) *backend.Device {
	m := &remote{blocks: map[uintptr][]byte{}}
	table := backend.Table{}
	for name, k := range from.Table {
		table[name] = func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
			return m.launch(c, out, in, func(out, in []backend.View) error { return k(c, a, out, in) })
		}
	}
	d := &backend.Device{Type: "remote", Pool: mem.NewPool("remote", m), Table: table, Transfer: m, HostFallback: m,
		Enqueuer: newQueue(func(work func()) { work() })}
	if from.Fuser != nil {
		d.Fuser = remoteFuser{from.Fuser, m}
	}
	return d
}

// Alloc implements mem.Source.
func (m *remote) Alloc(n int) ([]byte, uintptr, error) {
	b := dtype.Bytes(make([]uint64, n/8+9))
	at := (uintptr(unsafe.Pointer(&b[0])) + 63) &^ 63
	m.mu.Lock()
	m.blocks[at] = b[at-uintptr(unsafe.Pointer(&b[0])):][:n]
	m.mu.Unlock()
	return nil, at, nil
}

// Release implements mem.Source.
func (m *remote) Release(_ []byte, at uintptr) {
	m.mu.Lock()
	delete(m.blocks, at)
	m.mu.Unlock()
}

// bytes is the memory of a buffer.
func (m *remote) bytes(b *mem.Buffer) []byte {
	if b.Mem != nil {
		return b.Mem
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for at, block := range m.blocks {
		if b.Dev >= at && b.Dev < at+uintptr(len(block)) {
			return block[b.Dev-at:][:b.Size]
		}
	}
	return nil
}

// Upload implements backend.Transfer.
func (m *remote) Upload(dst *mem.Buffer, src []byte) error {
	copy(m.bytes(dst), src)
	return nil
}

// Download implements backend.Transfer.
func (m *remote) Download(dst []byte, src *mem.Buffer) error {
	copy(dst, m.bytes(src))
	return nil
}

// Fallback implements backend.HostFallback.
func (m *remote) Fallback(string) error { return nil }

// launch runs a kernel on the memory of its operands. What it refuses is said later.
func (m *remote) launch(c *backend.Ctx, out, in []backend.View, run func(out, in []backend.View) error) (err error) {
	shown := map[*mem.Buffer]*mem.Buffer{} // kernels look whether an output is one of their inputs
	show := func(views []backend.View) []backend.View {
		views = append([]backend.View(nil), views...)
		for i, v := range views {
			if shown[v.Buf] == nil {
				shown[v.Buf] = &mem.Buffer{Mem: m.bytes(v.Buf), Size: v.Buf.Size}
			}
			views[i].Buf = shown[v.Buf]
		}
		return views
	}
	defer func() {
		if p := recover(); p != nil {
			err = fault.FromPanic("remote", p)
		}
		if refused := err; refused != nil && c.DeferCheck != nil {
			err = nil
			c.DeferCheck(func() error { return refused })
		}
	}()
	return run(show(out), show(in))
}

// remoteFuser runs the fused programs of another device.
type remoteFuser struct {
	backend.Fuser
	m *remote
}

// RunFused runs a program on the memory of its operands.
func (u remoteFuser) RunFused(c *backend.Ctx, p *backend.Fused, out, in []backend.View) error {
	return u.m.launch(c, out, in, func(out, in []backend.View) error { return u.Fuser.RunFused(c, p, out, in) })
}
