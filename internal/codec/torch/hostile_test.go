package torch

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/codec/codectest"
	"github.com/lucid-go/lucid/internal/fault"
)

// Pieces of pickles.
const (
	begin    = "\x80\x02"
	rebuild  = "ctorch._utils\n_rebuild_tensor_v2\n"
	float32s = "ctorch\nFloatStorage\n"
)

func text(s string) string { return "X" + u32(len(s)) + s }

func u32(n int) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }

func number(n int) string {
	return "\x8a\x08" + string(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

func numbersOf(n ...int) string {
	s := "("
	for _, v := range n {
		s += number(v)
	}
	return s + "t"
}

// stored is a reference to the storage "0" of so many float32.
func stored(n int) string {
	return "(" + text("storage") + float32s + text("0") + text("cpu") + number(n) + "tQ"
}

// tensorOf is a tensor of the storage.
func tensorOf(n, offset int, shape, stride []int) string {
	return rebuild + "(" + stored(n) + number(offset) + numbersOf(shape...) + numbersOf(stride...) +
		"\x89ccollections\nOrderedDict\n)RtR"
}

// small is a dict with one tensor of four elements.
var small = begin + "}" + text("a") + tensorOf(4, 0, []int{2, 2}, []int{2, 1}) + "s."

// archiveOf puts a pickle and a storage of 16 bytes into an archive.
func archiveOf(t testing.TB, pickle string) []byte {
	return archiveWith(t, map[string]string{"x/data.pkl": pickle, "x/data/0": strings.Repeat("\x00\x00\x80\x3f", 4)}, zip.Store)
}

func archiveWith(t testing.TB, entries map[string]string, method uint16) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, data := range entries {
		e, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err == nil {
			_, err = e.Write([]byte(data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readAll(b []byte) error {
	f, err := Parse(b, Options{})
	if err == nil {
		_, err = f.All()
	}
	return err
}

// TestOpcodes asserts that the table is closed: every other opcode is refused by its number.
func TestOpcodes(t *testing.T) {
	if err := readAll(archiveOf(t, small)); err != nil {
		t.Fatal(err)
	}
	for code := range 256 {
		if _, known := opcodes[byte(code)]; known || code == '.' {
			continue
		}
		err := readAll(archiveOf(t, begin+string([]byte{byte(code)})+strings.Repeat("\x00", 16)+"."))
		if k, _ := fault.KindOf(err); k != fault.NotImplemented || !strings.Contains(fmt.Sprint(err), fmt.Sprintf("0x%02x", code)) {
			t.Errorf("opcode %#x: %v", code, err)
		}
	}
	// What runs code in Python is among them.
	for _, code := range []byte{'i', 'o', 0x81, 0x92, 0x82, 0x83, 0x84, 'P', 0x97, 0x98, '0', '2', 'I', 'L', 'S', 'V', 'F', 0x8b} {
		if _, known := opcodes[code]; known {
			t.Errorf("opcode %#x is in the table", code)
		}
	}
}

// TestPendingBits checks that a tensor whose conjugation or negation PyTorch put off is refused, and not read without it.
func TestPendingBits(t *testing.T) {
	for bit, want := range map[string]fault.Kind{"conj": fault.NotImplemented, "neg": fault.NotImplemented, "other": 0} {
		p := begin + "}" + text("a") + rebuild + "(" + stored(4) + number(0) + numbersOf(2, 2) + numbersOf(2, 1) +
			"\x89ccollections\nOrderedDict\n)R}" + text(bit) + "\x88stRs."
		err := readAll(archiveOf(t, p))
		if k, _ := fault.KindOf(err); err != nil != (want != 0) || err != nil && k != want {
			t.Errorf("%s: %v", bit, err)
		}
	}
}

// TestCode asserts that names of functions are refused before anything is called.
func TestCode(t *testing.T) {
	for _, name := range []string{"os\nsystem", "posix\nsystem", "builtins\neval", "__builtin__\nexec", "builtins\ngetattr", "torch\nload",
		"torch.hub\nload", "subprocess\nPopen", "operator\nattrgetter", "torch.jit\nload", "numpy.core.multiarray\n_reconstruct",
		"torch._utils\n_rebuild_sparse_tensor", "torch\nFloatStorage.__class__", "collections\nOrderedDict.fromkeys"} {
		p := begin + "c" + name + "\n(" + text("echo") + "tR."
		err := readAll(archiveOf(t, p))
		if want := strings.ReplaceAll(name, "\n", "."); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
		module, n, _ := strings.Cut(name, "\n")
		err = readAll(archiveOf(t, begin+text(module)+text(n)+"\x93)R."))
		if k, _ := fault.KindOf(err); k != fault.NotImplemented {
			t.Errorf("%q from the stack: %v", name, err)
		}
	}
}

// deep nests n lists.
func deep(n int) string { return begin + strings.Repeat("](", n) + strings.Repeat("e", n) + "." }

// laughs makes lists of two of the list before: 2ⁿ values in few bytes.
func laughs(n int) string {
	s := begin + "]q\x00"
	for i := range n {
		s += "](h" + string(rune(i)) + "h" + string(rune(i)) + "eq" + string(rune(i+1))
	}
	return s + "."
}

// TestHostile asserts that bad files are refused with typed errors, at once, and without memory.
func TestHostile(t *testing.T) {
	huge := 1 << 62
	tensor := func(n, offset int, shape, stride []int) string {
		return begin + tensorOf(n, offset, shape, stride) + "."
	}
	for name, p := range map[string]string{
		"empty":                    "",
		"no end":                   begin + "}",
		"nothing to return":        begin + ".",
		"two values":               begin + "NN.",
		"bytes behind the end":     begin + "N.N",
		"protocol 0":               "\x80\x00N.",
		"protocol 6":               "\x80\x06N.",
		"a pop from nothing":       begin + "\x85.",
		"a mark as a value":        begin + "(.",
		"no mark":                  begin + "}u.",
		"an odd dict":              begin + "}(Nu.",
		"a list as a key":          begin + "}(]Nu.",
		"items of a number":        begin + "K\x01(NNu.",
		"append to a tuple":        begin + ")Na.",
		"attributes of a list":     begin + "]}b.",
		"a call of a text":         begin + text("x") + ")R.",
		"a call of a storage type": begin + float32s + ")R.",
		"an empty memo":            begin + "h\x05.",
		"a string past the end":    begin + "X" + u32(1<<30) + "x.",
		"a huge string":            begin + "\x8d\xff\xff\xff\xff\xff\xff\xff\x7f.",
		"a negative string":        begin + "\x8d\xff\xff\xff\xff\xff\xff\xff\xff.",
		"a negative old string":    begin + "T\xff\xff\xff\xff.",
		"no UTF-8":                 begin + "X" + u32(1) + "\xff.",
		"huge bytes":               begin + "B\xff\xff\xff\xff.",
		"a name without an end":    begin + "c" + strings.Repeat("a", 4096),
		"a deep list":              deep(10000),
		"a list inside itself":     begin + "]q\x00h\x00a.",
		"a dict inside itself":     begin + "}q\x00" + text("a") + "h\x00s.",
		"2^60 values":              laughs(60),
		"no storage":               begin + rebuild + "(N" + number(0) + numbersOf(1) + numbersOf(1) + "\x89NtR.",
		"a reference to nothing":   begin + text("x") + "Q.",
		"a module reference":       begin + "(" + text("module") + "NNNNtQ.",
		"a storage alone":          begin + "}" + text("a") + stored(4) + "s.",
		"a storage of -1":          tensor(-1, 0, []int{1}, []int{1}),
		"a storage of 2^62":        tensor(huge, 0, []int{1}, []int{1}),
		"a storage past its entry": tensor(5, 0, []int{5}, []int{1}),
		"an offset past the end":   tensor(4, 5, []int{1}, []int{1}),
		"a negative offset":        tensor(4, -1, []int{1}, []int{1}),
		"a tensor past the end":    tensor(4, 1, []int{4}, []int{1}),
		"strides past the end":     tensor(4, 0, []int{2, 2}, []int{3, 1}),
		"strides that overflow":    tensor(4, 0, []int{3, 3}, []int{huge, huge}),
		"a size that overflows":    tensor(4, 0, []int{huge, huge, 0}, []int{0, 0, 0}),
		"a negative size":          tensor(4, 0, []int{-1}, []int{1}),
		"a negative stride":        tensor(4, 0, []int{2}, []int{-1}),
		"other ranks":              tensor(4, 0, []int{2}, []int{1, 1}),
		"17 dimensions":            tensor(4, 0, make([]int, 17), make([]int, 17)),
		"an expansion to 2^50":     tensor(4, 0, []int{1 << 25, 1 << 25}, []int{0, 0}),
		"two sizes of a storage":   begin + "(" + tensorOf(4, 0, []int{1}, []int{1}) + tensorOf(3, 0, []int{1}, []int{1}) + "t.",
		"two tensors of a name": begin + "}(" + text("a.b") + tensorOf(4, 0, []int{1}, []int{1}) + text("a") + "}" + text("b") +
			tensorOf(4, 0, []int{1}, []int{1}) + "su.",
		"a call inside a call": begin + "ctorch._tensor\n_rebuild_from_type_v2\n(" +
			"ctorch._tensor\n_rebuild_from_type_v2\nctorch\nTensor\n)NtR.",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := readAll(archiveOf(t, p))
		runtime.ReadMemStats(&after)
		if err == nil || !codectest.Typed(err) {
			t.Errorf("%s: %v", name, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 512<<20 || n > 64<<20 && name != "2^60 values" {
			t.Errorf("%s: %d bytes allocated", name, n)
		}
	}
}

// TestManyExpansions asserts that tensors that are small in the file cannot take all memory together.
func TestManyExpansions(t *testing.T) {
	p := begin + "("
	for range 64 {
		p += tensorOf(4, 0, []int{1 << 12, 1 << 12}, []int{0, 0})
	}
	if err := readAll(archiveOf(t, p+"t.")); err == nil || !codectest.Typed(err) {
		t.Error(err)
	}
}

// TestArchives asserts that tricks with the archive are refused.
func TestArchives(t *testing.T) {
	values := strings.Repeat("\x00\x00\x80\x3f", 4)
	for name, entries := range map[string]map[string]string{
		"no pickle":          {"x/data/0": values},
		"no storage":         {"x/data.pkl": small},
		"a shorter storage":  {"x/data.pkl": small, "x/data/0": values[:8]},
		"another folder":     {"x/data.pkl": small, "y/data/0": values},
		"a program":          {"x/data.pkl": small, "x/data/0": values, "x/code/a.py": "x"},
		"constants":          {"x/data.pkl": small, "x/data/0": values, "x/constants.pkl": "x"},
		"big-endian":         {"x/data.pkl": small, "x/data/0": values, "x/byteorder": "big"},
		"a long byte order":  {"x/data.pkl": small, "x/data/0": values, "x/byteorder": strings.Repeat("little", 100)},
		"a folder of a name": {"xdata.pkl": small, "x/data/0": values},
	} {
		if err := readAll(archiveWith(t, entries, zip.Store)); err == nil || !codectest.Typed(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := map[string]string{"x/data.pkl": small, "x/data/0": values, "x/byteorder": "little", "x/version": "3\n"}
	if err := readAll(archiveWith(t, good, zip.Store)); err != nil {
		t.Error(err)
	}
	if err := readAll(archiveWith(t, good, zip.Deflate)); err == nil || !codectest.Typed(err) {
		t.Errorf("compressed: %v", err)
	}
	b := archiveOf(t, small) // a storage whose checksum is wrong
	b[bytes.Index(b, []byte(values))] ^= 1
	if err := readAll(b); err == nil || !codectest.Typed(err) {
		t.Errorf("a wrong checksum: %v", err)
	}
}

// TestOld asserts that the old format's parts must fit each other.
func TestOld(t *testing.T) {
	head := begin + "\x8a\x0a" + string(magic) + "." + begin + "M\xe9\x03." + begin + "}" + text("little_endian") + "\x88s."
	values := strings.Repeat("\x00\x00\x80\x3f", 4)
	keys := begin + "](" + text("0") + "e."
	count := func(n int) string { return string(binary.LittleEndian.AppendUint64(nil, uint64(n))) }
	if err := readAll([]byte(head + small + keys + count(4) + values)); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]string{
		"another number":     begin + "\x8a\x0a" + strings.Repeat("x", 10) + "." + head[15:] + small + keys + count(4) + values,
		"another version":    strings.Replace(head, "M\xe9\x03", "M\xe8\x03", 1) + small + keys + count(4) + values,
		"big-endian":         strings.Replace(head, "\x88s", "\x89s", 1) + small + keys + count(4) + values,
		"another count":      head + small + keys + count(3) + values,
		"a huge count":       head + small + keys + count(1<<62) + values,
		"cut short":          head + small + keys + count(4) + values[:15],
		"bytes left":         head + small + keys + count(4) + values + "x",
		"no key":             head + small + begin + "]." + count(4) + values,
		"a key twice":        head + small + begin + "](" + text("0") + text("0") + "e." + count(4) + values + count(4) + values,
		"a key of no tensor": head + small + begin + "](" + text("1") + "e." + count(4) + values,
		"no list of keys":    head + small + begin + "N." + count(4) + values,
		"a view outside": head + strings.Replace(small, number(4)+"tQ", number(4)+"("+text("0_v")+number(2)+number(3)+"ttQ", 1) + keys +
			count(4) + values,
	} {
		if err := readAll([]byte(s)); err == nil || !codectest.Typed(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
