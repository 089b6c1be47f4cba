package npz

import (
	"archive/zip"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/strictjson"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// The note holds what .npy headers cannot. It is the comment of the archive, behind notePrefix, where other readers do not
// take it for an array. One too long for a comment is an array of bytes, and the comment says so. Files written before have
// it as an entry that is no array.
const (
	notePrefix    = "lucid "
	noteName      = "__lucid__.npy"
	noteElsewhere = notePrefix + noteName
	oldNoteName   = "__lucid__.json"
	maxComment    = 1<<16 - 1
)

const noteVersion = 1

// note is its content: {"version":1,"dtypes":{"w":"bfloat16"},"metadata":{…}}.
type note struct {
	bf16     map[string]bool
	metadata map[string]string
}

// bytes returns the entry, nil if there is nothing to say.
func (n note) bytes() []byte {
	if len(n.bf16) == 0 && len(n.metadata) == 0 {
		return nil
	}
	b := []byte(`{"version":1,"dtypes":{`)
	for i, name := range slices.Sorted(maps.Keys(n.bf16)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = strictjson.AppendString(b, name)
		b = append(b, `:"bfloat16"`...)
	}
	b = append(b, `},"metadata":`...)
	return append(strictjson.AppendMap(b, n.metadata), '}')
}

// findNote reads the note, an empty one if there is none. Comments that others wrote say nothing.
func findNote(comment string, about *zip.File, o Options) (note, error) {
	text, ours := strings.CutPrefix(comment, notePrefix)
	switch {
	case comment == noteElsewhere && about == nil:
		return note{}, fault.New(fault.Format, op, "the note %s is not in the archive", noteName)
	case about != nil && ours && comment != noteElsewhere:
		return note{}, fault.New(fault.Format, op, "the archive has a note in its comment and in %s", about.Name)
	case about != nil:
		return readNote(about, o)
	case ours && strings.HasPrefix(text, "{"):
		return parseNote([]byte(text), o.Limits.Filled())
	}
	return note{}, nil
}

// readNote reads a note that is an entry.
func readNote(f *zip.File, o Options) (n note, err error) {
	lim := o.Limits.Filled()
	if f.Name == noteName {
		t, err := readEntry(entry{strings.TrimSuffix(noteName, ".npy"), f}, false, o,
			codec.NewBudget(op, codec.Limits{MaxBytes: lim.MaxHeader}))
		if err != nil {
			return n, err
		}
		if t.DType != dtype.Uint8 || len(t.Shape) != 1 {
			return n, fault.New(fault.Format, op, "the note %s is %v of shape %v; want bytes", noteName, t.DType, t.Shape)
		}
		return parseNote(t.Data, lim)
	}
	if f.UncompressedSize64 > uint64(lim.MaxHeader) {
		return n, fault.New(fault.Format, op, "%s has %d bytes, more than %d", f.Name, f.UncompressedSize64, lim.MaxHeader)
	}
	r, err := f.Open()
	if err != nil {
		return n, broken(f.Name, err)
	}
	defer r.Close()
	// The archive reader stops at the declared size.
	text, err := io.ReadAll(r)
	if err != nil {
		return n, broken(f.Name, err)
	}
	return parseNote(text, lim)
}

func parseNote(text []byte, lim codec.Limits) (n note, err error) {
	p, err := strictjson.New(op, text, lim.MaxDepth, 4*lim.MaxTensors)
	if err != nil {
		return n, err
	}
	version := int64(0)
	err = p.Object(func(key string) (err error) {
		switch key {
		case "version":
			version, err = p.Int()
			return err
		case "dtypes":
			n.bf16 = map[string]bool{}
			return p.Object(func(name string) error {
				d, err := p.String()
				if err == nil && d != "bfloat16" {
					err = p.Fail("dtype %.32q of %q", d, name)
				}
				n.bf16[name] = true
				return err
			})
		case "metadata":
			n.metadata, err = p.StringMap()
			if len(n.metadata) == 0 {
				n.metadata = nil
			}
			return err
		}
		return p.Skip()
	})
	if err == nil {
		err = p.End()
	}
	if err != nil {
		return n, err
	}
	if version < 1 {
		return n, fault.New(fault.Format, op, "the note of an archive has no version")
	}
	if version > noteVersion {
		return n, fault.New(fault.Version, op, "the note of an archive has version %d; this library knows up to %d", version, noteVersion)
	}
	return n, nil
}
