package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/codectest"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

var writable = codectest.Without(dtype.Complex128)

func encode(t testing.TB, f codec.File, o WriteOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Encode(&b, f, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// raw builds a file from a header's text and data.
func raw(head string, data []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(head)))
	return append(append(b, head...), data...)
}

func TestRoundTrip(t *testing.T) {
	f := codectest.File(writable)
	f.Metadata = map[string]string{"format": "pt", "naïve \"quote\"\n": "\x01 é 😀"}
	for _, keep := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "m.safetensors")
		if err := Write(path, f, WriteOptions{KeepOrder: keep}); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d := codectest.Diff(got, f, keep); d != "" {
			t.Error(d)
		}
		for _, mapped := range []bool{false, true} {
			lazy, err := Open(path, Options{Mapped: mapped})
			if err != nil {
				t.Fatal(err)
			}
			got, err := lazy.All()
			if err != nil {
				t.Fatal(err)
			}
			if d := codectest.Diff(got, f, keep); d != "" {
				t.Errorf("mapped %v: %s", mapped, d)
			}
			if err := lazy.Close(); err != nil {
				t.Error(err)
			}
			if _, err := lazy.Tensor(f.Tensors[0].Name); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
		}
	}
}

func TestEmptyFile(t *testing.T) {
	b := encode(t, codec.File{}, WriteOptions{})
	if len(b)%8 != 0 {
		t.Errorf("%d bytes", len(b))
	}
	f, err := Parse(b, Options{})
	if err != nil || len(f.Tensors) != 0 || f.Metadata != nil {
		t.Error(f, err)
	}
}

func TestWriteRefuses(t *testing.T) {
	x := codectest.Tensor(dtype.Float32, []int{2})
	named := func(n string) codec.Tensor { y := x; y.Name = n; return y }
	for _, c := range []struct {
		f    codec.File
		want fault.Kind
	}{
		{codec.File{Tensors: []codec.Tensor{x, x}}, fault.Value},
		{codec.File{Tensors: []codec.Tensor{named("__metadata__")}}, fault.Value},
		{codec.File{Tensors: []codec.Tensor{named("\xff")}}, fault.Format},
		{codec.File{Tensors: []codec.Tensor{codectest.Tensor(dtype.Complex128, nil)}}, fault.DType},
		{codec.File{Tensors: []codec.Tensor{{Name: "x", Shape: []int{1}}}}, fault.DType},
		{codec.File{Tensors: []codec.Tensor{{Name: "x", DType: dtype.Int8, Shape: []int{2}, Data: make([]byte, 3)}}}, fault.Format},
		{codec.File{Metadata: map[string]string{"k": "\xff"}}, fault.Value},
	} {
		var b bytes.Buffer
		codectest.WantKind(t, Encode(&b, c.f, WriteOptions{}), c.want)
		if b.Len() != 0 {
			t.Error("bytes were written before the check")
		}
	}
}

func TestF8(t *testing.T) {
	b := raw(`{"w":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[],"data_offsets":[2,3]}}`,
		[]byte{1, 2, 3})
	_, err := Parse(b, Options{})
	codectest.WantKind(t, err, fault.DType)
	if err == nil || !strings.Contains(err.Error(), "F8_E4M3") {
		t.Error(err)
	}
	f, err := NewFile(bytes.NewReader(b), int64(len(b)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if x, err := f.Tensor("b"); err != nil || x.Data[0] != 3 {
		t.Error(x, err)
	}
	g, err := Parse(b, Options{RawF8: true})
	if err != nil || g.Tensors[0].DType != dtype.Uint8 || !bytes.Equal(g.Tensors[0].Data, []byte{1, 2}) {
		t.Error(g, err)
	}
}

// Bytes other than 0 and 1 become true; misaligned views are copied.
func TestBoolAndAlignment(t *testing.T) {
	b := raw(`{"m":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]},"x":{"dtype":"F64","shape":[1],"data_offsets":[3,11]}} `,
		[]byte{0, 2, 1, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f})
	path := filepath.Join(t.TempDir(), "m.safetensors")
	os.WriteFile(path, b, 0o600)
	for _, mapped := range []bool{false, true} {
		f, err := Open(path, Options{Mapped: mapped})
		if err != nil {
			t.Fatal(err)
		}
		m, err := f.Tensor("m")
		if err != nil || !bytes.Equal(m.Data, []byte{0, 1, 1}) {
			t.Error(m, err)
		}
		x, err := f.Tensor("x")
		if err != nil || dtype.Slice[float64](x.Data)[0] != 1 {
			t.Error(x, err)
		}
		_, err = f.Tensor("none")
		codectest.WantKind(t, err, fault.Value)
		f.Close()
	}
}

func TestConcurrentReads(t *testing.T) {
	f := codectest.File(writable)
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := Write(path, f, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	lazy, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, want := range f.Tensors {
				got, err := lazy.Tensor(want.Name)
				if errors.Is(err, fs.ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
				} else if d := codectest.DiffTensor(got, want); d != "" {
					t.Error(d)
				}
			}
		})
	}
	wg.Go(func() { lazy.Close() })
	wg.Wait()
}

func TestCorruption(t *testing.T) {
	f := codec.File{Metadata: map[string]string{"k": "v"}, Tensors: []codec.Tensor{
		codectest.Tensor(dtype.Float32, []int{2, 3}), codectest.Tensor(dtype.Bool, nil), codectest.Tensor(dtype.Int64, []int{3, 0, 2}),
	}}
	codectest.Corrupt(t, encode(t, f, WriteOptions{}), false, func(b []byte) error {
		_, err := Parse(b, Options{})
		return err
	})
}

func FuzzRead(f *testing.F) {
	f.Add(encode(f, codectest.File([]dtype.DType{dtype.Float32, dtype.Bool}), WriteOptions{}))
	f.Add(raw(`{"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]},"__metadata__":{"a":"b"}}`, []byte{1}))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := Parse(b, Options{RawF8: true})
		if err != nil {
			if !codectest.Typed(err) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		// What was read can be written, and read again as the same.
		again, err := Parse(encode(t, got, WriteOptions{KeepOrder: true}), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Metadata) == 0 {
			got.Metadata, again.Metadata = nil, nil
		}
		if d := codectest.Diff(again, got, true); d != "" {
			t.Fatal(d)
		}
	})
}
