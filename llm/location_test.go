package llm

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// inZip puts the files of a folder into an archive, whose files can only be read from their beginning, below "inside".
func inZip(t testing.TB, dir string) fs.FS {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return err
		}
		w, err := z.Create("inside/" + path)
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	})
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLoadFS loads one model from the machine, from file systems of the program and from memory: the same tokens.
func TestLoadFS(t *testing.T) {
	dir := folder(t, goldens(t).Cases["llama"])
	m, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	ids := m.Tokenizer().Encode("once")
	want := generated(t, m, ids, Options{MaxTokens: 6})
	file := filepath.Join(dir, "m.gguf")
	if err := m.Save(file, SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	archive := inZip(t, dir)
	blocks := filepath.Join(dir, "q.gguf")
	if err := m.Save(blocks, SaveOptions{Format: "q8_0"}); err != nil {
		t.Fatal(err)
	}
	q, err := Load(blocks, LoadOptions{Quantized: true})
	if err != nil {
		t.Fatal(err)
	}
	quantized := row(q, ids, len(ids)-1)
	if q, err = Load("q.gguf", LoadOptions{Quantized: true, FS: os.DirFS(dir)}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(row(q, ids, len(ids)-1), quantized) {
		t.Error("quantized matrices of a file system give other logits than those of a mapped file")
	}
	loads := map[string]func() (*Model, error){
		"a folder":                func() (*Model, error) { return Load(".", LoadOptions{FS: os.DirFS(dir)}) },
		"a folder of an archive":  func() (*Model, error) { return Load("inside", LoadOptions{FS: archive}) },
		"a GGUF file":             func() (*Model, error) { return Load("m.gguf", LoadOptions{FS: os.DirFS(dir)}) },
		"a GGUF file, compressed": func() (*Model, error) { return Load("inside/m.gguf", LoadOptions{FS: archive}) },
		"memory":                  func() (*Model, error) { return LoadBytes("m.gguf", data) },
		"memory, copied":          func() (*Model, error) { return LoadBytes("m.gguf", data, LoadOptions{Copied: true}) },
		"a map": func() (*Model, error) {
			return Load("a/m.gguf", LoadOptions{FS: fstest.MapFS{"a/m.gguf": &fstest.MapFile{Data: data}}})
		},
	}
	for name, load := range loads {
		m, err := load()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := generated(t, m, ids, Options{MaxTokens: 6}); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	tok, err := tokenizer.OpenFS(archive, "inside/m.gguf")
	if err != nil || !slices.Equal(tok.Encode("once"), ids) {
		t.Errorf("the tokenizer of a file in an archive: %v", err)
	}
}

// TestLoadFSOthers loads encoders, Whisper and PyTorch's files from an archive.
func TestLoadFSOthers(t *testing.T) {
	dir := encoderFolder(t, "bert", "")
	e, err := LoadEmbedder(dir)
	if err != nil {
		t.Fatal(err)
	}
	inside, err := LoadEmbedder("inside", LoadOptions{FS: inZip(t, dir)})
	if err != nil {
		t.Fatal(err)
	}
	want, err := e.Embed(context.Background(), []string{"a text"}, EmbedOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := inside.Embed(context.Background(), []string{"a text"}, EmbedOptions{}); err != nil || !slices.Equal(got[0], want[0]) {
		t.Errorf("the embedder of an archive has other vectors: %v", err)
	}
	_, dir = whisperFolder(t)
	if _, err := LoadTranscriber("inside", LoadOptions{FS: inZip(t, dir)}); err != nil {
		t.Error(err)
	}
	if _, err := Load("inside", LoadOptions{FS: inZip(t, dir)}); !errors.Is(err, lucid.ErrNotImplemented) {
		t.Errorf("a Whisper as a language model: %v", err)
	}
}

// TestLoadFSRefuses looks at errors: their kinds, and that they name the path.
func TestLoadFSRefuses(t *testing.T) {
	files := fstest.MapFS{"m.gguf": &fstest.MapFile{Data: []byte("GGUF")}, "other": &fstest.MapFile{}}
	for _, c := range []struct {
		load func() (*Model, error)
		want error
	}{
		{func() (*Model, error) { return Load("m.gguf", LoadOptions{FS: files}) }, lucid.ErrFormat},
		{func() (*Model, error) { return Load("none.gguf", LoadOptions{FS: files}) }, fs.ErrNotExist},
		{func() (*Model, error) { return Load("../m.gguf", LoadOptions{FS: files}) }, fs.ErrNotExist},
		{func() (*Model, error) { return Load("other", LoadOptions{FS: files}) }, lucid.ErrFormat},
		{func() (*Model, error) { return LoadBytes("m.gguf", nil) }, lucid.ErrFormat},
		{func() (*Model, error) { return LoadBytes("m.gguf", []byte("GGUF"), LoadOptions{FS: files}) }, lucid.ErrValue},
	} {
		if _, err := c.load(); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
	if _, err := lucid.Open("a.safetensors", lucid.FileOptions{FS: files, Mapped: true}); !errors.Is(err, lucid.ErrNotImplemented) {
		t.Errorf("a mapped file of a file system: %v", err)
	}
}
