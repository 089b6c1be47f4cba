package safetensors

import (
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/fault"
)

// File is an open safetensors file, or the shards of an index taken together. Its methods are safe for
// concurrent use.
type File struct {
	o     Options
	mu    sync.RWMutex // held for writing by Close, so that it waits for reads under way
	shut  bool
	parts []*part
	where map[string]*part
	names []string
	meta  map[string]string
}

// part is one file on disk.
type part struct {
	*header
	r      io.ReaderAt
	closer io.Closer      // nil when the caller owns r
	view   *codec.Mapping // nil unless mapped
}

// Open opens the file at path, or all files of an index if path ends in ".json". Only headers are read.
func Open(path string, o Options) (*File, error) { return OpenFS(nil, path, o) }

// OpenFS is Open for files of fsys, or of the machine if that is nil. Files of an fsys cannot be mapped.
func OpenFS(fsys fs.FS, path string, o Options) (*File, error) {
	if o.Mapped && fsys != nil {
		return nil, fault.New(fault.NotImplemented, op, "%s: files of an fs.FS cannot be mapped; leave Mapped false", path)
	}
	if strings.HasSuffix(path, ".json") {
		return openIndex(fsys, path, o)
	}
	p, err := openPart(fsys, path, o)
	if err != nil {
		return nil, err
	}
	return single(p, o), nil
}

// NewFile reads the header of size bytes of r, which the caller keeps open. Options.Mapped does not apply.
func NewFile(r io.ReaderAt, size int64, o Options) (*File, error) {
	h, err := readHeader(r, size, o.Limits)
	if err != nil {
		return nil, err
	}
	o.Mapped = false
	return single(&part{header: h, r: r}, o), nil
}

func single(p *part, o Options) *File {
	f := &File{o: o, parts: []*part{p}, where: map[string]*part{}, meta: p.meta}
	for _, s := range p.table.Specs() {
		f.where[s.Name] = p
		f.names = append(f.names, s.Name)
	}
	return f
}

func openPart(fsys fs.FS, path string, o Options) (_ *part, err error) {
	f, size, err := codec.OpenIn(op, fsys, path, o.Limits)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	h, err := readHeader(f, size, o.Limits)
	if err != nil {
		return nil, codec.InFile(err, path)
	}
	if !o.Mapped {
		return &part{header: h, r: f, closer: f}, nil
	}
	m, err := codec.Map(f.(*os.File)) // of the machine: OpenFS refused the others
	if err != nil {
		return nil, err
	}
	f.Close() // the mapping stands without it
	if int64(len(m.Bytes())) != size {
		m.Close()
		return nil, fault.New(fault.Format, op, "%s changed its length while it was opened", path)
	}
	return &part{header: h, r: m, closer: m, view: m}, nil
}

// Names lists the tensors: in the order of the header, or of the index. The caller must not change it.
func (f *File) Names() []string { return f.names }

// Metadata returns the strings under "__metadata__", or an index's "metadata" with numbers as their
// text. The caller must not change it.
func (f *File) Metadata() map[string]string { return f.meta }

// Info describes a tensor without reading it. An 8-bit float shows as uint8, whether or not Tensor would read it.
func (f *File) Info(name string) (codec.Spec, bool) {
	p, ok := f.where[name]
	if !ok {
		return codec.Spec{}, false
	}
	return p.table.Find(name)
}

// Tensor reads one tensor. In a mapped file its bytes are the mapping's, unless they had to be copied.
func (f *File) Tensor(name string) (codec.Tensor, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.shut {
		return codec.Tensor{}, codec.IOError(op, fs.ErrClosed)
	}
	p, ok := f.where[name]
	if !ok {
		return codec.Tensor{}, fault.New(fault.Value, op, "no tensor %q among the file's %d", name, len(f.names))
	}
	s, _ := p.table.Find(name)
	if raw := p.raw[name]; raw != "" && !f.o.RawF8 {
		return codec.Tensor{}, refuseRaw(name, raw)
	}
	if p.view != nil {
		return codec.New(op, s, p.view.Bytes()[p.base+s.Offset:][:s.Size], false)
	}
	if err := codec.NewBudget(op, f.o.Limits).Take(s.Size, "tensor "+name); err != nil {
		return codec.Tensor{}, err
	}
	return codec.Read(op, s, p.r, p.base)
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
