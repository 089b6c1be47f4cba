package clibrary

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
)

const source = "../../../cmd/liblucid"

// mode is the value of LUCID_CLIBRARY: 1, or asan for library and clients with the address sanitizer.
func mode(t *testing.T) string {
	m := os.Getenv("LUCID_CLIBRARY")
	switch {
	case m == "":
		t.Skip("LUCID_CLIBRARY is not set; .ci/run clibrary sets it")
	case runtime.GOOS == "windows":
		t.Skip("the clients are for POSIX systems")
	}
	if _, err := exec.LookPath(compiler()); err != nil {
		t.Skip("no C compiler:", err)
	}
	return m
}

func compiler() string {
	if cc := os.Getenv("CC"); cc != "" {
		return cc
	}
	return "gcc"
}

// prefix is the folder the library is installed in, once for all tests.
var prefix = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "liblucid")
	if err != nil {
		return "", err
	}
	args := []string{dir}
	if os.Getenv("LUCID_CLIBRARY") == "asan" {
		args = []string{"--asan", dir}
	}
	out, err := exec.Command(filepath.Join(source, "install"), args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%v: %s", err, out)
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if os.Getenv("LUCID_CLIBRARY") != "" {
		if dir, err := prefix(); err == nil {
			os.RemoveAll(dir)
		}
	}
	os.Exit(code)
}

func installed(t *testing.T) string {
	t.Helper()
	dir, err := prefix()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var warnings = []string{"-Wall", "-Wextra", "-Werror"}

// client compiles a program with every warning as an error.
func client(t *testing.T, path string) string {
	t.Helper()
	dir, exe := installed(t), filepath.Join(t.TempDir(), "client")
	cc, std := compiler(), "-std=c99"
	if strings.HasSuffix(path, ".cpp") {
		cc, std = "g++", "-std=c++11"
		if _, err := exec.LookPath(cc); err != nil {
			t.Skip("no C++ compiler:", err)
		}
	}
	args := append([]string{std, "-pedantic", "-O2", "-g", "-I", dir + "/include", "-I", "testdata", path, "-o", exe, "-L", dir + "/lib",
		"-llucid", "-lpthread", "-ldl", "-Wl,-rpath," + dir + "/lib"}, warnings...)
	if mode(t) == "asan" {
		args = append(args, "-fsanitize=address")
	}
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return exe
}

// run runs a program, which says ok last.
func run(t *testing.T, exe string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, exe, args...).CombinedOutput()
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "ok") {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("%s", out)
	return string(out)
}

const columns = 6

