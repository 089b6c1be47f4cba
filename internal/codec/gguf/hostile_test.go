package gguf

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/codectest"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/ggml"
)

// raw builds files field by field, also wrong ones.
type raw struct{ b []byte }

func (r *raw) u32(v uint32) *raw    { r.b = binary.LittleEndian.AppendUint32(r.b, v); return r }
func (r *raw) u64(v uint64) *raw    { r.b = binary.LittleEndian.AppendUint64(r.b, v); return r }
func (r *raw) text(s string) *raw   { r.u64(uint64(len(s))); r.b = append(r.b, s...); return r }
func (r *raw) bytes(b ...byte) *raw { r.b = append(r.b, b...); return r }
func (r *raw) pad(n int) *raw {
	for len(r.b)%n != 0 {
		r.b = append(r.b, 0)
	}
	return r
}

func start(version uint32, tensors, keys uint64) *raw {
	return (&raw{b: []byte(magic)}).u32(version).u64(tensors).u64(keys)
}

// info appends a tensor info with the dimensions in the file's order.
func (r *raw) info(name string, t ggml.Type, offset uint64, dims ...uint64) *raw {
	r.text(name).u32(uint32(len(dims)))
	for _, d := range dims {
		r.u64(d)
	}
	return r.u32(uint32(t)).u64(offset)
}

// aligned is a file of one key, the alignment, and two tensors of 4 floats at the given second offset.
func alignedTo(align uint32, second uint64, data int) []byte {
	r := start(3, 2, 1).text(alignmentKey).u32(uint32(Uint32)).u32(align)
	r.info("a", ggml.F32, 0, 4).info("b", ggml.F32, second, 4)
	if align > 0 && align <= 1<<12 {
		r.pad(int(align))
	}
	return append(r.b, make([]byte, data)...)
}

func key(name string, kind uint32) *raw { return start(3, 0, 1).text(name).u32(kind) }

func tensor(t ggml.Type, data int, dims ...uint64) []byte {
	return append(start(3, 1, 0).info("a", t, 0, dims...).pad(32).b, make([]byte, data)...)
}

