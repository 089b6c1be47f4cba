package tokenizer

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/gguf"
	"github.com/lucid-go/lucid/internal/fault"
)

// maxFile is the most bytes of a vocabulary that is read whole.
const maxFile = 1 << 28

// Open reads the tokenizer at path: a tokenizer.json, .gguf or .model file, or a folder with a tokenizer.json or
// tokenizer.model, whose tokenizer_config.json then names the tokens that begin and end a text.
func Open(path string) (*Tokenizer, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, codec.IOError(op, err)
	}
	if st.IsDir() {
		return openFolder(os.DirFS(path), path)
	}
	if strings.HasSuffix(path, ".gguf") {
		return OpenGGUF(path)
	}
	return openFile(os.DirFS(filepath.Dir(path)), filepath.Base(path))
}

// openFile reads a file that is no GGUF file of the machine, which would be mapped.
func openFile(fsys fs.FS, path string) (*Tokenizer, error) {
	if strings.HasSuffix(path, ".gguf") {
		f, err := gguf.OpenFS(fsys, path, gguf.Options{})
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return FromGGUF(f.Metadata())
	}
	data, err := readAll(fsys, path)
	if err != nil {
		return nil, err
	}
	switch {
	case strings.HasSuffix(path, ".model") && !bytes.HasPrefix(data, []byte("{")):
		return ParseSentencePiece(data)
	case strings.HasSuffix(path, ".tiktoken"):
		return nil, fault.New(fault.Value, op,
			"%s: a tiktoken file does not name its pattern and special tokens; use ParseTiktoken", path)
	}
	return ParseJSON(data)
}

// OpenFS is Open for a path of fsys, such as an embed.FS.
func OpenFS(fsys fs.FS, path string) (*Tokenizer, error) {
	st, err := fs.Stat(fsys, path)
	if err != nil {
		return nil, codec.IOError(op, err)
	}
	if !st.IsDir() {
		return openFile(fsys, path)
	}
	sub, err := fs.Sub(fsys, path)
	if err != nil {
		return nil, codec.IOError(op, err)
	}
	return openFolder(sub, path)
}

func openFolder(fsys fs.FS, path string) (t *Tokenizer, err error) {
	data, err := readAll(fsys, "tokenizer.json")
	if err == nil {
		t, err = ParseJSON(data)
	} else if errors.Is(err, fs.ErrNotExist) {
		if data, err = readAll(fsys, "tokenizer.model"); err == nil {
			t, err = ParseSentencePiece(data)
		}
	}
	if err != nil {
		return nil, codec.InFile(err, path)
	}
	config, err := readAll(fsys, "tokenizer_config.json")
	if err == nil {
		err = fault.Catch(func() { t.readConfig(config) })
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return nil, codec.InFile(err, path)
	}
	return t, nil
}

// readConfig takes the tokens that begin and end a text from a tokenizer_config.json.
func (t *Tokenizer) readConfig(data []byte) {
	p := newParser(data)
	root, ok := asObject(readAny(p), "tokenizer_config.json")
	if !ok {
		refuse("tokenizer_config.json is no object")
	}
	id := func(key string, def int) int {
		v := root.values[key]
		if o, is := v.(map[string]any); is {
			v = o["content"]
		}
		if s, is := v.(string); is {
			if id, ok := t.ID(s); ok {
				return id
			}
		}
		return def
	}
	t.bos, t.eos = id("bos_token", t.bos), id("eos_token", t.eos)
}

func readAll(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, codec.IOError(op, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, codec.IOError(op, err)
	}
	if len(data) > maxFile {
		return nil, fault.New(fault.OutOfMemory, op, "%s is larger than %d bytes", name, maxFile)
	}
	return data, nil
}
