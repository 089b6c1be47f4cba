package zipfile

import (
	"archive/zip"
	"encoding/binary"
	"io"

	"github.com/lucid-go/lucid/internal/fault"
)

// headerReader reads the archive and notes where it was last read: the local header of an entry, after the zip package
// asked for the entry's offset, since the package does not tell.
type headerReader struct {
	io.ReaderAt
	last int64
}

func (r *headerReader) ReadAt(p []byte, off int64) (int, error) {
	r.last = off
	return r.ReaderAt.ReadAt(p, off)
}

const localHeaderLen = 30

// dataOffset returns where the bytes of an entry begin. Some readers go by the directory and others by the header in front of
// an entry's bytes: an archive in which they differ would show each of them other arrays, so it is refused.
func (r *headerReader) dataOffset(op string, f *zip.File) (int64, error) {
	from, err := f.DataOffset()
	if err != nil {
		return 0, err
	}
	at := r.last
	var b [localHeaderLen]byte
	if _, err := r.ReaderAt.ReadAt(b[:], at); err != nil {
		return 0, err
	}
	le := binary.LittleEndian
	name, extra := int64(le.Uint16(b[26:])), int64(le.Uint16(b[28:]))
	if le.Uint32(b[:]) != 0x04034b50 || at+localHeaderLen+name+extra != from {
		return 0, fault.New(fault.Format, op, "archive entry %q has no header of its own", f.Name)
	}
	text := make([]byte, name) // of at most 65535 bytes
	if _, err := r.ReaderAt.ReadAt(text, at+localHeaderLen); err != nil {
		return 0, err
	}
	if string(text) != f.Name {
		return 0, fault.New(fault.Format, op, "archive entry %q is named %q in its own header", f.Name, text)
	}
	if m := le.Uint16(b[8:]); m != f.Method {
		return 0, fault.New(fault.Format, op, "archive entry %q has compression method %d, and %d in its own header", f.Name, f.Method, m)
	}
	return from, nil
}
