package npz

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/codectest"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

func TestHostileNpy(t *testing.T) {
	head := func(descr, order, shape string) string {
		return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }"
	}
	four := make([]byte, 4)
	cases := map[string][]byte{
		"empty":           {},
		"magic only":      []byte(magic),
		"wrong magic":     []byte("\x93NUMPZ\x01\x00\x00\x00"),
		"version 0":       []byte(magic + "\x00\x00\x00\x00"),
		"version 1.1":     []byte(magic + "\x01\x01\x00\x00"),
		"header past end": []byte(magic + "\x01\x00\xff\xff{}"),
		"header of 4 GB":  []byte(magic + "\x02\x00\xff\xff\xff\xff{}"),
		"no dict":         raw("", nil),
		"short data":      raw(head("'<f4'", "False", "(2,)"), four),
		"trailing":        raw(head("'<f4'", "False", "(1,)"), make([]byte, 5)),
		"negative":        raw(head("'<f4'", "False", "(-1,)"), four),
		"overflow":        raw(head("'<f4'", "False", "(4611686018427387904, 4)"), nil),
		"overflow zero":   raw(head("'<f4'", "False", "(4294967296, 4294967296)"), nil),
		"too big":         raw(head("'<f4'", "False", "(99999999999999999999,)"), nil),
		"rank 17":         raw(head("'<f4'", "False", "("+strings.Repeat("1,", 17)+")"), four),
		"no tuple":        raw(head("'<f4'", "False", "(1)"), four),
		"number":          raw(head("'<f4'", "False", "1"), four),
		"list":            raw(head("'<f4'", "False", "[1]"), four),
		"float":           raw(head("'<f4'", "False", "(1.0,)"), four),
		"hex":             raw(head("'<f4'", "False", "(0x1,)"), four),
		"leading zero":    raw(head("'<f4'", "False", "(01,)"), four),
		"no comma":        raw(head("'<f4'", "False", "(1 1)"), four),
		"two commas":      raw(head("'<f4'", "False", "(1,,)"), four),
		"call":            raw(head("'<f4'", "exit()", "(1,)"), four),
		"order":           raw(head("'<f4'", "1", "(1,)"), four),
		"escape":          raw(head(`'\x3cf4'`, "False", "(1,)"), four),
		"open string":     raw("{'descr", four),
		"twice":           raw("{'descr':'<f4','descr':'<f4','fortran_order':False,'shape':(1,)}", four),
		"missing":         raw("{'descr':'<f4','shape':(1,)}", four),
		"extra":           raw("{'descr':'<f4','shape':(1,),'fortran_order':False,'x':1}", four),
		"after":           raw(head("'<f4'", "False", "(1,)")+"x", four),
		"nul":             raw(head("'<f4'", "False", "(1,)")+"\x00", four),
		"no colon":        raw("{'descr''<f4'}", four),
	}
	for what, b := range cases {
		_, err := ParseNpy(b, Options{})
		if err == nil {
			t.Errorf("%s: accepted", what)
			continue
		}
		codectest.WantKind(t, err, fault.Format)
	}
	for _, d := range []string{"'<f3'", "''", "'<'", "'f'", "'<i16'", "'|S4'", "'<M8[s]'", "[('a', '<f4')]", "'|O'", "'<V2'", "'|V4'"} {
		_, err := ParseNpy(raw(head(d, "False", "(1,)"), four), Options{})
		codectest.WantKind(t, err, fault.DType)
	}
	_, err := ParseNpy([]byte(magic+"\x04\x00\x00\x00\x00\x00"), Options{})
	codectest.WantKind(t, err, fault.Version)
	_, err = ParseNpy(npy(t, codectest.Tensor(dtype.Float32, []int{2, 3})), Options{Limits: codec.Limits{MaxBytes: 23}})
	codectest.WantKind(t, err, fault.OutOfMemory)
}

// archive zips entries given as name, content, name, content …
func archive(t testing.TB, method uint16, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: parts[i], Method: method})
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(parts[i+1]))
	}
	z.Close()
	return b.Bytes()
}

