// Package zipfile opens zip archives that may be hostile: their directory is checked before anything is read.
package zipfile

import (
	"archive/zip"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strconv"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/fault"
)

// Open reads the directory of an archive of size bytes, and checks methods, sizes, that no name comes twice, and that no byte of the
// archive serves two entries, which is how a small archive is made to inflate without end. op names the format in errors.
func Open(op string, r io.ReaderAt, size int64, o codec.Limits) (*zip.Reader, error) {
	h := &headerReader{ReaderAt: r}
	z, err := zip.NewReader(h, size)
	if err != nil {
		return nil, Broken(op, "archive", err)
	}
	lim := o.Filled()
	if len(z.File) > lim.MaxTensors {
		return nil, fault.New(fault.Format, op, "the archive has %d entries, more than %d", len(z.File), lim.MaxTensors)
	}
	type span struct{ from, to int64 }
	spans := make([]span, 0, len(z.File))
	seen := map[string]bool{}
	total := codec.NewBudget(op, lim)
	for _, f := range z.File {
		if err := checkEntry(op, f, size); err != nil {
			return nil, err
		}
		if err := total.Take(int64(f.UncompressedSize64), "archive entry "+f.Name); err != nil {
			return nil, err
		}
		from, err := h.dataOffset(op, f)
		if _, typed := fault.KindOf(err); typed {
			return nil, err
		}
		if err != nil {
			return nil, Broken(op, "archive entry "+strconv.Quote(f.Name), err)
		}
		if from < 0 || from > size || int64(f.CompressedSize64) > size-from {
			return nil, fault.New(fault.Format, op, "archive entry %q is outside the archive", f.Name)
		}
		spans = append(spans, span{from, from + int64(f.CompressedSize64)})
		if seen[f.Name] {
			return nil, fault.New(fault.Format, op, "archive entry %q appears twice", f.Name)
		}
		seen[f.Name] = true
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	for i := 1; i < len(spans); i++ {
		if spans[i].from < spans[i-1].to {
			return nil, fault.New(fault.Format, op, "two archive entries share the bytes at %d", spans[i].from)
		}
	}
	return z, nil
}

// Broken types an error from below: the disk's stay as they are, all others mean a bad file.
func Broken(op, what string, err error) error {
	var disk *fs.PathError
	if errors.As(err, &disk) {
		return codec.IOError(op, err)
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fault.Wrap(fault.Format, op, err, "%s is damaged or cut short", what)
}

// checkEntry bounds an entry's sizes by what its bytes can hold: deflate makes at most 1032 bytes of one.
func checkEntry(op string, f *zip.File, size int64) error {
	packed, full := f.CompressedSize64, f.UncompressedSize64
	switch {
	case f.Flags&1 != 0:
		return fault.New(fault.Format, op, "archive entry %q is encrypted", f.Name)
	case packed > uint64(size):
		return fault.New(fault.Format, op, "archive entry %q claims %d bytes of an archive of %d", f.Name, packed, size)
	case f.Method == zip.Store && packed != full:
		return fault.New(fault.Format, op, "archive entry %q is stored, but has two sizes, %d and %d", f.Name, packed, full)
	case f.Method == zip.Deflate && full > 1032*packed+1032: // packed is a file's length: no overflow
		return fault.New(fault.Format, op, "archive entry %q claims to inflate from %d bytes to %d", f.Name, packed, full)
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return fault.New(fault.Format, op, "archive entry %q has compression method %d; only stored and deflated are read",
			f.Name, f.Method)
	}
	return nil
}