func hostile() map[string][]byte {
	bigEndian := binary.BigEndian.AppendUint32([]byte(magic), 3)
	deep := key("k", uint32(Array))
	for range 40 {
		deep.u32(uint32(Array)).u64(1)
	}
	return map[string][]byte{
		"empty":                  {},
		"short":                  []byte("GGU"),
		"magic":                  append([]byte("GGML"), start(3, 0, 0).b[4:]...),
		"version 0":              start(0, 0, 0).b,
		"version 1":              start(1, 0, 0).b,
		"version 4":              start(4, 0, 0).b,
		"big-endian":             append(bigEndian, make([]byte, 16)...),
		"header cut":             start(3, 0, 0).b[:20],
		"tensors 2^64-1":         start(3, math.MaxUint64, 0).b,
		"tensors 2^60":           start(3, 1<<60, 0).b,
		"tensors one more":       start(3, 1, 0).b,
		"keys 2^64-1":            start(3, 0, math.MaxUint64).b,
		"keys one more":          start(3, 0, 1).b,
		"key length":             start(3, 0, 1).u64(math.MaxUint64).bytes(1, 2, 3).b,
		"key length 2^63":        start(3, 0, 1).u64(1<<63).bytes(1, 2, 3).b,
		"empty key":              key("", uint32(Uint8)).bytes(1, 0, 0, 0).b,
		"zero byte in key":       key("a\x00b", uint32(Uint8)).bytes(1, 0, 0, 0).b,
		"key not UTF-8":          key("\xff\xfe", uint32(Uint8)).bytes(1, 0, 0, 0).b,
		"key too long":           key(strings.Repeat("k", 1<<16), uint32(Uint8)).bytes(1).b,
		"kind 13":                key("k", 13).u64(0).b,
		"kind 2^32-1":            key("k", math.MaxUint32).u64(0).b,
		"value cut":              key("k", uint32(Uint64)).u32(0).b,
		"string 2^64-1":          key("k", uint32(String)).u64(math.MaxUint64).b,
		"string past end":        key("k", uint32(String)).u64(4).bytes(1, 2, 3).b,
		"bool 2":                 key("k", uint32(Bool)).bytes(2).b,
		"bools 2":                key("k", uint32(Array)).u32(uint32(Bool)).u64(2).bytes(1, 2).b,
		"array of kind 13":       key("k", uint32(Array)).u32(13).u64(1).b,
		"array 2^64-1":           key("k", uint32(Array)).u32(uint32(Uint64)).u64(math.MaxUint64).b,
		"array product overflow": key("k", uint32(Array)).u32(uint32(Uint64)).u64(1 << 61).b,
		"strings 2^61":           key("k", uint32(Array)).u32(uint32(String)).u64(1 << 61).b,
		"arrays 2^60":            key("k", uint32(Array)).u32(uint32(Array)).u64(1 << 60).b,
		"deep":                   deep.b,
		"key twice":              key("k", uint32(Uint8)).bytes(1).b,
		"alignment 0":            alignedTo(0, 32, 64),
		"alignment 24":           alignedTo(24, 24, 64),
		"alignment 2^31":         alignedTo(1<<31, 1<<31, 64),
		"alignment of u64":       start(3, 0, 1).text(alignmentKey).u32(uint32(Uint64)).u64(32).b,
		"alignment of i32":       start(3, 0, 1).text(alignmentKey).u32(uint32(Int32)).u32(32).b,
		"name length":            start(3, 1, 0).u64(math.MaxUint64).bytes(make([]byte, 40)...).b,
		"empty name":             start(3, 1, 0).info("", ggml.F32, 0, 4).pad(32).bytes(make([]byte, 16)...).b,
		"zero byte in name":      start(3, 1, 0).info("a\x00", ggml.F32, 0, 4).pad(32).bytes(make([]byte, 16)...).b,
		"name too long":          start(3, 1, 0).info(strings.Repeat("n", 5000), ggml.F32, 0, 4).pad(32).bytes(make([]byte, 16)...).b,
		"five dimensions":        tensor(ggml.F32, 64, 1, 1, 1, 1, 1),
		"2^32-1 dimensions":      start(3, 1, 0).text("a").u32(math.MaxUint32).bytes(make([]byte, 40)...).b,
		"negative dimension":     tensor(ggml.F32, 64, math.MaxUint64),
		"row not whole blocks":   tensor(ggml.Q4_0, 64, 33),
		"row of half a block":    tensor(ggml.Q4_K, 64, 128),
		"elements overflow":      tensor(ggml.F32, 64, 1<<32, 1<<32),
		"elements wrap to 0":     tensor(ggml.F32, 64, 1<<31, 1<<31, 4, 1),
		"empty overflow":         tensor(ggml.F32, 64, 1<<32, 1<<32, 0),
		"bytes overflow":         tensor(ggml.F32, 64, 1<<61),
		"padding overflows":      tensor(ggml.I8, 64, math.MaxInt64-3),
		"type 4":                 tensor(4, 64, 4),
		"type 2^32-1":            tensor(math.MaxUint32, 64, 4),
		"first offset":           append(start(3, 1, 0).info("a", ggml.F32, 32, 4).pad(32).b, make([]byte, 64)...),
		"offset 2^64-1":          append(start(3, 1, 0).info("a", ggml.F32, math.MaxUint64, 4).pad(32).b, make([]byte, 64)...),
		"misaligned":             alignedTo(32, 16, 64),
		"overlap":                alignedTo(32, 0, 64),
		"hole":                   alignedTo(32, 64, 128),
		"another alignment":      alignedTo(64, 32, 128),
		"same name": append(start(3, 2, 0).info("a", ggml.F32, 0, 4).info("a", ggml.F32, 32, 4).pad(32).b, make([]byte,
			64)...),
		"no data":             start(3, 1, 0).info("a", ggml.F32, 0, 4).b,
		"not enough data":     tensor(ggml.F32, 15, 4),
		"second past the end": alignedTo(32, 32, 47),
	}
}

