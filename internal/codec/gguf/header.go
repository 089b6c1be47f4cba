package gguf

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/ggml"
)

const (
	op             = "gguf"
	magic          = "GGUF"
	alignmentKey   = "general.alignment"
	defaultAlign   = 32
	maxAlign       = 1 << 20
	maxDims        = 4 // of the format
	maxArrayDepth  = 4
	chunk          = 1 << 18 // bytes of header read at a time
	leastKV        = 8 + 1 + 4 + 1
	leastInfo      = 8 + 1 + 4 + 4 + 8
	leastNested    = 4 + 8
	maxKeyBytes    = 1<<16 - 1
	currentVersion = 3
)

// Info is what a file says about one tensor. Shape is row-major: the last dimension is the row the blocks run along.
type Info struct {
	Name   string
	Type   ggml.Type
	Shape  []int
	Offset int64 // from the start of the data
	Size   int64
}

// header is a checked header.
type header struct {
	version uint32
	meta    Metadata
	infos   []Info
	index   map[string]int
	align   int64
	base    int64 // where data starts
}

// reader walks over the header of a file, of which it has what it has read, or all if the file is mapped.
type reader struct {
	r    io.ReaderAt
	size int64 // of the file
	lim  codec.Limits
	buf  []byte
	at   int
}

// left is the number of bytes from here to the end of the file: an upper bound for anything the header can hold.
func (r *reader) left() int64 { return r.size - int64(r.at) }

// need makes n more bytes available.
func (r *reader) need(n int64, what string) error {
	if n < 0 || n > r.left() {
		return fault.New(fault.Format, op, "%s needs %d bytes at %d, the file has %d; is it whole?", what, n, r.at, r.size)
	}
	end := int64(r.at) + n
	if end > r.lim.MaxHeader {
		return fault.New(fault.Format, op, "the header is over the limit of %d bytes", r.lim.MaxHeader)
	}
	if have := int64(len(r.buf)); end > have {
		more := min(max(end-have, max(chunk, have)), r.size-have)
		r.buf = slices.Grow(r.buf, int(more))
		if err := codec.ReadFull(op, r.r, r.buf[have:have+more], have); err != nil {
			return err
		}
		r.buf = r.buf[:have+more]
	}
	return nil
}

func (r *reader) take(n int64, what string) ([]byte, error) {
	if err := r.need(n, what); err != nil {
		return nil, err
	}
	b := r.buf[r.at : r.at+int(n)]
	r.at += int(n)
	return b, nil
}

func (r *reader) u32(what string) (uint32, error) {
	b, err := r.take(4, what)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b), nil
}

func (r *reader) u64(what string) (uint64, error) {
	b, err := r.take(8, what)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}

// count reads a number of things of at least least bytes each, and checks it against what is left of the file.
func (r *reader) count(what string, least int64) (int, error) {
	n, err := r.u64(what)
	if err != nil {
		return 0, err
	}
	if n > uint64(r.left()/least) {
		return 0, fault.New(fault.Format, op, "%s: a count of %d, the file has %d bytes left", what, n, r.left())
	}
	return int(n), nil
}

// span reads a string's length and passes over its bytes.
func (r *reader) span(what string) (from, to int, err error) {
	n, err := r.count(what, 1)
	if err != nil {
		return 0, 0, err
	}
	if _, err := r.take(int64(n), what); err != nil {
		return 0, 0, err
	}
	return r.at - n, r.at, nil
}

func (r *reader) text(what string) (string, error) {
	from, to, err := r.span(what)
	if err != nil {
		return "", err
	}
	return string(r.buf[from:to]), nil
}

// readHeader reads the header of a file of that size. view is the file, where it is in memory.
func readHeader(src io.ReaderAt, size int64, view []byte, lim codec.Limits) (*header, error) {
	r := &reader{r: src, size: size, lim: lim.Filled(), buf: view}
	h := &header{index: map[string]int{}}
	if err := h.start(r); err != nil {
		return nil, err
	}
	tensors, err := r.count("the number of tensors", leastInfo)
	if err != nil {
		return nil, err
	}
	if tensors > r.lim.MaxTensors {
		return nil, fault.New(fault.Format, op, "the file lists %d tensors; raise Limits.MaxTensors if that is right", tensors)
	}
	keys, err := r.count("the number of metadata keys", leastKV)
	if err != nil {
		return nil, err
	}
	for range keys {
		if err := h.readKey(r); err != nil {
			return nil, err
		}
	}
	if err := h.readAlignment(); err != nil {
		return nil, err
	}
	for range tensors {
		if err := h.readInfo(r); err != nil {
			return nil, err
		}
	}
	h.base = pad(int64(r.at), h.align)
	return h, h.checkOffsets(size)
}

