package npz

import (
	"archive/zip"
	"io"
	"maps"
	"slices"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/strictjson"
	"github.com/lucid-go/lucid/internal/fault"
)

// noteName is the entry that holds what .npy headers cannot.
const noteName = "__lucid__.json"

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

func readNote(f *zip.File, o Options) (n note, err error) {
	lim := o.Limits.Filled()
	if f.UncompressedSize64 > uint64(lim.MaxHeader) {
		return n, fault.New(fault.Format, op, "%s has %d bytes, more than %d", noteName, f.UncompressedSize64, lim.MaxHeader)
	}
	r, err := f.Open()
	if err != nil {
		return n, broken(noteName, err)
	}
	defer r.Close()
	// The archive reader stops at the declared size.
	text, err := io.ReadAll(r)
	if err != nil {
		return n, broken(noteName, err)
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
		return n, fault.New(fault.Format, op, "%s has no version", noteName)
	}
	if version > noteVersion {
		return n, fault.New(fault.Version, op, "%s has version %d; this library knows up to %d", noteName, version, noteVersion)
	}
	return n, nil
}
