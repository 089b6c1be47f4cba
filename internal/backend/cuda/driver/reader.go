package driver

import (
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/dl"
)

// reader copies values to the host: a stream of its own, on which a copy waits only for the work that makes the value, and
// pinned memory, which takes a third off the time of a small copy.
type reader struct {
	dev  *Device // with the stream
	host []byte
}

const readerSize = 64 << 10

// readers are the free ones.
type readers struct {
	mu   sync.Mutex
	free []*reader
}

func (r *readers) take(d *Device) (*reader, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.free); n > 0 {
		x := r.free[n-1]
		r.free = r.free[:n-1]
		return x, nil
	}
	side, err := d.NewStream()
	if err != nil {
		return nil, err
	}
	host, err := d.Pinned(readerSize)
	if err != nil {
		return nil, err
	}
	return &reader{side, host}, nil
}

func (r *readers) give(x *reader) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = append(r.free, x)
}

// Download copies to the host what work number n made, and waits for it, not for work submitted behind that. 0 stands for
// all work so far.
func (d *Device) Download(dst []byte, src uintptr, n int64) error {
	if len(dst) == 0 {
		return nil
	}
	x, err := d.readers.take(d)
	if err != nil {
		return err
	}
	defer d.readers.give(x)
	if len(dst) >= leastSlots {
		// Wait before taking a slot, so that a waiting reader blocks no uploads.
		if err := d.Reached(n); err != nil {
			return err
		}
		return d.stagedDownload(dst, src, x.dev.Stream)
	}
	stream := d.Stream
	if n == 0 || !d.progress.last(n) {
		stream = x.dev.Stream
		if err := d.waitFor(n, stream); err != nil {
			return err
		}
	}
	for at := 0; at < len(dst); at += readerSize {
		size := min(readerSize, len(dst)-at)
		if err := d.sized("copying bytes from the device", size, func() uintptr {
			if s := dl.Call(cu.memcpyDtoH, uintptr(unsafe.Pointer(unsafe.SliceData(x.host))), src+uintptr(at), uintptr(size),
				stream); s != 0 {
				return s
			}
			return dl.Call(cu.streamSynchronize, stream)
		}); err != nil {
			return err
		}
		copy(dst[at:], x.host[:size])
	}
	return nil
}
