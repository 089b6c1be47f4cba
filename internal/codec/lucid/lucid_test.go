package lucid

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/codectest"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/migrate"
)

func encode(t testing.TB, c Checkpoint) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Encode(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sample() Checkpoint {
	c := Checkpoint{Schema: map[string]int{"model": 2, "optim": 1}}
	c.Sections = append(c.Sections, Section{Name: "config", Kind: JSON, Data: []byte(`{"lr": 0.1}`)},
		Section{Name: "rng", Kind: Bytes, Data: []byte{1, 2, 3}})
	c.Add(codectest.Tensor(dtype.Float32, []int{2, 3}))
	c.Add(codectest.Tensor(dtype.Bool, nil))
	c.Add(codectest.Tensor(dtype.Int64, []int{3, 0, 2}))
	c.Sections = append(c.Sections, Section{Name: "nothing", Kind: Bytes})
	return c
}

func same(t *testing.T, got, want Checkpoint) {
	t.Helper()
	if !maps.Equal(got.Schema, want.Schema) || len(got.Sections) != len(want.Sections) {
		t.Fatalf("%v, %d sections", got.Schema, len(got.Sections))
	}
	for i, w := range want.Sections {
		g := got.Sections[i]
		if g.Name != w.Name || g.Kind != w.Kind {
			t.Errorf("section %d is %s %s, want %s %s", i, g.Kind, g.Name, w.Kind, w.Name)
		}
		a, _ := g.Tensor()
		b, _ := w.Tensor()
		if d := codectest.DiffTensor(a, b); d != "" {
			t.Error(d)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	all := sample()
	for _, x := range codectest.File(dtype.All()).Tensors {
		if _, have := all.Find(x.Name); !have {
			all.Add(x)
		}
	}
	for _, c := range []Checkpoint{all, {Schema: map[string]int{}}} {
		path := filepath.Join(t.TempDir(), "c.lucid")
		if err := Write(path, c); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path, codec.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, c)
	}
	if !bytes.Equal(encode(t, all), encode(t, all)) {
		t.Error("two encodings differ")
	}
}

// The file of version 1 stays readable for ever. It was made with LUCID_GOLDEN=write, once.
func TestGolden(t *testing.T) {
	const path = "testdata/v1.lucid"
	if os.Getenv("LUCID_GOLDEN") == "write" {
		if err := Write(path, sample()); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Read(path, codec.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, sample())
	file, err := os.ReadFile(path)
	if err != nil || Version == 1 && !bytes.Equal(file, encode(t, sample())) {
		t.Error("the writer no longer makes the same bytes", err)
	}
}

func TestAlignment(t *testing.T) {
	b := encode(t, sample())
	if at := bytes.Index(b, codectest.Tensor(dtype.Float32, []int{2, 3}).Data); at%alignment != 0 || at < 0 {
		t.Errorf("a tensor at %d", at)
	}
}

func TestCorruption(t *testing.T) {
	codectest.Corrupt(t, encode(t, sample()), true, func(b []byte) error {
		_, err := Parse(b, codec.Limits{})
		return err
	})
}

func TestVersions(t *testing.T) {
	b := encode(t, sample())
	binary.LittleEndian.PutUint32(b[8:], 7)
	binary.LittleEndian.PutUint32(b[28:], sum(b[:28]))
	_, err := Parse(b, codec.Limits{})
	codectest.WantKind(t, err, fault.Version)
	if err == nil || !strings.Contains(err.Error(), "version 7") || !strings.Contains(err.Error(), "up to 1") {
		t.Error(err)
	}
}

// TestSchemas asks that a part of the schema is brought up step by step, or refused by name.
func TestSchemas(t *testing.T) {
	defer func() { parts = migrate.Steps[*Checkpoint]{} }()
	mark := func(s string) func(*Checkpoint) error {
		return func(c *Checkpoint) error {
			c.Sections = append(c.Sections, Section{Name: s, Kind: Bytes})
			return nil
		}
	}
	for _, known := range []map[string]int{{"model": 1, "optim": 1}, {"model": 2}, {"model": 3, "optim": 1}} {
		c := sample() // model 2, optim 1
		err := c.Upgrade(known)
		codectest.WantKind(t, err, fault.Version)
		if name := map[bool]string{true: "optim", false: "model"}[known["optim"] == 0]; err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v: %v does not say %s", known, err, name)
		}
	}
	c := sample()
	if err := c.Upgrade(map[string]int{"model": 2, "optim": 1, "other": 9}); err != nil {
		t.Error(err)
	}
	RegisterSchema("model", 2, mark("three"))
	RegisterSchema("model", 3, mark("four"))
	n := len(c.Sections)
	if err := c.Upgrade(map[string]int{"model": 4, "optim": 1}); err != nil || len(c.Sections) != n+2 || c.Sections[n+1].Name != "four" ||
		c.Schema["model"] != 4 {
		t.Error(c.Schema, err)
	}
	boom := errors.New("boom")
	RegisterSchema("optim", 1, func(*Checkpoint) error { return boom })
	if err := c.Upgrade(map[string]int{"model": 4, "optim": 2}); !errors.Is(err, boom) {
		t.Error(err)
	}
}

func TestMigrate(t *testing.T) {
	defer func() { formats = migrate.Steps[*Checkpoint]{} }()
	mark := func(s string) func(*Checkpoint) error {
		return func(c *Checkpoint) error {
			c.Sections = append(c.Sections, Section{Name: s, Kind: Bytes})
			return nil
		}
	}
	Register(1, mark("two"))
	Register(2, mark("three"))
	c := Checkpoint{}
	if err := bringUp(&c, 1, 3); err != nil || len(c.Sections) != 2 || c.Sections[1].Name != "three" {
		t.Error(c, err)
	}
	codectest.WantKind(t, bringUp(&c, 1, 4), fault.Version)
	boom := errors.New("boom")
	Register(3, func(*Checkpoint) error { return boom })
	if err := bringUp(&c, 3, 4); !errors.Is(err, boom) {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a second step was taken")
		}
	}()
	Register(3, mark("x"))
}

func TestWriteRefuses(t *testing.T) {
	for _, c := range []struct {
		s    []Section
		want fault.Kind
	}{
		{[]Section{{Name: "a", Kind: Bytes}, {Name: "a", Kind: Bytes}}, fault.Value},
		{[]Section{{Name: "a", Kind: "odd"}}, fault.Format},
		{[]Section{{Name: "a", Kind: JSON, Data: []byte(`{"a":1,"a":2}`)}}, fault.Format},
		{[]Section{{Name: "\xff", Kind: Bytes}}, fault.Format},
		{[]Section{{Name: "a", Kind: Bytes, Shape: []int{1}}}, fault.Format},
		{[]Section{{Name: "a", Kind: Tensor, Data: []byte{1}}}, fault.DType},
		{[]Section{{Name: "a", Kind: Tensor, DType: dtype.Int8, Shape: []int{2}, Data: []byte{1}}}, fault.Format},
	} {
		codectest.WantKind(t, Encode(&bytes.Buffer{}, Checkpoint{Sections: c.s}), c.want)
	}
	codectest.WantKind(t, Encode(&bytes.Buffer{}, Checkpoint{Schema: map[string]int{"a": -1}}), fault.Value)
}

func TestLimits(t *testing.T) {
	b := encode(t, sample())
	for _, l := range []codec.Limits{{MaxTensors: 2}, {MaxHeader: 16}, {MaxRank: 1}, {MaxName: 3}} {
		_, err := Parse(b, l)
		codectest.WantKind(t, err, fault.Format)
	}
	_, err := Parse(b, codec.Limits{MaxBytes: 20})
	codectest.WantKind(t, err, fault.OutOfMemory)
}

// seal builds a file with right checksums around any header and body: what malice can do.
func seal(head string, body []byte) []byte {
	b := prefix{Version, uint64(len(head)), sum([]byte(head))}.bytes()
	b = append(b, head...)
	b = append(b, make([]byte, align(int64(len(b)))-int64(len(b)))...)
	b = append(b, body...)
	return append(b, trailer{uint64(len(b)) + trailerSize, sum(b)}.bytes()...)
}

func TestHostile(t *testing.T) {
	sec := func(s string) string { return `{"schema":{},"sections":[` + s + `]}` }
	body := make([]byte, 64)
	good := `{"name":"a","kind":"tensor","dtype":"uint8","shape":[64],"offset":0,"size":64,"crc32c":` + "CRC" + `}`
	crc := func(s string) string { return strings.ReplaceAll(s, "CRC", itoa(sum(body))) }
	if _, err := Parse(seal(crc(sec(good)), body), codec.Limits{}); err != nil {
		t.Fatal(err)
	}
	for what, head := range map[string]string{
		"not JSON":      `hello`,
		"twice":         sec(good + "," + good),
		"offset":        sec(strings.Replace(good, `"offset":0`, `"offset":1`, 1)),
		"negative":      sec(strings.Replace(good, `"offset":0`, `"offset":-64`, 1)),
		"past the end":  sec(strings.ReplaceAll(good, `64`, `128`)),
		"overflow":      sec(strings.Replace(good, `[64]`, `[4611686018427387904,4]`, 1)),
		"huge size":     sec(strings.ReplaceAll(good, `64`, `9223372036854775807`)),
		"huge bytes":    sec(`{"name":"a","kind":"bytes","offset":0,"size":9223372036854775807,"crc32c":0}`),
		"no section":    sec(``),
		"missing field": sec(strings.Replace(good, `"offset":0,`, ``, 1)),
		"bad sum":       sec(strings.Replace(good, `CRC`, `4294967296`, 1)),
		"other sum":     sec(strings.Replace(good, `CRC`, `7`, 1)),
		"odd kind":      sec(strings.Replace(good, `"tensor"`, `"pickle"`, 1)),
		"bad schema":    strings.Replace(sec(good), `{}`, `{"a":1.5}`, 1),
		"JSON section":  sec(`{"name":"a","kind":"json","offset":0,"size":64,"crc32c":CRC}`),
		"rank":          sec(strings.Replace(good, `[64]`, `[64`+strings.Repeat(",1", 16)+`]`, 1)),
	} {
		_, err := Parse(seal(crc(head), body), codec.Limits{})
		if err == nil {
			t.Errorf("%s: accepted", what)
			continue
		}
		codectest.WantKind(t, err, fault.Format)
	}
	_, err := Parse(seal(crc(sec(strings.Replace(good, `"uint8"`, `"float"`, 1))), body), codec.Limits{})
	codectest.WantKind(t, err, fault.DType)
}

func itoa(u uint32) string {
	return strings.TrimSuffix(strings.TrimPrefix(string(sectionSpec{crc: u}.append(nil)),
		`{"name":"","kind":"","offset":0,"size":0,"crc32c":`), "}")
}

func FuzzRead(f *testing.F) {
	f.Add(encode(f, sample()))
	f.Add(encode(f, Checkpoint{}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := Parse(b, codec.Limits{}); err != nil && !codectest.Typed(err) {
			t.Fatalf("untyped error %v", err)
		}
	})
}

// FuzzHeader puts right checksums around the fuzzer's header, which it could not find by itself.
func FuzzHeader(f *testing.F) {
	b := encode(f, sample())
	n := binary.LittleEndian.Uint64(b[16:])
	body := b[align(prefixSize+int64(n)) : len(b)-trailerSize]
	f.Add(string(b[prefixSize:prefixSize+n]), body)
	f.Fuzz(func(t *testing.T, head string, body []byte) {
		c, err := Parse(seal(head, body), codec.Limits{})
		if err != nil {
			if !codectest.Typed(err) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		again, err := Parse(encode(t, c), codec.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, again, c)
	})
}
