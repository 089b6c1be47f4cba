package gguf

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/lucid-go/lucid/internal/codec/codectest"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/ggml"
)

// sample has every kind of value and several types of tensors.
func sample() (*Metadata, []Tensor) {
	m := &Metadata{}
	m.Set("general.architecture", OfText("test"))
	for _, k := range []Kind{Uint8, Int8, Uint16, Int16, Uint32, Int32, Uint64, Int64} {
		m.Set("int."+k.String(), OfInt(k, -3))
		m.Set("ints."+k.String(), OfInts(k, []int64{1, -2, 3}))
	}
	m.Set("f32", OfFloat32(0.5))
	m.Set("f64", OfFloat64(-1.5))
	m.Set("yes", OfBool(true))
	m.Set("floats", OfFloats([]float32{1, 2}))
	m.Set("texts", OfTexts([]string{"a", "", "é\xff"}))
	m.Set("nested", OfArray([]Value{OfInts(Int8, []int64{1}), OfTexts([]string{"x"}), OfArray(nil)}))
	m.Set("empty", OfTexts(nil))
	r := rand.New(rand.NewPCG(1, 1))
	var ts []Tensor
	for _, c := range []struct {
		t     ggml.Type
		shape []int
	}{{ggml.F32, []int{2, 3}}, {ggml.Q4_0, []int{2, 64}}, {ggml.Q6_K, []int{256}}, {ggml.F16, []int{}}, {ggml.I32, []int{3, 0,
		2}}, {ggml.BF16, []int{1, 2, 3, 5}}} {
		n, err := tensorBytes("", c.t, c.shape)
		if err != nil {
			panic(err)
		}
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(r.IntN(128))
		}
		ts = append(ts, Tensor{"t." + c.t.String(), c.t, c.shape, data})
	}
	return m, ts
}

