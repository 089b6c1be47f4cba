package dl

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/lucid-go/lucid/internal/fault"
)

func TestMissing(t *testing.T) {
	_, err := Open("the library of nothing", []string{"libnothing.so.7"}, []string{t.TempDir()}, t.TempDir())
	if !errors.Is(err, fault.SentinelOf(fault.Device)) {
		t.Fatalf("%v", err)
	}
	var m *Missing
	if !errors.As(err, &m) || len(m.Tried) != 3 {
		t.Fatalf("%#v", err)
	}
	for _, want := range []string{"the library of nothing", "libnothing.so.7"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %s", err, want)
		}
	}
}

// TestNamed takes the library of a folder that the user names before the system's own.
func TestNamed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIP: the C library's path is known on Linux alone")
	}
	own, err := filepath.Glob("/lib/*/libc.so.6")
	if err != nil || len(own) == 0 {
		t.Skip("SKIP: no C library to link to")
	}
	dir := t.TempDir()
	if err := os.Symlink(own[0], filepath.Join(dir, "libc.so.6")); err != nil {
		t.Fatal(err)
	}
	lib, err := Open("the C library", []string{"libc.so.6"}, []string{filepath.Join(dir, "no"), dir})
	if err != nil || filepath.Dir(lib.Path) != dir {
		t.Errorf("found %v, %v, want that of %s", lib, err, dir)
	}
}

// TestCall calls the C library, which every system of ours has.
func TestCall(t *testing.T) {
	lib, err := Open("the C library", []string{"libc.so.6", "libSystem.B.dylib"}, nil)
	if err != nil {
		t.Skipf("SKIP: no C library to open: %v", err)
	}
	f, err := lib.Symbol("strlen")
	if err != nil {
		t.Fatal(err)
	}
	s := CString("seven..")
	if n := Call(f, uintptr(unsafe.Pointer(s))); n != 7 {
		t.Errorf("strlen gives %d, want 7", n)
	}
	runtime.KeepAlive(s)
	if _, err := lib.Symbol("no_such_function"); err == nil || !strings.Contains(err.Error(), "no_such_function") {
		t.Errorf("a missing function: %v", err)
	}
	get, err := lib.Symbol("getenv")
	if err != nil {
		t.Fatal(err)
	}
	if GoString(Call(get, uintptr(unsafe.Pointer(CString("NO_SUCH_VARIABLE_HERE"))))) != "" {
		t.Error("a null string must be empty")
	}
}
