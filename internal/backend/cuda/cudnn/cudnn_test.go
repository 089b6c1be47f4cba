package cudnn

import (
	"errors"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// library opens cuDNN, which needs no GPU to describe work, or skips.
func library(t *testing.T) {
	t.Helper()
	if err := Init(); err != nil {
		if !errors.Is(err, fault.SentinelOf(fault.Device)) || !strings.Contains(err.Error(), "libcudnn") && !errors.Is(err, ErrOff) {
			t.Errorf("%v", err)
		}
		t.Skipf("SKIP: %v", err)
	}
}

func list(v ...int) attr.Ints { return attr.MakeInts(v...) }

func example(d dtype.DType) []interface{ describe(*net) } {
	c := Conv{DType: d, X: list(2, 8, 9, 9), XStrides: list(648, 1, 72, 8), W: list(16, 8, 3, 3), WStrides: list(72, 1, 24, 8), Y: list(2, 16, 5, 5), YStrides: list(400, 1, 80, 16),
		Stride: list(2, 2), Low: list(1, 1), High: list(1, 1), Dilation: list(1, 1)}
	all := []interface{ describe(*net) }{c}
	for _, w := range []Way{ToInput, ToWeight} {
		c.Way = w
		all = append(all, c)
	}
	if d.IsHalf() {
		a := Attention{DType: d, Q: list(1, 4, 128, 64), QStrides: list(32768, 64, 256, 1), K: list(1, 2, 256, 64), KStrides: list(32768, 16384, 64, 1),
			V: list(1, 2, 256, 64), VStrides: list(32768, 16384, 64, 1), GStrides: list(32768, 8192, 64, 1)}
		for range 2 {
			all = append(all, a)
			a.Causal = !a.Causal
		}
		a.Backward = true
		all = append(all, a)
	}
	return all
}

// TestDescribe sees that the library takes every description; what it thinks of the graph it says on a device alone.
func TestDescribe(t *testing.T) {
	library(t)
	t.Logf("version %d at %s", Version, Path)
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16} {
		for _, w := range example(d) {
			n := &net{what: "a test"}
			w.describe(n)
			if n.err != nil {
				t.Errorf("%v: %v", w, n.err)
			}
			if len(n.ids) == 0 || len(n.ops) == 0 {
				t.Errorf("%v: %d tensors, %d operations", w, len(n.ids), len(n.ops))
			}
			n.free()
			if n.all != nil {
				t.Error("descriptors are left")
			}
		}
	}
	n := &net{what: "a test"}
	n.tensor(typeFloat32, inMemory, []int64{2, 2}, []int64{1})
	if n.err == nil || !strings.Contains(n.err.Error(), "CUDNN_STATUS_BAD_PARAM") || !strings.Contains(n.err.Error(), "a test") {
		t.Errorf("a tensor with too few strides: %v", n.err)
	}
	n.free()
}
