package lucid

import (
	"hash/crc32"
	"io"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/strictjson"
	"github.com/lucid-go/lucid/internal/fault"
)

// Write replaces the file at path; see codec.WriteAtomic.
func Write(path string, c Checkpoint) error {
	head, err := plan(c)
	if err != nil {
		return err
	}
	return codec.WriteAtomic(path, func(w io.Writer) error { return emit(w, head, c) })
}

// Encode writes the file to w.
func Encode(w io.Writer, c Checkpoint) error {
	head, err := plan(c)
	if err != nil {
		return err
	}
	return emit(w, head, c)
}

// plan checks every section, before a byte is written, and lays the file out.
func plan(c Checkpoint) (header, error) {
	h := header{schema: c.Schema, sections: make([]sectionSpec, 0, len(c.Sections))}
	lim := codec.Limits{}.Filled()
	for part, v := range c.Schema {
		if err := codec.CheckName(op, part, lim); err != nil {
			return h, err
		}
		if v < 0 {
			return h, fault.New(fault.Value, op, "schema version %d of %q is negative", v, part)
		}
	}
	if len(c.Sections) > lim.MaxTensors {
		return h, fault.New(fault.Value, op, "%d sections, more than the %d readers accept", len(c.Sections), lim.MaxTensors)
	}
	seen := map[string]bool{}
	end := int64(0)
	for _, s := range c.Sections {
		if err := s.check(lim); err != nil {
			return h, err
		}
		if seen[s.Name] {
			return h, fault.New(fault.Value, op, "the section name %q is given twice", s.Name)
		}
		seen[s.Name] = true
		if s.Kind == JSON {
			if err := validJSON(s, lim); err != nil {
				return h, err
			}
		}
		p := s.spec(align(end), int64(len(s.Data)))
		p.crc = sum(s.Data)
		h.sections = append(h.sections, p)
		end = p.Offset + p.Size
	}
	return h, nil
}

// sectionDepth is the nesting of JSON sections: functions with control flow inside of control flow go deeper than headers. Who reads
// a section has a limit of its own.
const sectionDepth = 64

// validJSON checks a JSON section; its keys are bounded by its length.
func validJSON(s Section, lim codec.Limits) error {
	if err := strictjson.Valid(op, s.Data, max(sectionDepth, lim.MaxDepth), len(s.Data)); err != nil {
		return fault.Wrap(fault.Format, op, err, "section %q", s.Name)
	}
	return nil
}

func emit(w io.Writer, h header, c Checkpoint) error {
	text := h.bytes()
	if lim := (codec.Limits{}).Filled(); int64(len(text)) > lim.MaxHeader {
		return fault.New(fault.Value, op, "the header would be %d bytes, more than readers accept", len(text))
	}
	out := &summing{w: w}
	out.write(prefix{Version, uint64(len(text)), sum(text)}.bytes())
	out.write(text)
	out.pad()
	for _, s := range c.Sections {
		out.write(s.Data)
		out.pad()
	}
	out.write(trailer{uint64(out.n) + trailerSize, out.crc}.bytes())
	return codec.IOError(op, out.err)
}

// summing counts and sums what it writes, and remembers the first error.
type summing struct {
	w   io.Writer
	n   int64
	crc uint32
	err error
}

func (s *summing) write(b []byte) {
	if s.err != nil {
		return
	}
	_, s.err = s.w.Write(b)
	s.n += int64(len(b))
	s.crc = crc32.Update(s.crc, castagnoli(), b)
}

func (s *summing) pad() {
	var zeros [alignment]byte
	s.write(zeros[:align(s.n)-s.n])
}
