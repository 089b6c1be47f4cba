package torch

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/zipfile"
	"github.com/lucid-go/lucid/internal/fault"
)

// Options says how to read.
type Options struct{ Limits codec.Limits }

// File is an open file. Its methods are safe for concurrent use.
type File struct {
	lim     codec.Limits
	r       io.ReaderAt
	size    int64
	closer  io.Closer
	names   []string
	tensors map[string]*tensor
	meta    map[string]string
	claims  map[string]claim // of storages, by key
	visited int

	mu     sync.Mutex
	zip    map[string]*zip.File // storages of an archive, by key
	raw    map[string]int64     // where storages of the old format begin
	cached string               // key of data, the storage that was read last
	data   []byte
}

// Open opens the file at path. Only the pickle is read, and checked; tensors are read when they are asked for.
func Open(path string, o Options) (*File, error) { return OpenFS(nil, path, o) }

// OpenFS opens a file of fsys, or of the machine if that is nil.
func OpenFS(fsys fs.FS, path string, o Options) (*File, error) {
	r, size, err := codec.OpenIn(op, fsys, path, o.Limits)
	if err != nil {
		return nil, err
	}
	f, err := NewFile(r, size, o)
	if err != nil {
		r.Close()
		return nil, codec.InFile(err, path)
	}
	f.closer = r
	return f, nil
}

