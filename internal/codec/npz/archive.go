package npz

import (
	"archive/zip"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// Decode reads all arrays of an archive of size bytes.
func Decode(r io.ReaderAt, size int64, o Options) (codec.File, error) {
	h := &headerReader{ReaderAt: r}
	z, err := zip.NewReader(h, size)
	if err != nil {
		return codec.File{}, broken("archive", err)
	}
	entries, about, err := list(z, h, size, o)
	if err != nil {
		return codec.File{}, err
	}
	note, err := findNote(z.Comment, about, o)
	if err != nil {
		return codec.File{}, err
	}
	out := codec.File{Metadata: note.metadata, Tensors: make([]codec.Tensor, 0, len(entries))}
	budget := codec.NewBudget(op, o.Limits)
	for _, e := range entries {
		bf16 := note.bf16[e.name]
		t, err := readEntry(e, bf16, o, budget)
		if err != nil {
			return codec.File{}, err
		}
		if bf16 && t.DType != dtype.BFloat16 {
			return codec.File{}, fault.New(fault.Format, op, "the note calls array %q bfloat16, its header says %s", e.name, t.DType)
		}
		out.Tensors = append(out.Tensors, t)
		delete(note.bf16, e.name)
	}
	for name := range note.bf16 {
		return codec.File{}, fault.New(fault.Format, op, "the note names the array %q, which is not there", name)
	}
	return out, nil
}

// entry is an array in an archive.
type entry struct {
	name string // without .npy
	file *zip.File
}

func readEntry(e entry, bf16 bool, o Options, budget *codec.Budget) (codec.Tensor, error) {
	r, err := e.file.Open()
	if err != nil {
		return codec.Tensor{}, broken("array "+strconv.Quote(e.name), err)
	}
	defer r.Close()
	s := stream{name: e.name, r: r, size: int64(e.file.UncompressedSize64), vouch: e.file.Method == zip.Store,
		bf16: bf16 || o.VoidAsBFloat16, lim: o.Limits, budget: budget}
	return s.read()
}

// list checks the directory before anything is read: names, methods, sizes, and that no byte of the archive serves
// two entries, which is how a small archive is made to inflate without end.
func list(z *zip.Reader, h *headerReader, size int64, o Options) (entries []entry, about *zip.File, err error) {
	lim := o.Limits.Filled()
	if len(z.File) > lim.MaxTensors {
		return nil, nil, fault.New(fault.Format, op, "the archive has %d entries, more than %d", len(z.File), lim.MaxTensors)
	}
	type span struct{ from, to int64 }
	spans := make([]span, 0, len(z.File))
	seen := map[string]bool{}
	total := codec.NewBudget(op, lim)
	for _, f := range z.File {
		if err := checkEntry(f, size); err != nil {
			return nil, nil, err
		}
		if err := total.Take(int64(f.UncompressedSize64), "archive entry "+f.Name); err != nil {
			return nil, nil, err
		}
		from, err := h.dataOffset(f)
		if _, typed := fault.KindOf(err); typed {
			return nil, nil, err
		}
		if err != nil {
			return nil, nil, broken("archive entry "+strconv.Quote(f.Name), err)
		}
		if from < 0 || from > size || int64(f.CompressedSize64) > size-from {
			return nil, nil, fault.New(fault.Format, op, "archive entry %q is outside the archive", f.Name)
		}
		spans = append(spans, span{from, from + int64(f.CompressedSize64)})
		if seen[f.Name] {
			return nil, nil, fault.New(fault.Format, op, "archive entry %q appears twice", f.Name)
		}
		seen[f.Name] = true
		if f.Name == oldNoteName || f.Name == noteName && z.Comment == noteElsewhere {
			if about != nil {
				return nil, nil, fault.New(fault.Format, op, "the archive has a note in %q and in %q", about.Name, f.Name)
			}
			about = f
			continue
		}
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			return nil, nil, fault.New(fault.Format, op, "archive entry %q is not an .npy file", f.Name)
		}
		if err := checkName(name, lim); err != nil {
			return nil, nil, err
		}
		entries = append(entries, entry{name, f})
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	for i := 1; i < len(spans); i++ {
		if spans[i].from < spans[i-1].to {
			return nil, nil, fault.New(fault.Format, op, "two archive entries share the bytes at %d", spans[i].from)
		}
	}
	return entries, about, nil
}

// checkEntry bounds an entry's sizes by what its bytes can hold: deflate makes at most 1032 bytes of one.
func checkEntry(f *zip.File, size int64) error {
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

// checkName refuses names that could be taken for a path outside, or that do not print.
func checkName(name string, lim codec.Limits) error {
	if err := codec.CheckName(op, name, lim); err != nil {
		return err
	}
	bad := name == "" || name[0] == '/' || strings.ContainsFunc(name,
		func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == utf8.RuneError })
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || part == ".."
	}
	if bad {
		return fault.New(fault.Format, op, "%q cannot be the name of an array in an archive", name)
	}
	return nil
}