func TestHostile(t *testing.T) {
	for what, b := range hostile() {
		if what == "key twice" {
			b = start(3, 0, 2).text("k").u32(uint32(Uint8)).bytes(1).text("k").u32(uint32(Uint8)).bytes(1, 0, 0).b
		}
		_, err := Parse(b, Options{})
		if err == nil {
			t.Errorf("%s: accepted", what)
		} else if !codectest.Typed(err) {
			t.Errorf("%s: untyped error %v", what, err)
		}
	}
	for what, b := range map[string][]byte{
		"no keys, no tensors": start(3, 0, 0).b,
		"version 2":           start(2, 0, 0).b,
		"custom alignment":    alignedTo(64, 64, 80),
		"small alignment":     alignedTo(16, 16, 32),
		"empty dimension":     tensor(ggml.F32, 0, 0, 3),
		"last not padded":     alignedTo(32, 32, 48),
		"bytes after":         alignedTo(32, 32, 1000),
	} {
		if _, err := Parse(b, Options{}); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := Parse(start(1, 0, 0).b, Options{})
	codectest.WantKind(t, err, fault.Version)
	_, err = Parse(tensor(4, 64, 4), Options{})
	codectest.WantKind(t, err, fault.DType)
}

func TestLimits(t *testing.T) {
	m, ts := sample()
	b := encode(t, m, ts)
	for _, lim := range []codec.Limits{{MaxTensors: 2}, {MaxHeader: 64}, {MaxName: 3}} {
		_, err := Parse(b, Options{Limits: lim})
		codectest.WantKind(t, err, fault.Format)
	}
	f, err := Parse(b, Options{Limits: codec.Limits{MaxBytes: 30}, Copied: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Data("t.Q4_0")
	codectest.WantKind(t, err, fault.OutOfMemory)
}

func parse(b []byte) error {
	f, err := Parse(b, Options{})
	if err != nil {
		return err
	}
	for _, info := range f.Infos() {
		if _, err := f.Data(info.Name); err != nil {
			return err
		}
		if info.Type.CanDequantize() {
			if _, err := f.Floats(info.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestCorrupt(t *testing.T) {
	m, ts := sample()
	b := encode(t, m, ts)
	if testing.Short() {
		b = encode(t, m, ts[:1])
	}
	codectest.Corrupt(t, b, false, parse)
}

// TestMutations damages a file at random: several bytes, runs, words replaced by extreme numbers, parts moved.
func TestMutations(t *testing.T) {
	n := 3000
	switch {
	case os.Getenv("LUCID_LONG") == "1":
		n = 1_000_000
	case testing.Short():
		n = 300
	}
	m, ts := sample()
	file := encode(t, m, ts)
	r := rand.New(rand.NewPCG(3, 4))
	extremes := []uint64{0, 1, 31, 32, 1 << 20, 1 << 31, 1<<32 - 1, 1 << 32, 1 << 60, 1 << 63, math.MaxInt64, math.MaxUint64}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range n {
		b := bytes.Clone(file)
		for range 1 + r.IntN(3) {
			at := r.IntN(len(b))
			switch r.IntN(4) {
			case 0:
				b[at] = byte(r.Uint32())
			case 1:
				if at+8 <= len(b) {
					binary.LittleEndian.PutUint64(b[at:], extremes[r.IntN(len(extremes))])
				}
			case 2:
				copy(b[at:], b[r.IntN(len(b)):])
			case 3:
				b = b[:max(1, at)]
			}
		}
		if err := parse(b); err != nil && !codectest.Typed(err) {
			t.Fatalf("mutation %d: untyped error %v", i, err)
		}
	}
	runtime.ReadMemStats(&after)
	if mean := (after.TotalAlloc - before.TotalAlloc) / uint64(n); mean > 64*uint64(len(file)) {
		t.Errorf("%d bytes allocated for a damaged file of %d", mean, len(file))
	}
}

func FuzzParse(f *testing.F) {
	m, ts := sample()
	f.Add(encode(f, m, ts))
	for _, b := range hostile() {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := parse(b); err != nil && !codectest.Typed(err) {
			t.Fatal(err)
		}
	})
}
