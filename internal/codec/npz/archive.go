package npz

import (
	"archive/zip"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/zipfile"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// Decode reads all arrays of an archive of size bytes.
func Decode(r io.ReaderAt, size int64, o Options) (codec.File, error) {
	z, err := zipfile.Open(op, r, size, o.Limits)
	if err != nil {
		return codec.File{}, err
	}
	entries, about, err := list(z, o)
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

// list checks the names of the entries, whose sizes zipfile.Open checked.
func list(z *zip.Reader, o Options) (entries []entry, about *zip.File, err error) {
	lim := o.Limits.Filled()
	for _, f := range z.File {
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
	return entries, about, nil
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