func encode(t testing.TB, m *Metadata, ts []Tensor) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Encode(&b, m, ts); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func same(t *testing.T, f *File, m *Metadata, ts []Tensor) {
	t.Helper()
	for _, key := range m.Keys() {
		got, ok := f.Metadata().Get(key)
		want, _ := m.Get(key)
		if !ok || !bytes.Equal(appendValue(nil, got), appendValue(nil, want)) || got.Kind() != want.Kind() {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
	if len(f.Infos()) != len(ts) {
		t.Fatalf("%d tensors, want %d", len(f.Infos()), len(ts))
	}
	for i, want := range ts {
		info := f.Infos()[i]
		data, err := f.Data(want.Name)
		if err != nil || info.Name != want.Name || info.Type != want.Type || !slices.Equal(info.Shape,
			want.Shape) || !bytes.Equal(data, want.Data) {
			t.Errorf("tensor %d: %v %v", i, info, err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	m, ts := sample()
	b := encode(t, m, ts)
	f, err := Parse(b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, f, m, ts)
	path := filepath.Join(t.TempDir(), "a.gguf")
	if err := Write(path, m, ts); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); !bytes.Equal(got, b) {
		t.Error("Write and Encode differ")
	}
	for _, o := range []Options{{}, {Copied: true}} {
		f, err := Open(path, o)
		if err != nil {
			t.Fatal(err)
		}
		same(t, f, m, ts)
		f.Close()
		if _, err := f.Data("t.F32"); err == nil {
			t.Error("read after Close")
		}
	}
	if f, err = OpenFS(fstest.MapFS{"d/a.gguf": {Data: b}}, "d/a.gguf", Options{}); err != nil {
		t.Fatal(err)
	}
	same(t, f, m, ts)
	if f, err = OpenFS(noReaderAt{fstest.MapFS{"a.gguf": {Data: b}}}, "a.gguf", Options{}); err != nil {
		t.Fatal(err)
	}
	same(t, f, m, ts)
	if f, err = NewFile(bytes.NewReader(b), int64(len(b)), Options{}); err != nil {
		t.Fatal(err)
	}
	same(t, f, m, ts)
}

// noReaderAt hides ReadAt.
type noReaderAt struct{ fs.FS }

func (n noReaderAt) Open(name string) (fs.File, error) {
	f, err := n.FS.Open(name)
	return struct{ fs.File }{f}, err
}

func TestAccessors(t *testing.T) {
	m, ts := sample()
	f, err := Parse(encode(t, m, ts), Options{})
	if err != nil {
		t.Fatal(err)
	}
	md := f.Metadata()
	if n := md.Int("int.int8", 0); n != -3 {
		t.Error(n)
	}
	if md.Int("missing", 7) != 7 || md.Text("missing", "x") != "x" || !md.Bool("yes", false) || md.Text("general.architecture",
		"") != "test" {
		t.Error("defaults")
	}
	v, _ := md.Get("ints.int16")
	if list, ok := v.Ints(); !ok || !slices.Equal(list, []int64{1, -2, 3}) {
		t.Error(list)
	}
	v, _ = md.Get("int.uint64")
	if _, ok := v.Int(); ok {
		t.Error("2^64-3 fits no int64")
	}
	v, _ = md.Get("floats")
	if list, ok := v.Floats(); !ok || list[1] != 2 {
		t.Error(list)
	}
	v, _ = md.Get("nested")
	if v.Len() != 3 || v.At(1).At(0).text != "x" {
		t.Error(v)
	}
	if x, err := f.Tensor("t.F32"); err != nil || x.DType != dtype.Float32 {
		t.Error(x, err)
	}
	if _, err := f.Tensor("t.Q4_0"); err == nil {
		t.Error("blocks as a plain tensor")
	}
	x, err := f.Floats("t.Q4_0")
	if err != nil || len(x) != 128 {
		t.Error(len(x), err)
	}
	if _, err := f.Floats("t.I32"); err == nil {
		t.Error("int32 as floats")
	}
	_, err = f.Data("none")
	codectest.WantKind(t, err, fault.Value)
}

func TestSplit(t *testing.T) {
	m, ts := sample()
	dir := t.TempDir()
	paths, err := WriteSplit(filepath.Join(dir, "m.gguf"), m, ts, 100)
	if err != nil || len(paths) < 3 {
		t.Fatal(paths, err)
	}
	f, err := Open(paths[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	same(t, f, m, ts)
	if g, err := OpenFS(os.DirFS(dir), filepath.Base(paths[0]), Options{}); err != nil {
		t.Error(err)
	} else {
		same(t, g, m, ts)
		g.Close()
	}
	_, err = Open(paths[1], Options{})
	codectest.WantKind(t, err, fault.Value)
	// A part of another set, and a missing one.
	b, _ := os.ReadFile(paths[0])
	os.WriteFile(paths[1], b, 0o600)
	_, err = Open(paths[0], Options{})
	codectest.WantKind(t, err, fault.Format)
	os.Remove(paths[1])
	if _, err = Open(paths[0], Options{}); err == nil {
		t.Error("opened without its second part")
	}
	one, err := WriteSplit(filepath.Join(dir, "one.gguf"), m, nil, 100)
	if err != nil || len(one) != 1 {
		t.Fatal(one, err)
	}
}

func TestWriterRefuses(t *testing.T) {
	ok := func() (*Metadata, []Tensor) { return sample() }
	for what, change := range map[string]func(m *Metadata, ts []Tensor){
		"same name":  func(m *Metadata, ts []Tensor) { ts[1].Name = ts[0].Name },
		"short data": func(m *Metadata, ts []Tensor) { ts[0].Data = ts[0].Data[1:] },
		"bad row":    func(m *Metadata, ts []Tensor) { ts[1].Shape = []int{64, 2} },
		"five dims":  func(m *Metadata, ts []Tensor) { ts[0].Shape = []int{1, 1, 1, 2, 3} },
		"no name":    func(m *Metadata, ts []Tensor) { ts[0].Name = "" },
		"zero byte":  func(m *Metadata, ts []Tensor) { ts[0].Name = "a\x00" },
		"empty key":  func(m *Metadata, ts []Tensor) { m.Set("", OfBool(true)) },
		"no value":   func(m *Metadata, ts []Tensor) { m.Set("k", Value{}) },
		"alignment":  func(m *Metadata, ts []Tensor) { m.Set(alignmentKey, OfUint32(24)) },
		"type":       func(m *Metadata, ts []Tensor) { ts[0].Type = 5 },
	} {
		m, ts := ok()
		change(m, ts)
		if err := Encode(&bytes.Buffer{}, m, ts); !codectest.Typed(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
