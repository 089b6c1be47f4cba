package gguf

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"sync"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/ggml"
)

// Options says how to read.
type Options struct {
	Limits codec.Limits

	// Copied reads tensors into memory of their own. By default Open maps the file; see codec.Mapping for the dangers.
	Copied bool
}

// File is an open GGUF file, or all parts of a split one. Its methods are safe for concurrent use.
type File struct {
	o     Options
	mu    sync.RWMutex // held for writing by Close, so that it waits for reads under way
	shut  bool
	parts []*part
	where map[string]*part
	infos []Info
}

// part is one file.
type part struct {
	*header
	r      io.ReaderAt
	closer io.Closer
	view   []byte // the whole file when it is in memory or mapped
	mapped bool   // the view is a mapping
}

// Open opens the file at path; of a split file, the path of the first part, whose others are found by their names.
func Open(path string, o Options) (*File, error) {
	return open(path, o, openPath)
}

// OpenFS opens a file of fsys. Files that are not io.ReaderAt are read whole.
func OpenFS(fsys fs.FS, path string, o Options) (*File, error) {
	return open(path, o, func(path string, o Options) (*part, error) { return openIn(fsys, path, o) })
}

// NewFile reads the header of size bytes of r, which the caller keeps open.
func NewFile(r io.ReaderAt, size int64, o Options) (*File, error) {
	h, err := readHeader(r, size, nil, o.Limits)
	if err != nil {
		return nil, err
	}
	return join([]*part{{header: h, r: r}}, o)
}

// Parse opens a file that is in memory. Tensors are views of data.
func Parse(data []byte, o Options) (*File, error) {
	h, err := readHeader(bytes.NewReader(data), int64(len(data)), data, o.Limits)
	if err != nil {
		return nil, err
	}
	return join([]*part{{header: h, r: bytes.NewReader(data), view: data}}, o)
}