// start reads the magic number and the version.
func (h *header) start(r *reader) error {
	b, err := r.take(8, "the magic number and version")
	if err != nil {
		return err
	}
	if string(b[:4]) != magic {
		return fault.New(fault.Format, op, "the file begins with %q, not %q", b[:4], magic)
	}
	h.version = binary.LittleEndian.Uint32(b[4:])
	switch {
	case h.version == 2 || h.version == currentVersion:
		return nil
	case h.version&0xffff == 0 && h.version != 0:
		return fault.New(fault.Version, op, "the file is big-endian; write it again in little-endian order")
	}
	return fault.New(fault.Version, op, "version %d; this reader knows 2 and %d", h.version, currentVersion)
}

func (h *header) readKey(r *reader) error {
	key, err := r.text("a metadata key")
	if err != nil {
		return err
	}
	if err := checkKey(key, h.meta.has(key)); err != nil {
		return err
	}
	kind, err := r.kind(key)
	if err != nil {
		return err
	}
	v, err := r.value(key, kind, 0)
	if err != nil {
		return err
	}
	h.meta.Set(key, v)
	return nil
}

func checkKey(key string, twice bool) error {
	switch {
	case key == "" || len(key) > maxKeyBytes:
		return fault.New(fault.Format, op, "a metadata key of %d bytes; keys have 1 to %d", len(key), maxKeyBytes)
	case twice:
		return fault.New(fault.Format, op, "metadata key %q is there twice", key)
	}
	return checkPrintable("metadata key", key)
}

func checkPrintable(what, name string) error {
	if bytes.IndexByte([]byte(name), 0) >= 0 {
		return fault.New(fault.Format, op, "%s %q holds a zero byte", what, name)
	}
	return codec.CheckName(op, name, codec.Limits{MaxName: maxKeyBytes})
}

func (r *reader) kind(key string) (Kind, error) {
	k, err := r.u32("the kind of " + key)
	if err == nil && Kind(k) >= numKinds {
		return 0, fault.New(fault.Format, op, "metadata key %q has a value of unknown kind %d", key, k)
	}
	return Kind(k), err
}

// value reads a value of that kind.
func (r *reader) value(key string, kind Kind, depth int) (v Value, err error) {
	switch v.kind = kind; kind {
	case String:
		v.text, err = r.text(key)
		return v, err
	case Array:
		return r.array(key, depth+1)
	}
	raw, err := r.take(int64(kindBytes[kind]), key)
	if err == nil && kind == Bool && raw[0] > 1 {
		return v, fault.New(fault.Format, op, "metadata key %q: a bool of %d", key, raw[0])
	}
	v.raw = bytes.Clone(raw)
	return v, err
}

func (r *reader) array(key string, depth int) (v Value, err error) {
	v.kind = Array
	if depth > maxArrayDepth {
		return v, fault.New(fault.Format, op, "metadata key %q: arrays more than %d deep", key, maxArrayDepth)
	}
	if v.elem, err = r.kind(key); err != nil {
		return v, err
	}
	switch v.elem {
	case String:
		v.texts, err = r.texts(key)
		return v, err
	case Array:
		n, err := r.count(key, leastNested)
		if err != nil {
			return v, err
		}
		for range n { // grown as they are read: a count alone allocates nothing
			inner, err := r.array(key, depth+1)
			if err != nil {
				return v, err
			}
			v.nested = append(v.nested, inner)
		}
		return v, nil
	}
	n, err := r.count(key, int64(kindBytes[v.elem]))
	if err != nil {
		return v, err
	}
	raw, err := r.take(int64(n*kindBytes[v.elem]), key)
	if err == nil && v.elem == Bool && slices.ContainsFunc(raw, func(b byte) bool { return b > 1 }) {
		return v, fault.New(fault.Format, op, "metadata key %q: a bool that is neither 0 nor 1", key)
	}
	v.raw = bytes.Clone(raw)
	return v, err
}

// texts reads an array of strings: all bytes are copied once, and the strings cut out of them.
func (r *reader) texts(key string) ([]string, error) {
	n, err := r.count(key, 8)
	if err != nil {
		return nil, err
	}
	start := r.at
	for range n {
		if _, _, err := r.span(key); err != nil {
			return nil, err
		}
	}
	all := string(r.buf[start:r.at]) // one copy for all of them
	out, at := make([]string, n), 0
	for i := range out {
		var length [8]byte
		copy(length[:], all[min(at, len(all)):])
		size := binary.LittleEndian.Uint64(length[:])
		if left := len(all) - at - len(length); left < 0 || size > uint64(left) { // a mapped file was written to meanwhile
			return nil, fault.New(fault.Format, op, "%s: the file changed while it was read", key)
		}
		at += len(length)
		out[i] = all[at : at+int(size)]
		at += int(size)
	}
	return out, nil
}

