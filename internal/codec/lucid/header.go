package lucid

import (
	"maps"
	"slices"
	"strconv"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/strictjson"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// sectionSpec is a section in the header: its offset, size and its checksum.
type sectionSpec struct {
	codec.Spec
	kind Kind
	crc  uint32
}

func (s Section) spec(offset, size int64) sectionSpec {
	return sectionSpec{Spec: codec.Spec{Name: s.Name, DType: s.DType, Shape: s.Shape, Offset: offset, Size: size}, kind: s.Kind}
}

// check checks a section's claims. JSON and bytes pass the tensors' checks as a vector of bytes.
func (p sectionSpec) check(span int64, lim codec.Limits) error {
	spec := p.Spec
	switch p.kind {
	case Tensor:
	case JSON, Bytes:
		if p.DType != dtype.Invalid || len(p.Shape) != 0 {
			return fault.New(fault.Format, op, "section %q of kind %s has a dtype or a shape", p.Name, p.kind)
		}
		if p.Size < 0 || p.Size != int64(int(p.Size)) {
			return fault.New(fault.Format, op, "section %q has %d bytes", p.Name, p.Size)
		}
		spec.DType, spec.Shape = dtype.Uint8, []int{int(p.Size)}
	default:
		return fault.New(fault.Format, op, "section %q has the unknown kind %q", p.Name, p.kind)
	}
	return codec.Check(op, spec, span, lim)
}

// header is the parsed JSON.
type header struct {
	schema   map[string]int
	sections []sectionSpec
}

func (h header) bytes() []byte {
	b := []byte(`{"schema":{`)
	for i, part := range slices.Sorted(maps.Keys(h.schema)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = strictjson.AppendString(b, part)
		b = append(b, ':')
		b = strconv.AppendInt(b, int64(h.schema[part]), 10)
	}
	b = append(b, `},"sections":[`...)
	for i, p := range h.sections {
		if i > 0 {
			b = append(b, ',')
		}
		b = p.append(b)
	}
	return append(b, "]}"...)
}

func (p sectionSpec) append(b []byte) []byte {
	b = append(b, `{"name":`...)
	b = strictjson.AppendString(b, p.Name)
	b = append(b, `,"kind":"`+string(p.kind)+`"`...)
	if p.kind == Tensor {
		b = append(b, `,"dtype":"`+p.DType.String()+`","shape":[`...)
		for i, n := range p.Shape {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(n), 10)
		}
		b = append(b, ']')
	}
	b = append(b, `,"offset":`...)
	b = strconv.AppendInt(b, p.Offset, 10)
	b = append(b, `,"size":`...)
	b = strconv.AppendInt(b, p.Size, 10)
	b = append(b, `,"crc32c":`...)
	b = strconv.AppendUint(b, uint64(p.crc), 10)
	return append(b, '}')
}

// parseHeader reads the JSON of a file with span bytes between header and trailer. Sections must follow each other
// as the writer lays them out, so they cannot overlap.
func parseHeader(text []byte, span int64, lim codec.Limits) (h header, err error) {
	// A section has seven keys.
	p, err := strictjson.New(op, text, lim.MaxDepth, 8*lim.MaxTensors)
	if err != nil {
		return h, err
	}
	seen := map[string]bool{}
	end := int64(0)
	err = p.Object(func(key string) error {
		switch key {
		case "schema":
			h.schema = map[string]int{}
			return p.Object(func(part string) (err error) {
				h.schema[part], err = p.Len()
				return err
			})
		case "sections":
			return p.Array(func(i int) error {
				if i >= lim.MaxTensors {
					return p.Fail("more than %d sections", lim.MaxTensors)
				}
				s, err := parseSection(p, lim)
				if err != nil {
					return err
				}
				if err := s.check(span, lim); err != nil {
					return err
				}
				if seen[s.Name] {
					return p.Fail("section %q is listed twice", s.Name)
				}
				if s.Offset != align(end) {
					return p.Fail("section %q is at %d, wants %d", s.Name, s.Offset, align(end))
				}
				seen[s.Name] = true
				end = s.Offset + s.Size
				h.sections = append(h.sections, s)
				return nil
			})
		}
		return p.Skip()
	})
	if err == nil {
		err = p.End()
	}
	if err == nil && align(end) != span {
		err = fault.New(fault.Format, op, "the sections end at %d of %d bytes", align(end), span)
	}
	return h, err
}

func parseSection(p *strictjson.Parser, lim codec.Limits) (s sectionSpec, err error) {
	have := 0
	err = p.Object(func(key string) (err error) {
		have++
		switch key {
		case "name":
			s.Name, err = p.String()
		case "kind":
			var k string
			k, err = p.String()
			s.kind = Kind(k)
		case "dtype":
			var name string
			if name, err = p.String(); err == nil {
				s.DType, err = parseDType(name)
			}
		case "shape":
			err = p.Array(func(i int) error {
				if i >= lim.MaxRank {
					return p.Fail("more than %d dimensions", lim.MaxRank)
				}
				n, err := p.Len()
				s.Shape = append(s.Shape, n)
				return err
			})
		case "offset":
			s.Offset, err = p.Int()
		case "size":
			s.Size, err = p.Int()
		case "crc32c":
			var v int64
			v, err = p.Int()
			if s.crc = uint32(v); err == nil && int64(s.crc) != v {
				err = p.Fail("%d is no checksum", v)
			}
		default:
			// A newer writer of the same version may say more, nothing that changes the meaning.
			have--
			err = p.Skip()
		}
		return err
	})
	want := 5
	if s.kind == Tensor {
		want = 7
	}
	if err == nil && have != want {
		err = p.Fail("section %q has %d of its %d fields", s.Name, have, want)
	}
	return s, err
}

// parseDType takes the names we write and no others: Parse also knows aliases.
func parseDType(name string) (dtype.DType, error) {
	d, ok := dtype.Parse(name)
	if !ok || d.String() != name {
		return 0, fault.New(fault.DType, op, "the file has the unknown dtype %.32q", name)
	}
	return d, nil
}