func openPath(path string, o Options) (_ *part, err error) {
	f, size, err := codec.OpenFile(op, path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	m, err := codec.Map(f)
	if k, ok := fault.KindOf(err); o.Copied || ok && k == fault.NotImplemented { // or a system without mapping: read
		if err == nil {
			m.Close()
		}
		h, err := readHeader(f, size, nil, o.Limits)
		if err != nil {
			f.Close()
			return nil, codec.InFile(err, path)
		}
		return &part{header: h, r: f, closer: f}, nil
	}
	if err != nil {
		return nil, err
	}
	f.Close() // the mapping stands without it
	if int64(len(m.Bytes())) != size {
		m.Close()
		return nil, fault.New(fault.Format, op, "%s changed its length while it was opened", path)
	}
	h, err := readHeader(m, size, m.Bytes(), o.Limits)
	if err != nil {
		m.Close()
		return nil, codec.InFile(err, path)
	}
	m.Evict(int(min(h.base, size))) // what it says was copied
	return &part{header: h, r: m, closer: m, view: m.Bytes(), mapped: true}, nil
}

func openIn(fsys fs.FS, path string, o Options) (*part, error) {
	f, size, err := codec.OpenIn(op, fsys, path, o.Limits)
	if err != nil {
		return nil, err
	}
	h, err := readHeader(f, size, nil, o.Limits)
	if err != nil {
		f.Close()
		return nil, codec.InFile(err, path)
	}
	return &part{header: h, r: f, closer: f}, nil
}

var splitName = regexp.MustCompile(`^(.*)-(\d{5})-of-(\d{5})\.gguf$`)

const maxSplit = 1000

// open opens path and, if it says that it is the first of several parts, the others.
func open(path string, o Options, one func(string, Options) (*part, error)) (_ *File, err error) {
	first, err := one(path, o)
	if err != nil {
		return nil, err
	}
	parts := []*part{first}
	defer func() {
		if err != nil {
			for _, p := range parts {
				p.closer.Close()
			}
		}
	}()
	count := first.meta.Int("split.count", 1)
	if count <= 1 {
		f, err := join(parts, o)
		return f, codec.InFile(err, path)
	}
	name := splitName.FindStringSubmatch(path)
	switch {
	case count > maxSplit:
		return nil, fault.New(fault.Format, op, "%s: a file in %d parts, more than %d", path, count, maxSplit)
	case first.meta.Int("split.no", -1) != 0:
		return nil, fault.New(fault.Value, op, "%s is part %d of %d; open the first part", path, first.meta.Int("split.no", -1)+1, count)
	case name == nil || name[2] != "00001" || name[3] != fmt.Sprintf("%05d", count):
		return nil, fault.New(fault.Value, op, "%s: the first of %d parts must be named like model-00001-of-%05d.gguf", path, count, count)
	}
	for i := int64(1); i < count; i++ {
		next := fmt.Sprintf("%s-%05d-of-%05d.gguf", name[1], i+1, count)
		p, err := one(next, o)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
		if p.meta.Int("split.no", -1) != i || p.meta.Int("split.count", -1) != count {
			return nil, fault.New(fault.Format, op, "%s says it is part %d of %d, want %d of %d", next, p.meta.Int("split.no", -1)+1,
				p.meta.Int("split.count", -1), i+1, count)
		}
	}
	f, err := join(parts, o)
	if err != nil {
		return nil, codec.InFile(err, path)
	}
	if want := first.meta.Int("split.tensors.count", int64(len(f.infos))); want != int64(len(f.infos)) {
		return nil, fault.New(fault.Format, op, "%s: the parts hold %d tensors, want %d", path, len(f.infos), want)
	}
	return f, nil
}

// join makes one file of the parts: no name may be in two of them.
func join(parts []*part, o Options) (*File, error) {
	f := &File{o: o, parts: parts, where: map[string]*part{}}
	for _, p := range parts {
		for _, info := range p.infos {
			if f.where[info.Name] != nil {
				return nil, fault.New(fault.Format, op, "tensor %q is in two parts", info.Name)
			}
			f.where[info.Name] = p
			f.infos = append(f.infos, info)
		}
	}
	return f, nil
}

// Version returns the version of the (first) file.
func (f *File) Version() int { return int(f.parts[0].version) }

// Metadata returns the metadata of the (first) file. The caller must not change it.
func (f *File) Metadata() *Metadata { return &f.parts[0].meta }

// Infos lists the tensors in the file's order. The caller must not change it.
func (f *File) Infos() []Info { return f.infos }

// Info describes a tensor.
func (f *File) Info(name string) (Info, bool) {
	p, ok := f.where[name]
	if !ok {
		return Info{}, false
	}
	return p.infos[p.index[name]], true
}

// Data returns a tensor's bytes as the file has them. In a mapped file they are the mapping's, valid until Close, and must not
// be written to.
func (f *File) Data(name string) ([]byte, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.shut {
		return nil, codec.IOError(op, fs.ErrClosed)
	}
	info, ok := f.Info(name)
	if !ok {
		return nil, fault.New(fault.Value, op, "no tensor %q among the file's %d", name, len(f.infos))
	}
	p := f.where[name]
	if p.view != nil && !f.o.Copied {
		b := p.view[p.base+info.Offset:][:info.Size]
		return b[:len(b):len(b)], nil // an append must not reach the neighbour
	}
	if err := codec.NewBudget(op, f.o.Limits).Take(info.Size, "tensor "+name); err != nil {
		return nil, err
	}
	buf := make([]byte, info.Size)
	return buf, codec.ReadFull(op, p.r, buf, p.base+info.Offset)
}

// Mapped reports whether Data of a tensor is pages of the mapped file.
func (f *File) Mapped(name string) bool {
	p := f.where[name]
	return p != nil && p.mapped && !f.o.Copied
}

// plain are the types that are element types of the project.
var plain = map[ggml.Type]dtype.DType{ggml.F32: dtype.Float32, ggml.F16: dtype.Float16, ggml.BF16: dtype.BFloat16, ggml.F64: dtype.Float64,
	ggml.I8: dtype.Int8, ggml.I16: dtype.Int16, ggml.I32: dtype.Int32, ggml.I64: dtype.Int64}

// Tensor returns a tensor of a plain type.
func (f *File) Tensor(name string) (codec.Tensor, error) {
	data, err := f.Data(name)
	if err != nil {
		return codec.Tensor{}, err
	}
	info, _ := f.Info(name)
	d, ok := plain[info.Type]
	if !ok {
		return codec.Tensor{}, fault.New(fault.DType, op, "tensor %q is made of %s blocks; use Floats or Data", name, info.Type)
	}
	return codec.New(op, codec.Spec{Name: name, DType: d, Shape: info.Shape, Size: info.Size}, data, false)
}

// Floats returns a tensor's elements as float32.
func (f *File) Floats(name string) ([]float32, error) {
	data, err := f.Data(name)
	if err != nil {
		return nil, err
	}
	info, _ := f.Info(name)
	if !info.Type.CanDequantize() {
		return nil, fault.New(fault.DType, op, "tensor %q: no conversion from %s to float32", name, info.Type)
	}
	elements := info.Size / int64(info.Type.BlockBytes()) * int64(info.Type.BlockSize())
	if err := codec.NewBudget(op, f.o.Limits).Take(4*elements, "tensor "+name+" in float32"); err != nil {
		return nil, err
	}
	out := make([]float32, elements)
	ggml.Dequantize(info.Type, out, data)
	return out, nil
}

// Close lets the files go. In a mapped file no tensor may be touched afterwards.
func (f *File) Close() (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.shut {
		return nil
	}
	f.shut = true
	for _, p := range f.parts {
		if p.closer == nil {
			continue
		}
		if e := p.closer.Close(); e != nil && err == nil {
			err = codec.IOError(op, e)
		}
	}
	return err
}