// files writes a function with open rows, an input and what the function gives, as raw floats.
func files(t *testing.T) (function, input, output string) {
	t.Helper()
	dir := t.TempDir()
	w := lucid.Arange(columns*4).To(lucid.Float32).Div(5).Sin().Reshape(columns, 4)
	f := func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(w).Add(1).Softmax(1) }
	x := lucid.Arange(3*columns).To(lucid.Float32).Div(7).Cos().Reshape(3, columns)
	function = filepath.Join(dir, "f.lucid")
	if err := lucid.Export(function, f, lucid.OpenDims(x, 0)); err != nil {
		t.Fatal(err)
	}
	write := func(name string, v *lucid.Tensor) string {
		b, err := binary.Append(nil, binary.NativeEndian, lucid.ToSlice[float32](v))
		path := filepath.Join(dir, name)
		if err == nil {
			err = os.WriteFile(path, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	return function, write("x", x), write("y", f(x))
}

// TestHeader compiles the header as C99 and as C++, alone.
func TestHeader(t *testing.T) {
	mode(t)
	for std, language := range map[string]string{"-std=c99": "c", "-std=c11": "c", "-std=c++11": "c++", "-std=c++17": "c++"} {
		for _, more := range []string{"-DNOTHING", "-DLUCID_DLPACK"} {
			args := append([]string{std, "-x", language, more, "-pedantic", "-fsyntax-only", filepath.Join(source, "lucid.h")}, warnings...)
			if out, err := exec.Command(compiler(), args...).CombinedOutput(); err != nil {
				t.Errorf("%v: %v: %s", args, err, out)
			}
		}
	}
}

// TestPage compiles the pieces of C in docs/c-abi.md.
func TestPage(t *testing.T) {
	mode(t)
	page, err := os.ReadFile("../../../docs/c-abi.md")
	if err != nil {
		t.Fatal(err)
	}
	pieces := regexp.MustCompile("(?ms)^```c\n(.*?)^```").FindAllStringSubmatch(string(page), -1)
	if len(pieces) < 2 {
		t.Fatal("no code in the page")
	}
	text := "#include <stdio.h>\n#include \"lucid.h\"\nstatic float data[6], result[2];\n"
	for i, p := range pieces {
		text += fmt.Sprintf("int piece%d(void) {\n%s\nreturn 0;\n}\n", i, p[1])
	}
	cmd := exec.Command(compiler(), "-std=c99", "-Wall", "-Werror", "-fsyntax-only", "-I", source, "-x", "c", "-")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func TestCheck(t *testing.T) {
	mode(t)
	f, x, y := files(t)
	run(t, client(t, "testdata/check.c"), f, x, y)
}

// TestSymbols asks that a program sees the names of the header and no others.
func TestSymbols(t *testing.T) {
	mode(t)
	if _, err := exec.LookPath("nm"); err != nil || runtime.GOOS != "linux" {
		t.Skip("for Linux with nm")
	}
	out, err := exec.Command("nm", "-D", "--defined-only", filepath.Join(installed(t), "lib", "liblucid.so")).Output()
	if err != nil {
		t.Fatal(err)
	}
	header, err := os.ReadFile(filepath.Join(source, "lucid.h"))
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for _, m := range regexp.MustCompile(`LUCID_API [^;(]*?(lucid_\w+)\(`).FindAllStringSubmatch(string(header), -1) {
		if names++; !strings.Contains(string(out), " "+m[1]+"@@LUCID_1\n") {
			t.Errorf("the library does not have %s", m[1])
		}
	}
	for line := range strings.Lines(string(out)) {
		name, _, _ := strings.Cut(line[strings.LastIndexByte(line[:len(line)-1], ' ')+1:], "@")
		if name = strings.TrimSpace(name); name != "LUCID_1" && !strings.Contains(string(header), " "+name+"(") &&
			!strings.Contains(string(header), "*"+name+"(") {
			t.Errorf("the library shows %s, which is not in the header", name)
		}
	}
	if names < 30 {
		t.Errorf("%d names in the header", names)
	}
}

func TestCPlusPlus(t *testing.T) {
	mode(t)
	run(t, client(t, "testdata/header.cpp"))
}

// TestThreads is eight threads with 10⁵ calls each.
func TestThreads(t *testing.T) {
	calls := "100000"
	if mode(t) == "asan" {
		calls = "10000"
	}
	f, x, y := files(t)
	run(t, client(t, "testdata/threads.c"), f, x, y, calls)
}

// TestGPU runs a function on a GPU, if there is one.
func TestGPU(t *testing.T) {
	if mode(t) == "asan" {
		t.Skip("the driver is not built for the sanitizer")
	}
	f, x, y := files(t)
	run(t, client(t, "testdata/cuda.c"), f, x, y)
}

// TestProcess is about signals and forks.
func TestProcess(t *testing.T) {
	if mode(t) == "asan" {
		t.Skip("the sanitizer takes the handlers of faults itself")
	}
	run(t, client(t, "testdata/process.c"), filepath.Join(installed(t), "lib", "liblucid.so"))
}

// TestSpeed asks that recording and freeing an op takes at most 1.2 µs.
func TestSpeed(t *testing.T) {
	if mode(t) == "asan" {
		t.Skip("a sanitizer is slow")
	}
	out, err := exec.Command(client(t, "testdata/speed.c")).CombinedOutput()
	var call, record, attribute, whole int
	const form = "call %d record %d attribute %d whole %d"
	if _, e := fmt.Sscanf(string(out), form, &call, &record, &attribute, &whole); err != nil || e != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("ns: an empty call %d, an op recorded and freed %d, with an attribute %d, computed and read %d", call, record, attribute, whole)
	if record > 1200 || attribute > 1200 {
		t.Errorf("an op takes %d ns, with an attribute %d; want at most 1200", record, attribute)
	}
}

// TestOverrun asks the sanitizer to find a caller's mistake.
func TestOverrun(t *testing.T) {
	if mode(t) != "asan" {
		t.Skip("for the sanitizer")
	}
	out, err := exec.Command(client(t, "testdata/overrun.c")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "AddressSanitizer") {
		t.Errorf("a buffer that is too short was not found: %v: %s", err, out)
	}
}

// TestExamples runs the programs of cmd/liblucid/examples; the one in C is compiled with what pkg-config says, where there is one.
func TestExamples(t *testing.T) {
	m := mode(t)
	f, _, _ := files(t)
	dir := installed(t)
	args := []string{"-I" + dir + "/include", "-L" + dir + "/lib", "-llucid"}
	if out, err := exec.Command("pkg-config", "--version").CombinedOutput(); err == nil {
		cmd := exec.Command("pkg-config", "--cflags", "--libs", "lucid")
		cmd.Env = append(os.Environ(), "PKG_CONFIG_PATH="+dir+"/lib/pkgconfig")
		if out, err = cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		args = strings.Fields(string(out))
	}
	if m == "asan" {
		args = append(args, "-fsanitize=address")
	}
	exe := filepath.Join(t.TempDir(), "run")
	args = append([]string{source + "/examples/run.c", "-o", exe, "-Wl,-rpath," + dir + "/lib"}, append(args, warnings...)...)
	if out, err := exec.Command(compiler(), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(exe, f).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "result 0: 0.") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestPython runs the example in Python, where there is NumPy.
func TestPython(t *testing.T) {
	if mode(t) == "asan" {
		t.Skip("Python is not built with the sanitizer")
	}
	python := os.Getenv("LUCID_PYTHON")
	if python == "" {
		python = "python3"
	}
	const numpy2 = "import numpy; assert int(numpy.__version__.split('.')[0]) >= 2"
	if out, err := exec.Command(python, "-c", numpy2).CombinedOutput(); err != nil {
		t.Skipf("no Python with NumPy 2 (LUCID_PYTHON): %v: %s", err, out)
	}
	f, _, _ := files(t)
	cmd := exec.Command(python, filepath.Join(source, "examples", "run.py"), f, fmt.Sprint(columns))
	cmd.Env = append(os.Environ(), "LUCID_LIBRARY="+filepath.Join(installed(t), "lib", "liblucid.so"), "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "ok\n") {
		t.Errorf("%v: %s", err, out)
	}
}
