package codec_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/fault"
)

func temps(t *testing.T, dir string) int {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range all {
		if strings.HasPrefix(e.Name(), codec.TempPrefix) {
			n++
		}
	}
	return n
}

func write(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWriteAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, s := range []string{"one", "two two"} {
		if err := codec.WriteAtomic(path, write(s)); err != nil {
			t.Fatal(err)
		}
		if got := content(t, path); got != s {
			t.Errorf("%q", got)
		}
	}
	boom := errors.New("boom")
	err := codec.WriteAtomic(path, func(w io.Writer) error {
		w.Write(make([]byte, 1<<20))
		return boom
	})
	if !errors.Is(err, boom) {
		t.Error(err)
	}
	func() {
		defer func() { recover() }()
		codec.WriteAtomic(path, func(io.Writer) error { panic("writer") })
	}()
	if got := content(t, path); got != "two two" {
		t.Errorf("a failed save left %q", got)
	}
	if n := temps(t, dir); n != 0 {
		t.Errorf("%d temporary files left", n)
	}
	if err := codec.WriteAtomic(filepath.Join(dir, "no", "f"), write("x")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := codec.WriteAtomic(dir, write("x")); err == nil {
		t.Error("a directory was replaced")
	}
}

func TestWriteAtomicKeeps(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits, and links need a privilege")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	os.WriteFile(path, nil, 0o640)
	os.Chmod(path, 0o640)
	link := filepath.Join(dir, "link")
	if err := os.Symlink("f", link); err != nil {
		t.Fatal(err)
	}
	if err := codec.WriteAtomic(link, write("x")); err != nil {
		t.Fatal(err)
	}
	if st, _ := os.Lstat(link); st.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if st, _ := os.Stat(path); st.Mode().Perm() != 0o640 || content(t, path) != "x" {
		t.Error(st.Mode())
	}
	// A new file has the permissions any new file has.
	plain, fresh := filepath.Join(dir, "plain"), filepath.Join(dir, "fresh")
	os.WriteFile(plain, nil, 0o666)
	codec.WriteAtomic(fresh, write("x"))
	a, _ := os.Stat(plain)
	b, _ := os.Stat(fresh)
	if a.Mode() != b.Mode() {
		t.Error(a.Mode(), b.Mode())
	}
}

// Many savers and readers of one path: a reader sees one saver's file, whole.
func TestWriteAtomicConcurrent(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	codec.WriteAtomic(path, write(strings.Repeat("0", 1000)))
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 10 {
				if err := codec.WriteAtomic(path, write(strings.Repeat(fmt.Sprint(i), 1000))); err != nil {
					t.Error(err)
				}
				b, err := os.ReadFile(path)
				if err != nil || len(b) != 1000 || strings.Trim(string(b), string(b[:1])) != "" {
					t.Error("a mixed file", err)
				}
			}
		})
	}
	wg.Wait()
	if n := temps(t, dir); n != 0 {
		t.Errorf("%d temporary files left", n)
	}
}

// A save deletes what dead savers of the same path left, and nothing else.
func TestWriteAtomicRemovesStale(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files of the last minute are left alone")
	}
	dir := t.TempDir()
	path, other := filepath.Join(dir, "f"), filepath.Join(dir, "g")
	name := make(chan string)
	// The temporary name of a save in progress, which another save must leave alone.
	inside := func(path string, during func()) error {
		return codec.WriteAtomic(path, func(w io.Writer) error {
			all, _ := filepath.Glob(filepath.Join(dir, codec.TempPrefix+"*"))
			for _, f := range all {
				go func() { name <- f }()
			}
			during()
			_, err := io.WriteString(w, "slow")
			return err
		})
	}
	err := inside(path, func() {
		living := <-name
		stale := living[:len(living)-16] + "0123456789abcdef"
		if err := os.WriteFile(stale, []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := codec.WriteAtomic(other, write("g")); err != nil {
			t.Fatal(err)
		}
		if n := temps(t, dir); n != 2 {
			t.Errorf("saving another file left %d of 2 temporary files", n)
		}
		if err := codec.WriteAtomic(path, write("fast")); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(stale); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the file of a dead saver is there: %v", err)
		}
		if _, err := os.Stat(living); err != nil {
			t.Errorf("the file of a living saver: %v", err)
		}
	})
	if err != nil || content(t, path) != "slow" || content(t, other) != "g" || temps(t, dir) != 0 {
		t.Errorf("%v, %q, %d temporary files", err, content(t, path), temps(t, dir))
	}
}

// TestWriteAtomicNames asserts that an error names the file that was to be written, and not the temporary one.
func TestWriteAtomicNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "x.bin")
	err := codec.WriteAtomic(path, func(io.Writer) error { return nil })
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v, want an error that names %s", err, path)
	}
	named := codec.InFile(fault.New(fault.Format, "read", "broken"), path)
	if again := codec.InFile(named, path); strings.Count(again.Error(), path) != 1 {
		t.Errorf("%v: the path is there twice", again)
	}
}