func (h *header) readAlignment() error {
	h.align = defaultAlign
	v, ok := h.meta.Get(alignmentKey)
	if !ok {
		return nil
	}
	if v.Kind() != Uint32 {
		return fault.New(fault.Format, op, "%s is a %s, want a uint32", alignmentKey, v.Kind())
	}
	h.align, _ = v.Int()
	return checkAlignment(h.align)
}

func checkAlignment(n int64) error {
	if n <= 0 || n > maxAlign || bits.OnesCount64(uint64(n)) != 1 {
		return fault.New(fault.Format, op, "%s is %d, want a power of two up to %d", alignmentKey, n, maxAlign)
	}
	return nil
}

// readInfo reads one tensor info and checks it by itself.
func (h *header) readInfo(r *reader) error {
	name, err := r.text("a tensor's name")
	if err != nil {
		return err
	}
	if err := h.checkName(name, r.lim); err != nil {
		return err
	}
	dims, err := r.u32("the dimensions of " + name)
	if err != nil {
		return err
	}
	if dims > maxDims {
		return fault.New(fault.Format, op, "tensor %q has %d dimensions, more than %d", name, dims, maxDims)
	}
	info := Info{Name: name, Shape: make([]int, dims)}
	for i := range info.Shape { // in the file the row comes first
		n, err := r.u64("the shape of " + name)
		if err != nil {
			return err
		}
		if n > math.MaxInt {
			return fault.New(fault.Format, op, "tensor %q has a dimension of %d", name, n)
		}
		info.Shape[len(info.Shape)-1-i] = int(n)
	}
	kind, err := r.u32("the type of " + name)
	if err != nil {
		return err
	}
	info.Type = ggml.Type(kind)
	if info.Size, err = tensorBytes(name, info.Type, info.Shape); err != nil {
		return err
	}
	offset, err := r.u64("the offset of " + name)
	if err != nil {
		return err
	}
	if offset > math.MaxInt64 {
		return fault.New(fault.Format, op, "tensor %q starts at byte %d", name, offset)
	}
	info.Offset = int64(offset)
	h.index[name] = len(h.infos)
	h.infos = append(h.infos, info)
	return nil
}

func (h *header) checkName(name string, lim codec.Limits) error {
	if name == "" {
		return fault.New(fault.Format, op, "a tensor has an empty name")
	}
	if _, twice := h.index[name]; twice {
		return fault.New(fault.Format, op, "tensor %q is listed twice", name)
	}
	if err := codec.CheckName(op, name, lim); err != nil {
		return err
	}
	return checkPrintable("tensor name", name)
}

// tensorBytes is the one check of a type and a shape: whole blocks in a row, and a product that fits.
func tensorBytes(name string, t ggml.Type, shape []int) (int64, error) {
	if !t.Known() {
		return 0, fault.New(fault.DType, op, "tensor %q is of unknown %s", name, t)
	}
	row, elements, empty := 1, uint64(1), false
	for i, n := range shape {
		if n < 0 {
			return 0, fault.New(fault.Format, op, "tensor %q has a dimension of %d", name, n)
		}
		if i == len(shape)-1 {
			row = n
		}
		empty = empty || n == 0
		hi, lo := bits.Mul64(elements, uint64(max(n, 1)))
		if hi != 0 || lo > math.MaxInt64 {
			return 0, fault.New(fault.Format, op, "tensor %q has a shape %v that overflows", name, shape)
		}
		elements = lo
	}
	if row%t.BlockSize() != 0 {
		return 0, fault.New(fault.Format, op, "tensor %q has rows of %d, not a multiple of the %d of a block of %s", name, row,
			t.BlockSize(), t)
	}
	if empty {
		return 0, nil
	}
	hi, lo := bits.Mul64(elements/uint64(t.BlockSize()), uint64(t.BlockBytes()))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, fault.New(fault.Format, op, "tensor %q of %s and shape %v is too large", name, t, shape)
	}
	return int64(lo), nil
}

// checkOffsets checks the tensors against the file and each other: each starts where the one before ends, aligned.
func (h *header) checkOffsets(size int64) error {
	if len(h.infos) == 0 {
		return nil
	}
	span := size - h.base
	want := int64(0)
	for _, info := range h.infos {
		if info.Offset != want {
			return fault.New(fault.Format, op, "tensor %q starts at byte %d of the data, want %d (aligned to %d)", info.Name,
				info.Offset, want, h.align)
		}
		if info.Size > span-info.Offset { // no sum: it may overflow
			return fault.New(fault.Format, op, "tensor %q has %d bytes at %d, past the %d bytes of data; is the file whole?",
				info.Name, info.Size, info.Offset, max(span, 0))
		}
		want = pad(info.Offset+info.Size, h.align)
	}
	return nil
}

// pad rounds n up; n is at most the length of a file, so that nothing overflows.
func pad(n, align int64) int64 { return (n + align - 1) &^ (align - 1) }
