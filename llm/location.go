package llm

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/gguf"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// maxJSON is the most bytes of a configuration file.
const maxJSON = 1 << 26

// location is a file or folder of a model: of the machine, of LoadOptions.FS, or a GGUF file in memory.
type location struct {
	fsys   fs.FS // nil: the machine's
	path   string
	memory bool // data is a GGUF file
	data   []byte
}

// of looks a path up where the options say.
func (p location) of(o LoadOptions) location {
	if p.memory && o.FS != nil {
		fault.Throw(fault.Value, op, "LoadOptions.FS and a file in memory; want one of them")
	}
	p.fsys = o.FS
	return p
}

// in returns a file of a folder.
func (p location) in(names ...string) location {
	if p.fsys != nil {
		return location{fsys: p.fsys, path: path.Join(p.path, path.Join(names...))}
	}
	return location{path: filepath.Join(p.path, filepath.Join(names...))}
}

// base returns the name without its folders.
func (p location) base() string {
	if p.fsys != nil {
		return path.Base(p.path)
	}
	return filepath.Base(p.path)
}

func (p location) stat() (fs.FileInfo, error) {
	if p.fsys != nil {
		return fs.Stat(p.fsys, p.path)
	}
	return os.Stat(p.path)
}

// kind tells folders from GGUF files, and refuses all else.
func (p location) kind() (folder bool, err error) {
	if p.memory {
		return false, nil
	}
	st, err := p.stat()
	switch {
	case err != nil:
		return false, codec.IOError(op, err)
	case st.IsDir():
		return true, nil
	case strings.HasSuffix(p.path, ".gguf"):
		return false, nil
	}
	return false, fault.New(fault.Format, op, "%q is no .gguf file and no folder with config.json", p.base())
}

// ending finds the files of a folder whose names end so, in order. The folder's own name may have any characters, those of patterns too.
func (p location) ending(suffix string) (found []location, err error) {
	var list []fs.DirEntry
	if p.fsys != nil {
		list, err = fs.ReadDir(p.fsys, p.path)
	} else {
		list, err = os.ReadDir(p.path)
	}
	for _, e := range list {
		if strings.HasSuffix(e.Name(), suffix) {
			found = append(found, p.in(e.Name()))
		}
	}
	return found, codec.IOError(op, err)
}

// read reads a file of bounded length.
func (p location) read(most int64) ([]byte, error) {
	var f io.ReadCloser
	var err error
	if p.fsys != nil {
		f, err = p.fsys.Open(p.path)
	} else {
		f, err = os.Open(p.path)
	}
	if err != nil {
		return nil, codec.IOError(op, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, codec.IOError(op, err)
	}
	if int64(len(data)) > most {
		return nil, fault.New(fault.OutOfMemory, op, "%s is larger than %d bytes", p.base(), most)
	}
	return data, nil
}

// readJSON reads an optional file into v.
func (p location) readJSON(v any) error {
	data, err := p.read(maxJSON)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		if err = json.Unmarshal(data, v); err != nil {
			err = fault.New(fault.Format, op, "%s: %v", p.base(), err)
		}
	}
	return err
}

// weights opens a file with tensors.
func (p location) weights() (*lucid.File, error) {
	return lucid.Open(p.path, lucid.FileOptions{FS: p.fsys})
}

// gguf opens a GGUF file.
func (p location) gguf(copied bool) (*gguf.File, error) {
	o := gguf.Options{Copied: copied}
	switch {
	case p.memory:
		return gguf.Parse(p.data, o)
	case p.fsys != nil:
		return gguf.OpenFS(p.fsys, p.path, o)
	}
	return gguf.Open(p.path, o)
}

// tokenizer reads the tokenizer of a folder.
func (p location) tokenizer() (*tokenizer.Tokenizer, error) {
	if p.fsys != nil {
		return tokenizer.OpenFS(p.fsys, p.path)
	}
	return tokenizer.Open(p.path)
}
