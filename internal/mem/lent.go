package mem

import (
	"runtime"
	"sync"
)

// lent is the class of memory that another program lent.
const lent = -100

// release is called once, when the last node that shows a lent buffer is gone.
type release struct {
	once sync.Once
	f    func()
}

func (r *release) do() { r.once.Do(r.f) }

// Lent wraps memory of another program, which must stay and not change until done is called: when no node shows the buffer any more.
// done may be called by any goroutine, while the engine holds locks: it must not call the engine. It may be nil.
func Lent(b []byte, done func()) *Buffer { return lend(FromGo(b), done) }

// LentDevice is Lent for memory of a device that the host cannot read. Work of the device may still read it when done is called.
func LentDevice(at uintptr, size int, done func()) *Buffer {
	return lend(&Buffer{Dev: at, Size: size, class: -1, ReadOnly: true}, done)
}

func lend(buf *Buffer, done func()) *Buffer {
	if done != nil {
		r := &release{f: done}
		buf.class = lent
		buf.forms.Store(&derivedForms{release: r})
		runtime.AddCleanup(buf, (*release).do, r) // nodes that were dropped, not counted down
	}
	return buf
}
