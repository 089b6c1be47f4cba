package lucid

import (
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/safetensors"
	"github.com/lucid-go/lucid/internal/codec/torch"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/mem"
)

// FileOptions say how tensors of an open file are read; the zero value copies each when it is asked for.
//
// Mapped shows the file's own pages as tensors: nothing is read before it is computed with, and what was read can be
// dropped by the system again. Another program that cuts the file short meanwhile ends this one: use it for files that no program writes.
//
// FS is where path is looked up, such as an embed.FS with files in the program itself, an archive, or fstest.MapFS with bytes in memory.
type FileOptions struct {
	Mapped bool  // tensors show the pages of the file; nothing is read before it is computed with
	FS     fs.FS // nil: files of the machine
}

// File is an open .safetensors file, the files of an index, or a file of torch.save, whose tensors are read one by one. Its methods
// may be called by several goroutines.
type File struct {
	f      tensorFile
	mapped bool

	mu     sync.Mutex
	shown  int // tensors that still stand in the mapping
	closed bool
}

// tensorFile is what formats have that can be read tensor by tensor.
type tensorFile interface {
	Names() []string
	Metadata() map[string]string
	Info(name string) (codec.Spec, bool)
	Tensor(name string) (codec.Tensor, error)
	Close() error
}

// Open opens a .safetensors file, a .json index of several, or a .pt, .pth, .bin or .ckpt file of torch.save, which cannot be mapped.
// Only headers are read, and checked.
func Open(path string, opts ...FileOptions) (*File, error) {
	const op = "open"
	var o FileOptions
	if err := Try(func() { o = option(op, opts) }); err != nil {
		return nil, err
	}
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case slices.Contains([]string{".pt", ".pth", ".bin", ".ckpt"}, ext):
		if o.Mapped {
			return nil, fault.New(fault.NotImplemented, op, "%q: files of PyTorch cannot be mapped; leave FileOptions.Mapped false", path)
		}
		f, err := torch.OpenFS(o.FS, path, torch.Options{})
		if err != nil {
			return nil, err
		}
		return &File{f: f}, nil
	case ext != ".safetensors" && ext != ".json":
		return nil, fault.New(fault.Format, op, "%q is no .safetensors file, no .json index of them and no file of PyTorch; "+
			"Load reads other formats whole", path)
	}
	f, err := safetensors.OpenFS(o.FS, path, safetensors.Options{Mapped: o.Mapped})
	if err != nil {
		return nil, err
	}
	return &File{f: f, mapped: o.Mapped}, nil
}

// Names lists the tensors in the order of the file.
func (f *File) Names() []string { return slices.Clone(f.f.Names()) }

// Metadata returns the text stored with the tensors, nil if there is none.
func (f *File) Metadata() map[string]string { return (&StateDict{meta: f.f.Metadata()}).Metadata() }

// Info returns the dtype and shape of a tensor without reading it; ok is false if there is none of that name.
func (f *File) Info(name string) (d DType, shape []int, ok bool) {
	s, ok := f.f.Info(name)
	return s.DType, slices.Clone(s.Shape), ok
}

// Tensor returns a tensor of the file, on the CPU. It may be used after Close.
func (f *File) Tensor(name string) (t *Tensor, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, codec.IOError("open", fs.ErrClosed)
	}
	c, err := f.f.Tensor(name)
	if err != nil {
		return nil, err
	}
	b := mem.FromGo(c.Data)
	b.Fixed = true
	if f.mapped {
		f.shown++
		runtime.AddCleanup(b, (*File).forget, f)
	}
	err = Try(func() { t = fromBuffer(c, b) })
	return t, err
}

// forget counts a tensor that cannot be reached any more.
func (f *File) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.shown--; f.closed && f.shown == 0 {
		f.f.Close() // no caller is left to get an error
	}
}

// Close closes the file. A mapping goes when the last tensor that stands in it does.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	if f.closed = true; f.shown > 0 {
		return nil
	}
	return f.f.Close()
}
