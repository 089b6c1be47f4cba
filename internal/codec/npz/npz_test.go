package npz

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/codectest"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

func encode(t testing.TB, f codec.File, o WriteOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Encode(&b, f, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func npy(t testing.TB, x codec.Tensor) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := EncodeNpy(&b, x, WriteOptions{BFloat16AsVoid: true}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// raw builds an .npy file from the text of its header.
func raw(head string, data []byte) []byte {
	b := append([]byte(magic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(head)))
	return append(append(b, head...), data...)
}

func TestRoundTrip(t *testing.T) {
	f := codectest.File(dtype.All())
	f.Metadata = map[string]string{"epoch": "3", "é": "\"\n"}
	for _, deflate := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "a.npz")
		if err := Write(path, f, WriteOptions{Deflate: deflate}); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d := codectest.Diff(got, f, true); d != "" {
			t.Error(d)
		}
	}
	if !bytes.Equal(encode(t, f, WriteOptions{}), encode(t, f, WriteOptions{})) {
		t.Error("two encodings differ")
	}
	empty, err := Parse(encode(t, codec.File{}, WriteOptions{}), Options{})
	if err != nil || len(empty.Tensors) != 0 {
		t.Error(empty, err)
	}
}

func TestNpyRoundTrip(t *testing.T) {
	for _, x := range codectest.File(dtype.All()).Tensors {
		path := filepath.Join(t.TempDir(), "a.npy")
		if err := WriteNpy(path, x, WriteOptions{BFloat16AsVoid: true}); err != nil {
			t.Fatal(err)
		}
		got, err := ReadNpy(path, Options{VoidAsBFloat16: true})
		if err != nil {
			t.Fatal(err)
		}
		if d := codectest.DiffTensor(got, x); d != "" {
			t.Error(d)
		}
	}
	err := EncodeNpy(&bytes.Buffer{}, codectest.Tensor(dtype.BFloat16, nil), WriteOptions{})
	codectest.WantKind(t, err, fault.DType)
	if _, err := ReadNpy(filepath.Join(t.TempDir(), "none"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestHeaderForms(t *testing.T) {
	want := codectest.Tensor(dtype.Int16, []int{5})
	for _, head := range []string{
		"{'descr': '<i2', 'fortran_order': False, 'shape': (5,), }   \n",
		`{"shape":(5L,),"descr":"<i2","fortran_order":True}`,
		"{'descr':'i2','fortran_order':False,'shape':(5 ,)}",
		"{'descr':'=i2','fortran_order':False,'shape':(5,)}",
		"{'descr':'|i2','fortran_order':False,'shape':(5,)}",
	} {
		x, err := ParseNpy(raw(head, want.Data), Options{})
		if err != nil {
			t.Errorf("%s: %v", head, err)
		} else if d := codectest.DiffTensor(x, want); d != "" {
			t.Errorf("%s: %s", head, d)
		}
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
		{codec.File{Tensors: []codec.Tensor{named("")}}, fault.Format},
		{codec.File{Tensors: []codec.Tensor{named("../x")}}, fault.Format},
		{codec.File{Tensors: []codec.Tensor{{Name: "x", Shape: []int{1}}}}, fault.DType},
		{codec.File{Metadata: map[string]string{"k": "\xff"}}, fault.Value},
	} {
		codectest.WantKind(t, Encode(&bytes.Buffer{}, c.f, WriteOptions{}), c.want)
	}
}

func TestCorruption(t *testing.T) {
	f := codec.File{Metadata: map[string]string{"k": "v"}, Tensors: []codec.Tensor{
		codectest.Tensor(dtype.Float32, []int{2, 3}), codectest.Tensor(dtype.BFloat16, []int{5}),
	}}
	for _, deflate := range []bool{false, true} {
		codectest.Corrupt(t, encode(t, f, WriteOptions{Deflate: deflate}), false, func(b []byte) error {
			_, err := Parse(b, Options{})
			return err
		})
	}
	codectest.Corrupt(t, npy(t, f.Tensors[0]), false, func(b []byte) error {
		_, err := ParseNpy(b, Options{})
		return err
	})
}

var fuzzLimits = codec.Limits{MaxBytes: 1 << 26}

func FuzzNpy(f *testing.F) {
	f.Add(npy(f, codectest.Tensor(dtype.Float32, []int{2, 3})))
	f.Add(raw("{'descr':'>c16','fortran_order':True,'shape':(1,2,)}", make([]byte, 32)))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := ParseNpy(b, Options{VoidAsBFloat16: true, Limits: fuzzLimits})
		if err != nil {
			if !codectest.Typed(err) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		again, err := ParseNpy(npy(t, x), Options{VoidAsBFloat16: true})
		if err != nil {
			t.Fatal(err)
		}
		if d := codectest.DiffTensor(again, x); d != "" {
			t.Fatal(d)
		}
	})
}

func FuzzNpz(f *testing.F) {
	file := codec.File{Tensors: []codec.Tensor{codectest.Tensor(dtype.Float32, []int{2, 3}), codectest.Tensor(dtype.BFloat16, nil)}}
	f.Add(encode(f, file, WriteOptions{}))
	f.Add(encode(f, file, WriteOptions{Deflate: true}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := Parse(b, Options{Limits: fuzzLimits}); err != nil && !codectest.Typed(err) {
			t.Fatalf("untyped error %v", err)
		}
	})
}

// FuzzMembers puts right checksums around the fuzzer's members, their names and the note next to them, which it could
// not find by itself.
func FuzzMembers(f *testing.F) {
	good := string(npy(f, codectest.Tensor(dtype.Float32, []int{2, 3})))
	f.Add("a.npy", good, "b.npy", good, `{"metadata":{}}`, true)
	f.Add("../a.npy", good, "a", "", `{"dtypes":{"a":"bfloat16"}}`, false)
	f.Fuzz(func(t *testing.T, nameA, a, nameB, b, note string, deflate bool) {
		var file bytes.Buffer
		z := zip.NewWriter(&file)
		for _, m := range [][2]string{{nameA, a}, {nameB, b}, {oldNoteName, note}} {
			h := &zip.FileHeader{Name: m[0]}
			if deflate {
				h.Method = zip.Deflate
			}
			w, err := z.CreateHeader(h)
			if err != nil {
				t.Skip(err)
			}
			if _, err := w.Write([]byte(m[1])); err != nil {
				t.Skip(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Skip(err)
		}
		got, err := Parse(file.Bytes(), Options{Limits: fuzzLimits})
		if err != nil {
			if !codectest.Typed(err) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		again, err := Parse(encode(t, got, WriteOptions{}), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(again.Tensors) != len(got.Tensors) {
			t.Fatalf("%d tensors written, %d read", len(got.Tensors), len(again.Tensors))
		}
	})
}
