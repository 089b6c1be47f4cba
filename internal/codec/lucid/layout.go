package lucid

import (
	"encoding/binary"
	"hash/crc32"
	"sync"

	"github.com/lucid-go/lucid/internal/fault"
)

const op = "lucid file"

// A file is, all numbers little-endian:
//
//	prefix   32 bytes  magic, u32 version, u32 zero, u64 header length, u32 header CRC, u32 CRC of the 28 bytes before
//	header             JSON, then zeros to a multiple of 64
//	sections           each at a multiple of 64 from the start of the file, zeros between
//	trailer  32 bytes  u64 file length, u32 CRC of everything before the trailer, u32 zero, magic, u32 zero,
//	                   u32 CRC of the 28 bytes before
//
// The prefix and the trailer never change their form, whatever the version: a reader can always tell a damaged
// file from a newer one. All CRCs are CRC-32C. Section offsets count from the end of the padded header.
const (
	// Version is the format this library writes.
	Version = 1

	prefixSize  = 32
	trailerSize = 32
	alignment   = 64

	// The line ends and the byte over 127 show a transfer in text mode at once, as in PNG.
	magic    = "\x89LUCID\r\n"
	endMagic = "\x89LUCEND\n"
)

// castagnoli is made at the first use: it is not free, and most programs read no such file.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

func sum(b []byte) uint32 { return crc32.Checksum(b, castagnoli()) }

func align(n int64) int64 { return (n + alignment - 1) / alignment * alignment }

type prefix struct {
	version   uint32
	headerLen uint64
	headerCRC uint32
}

func (p prefix) bytes() []byte {
	b := append(make([]byte, 0, prefixSize), magic...)
	b = binary.LittleEndian.AppendUint32(b, p.version)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint64(b, p.headerLen)
	b = binary.LittleEndian.AppendUint32(b, p.headerCRC)
	return binary.LittleEndian.AppendUint32(b, sum(b))
}

func parsePrefix(b []byte) (p prefix, err error) {
	if string(b[:8]) != magic {
		return p, fault.New(fault.Format, op, "it does not begin as a Lucid checkpoint")
	}
	if binary.LittleEndian.Uint32(b[28:]) != sum(b[:28]) {
		return p, fault.New(fault.Format, op, "its first bytes are damaged (checksum mismatch)")
	}
	p.version = binary.LittleEndian.Uint32(b[8:])
	p.headerLen = binary.LittleEndian.Uint64(b[16:])
	p.headerCRC = binary.LittleEndian.Uint32(b[24:])
	if p.version == 0 {
		return p, fault.New(fault.Format, op, "it has format version 0, which never was")
	}
	return p, nil
}

type trailer struct {
	length uint64
	crc    uint32
}

func (t trailer) bytes() []byte {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, trailerSize), t.length)
	b = binary.LittleEndian.AppendUint32(b, t.crc)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = append(b, endMagic...)
	b = binary.LittleEndian.AppendUint32(b, 0)
	return binary.LittleEndian.AppendUint32(b, sum(b))
}

func parseTrailer(b []byte, size int64) (t trailer, err error) {
	if string(b[16:24]) != endMagic || binary.LittleEndian.Uint32(b[28:]) != sum(b[:28]) {
		return t, fault.New(fault.Format, op, "its end is missing or damaged; it was cut short, or never finished")
	}
	t.length = binary.LittleEndian.Uint64(b)
	t.crc = binary.LittleEndian.Uint32(b[8:])
	if t.length != uint64(size) {
		return t, fault.New(fault.Format, op, "it has %d bytes, and was written with %d", size, t.length)
	}
	return t, nil
}
