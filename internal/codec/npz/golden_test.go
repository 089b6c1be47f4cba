package npz

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/codec/codectest"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// The files were written by NumPy; see scripts/golden_codec.
func TestGolden(t *testing.T) {
	want := codectest.File(codectest.Without(dtype.BFloat16))
	for _, name := range []string{"stored.npz", "deflated.npz"} {
		got, err := Read("testdata/"+name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d := codectest.Diff(got, want, true); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestGoldenLayouts(t *testing.T) {
	f, err := Read("testdata/layouts.npz", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Tensors) != 8*len(codectest.Shapes)*3 {
		t.Errorf("%d arrays", len(f.Tensors))
	}
	for _, x := range f.Tensors {
		part := strings.Split(x.Name, "/")
		d, _ := dtype.Parse(part[0])
		shape := []int{}
		if part[1] != "s" {
			for _, n := range strings.Split(part[1], "x") {
				shape = append(shape, 0)
				fmt.Sscan(n, &shape[len(shape)-1])
			}
		}
		if diff := codectest.DiffTensor(x, codectest.Tensor(d, shape)); diff != "" {
			t.Errorf("%s: %s", x.Name, diff)
		}
	}
}

func TestGoldenVersions(t *testing.T) {
	for v := 1; v <= 3; v++ {
		x, err := ReadNpy(fmt.Sprintf("testdata/v%d.npy", v), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d := codectest.DiffTensor(x, codectest.Tensor(dtype.Float32, []int{2, 3})); d != "" {
			t.Error(d)
		}
	}
}

func TestGoldenRefused(t *testing.T) {
	for name, hint := range map[string]string{
		"struct.npy": "structured", "object.npy": "unpickled", "unicode.npy": "<U2", "longdouble.npy": "<f16",
		"bfloat16.npy": "VoidAsBFloat16",
	} {
		_, err := ReadNpy("testdata/"+name, Options{})
		codectest.WantKind(t, err, fault.DType)
		if err != nil && (!strings.Contains(err.Error(), hint) || !strings.Contains(err.Error(), name)) {
			t.Errorf("%s: no %q in %v", name, hint, err)
		}
	}
	_, err := Read("testdata/bzip2.npz", Options{})
	codectest.WantKind(t, err, fault.Format)
	x, err := ReadNpy("testdata/bfloat16.npy", Options{VoidAsBFloat16: true})
	if err != nil {
		t.Fatal(err)
	}
	if d := codectest.DiffTensor(x, codectest.Tensor(dtype.BFloat16, []int{2, 3})); d != "" {
		t.Error(d)
	}
}