// NewFile reads the pickle of size bytes of r, which the caller keeps open.
func NewFile(r io.ReaderAt, size int64, o Options) (f *File, err error) {
	f = &File{lim: o.Limits.Filled(), r: r, size: size, tensors: map[string]*tensor{}, claims: map[string]claim{}}
	if caught := fault.Catch(func() { err = f.open() }); caught != nil {
		err = caught
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Parse opens a file that is in memory.
func Parse(data []byte, o Options) (*File, error) {
	return NewFile(bytes.NewReader(data), int64(len(data)), o)
}

// Read brings all tensors of a file into memory.
func Read(path string, o Options) (codec.File, error) {
	f, err := Open(path, o)
	if err != nil {
		return codec.File{}, err
	}
	defer f.Close()
	all, err := f.All()
	return all, codec.InFile(err, path)
}

func (f *File) open() error {
	var head [4]byte
	if f.size < int64(len(head)) {
		return fault.New(fault.Format, op, "a file of %d bytes is none of PyTorch's", f.size)
	}
	if err := codec.ReadFull(op, f.r, head[:], 0); err != nil {
		return err
	}
	var v any
	switch {
	case string(head[:2]) == "PK":
		if err := f.openArchive(&v); err != nil {
			return err
		}
	case head[0] == 0x80:
		v = f.openOld()
	default:
		return fault.New(fault.Format, op, "the file begins with %q; want a zip archive or a pickle, as torch.save writes them", head[:])
	}
	if t, ok := v.(*tensor); ok {
		f.add("tensor", t)
		return nil
	}
	f.walk("", v, 0)
	return nil
}

// openArchive finds the pickle and the storages of an archive: a folder with data.pkl and data/0, data/1, ….
func (f *File) openArchive(v *any) error {
	z, err := zipfile.Open(op, f.r, f.size, f.lim)
	if err != nil {
		return err
	}
	f.zip = map[string]*zip.File{}
	var pickle *zip.File
	prefix := ""
	for _, e := range z.File {
		if p, ok := strings.CutSuffix(e.Name, "data.pkl"); ok && (p == "" || strings.HasSuffix(p, "/")) && pickle == nil {
			pickle, prefix = e, p
		}
	}
	if pickle == nil {
		return fault.New(fault.Format, op, "the archive has no data.pkl; it is none of PyTorch's")
	}
	for _, e := range z.File {
		name, ok := strings.CutPrefix(e.Name, prefix)
		switch key, is := strings.CutPrefix(name, "data/"); {
		case !ok:
			return fault.New(fault.Format, op, "the archive has %q next to the folder %q", e.Name, prefix)
		case strings.HasPrefix(name, "code/") || name == "constants.pkl":
			return fault.New(fault.NotImplemented, op, "the file is a TorchScript program; save its state_dict")
		case is && e.Method != zip.Store:
			return fault.New(fault.NotImplemented, op, "the storage %q is compressed; torch.save stores it", e.Name)
		case is:
			f.zip[key] = e
		case name == "byteorder":
			if order, err := f.readEntry(e, 64); err != nil || string(order) != "little" {
				return fault.New(fault.NotImplemented, op, "the byte order is %.20q; want little", order)
			}
		}
	}
	data, err := f.readEntry(pickle, f.lim.MaxHeader)
	if err != nil {
		return err
	}
	s := newSource(bytes.NewReader(data), int64(len(data)), f.lim)
	if *v = f.run(s); s.at != s.end {
		refuse("data.pkl has %d bytes behind its end", s.end-s.at)
	}
	for key, c := range f.claims {
		if e := f.zip[key]; e == nil || int64(e.UncompressedSize64) < c.bytes {
			refuse("the storage %.40q of %d bytes is not in the archive, or shorter there", key, c.bytes)
		}
	}
	return nil
}

// readEntry reads an entry of at most so many bytes, with its checksum.
func (f *File) readEntry(e *zip.File, most int64) ([]byte, error) {
	if n := int64(e.UncompressedSize64); n > most {
		return nil, fault.New(fault.OutOfMemory, op, "archive entry %q has %d bytes; want at most %d", e.Name, n, most)
	}
	r, err := e.Open()
	if err != nil {
		return nil, zipfile.Broken(op, "archive entry "+strconv.Quote(e.Name), err)
	}
	defer r.Close()
	data := make([]byte, e.UncompressedSize64)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, zipfile.Broken(op, "archive entry "+strconv.Quote(e.Name), err)
	}
	// Reading on compares the checksum.
	if _, err := r.Read(make([]byte, 1)); err != io.EOF {
		return nil, zipfile.Broken(op, "archive entry "+strconv.Quote(e.Name), err)
	}
	return data, nil
}

// magic is what a file of the old format begins with: 0x1950a86a20f9469cfc6c.
var magic = big{0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19}

// openOld reads the format before archives: pickles of a number, a version, facts of the machine, the value and the keys of
// storages, whose bytes follow in that order.
func (f *File) openOld() any {
	s := newSource(f.r, f.size, f.lim)
	if m, ok := f.run(s).(big); !ok || !bytes.Equal(m, magic) {
		refuse("the file is a pickle and none of torch.save's")
	}
	if v := f.run(s); v != int64(1001) {
		refuse("the file has version %v of the format; want 1001", v)
	}
	if facts, ok := f.run(s).(*dict); ok {
		if i, there := facts.index["little_endian"]; there && facts.values[i] != true {
			fault.Throw(fault.NotImplemented, op, "the file is big-endian")
		}
	}
	v := f.run(s)
	keys, ok := f.run(s).(*list)
	if !ok {
		refuse("the file has no list of storages")
	}
	f.raw = map[string]int64{}
	at := s.at
	for _, k := range keys.items {
		key, ok := k.(string)
		c, claimed := f.claims[key]
		if _, twice := f.raw[key]; !ok || !claimed || twice {
			refuse("the list of storages has %v, which no tensor names, or twice", k)
		}
		var count [8]byte
		if err := codec.ReadFull(op, f.r, count[:], at); err != nil {
			fault.Rethrow(op, err)
		}
		at += 8
		if n := binary.LittleEndian.Uint64(count[:]); n != uint64(c.bytes/c.element) {
			refuse("the storage %.40q has %d elements, and %d in the pickle", key, n, c.bytes/c.element)
		}
		if c.bytes > f.size-at {
			refuse("the storage %.40q of %d bytes at byte %d reaches past the end of the file", key, c.bytes, at)
		}
		f.raw[key] = at
		at += c.bytes
	}
	if at != f.size || len(f.raw) != len(f.claims) {
		refuse("the file has %d storages up to byte %d; want %d up to the end at %d", len(f.raw), at, len(f.claims), f.size)
	}
	return v
}

func (f *File) add(name string, t *tensor) {
	if err := codec.CheckName(op, name, f.lim); err != nil {
		fault.Rethrow(op, err)
	}
	if f.tensors[name] != nil || len(f.names) >= f.lim.MaxTensors {
		refuse("the file has two tensors named %.100q, or more than %d", name, f.lim.MaxTensors)
	}
	f.tensors[name] = t
	f.names = append(f.names, name)
}

// describe stores a number or a text.
func (f *File) describe(name string, v any) {
	if name == "" || v == nil || len(name) > f.lim.MaxName {
		return
	}
	text := ""
	switch v := v.(type) {
	case bool, int64:
		text = fmt.Sprint(v)
	case float64:
		text = strconv.FormatFloat(v, 'g', -1, 64)
		if math.IsInf(v, 0) || math.IsNaN(v) {
			text = strings.ToLower(text)
		}
	case string:
		text = v
	default:
		return
	}
	if f.meta == nil {
		f.meta = map[string]string{}
	}
	f.meta[name] = text
}

// Names lists the tensors in the order of the file.
func (f *File) Names() []string { return f.names }

// Metadata returns the numbers and texts of the file, nil if there are none.
func (f *File) Metadata() map[string]string { return f.meta }

// Info returns a tensor's dtype and shape.
func (f *File) Info(name string) (codec.Spec, bool) {
	t := f.tensors[name]
	if t == nil {
		return codec.Spec{}, false
	}
	n, _ := codec.Bytes(t.dtype, t.shape)
	return codec.Spec{Name: name, DType: t.dtype, Shape: slices.Clone(t.shape), Size: n}, true
}

// Tensor reads a tensor into memory of its own.
func (f *File) Tensor(name string) (codec.Tensor, error) {
	return f.tensor(name, codec.NewBudget(op, f.lim))
}

func (f *File) tensor(name string, budget *codec.Budget) (codec.Tensor, error) {
	spec, ok := f.Info(name)
	if !ok {
		return codec.Tensor{}, fault.New(fault.Value, op, "there is no tensor %.100q", name)
	}
	t := f.tensors[name]
	// A tensor whose strides are 0 takes more memory than the file: as much as a file of another format would have for it, within bounds.
	if spec.Size > 16*f.size+1<<26 {
		return codec.Tensor{}, fault.New(fault.OutOfMemory, op, "the tensor %.100q takes %d bytes, and the file has %d", name, spec.Size,
			f.size)
	}
	if err := budget.Take(spec.Size, "tensor "+strconv.Quote(name)); err != nil {
		return codec.Tensor{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	data, err := f.elements(t, spec.Size)
	if err != nil {
		return codec.Tensor{}, err
	}
	return codec.New(op, spec, data, true)
}

// elements returns those of a tensor, n bytes.
func (f *File) elements(t *tensor, n int64) ([]byte, error) {
	if e := f.zip[t.s.key]; e != nil && n == int64(e.UncompressedSize64) && t.contiguous() && t.s.key != f.cached {
		return f.readStorage(t.s.key) // the whole storage
	}
	data := make([]byte, n)
	if n == 0 {
		return data, nil
	}
	return data, f.fill(t, data)
}

// fill copies the elements of a tensor.
func (f *File) fill(t *tensor, data []byte) error {
	if at, old := f.raw[t.s.key]; old && t.contiguous() {
		return codec.ReadFull(op, f.r, data, at+t.s.offset+t.offset)
	}
	if f.cached != t.s.key || f.data == nil { // tensors of one storage are next to each other, as a rule
		all, err := f.readStorage(t.s.key)
		if err != nil {
			return err
		}
		f.cached, f.data = t.s.key, all
	}
	src := f.data[t.s.offset:]
	if t.contiguous() {
		copy(data, src[t.offset:])
	} else {
		t.gather(data, src)
	}
	return nil
}

func (f *File) readStorage(key string) ([]byte, error) {
	if f.zip != nil {
		return f.readEntry(f.zip[key], f.size)
	}
	data := make([]byte, f.claims[key].bytes)
	return data, codec.ReadFull(op, f.r, data, f.raw[key])
}

// All reads all tensors.
func (f *File) All() (codec.File, error) {
	out := codec.File{Metadata: f.meta}
	budget := codec.NewBudget(op, f.lim)
	most := 16*f.size + 1<<26
	for _, name := range f.names {
		t, err := f.tensor(name, budget)
		if err != nil {
			return codec.File{}, err
		}
		if most -= int64(len(t.Data)); most < 0 {
			return codec.File{}, fault.New(fault.OutOfMemory, op, "the tensors take much more memory than the file has bytes, %d", f.size)
		}
		out.Tensors = append(out.Tensors, t)
	}
	return out, nil
}

// Close closes the file.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.data = nil
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}
