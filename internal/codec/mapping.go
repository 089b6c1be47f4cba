package codec

import (
	"io"
	"os"
	"sync"
)

// Mapping is a file's bytes in memory, read-only, paged in as they are touched.
//
// It is fast and it is not safe: if another process truncates the file, a read past the new end kills this
// process with SIGBUS, which Go cannot recover from. A write to the bytes faults.
type Mapping struct {
	once sync.Once
	data []byte
}

// Map maps f whole; f may be closed afterwards. Where the system has no mapping it gives a NotImplemented error.
func Map(f *os.File) (*Mapping, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, IOError("map", err)
	}
	data, err := mapFile(f, st.Size())
	if err != nil {
		return nil, err
	}
	return &Mapping{data: data}, nil
}

// Bytes returns the file's bytes, valid until Close.
func (m *Mapping) Bytes() []byte { return m.data }

// ReadAt copies out of the mapping.
func (m *Mapping) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off >= int64(len(m.data)) {
		return 0, io.EOF
	}
	n := copy(p, m.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Close unmaps. No slice of Bytes may be touched afterwards.
func (m *Mapping) Close() (err error) {
	m.once.Do(func() { err = unmap(m.data); m.data = nil })
	return err
}
