package safetensors

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/codec/codectest"
	"github.com/lucid-go/lucid/internal/fault"
)

// The file was written by Python's safetensors; see scripts/golden_codec.
func TestGolden(t *testing.T) {
	want := codectest.File(writable)
	want.Metadata = map[string]string{"format": "np", "naïve": "\"é\"\n"}
	got, err := Read("testdata/numpy.safetensors", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := codectest.Diff(got, want, false); d != "" {
		t.Error(d)
	}
}

func TestGoldenF8(t *testing.T) {
	_, err := Read("testdata/f8.safetensors", Options{})
	codectest.WantKind(t, err, fault.DType)
	if err != nil && !strings.Contains(err.Error(), "F8_E4M3") || err != nil && !strings.Contains(err.Error(), "f8.safetensors") {
		t.Error(err)
	}
	f, err := Read("testdata/f8.safetensors", Options{RawF8: true})
	if err != nil || len(f.Tensors) != 2 {
		t.Fatal(f, err)
	}
	w, _ := f.Find("w")
	if !bytes.Equal(w.Data, []byte{0, 0x38, 0x40, 0x44}) { // 0, 1, 2, 3 in E4M3
		t.Errorf("%x", w.Data)
	}
}
