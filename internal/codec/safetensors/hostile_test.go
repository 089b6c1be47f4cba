package safetensors

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/codectest"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

func TestHostile(t *testing.T) {
	four := make([]byte, 4)
	ok := `{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`
	if _, err := Parse(raw(ok, four), Options{}); err != nil {
		t.Fatal(err)
	}
	spec := func(d, shape, off string) string {
		return `{"a":{"dtype":"` + d + `","shape":` + shape + `,"data_offsets":` + off + `}}`
	}
	cases := map[string][]byte{
		"empty":           {},
		"seven bytes":     make([]byte, 7),
		"no header":       make([]byte, 8),
		"length past end": binary.LittleEndian.AppendUint64(nil, 1),
		"length 2^64-1":   append(bytes.Repeat([]byte{0xff}, 8), '{', '}'),
		"length 2^63":     append(binary.LittleEndian.AppendUint64(nil, 1<<63), '{', '}'),
		"leading space":   raw(" "+ok, four),
		"array":           raw(`[]`, nil),
		"invalid UTF-8":   raw("{\"\xff\":1}", nil),
		"duplicate tensor": raw(
			`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, make([]byte, 8)),
		"duplicate escape": raw(
			`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"\u0061":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`,
			make([]byte, 8)),
		"duplicate field":  raw(`{"a":{"dtype":"F32","dtype":"I32","shape":[1],"data_offsets":[0,4]}}`, four),
		"duplicate meta":   raw(`{"__metadata__":{"k":"1","k":"2"}}`, nil),
		"meta not string":  raw(`{"__metadata__":{"k":1}}`, nil),
		"deep":             raw(`{"a":{"x":`+strings.Repeat("[", 1e5)+strings.Repeat("]", 1e5)+`}}`, nil),
		"unclosed":         raw(`{"a":{"dtype":"F32"`, nil),
		"after header":     raw(ok+"x", four),
		"negative size":    raw(spec("F32", "[-1]", "[0,4]"), four),
		"float size":       raw(spec("F32", "[1.0]", "[0,4]"), four),
		"null shape":       raw(spec("F32", "null", "[0,4]"), four),
		"overflow":         raw(spec("F32", "[4611686018427387904,4]", "[0,4]"), four),
		"overflow to zero": raw(spec("F32", "[4294967296,4294967296]", "[0,0]"), nil),
		"empty overflow":   raw(spec("F32", "[0,4611686018427387904,4]", "[0,0]"), nil),
		"2^64 size":        raw(spec("F32", "[18446744073709551616]", "[0,4]"), four),
		"rank 17":          raw(spec("F32", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[0,4]"), four),
		"size mismatch":    raw(spec("F32", "[2]", "[0,4]"), four),
		"backwards":        raw(spec("F32", "[1]", "[4,0]"), four),
		"negative offset":  raw(spec("F32", "[1]", "[-4,0]"), four),
		"offset overflow":  raw(spec("F32", "[1]", "[9223372036854775804,9223372036854775808]"), four),
		"one offset":       raw(spec("F32", "[1]", "[0]"), four),
		"three offsets":    raw(spec("F32", "[1]", "[0,4,4]"), four),
		"past the end":     raw(spec("F32", "[2]", "[0,8]"), four),
		"hole at start":    raw(spec("F32", "[1]", "[4,8]"), make([]byte, 8)),
		"trailing":         raw(ok, make([]byte, 5)),
		"overlap": raw(
			`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, four),
		"part overlap": raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}}`,
			make([]byte, 6)),
		"hole between": raw(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}`,
			make([]byte, 3)),
		"empty inside": raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[0],"data_offsets":[2,2]}}`,
			four),
		"no dtype":      raw(`{"a":{"shape":[1],"data_offsets":[0,4]}}`, four),
		"not an object": raw(`{"a":1}`, nil),
		"name too long": raw(`{"`+strings.Repeat("n", 5000)+`":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, four),
	}
	for what, b := range cases {
		_, err := Parse(b, Options{})
		if err == nil {
			t.Errorf("%s: accepted", what)
			continue
		}
		codectest.WantKind(t, err, fault.Format)
	}
	for _, d := range []string{"FOO", "F4", "f32", "F6_E2M3"} {
		_, err := Parse(raw(spec(d, "[1]", "[0,4]"), four), Options{})
		codectest.WantKind(t, err, fault.DType)
	}
}

func TestLimits(t *testing.T) {
	b := encode(t, codectest.File([]dtype.DType{dtype.Float32}), WriteOptions{})
	_, err := Parse(b, Options{Limits: codec.Limits{MaxTensors: 2}})
	codectest.WantKind(t, err, fault.Format)
	_, err = Parse(b, Options{Limits: codec.Limits{MaxHeader: 16}})
	codectest.WantKind(t, err, fault.Format)
	_, err = Parse(b, Options{Limits: codec.Limits{MaxRank: 2}})
	codectest.WantKind(t, err, fault.Format)
	_, err = Parse(b, Options{Limits: codec.Limits{MaxBytes: 30}})
	codectest.WantKind(t, err, fault.OutOfMemory)
}

// A header that claims 100 MB and more must not be believed, nor read, even if the file is that long.
func TestHugeHeader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sparse")
	if err := os.WriteFile(path, binary.LittleEndian.AppendUint64(nil, 200_000_000), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<33); err != nil {
		t.Skip(err)
	}
	_, err := Open(path, Options{})
	codectest.WantKind(t, err, fault.Format)
}
