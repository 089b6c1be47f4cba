package dl

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/lucid-go/lucid/internal/fault"
)

func TestMissing(t *testing.T) {
	_, err := Open("the library of nothing", []string{"libnothing.so.7"}, t.TempDir())
	if !errors.Is(err, fault.SentinelOf(fault.Device)) {
		t.Fatalf("%v", err)
	}
	var m *Missing
	if !errors.As(err, &m) || len(m.Tried) != 2 {
		t.Fatalf("%#v", err)
	}
	for _, want := range []string{"the library of nothing", "libnothing.so.7"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %s", err, want)
		}
	}
}

// TestCall calls the C library, which every system of ours has.
func TestCall(t *testing.T) {
	lib, err := Open("the C library", []string{"libc.so.6", "libSystem.B.dylib"})
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
