package lucid

import (
	"bytes"
	"hash/crc32"
	"io"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/fault"
)

// Read reads the file at path and checks every byte of it.
func Read(path string, lim codec.Limits) (Checkpoint, error) {
	f, size, err := codec.OpenFile(op, path)
	if err != nil {
		return Checkpoint{}, err
	}
	defer f.Close()
	c, err := Decode(f, size, lim)
	return c, codec.InFile(err, path)
}

// Parse is Read of a file in memory; the sections are copies.
func Parse(data []byte, lim codec.Limits) (Checkpoint, error) {
	return Decode(bytes.NewReader(data), int64(len(data)), lim)
}

// Decode reads a file of size bytes from r.
func Decode(r io.ReaderAt, size int64, lim codec.Limits) (Checkpoint, error) {
	d := decoder{r: r, size: size, lim: lim.Filled()}
	c, version, err := d.decode()
	if err != nil {
		return Checkpoint{}, err
	}
	if err := bringUp(&c, version, Version); err != nil {
		return Checkpoint{}, err
	}
	return c, nil
}

// decoder reads a file front to back, summing all of it.
type decoder struct {
	r    io.ReaderAt
	size int64
	lim  codec.Limits
	at   int64
	crc  uint32
}

func (d *decoder) decode() (c Checkpoint, version int, err error) {
	if d.size < prefixSize+trailerSize {
		return c, 0, fault.New(fault.Format, op, "%d bytes are too few for a Lucid checkpoint", d.size)
	}
	var b [trailerSize]byte
	if err := d.next(b[:prefixSize]); err != nil {
		return c, 0, err
	}
	p, err := parsePrefix(b[:])
	if err != nil {
		return c, 0, err
	}
	// Before anything of the body: a newer format may have another header.
	if p.version > Version {
		return c, 0, tooNew(p.version)
	}
	// The end comes early, so that a file cut short is refused before its sections are read.
	if err := codec.ReadFull(op, d.r, b[:], d.size-trailerSize); err != nil {
		return c, 0, err
	}
	t, err := parseTrailer(b[:], d.size)
	if err != nil {
		return c, 0, err
	}
	h, err := d.header(p)
	if err != nil {
		return c, 0, err
	}
	c.Schema = h.schema
	if c.Sections, err = d.sections(h); err != nil {
		return c, 0, err
	}
	if d.at != d.size-trailerSize || d.crc != t.crc {
		return c, 0, fault.New(fault.Format, op, "the file is damaged (checksum of the whole)")
	}
	return c, int(p.version), nil
}

func (d *decoder) header(p prefix) (h header, err error) {
	room := uint64(d.size - prefixSize - trailerSize)
	if p.headerLen > room || p.headerLen > uint64(d.lim.MaxHeader) {
		return h, fault.New(fault.Format, op, "the header claims %d bytes, the file has %d and the limit is %d", p.headerLen, room,
			d.lim.MaxHeader)
	}
	text := make([]byte, p.headerLen)
	if err := d.next(text); err != nil {
		return h, err
	}
	if sum(text) != p.headerCRC {
		return h, fault.New(fault.Format, op, "the header is damaged (checksum mismatch)")
	}
	if err := d.pad(); err != nil {
		return h, err
	}
	return parseHeader(text, d.size-trailerSize-d.at, d.lim)
}

func (d *decoder) sections(h header) ([]Section, error) {
	budget := codec.NewBudget(op, d.lim)
	for _, p := range h.sections {
		if err := budget.Take(p.Size, "section "+p.Name); err != nil {
			return nil, err
		}
	}
	out := make([]Section, 0, len(h.sections))
	for _, p := range h.sections {
		s := Section{Name: p.Name, Kind: p.kind, Data: make([]byte, p.Size)}
		if err := d.next(s.Data); err != nil {
			return nil, err
		}
		if sum(s.Data) != p.crc {
			return nil, fault.New(fault.Format, op, "section %q is damaged (checksum mismatch)", p.Name)
		}
		switch p.kind {
		case Tensor:
			t, err := codec.New(op, p.Spec, s.Data, true)
			if err != nil {
				return nil, err
			}
			s.DType, s.Shape, s.Data = t.DType, t.Shape, t.Data
		case JSON:
			if err := validJSON(s, d.lim); err != nil {
				return nil, err
			}
		}
		out = append(out, s)
		if err := d.pad(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// next fills b with what follows.
func (d *decoder) next(b []byte) error {
	if int64(len(b)) > d.size-trailerSize-d.at {
		return fault.New(fault.Format, op, "the file's parts reach past its end")
	}
	if err := codec.ReadFull(op, d.r, b, d.at); err != nil {
		return err
	}
	d.at += int64(len(b))
	d.crc = crc32.Update(d.crc, castagnoli(), b)
	return nil
}

func (d *decoder) pad() error {
	var b [alignment]byte
	return d.next(b[:align(d.at)-d.at])
}
