package safetensors

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/codectest"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// shards writes two shards and an index into a new directory and returns the index's path.
func shards(t *testing.T, index string) string {
	dir := t.TempDir()
	one := codec.File{Tensors: []codec.Tensor{codectest.Tensor(dtype.Float32, []int{5}), codectest.Tensor(dtype.Int8, []int{5})}}
	two := codec.File{Tensors: []codec.Tensor{codectest.Tensor(dtype.BFloat16, []int{2, 3})}}
	dup := codec.File{Tensors: []codec.Tensor{codectest.Tensor(dtype.BFloat16, []int{2, 3}), codectest.Tensor(dtype.Int8, []int{5})}}
	for name, f := range map[string]codec.File{"1.safetensors": one, "2.safetensors": two, "dup.safetensors": dup} {
		if err := Write(filepath.Join(dir, name), f, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "model.safetensors.index.json")
	if err := os.WriteFile(path, []byte(index), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestIndex(t *testing.T) {
	path := shards(t,
		`{"metadata":{"total_size":37,"who":"me"},"weight_map":{"int8_5":"1.safetensors","bfloat16_2x3":"2.safetensors",`+
			`"float32_5":"1.safetensors"}}`)
	for _, mapped := range []bool{false, true} {
		f, err := Open(path, Options{Mapped: mapped})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(f.Names(), " "); got != "int8_5 bfloat16_2x3 float32_5" {
			t.Error(got)
		}
		if f.Metadata()["total_size"] != "37" || f.Metadata()["who"] != "me" {
			t.Error(f.Metadata())
		}
		all, err := f.All()
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range all.Tensors {
			if d := codectest.DiffTensor(x, codectest.Tensor(x.DType, x.Shape)); d != "" {
				t.Error(d)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestIndexUnlisted(t *testing.T) {
	path := shards(t, `{"weight_map":{"float32_5":"1.safetensors"}}`)
	_, err := Read(path, Options{})
	codectest.WantKind(t, err, fault.Format)
	f, err := Read(path, Options{IgnoreUnlisted: true})
	if err != nil || len(f.Tensors) != 1 {
		t.Error(f, err)
	}
}

func TestIndexRefuses(t *testing.T) {
	for what, index := range map[string]string{
		"missing tensor": `{"weight_map":{"int8_5":"1.safetensors","float32_5":"1.safetensors","none":"2.safetensors",` +
			`"bfloat16_2x3":"2.safetensors"}}`,
		"wrong shard":   `{"weight_map":{"int8_5":"2.safetensors","float32_5":"1.safetensors","bfloat16_2x3":"2.safetensors"}}`,
		"in two shards": `{"weight_map":{"int8_5":"1.safetensors","float32_5":"1.safetensors","bfloat16_2x3":"dup.safetensors"}}`,
		"duplicate key": `{"weight_map":{"int8_5":"1.safetensors","int8_5":"2.safetensors"}}`,
		"no map":        `{"metadata":{}}`,
		"not JSON":      `hello`,
		"number":        `{"weight_map":{"a":1}}`,
		"parent":        `{"weight_map":{"a":"../x.safetensors"}}`,
		"dots":          `{"weight_map":{"a":".."}}`,
		"dot":           `{"weight_map":{"a":"."}}`,
		"absolute":      `{"weight_map":{"a":"/etc/passwd"}}`,
		"backslash":     `{"weight_map":{"a":"..\\x"}}`,
		"drive":         `{"weight_map":{"a":"C:x"}}`,
		"subfolder":     `{"weight_map":{"a":"x/y"}}`,
		"nul":           `{"weight_map":{"a":"x\u0000"}}`,
		"empty":         `{"weight_map":{"a":""}}`,
	} {
		_, err := Read(shards(t, index), Options{})
		if err == nil {
			t.Errorf("%s: accepted", what)
			continue
		}
		codectest.WantKind(t, err, fault.Format)
	}
	if _, err := Read(shards(t, `{"weight_map":{"a":"gone.safetensors"}}`), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing shard: %v", err)
	}
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte(`{"metadata":{"total_size":1},"weight_map":{"a":"b.safetensors"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := parseIndex(b, codec.Limits{})
		if err != nil {
			if !codectest.Typed(err) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		for _, file := range x.shards {
			if filepath.Base(file) != file {
				t.Fatalf("%q escaped", file)
			}
		}
	})
}
