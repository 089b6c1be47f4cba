package mem

import (
	"slices"
	"sync"
)

// derivedForms are other forms of a buffer's value, such as weights in the order in which a kernel reads them.
type derivedForms struct {
	mu      sync.Mutex
	list    []derivedForm
	asked   []any    // keys of Wanted
	release *release // of memory that another program lent
}

type derivedForm struct {
	key     any
	version uint32
	buf     *Buffer
}

// Derive returns another form of the buffer's value, size bytes from a pool, which fill writes the first time. It is stored as long
// as the buffer is, and made again when the buffer has another version. The caller knows that the value does not change during the
// call; key says which form it is.
func (b *Buffer) Derive(key any, pool *Pool, size int, fill func(dst []byte) error) ([]byte, error) {
	f := b.derived()
	f.mu.Lock()
	defer f.mu.Unlock()
	version := b.Version()
	for i := range f.list {
		d := &f.list[i]
		if d.key != key {
			continue
		}
		if d.version != version {
			if err := fill(d.buf.Mem); err != nil {
				return nil, err
			}
			d.version = version
		}
		return d.buf.Mem, nil
	}
	buf, err := pool.Get("packed weights", size)
	if err != nil {
		return nil, err
	}
	if err := fill(buf.Mem); err != nil {
		buf.Free()
		return nil, err
	}
	f.list = append(f.list, derivedForm{key, version, buf})
	return buf.Mem, nil
}

func (b *Buffer) derived() *derivedForms {
	f := b.forms.Load()
	if f == nil {
		b.forms.CompareAndSwap(nil, new(derivedForms))
		f = b.forms.Load()
	}
	return f
}

// Wanted reports whether it was asked before for this form: one that is used once is not worth its memory.
func (b *Buffer) Wanted(key any) bool {
	f := b.derived()
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.Contains(f.asked, key) {
		return true
	}
	f.asked = append(f.asked, key)
	return false
}

// dropDerived gives other forms of the value back.
func (b *Buffer) dropDerived() {
	if f := b.forms.Swap(nil); f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, d := range f.list {
			d.buf.Free()
		}
		if f.release != nil {
			f.release.do()
		}
	}
}
