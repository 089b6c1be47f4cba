package safetensors

import (
	"encoding/binary"
	"io"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/strictjson"
	"github.com/lucid-go/lucid/internal/fault"
)

const metadataKey = "__metadata__"

// header is a checked header.
type header struct {
	table *codec.Table
	meta  map[string]string
	raw   map[string]string // tensor to format dtype, for those read as uint8
	base  int64             // where data starts
}

// readHeader reads and checks the header of a file of size bytes.
func readHeader(r io.ReaderAt, size int64, lim codec.Limits) (*header, error) {
	lim = lim.Filled()
	var prefix [8]byte
	if size < int64(len(prefix)) {
		return nil, fault.New(fault.Format, op, "a file of %d bytes has no room for a header", size)
	}
	if err := codec.ReadFull(op, r, prefix[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(prefix[:])
	switch {
	case n > uint64(size-8):
		return nil, fault.New(fault.Format, op,
			"the header claims %d bytes, the file has %d after it; is this a safetensors file, and whole?", n, size-8)
	case n > uint64(lim.MaxHeader):
		return nil, fault.New(fault.Format, op, "a header of %d bytes is over the limit of %d", n, lim.MaxHeader)
	}
	text := make([]byte, n)
	if err := codec.ReadFull(op, r, text, 8); err != nil {
		return nil, err
	}
	return parseHeader(text, size-8-int64(n), lim)
}

func parseHeader(text []byte, span int64, lim codec.Limits) (*header, error) {
	if len(text) == 0 || text[0] != '{' {
		return nil, fault.New(fault.Format, op, "the header does not begin with '{'")
	}
	// A tensor takes four keys; as many again for metadata.
	p, err := strictjson.New(op, text, lim.MaxDepth, 8*lim.MaxTensors)
	if err != nil {
		return nil, err
	}
	h := &header{table: codec.NewTable(op, lim, span), base: 8 + int64(len(text))}
	err = p.Object(func(key string) (err error) {
		if key == metadataKey {
			h.meta, err = p.StringMap()
			return err
		}
		s, raw, err := parseSpec(p, key, lim)
		if err != nil {
			return err
		}
		if raw != "" {
			if h.raw == nil {
				h.raw = map[string]string{}
			}
			h.raw[key] = raw
		}
		return h.table.Add(s)
	})
	if err == nil {
		err = p.End()
	}
	if err == nil {
		err = h.table.Seal()
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

// parseSpec reads {"dtype": …, "shape": […], "data_offsets": [begin, end]}. Other keys are passed over, as the
// format's own reader does.
func parseSpec(p *strictjson.Parser, name string, lim codec.Limits) (s codec.Spec, raw string, err error) {
	s.Name = name
	var kind string
	var begin, end int64
	haveShape, offsets := false, 0
	err = p.Object(func(key string) (err error) {
		switch key {
		case "dtype":
			kind, err = p.String()
			return err
		case "shape":
			haveShape = true
			s.Shape, err = parseShape(p, name, lim)
			return err
		case "data_offsets":
			return p.Array(func(i int) (err error) {
				switch offsets++; i {
				case 0:
					begin, err = p.Int()
				case 1:
					end, err = p.Int()
				default:
					err = p.Fail("tensor %q has more than two data_offsets", name)
				}
				return err
			})
		}
		return p.Skip()
	})
	if err != nil {
		return s, "", err
	}
	if kind == "" || !haveShape || offsets != 2 {
		return s, "", p.Fail("tensor %q lacks dtype, shape or data_offsets", name)
	}
	if begin < 0 || end < begin {
		return s, "", p.Fail("tensor %q has data_offsets [%d, %d]", name, begin, end)
	}
	s.Offset, s.Size = begin, end-begin
	s.DType, raw, err = lookup(name, kind)
	return s, raw, err
}

func parseShape(p *strictjson.Parser, name string, lim codec.Limits) ([]int, error) {
	shape := []int{}
	err := p.Array(func(i int) error {
		if i >= lim.MaxRank {
			return p.Fail("tensor %q has more than %d dimensions", name, lim.MaxRank)
		}
		n, err := p.Len()
		shape = append(shape, n)
		return err
	})
	return shape, err
}