func TestHostileArchive(t *testing.T) {
	x := string(npy(t, codectest.Tensor(dtype.Float32, []int{5})))
	half := string(npy(t, codectest.Tensor(dtype.BFloat16, []int{5})))
	if _, err := Parse(archive(t, zip.Deflate, "a/b.npy", x), Options{}); err != nil {
		t.Fatal(err)
	}
	for what, b := range map[string][]byte{
		"not a zip":       []byte("hello"),
		"no npy":          archive(t, zip.Store, "a.txt", "x"),
		"no npy content":  archive(t, zip.Store, "a.npy", "x"),
		"folder":          archive(t, zip.Store, "a/", ""),
		"twice":           archive(t, zip.Store, "a.npy", x, "a.npy", x),
		"parent":          archive(t, zip.Store, "../a.npy", x),
		"inner parent":    archive(t, zip.Store, "b/../a.npy", x),
		"absolute":        archive(t, zip.Store, "/a.npy", x),
		"backslash":       archive(t, zip.Store, `b\a.npy`, x),
		"nul":             archive(t, zip.Store, "a\x00.npy", x),
		"no name":         archive(t, zip.Store, ".npy", x),
		"not UTF-8":       archive(t, zip.Store, "\xff.npy", x),
		"note no version": archive(t, zip.Store, oldNoteName, `{}`),
		"note duplicate":  archive(t, zip.Store, oldNoteName, `{"version":1,"version":1}`),
		"note for none":   archive(t, zip.Store, oldNoteName, `{"version":1,"dtypes":{"a":"bfloat16"}}`),
		"note for f4":     archive(t, zip.Store, "a.npy", x, oldNoteName, `{"version":1,"dtypes":{"a":"bfloat16"}}`),
		"note odd dtype":  archive(t, zip.Store, "a.npy", half, oldNoteName, `{"version":1,"dtypes":{"a":"float8"}}`),
	} {
		_, err := Parse(b, Options{})
		if err == nil {
			t.Errorf("%s: accepted", what)
			continue
		}
		codectest.WantKind(t, err, fault.Format)
	}
	_, err := Parse(archive(t, zip.Store, oldNoteName, `{"version":2}`), Options{})
	codectest.WantKind(t, err, fault.Version)
	_, err = Parse(archive(t, zip.Store, "a.npy", half), Options{})
	codectest.WantKind(t, err, fault.DType)
	_, err = Parse(archive(t, zip.Store, "a.npy", x, "b.npy", x), Options{Limits: codec.Limits{MaxTensors: 1}})
	codectest.WantKind(t, err, fault.Format)
}

func TestBombs(t *testing.T) {
	big := codec.Tensor{Name: "z", DType: dtype.Uint8, Shape: []int{1 << 22}, Data: make([]byte, 1<<22)}
	b := encode(t, codec.File{Tensors: []codec.Tensor{big}}, WriteOptions{Deflate: true})
	if len(b) > 1<<13 {
		t.Fatalf("%d bytes", len(b))
	}
	_, err := Parse(b, Options{Limits: codec.Limits{MaxBytes: 1 << 20}})
	codectest.WantKind(t, err, fault.OutOfMemory)
	if _, err := Parse(b, Options{}); err != nil {
		t.Error(err)
	}
	// The directory says more, or less, than the entry holds.
	dir := bytes.LastIndex(b, []byte("PK\x01\x02"))
	for _, size := range []uint32{1, 200, 1 << 21, 1<<22 + 127, 1<<22 + 129, 1 << 31, 1<<32 - 2} {
		c := bytes.Clone(b)
		binary.LittleEndian.PutUint32(c[dir+24:], size)
		_, err := Parse(c, Options{})
		codectest.WantKind(t, err, fault.Format)
	}
	// Two entries over the same bytes.
	x := string(npy(t, codectest.Tensor(dtype.Float32, []int{5})))
	c := archive(t, zip.Store, "a.npy", x, "b.npy", x)
	dir = bytes.LastIndex(c, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(c[dir+42:], 0)
	_, err = Parse(c, Options{})
	codectest.WantKind(t, err, fault.Format)
}

// TestLocalHeaders changes what the header in front of an entry says: readers that go by it would see another archive.
func TestLocalHeaders(t *testing.T) {
	x := string(npy(t, codectest.Tensor(dtype.Float32, []int{5})))
	for what, change := range map[string]func(b []byte){
		"name":   func(b []byte) { b[30] = 'z' },
		"length": func(b []byte) { b[26]-- },
		"method": func(b []byte) { b[8] = 8 },
	} {
		b := archive(t, zip.Store, "a.npy", x)
		change(b)
		_, err := Parse(b, Options{})
		if err == nil {
			t.Errorf("%s: accepted", what)
			continue
		}
		codectest.WantKind(t, err, fault.Format)
	}
}

// TestNote checks where the note of an archive is: in its comment, or an array of bytes if it is long. No entry but arrays is
// written, and a note in both is refused.
func TestNote(t *testing.T) {
	tensors := []codec.Tensor{codectest.Tensor(dtype.BFloat16, []int{3})}
	tensors[0].Name = "w"
	for _, long := range []int{1, 1 << 17} {
		f := codec.File{Tensors: tensors, Metadata: map[string]string{"epoch": strings.Repeat("7", long)}}
		b := encode(t, f, WriteOptions{})
		got, err := Parse(b, Options{})
		if err != nil || len(got.Tensors) != 1 || got.Tensors[0].DType != dtype.BFloat16 || len(got.Metadata["epoch"]) != long {
			t.Errorf("metadata of %d bytes: %v, %d tensors", long, err, len(got.Tensors))
		}
		z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range z.File {
			if !strings.HasSuffix(e.Name, ".npy") {
				t.Errorf("entry %q is no array", e.Name)
			}
		}
	}
	f := codec.File{Tensors: tensors, Metadata: map[string]string{"a": strings.Repeat("7", 1<<17)}}
	f.Tensors = append(f.Tensors, codectest.Tensor(dtype.Uint8, []int{2}))
	f.Tensors[1].Name = "__lucid__"
	if err := Encode(&bytes.Buffer{}, f, WriteOptions{}); err == nil {
		t.Error("an array in the way of the metadata is accepted")
	}
	for what, comment := range map[string]string{"no note": noteElsewhere, "damaged": notePrefix + "{",
		"no array": notePrefix + `{"version":1,"dtypes":{"q":"bfloat16"}}`} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		z.SetComment(comment)
		z.Close()
		if _, err := Parse(b.Bytes(), Options{}); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}
