package codec_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/codectest"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

func TestBytes(t *testing.T) {
	for _, c := range []struct {
		d     dtype.DType
		shape []int
		n     int64
		ok    bool
	}{
		{dtype.Float32, nil, 4, true},
		{dtype.Float32, []int{2, 3}, 24, true},
		{dtype.Float32, []int{2, 0}, 0, true},
		{dtype.Uint8, []int{math.MaxInt}, math.MaxInt, true},
		{dtype.Float32, []int{math.MaxInt}, 0, false},
		{dtype.Uint8, []int{math.MaxInt, 2, 0}, 0, false},
		{dtype.Uint8, []int{0, -1}, 0, false},
		{dtype.Uint8, []int{math.MaxInt/2 + 1, 4}, 0, false},
		{dtype.Invalid, []int{1}, 0, false},
		{dtype.N, []int{1}, 0, false},
	} {
		if n, ok := codec.Bytes(c.d, c.shape); n != c.n || ok != c.ok {
			t.Errorf("%s %v: %d %v, want %d %v", c.d, c.shape, n, ok, c.n, c.ok)
		}
	}
}

func TestCheck(t *testing.T) {
	spec := func(d dtype.DType, off, size int64, shape ...int) codec.Spec {
		return codec.Spec{Name: "x", DType: d, Shape: shape, Offset: off, Size: size}
	}
	if err := codec.Check("t", spec(dtype.Float32, 4, 8, 2), 12, codec.Limits{}); err != nil {
		t.Error(err)
	}
	for _, s := range []codec.Spec{
		spec(dtype.Float32, 8, 8, 2),
		spec(dtype.Float32, -1, 8, 2),
		spec(dtype.Float32, math.MaxInt64, 8, 2),
		spec(dtype.Float32, 0, 7, 2),
		spec(dtype.Float32, 0, -8, 2),
		spec(dtype.Uint8, 13, 0, 0),
		spec(dtype.Uint8, 0, 1, make([]int, 17)...),
	} {
		codectest.WantKind(t, codec.Check("t", s, 12, codec.Limits{}), fault.Format)
	}
	codectest.WantKind(t, codec.Check("t", spec(dtype.N, 0, 0), 12, codec.Limits{}), fault.DType)
	long := spec(dtype.Uint8, 0, 1)
	long.Name = "four"
	codectest.WantKind(t, codec.Check("t", long, 12, codec.Limits{MaxName: 3}), fault.Format)
}

func TestNew(t *testing.T) {
	// One of eight neighbouring starts is aligned; all must come out aligned and equal.
	room := make([]byte, 64)
	for off := range 8 {
		data := room[off : off+16]
		for i := range data {
			data[i] = byte(i)
		}
		for _, d := range dtype.All() {
			if d == dtype.Bool {
				continue
			}
			x, err := codec.New("t", codec.Spec{Name: "x", DType: d, Shape: []int{16 / d.Size()}, Size: 16}, data, false)
			if err != nil {
				t.Fatal(err)
			}
			if uintptr(unsafe.Pointer(&x.Data[0]))%uintptr(d.Real().Size()) != 0 || !bytes.Equal(x.Data, data) {
				t.Errorf("offset %d, %s: misaligned or changed", off, d)
			}
			if cap(x.Data) != len(x.Data) && &x.Data[0] == &data[0] {
				t.Error("an append would reach the neighbour")
			}
		}
	}
	data := []byte{0, 1, 7}
	spec := codec.Spec{Name: "m", DType: dtype.Bool, Shape: []int{3}, Size: 3}
	x, err := codec.New("t", spec, data, false)
	if err != nil || x.Data[2] != 1 || data[2] != 7 {
		t.Error(x, data, err)
	}
	_, err = codec.New("t", spec, data[:2], false)
	codectest.WantKind(t, err, fault.Format)
}

func TestTable(t *testing.T) {
	u8 := func(name string, off, n int) codec.Spec {
		return codec.Spec{Name: name, DType: dtype.Uint8, Shape: []int{n}, Offset: int64(off), Size: int64(n)}
	}
	for _, c := range []struct {
		specs []codec.Spec
		ok    bool
	}{
		{[]codec.Spec{u8("b", 4, 4), u8("z", 4, 0), u8("a", 0, 4), u8("y", 8, 0)}, true},
		{[]codec.Spec{u8("a", 0, 8), u8("b", 0, 8)}, false},
		{[]codec.Spec{u8("a", 0, 5), u8("b", 4, 4)}, false},
		{[]codec.Spec{u8("a", 0, 3), u8("b", 4, 4)}, false},
		{[]codec.Spec{u8("a", 0, 7)}, false},
		{[]codec.Spec{u8("a", 0, 8), u8("z", 3, 0)}, false},
	} {
		tab := codec.NewTable("t", codec.Limits{}, 8)
		for _, s := range c.specs {
			if err := tab.Add(s); err != nil {
				t.Fatal(err)
			}
		}
		if err := tab.Seal(); (err == nil) != c.ok {
			t.Error(c.specs, err)
		}
	}
	tab := codec.NewTable("t", codec.Limits{MaxTensors: 2}, 8)
	tab.Add(u8("a", 0, 1))
	codectest.WantKind(t, tab.Add(u8("a", 1, 1)), fault.Format)
	tab.Add(u8("b", 1, 1))
	codectest.WantKind(t, tab.Add(u8("c", 2, 1)), fault.Format)
}

func TestReadFullShort(t *testing.T) {
	err := codec.ReadFull("t", bytes.NewReader([]byte("abc")), make([]byte, 4), 0)
	codectest.WantKind(t, err, fault.Format)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

func TestMapping(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, content := range []string{"", "hello"} {
		os.WriteFile(path, []byte(content), 0o600)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := codec.Map(f)
		f.Close()
		if errors.Is(err, fault.SentinelOf(fault.NotImplemented)) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		if string(m.Bytes()) != content {
			t.Errorf("%q", m.Bytes())
		}
		b := make([]byte, 3)
		if n, err := m.ReadAt(b, 4); content != "" && (n != 1 || err != io.EOF || b[0] != 'o') {
			t.Error(n, err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
