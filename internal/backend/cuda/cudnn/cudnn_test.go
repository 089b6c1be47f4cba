package cudnn

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// hopper describes an H200 to cuDNN, which then lists engines for it without one.
const hopper = `{"maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],"regsPerBlock":65536,"multiProcessorCount":132,
	"warpSize":32,"maxSharedMemoryPerBlock":49152,"maxSharedMemoryPerBlockOptin":232448,"reservedSharedMemoryPerBlock":1024,
	"maxRegistersPerSM":65536,"maxCtasPerSM":32,"maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,"pciDeviceId":0,"isTccDriver":0,
	"supportCoopLaunch":1,"smClockRateKHz":1980000,"memClockRateKHz":3201000,"l2CacheSize":62914560,"deviceName":"NVIDIA H200",
	"deviceVer":900,"deviceVersion":900,"smVersion":900,"driverVer":13000,"driverVersion":13000,"cudaDriverVersion":13000,
	"cudaDeviceId":0,"deviceId":0,"totalGlobalMem":150000000000,"cudaRuntimeVersion":13000,"cudartVersion":13000}`

// TestEngines asks for engines of convolutions on a Hopper device, and checks that none is chosen that is not allowed.
func TestEngines(t *testing.T) {
	library(t)
	const kindDevice, attrDeviceText, since = 38, 2702, 90800
	if Version < since {
		t.Skipf("SKIP: version %d needs a device to choose engines", Version)
	}
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16} {
		for _, w := range example(d) {
			c, ok := w.(Conv)
			if !ok {
				continue // attention's engines need the driver
			}
			n := &net{what: c.String()}
			n.device = n.desc(kindDevice)
			text := append([]byte(hopper), 0)
			n.set(n.device, attrDeviceText, typeChar, len(text), unsafe.Pointer(&text[0]))
			n.finish(n.device, "a device")
			c.describe(n)
			list := n.configs(0, c.allows)
			if n.err != nil {
				t.Fatal(n.err)
			}
			for _, k := range list {
				if slices.Contains(k.notes, noteNondeterministic) || d == dtype.Float32 && slices.Contains(k.notes, noteTensorCore) {
					t.Errorf("%v: engine %d with notes %v", c, k.engine, k.notes)
				}
			}
			before := len(n.all)
			if p, err := n.plan(0, list[0]); err != nil {
				t.Errorf("%v: %v", c, err)
			} else if n.drop(p.desc); len(n.all) != before {
				t.Error("a plan is left")
			}
			n.free()
		}
	}
}

// library opens cuDNN, which needs no GPU to describe work, or skips.
func library(t *testing.T) {
	t.Helper()
	if err := Init(); err != nil {
		if !errors.Is(err, fault.SentinelOf(fault.Device)) || !strings.Contains(err.Error(), "libcu") && !errors.Is(err, ErrOff) {
			t.Errorf("%v", err)
		}
		t.Skipf("SKIP: %v", err)
	}
}

func list(v ...int) attr.Ints { return attr.MakeInts(v...) }

func example(d dtype.DType) []interface{ describe(*net) } {
	c := Conv{DType: d, X: list(2, 8, 9, 9), XStrides: list(648, 1, 72, 8), W: list(16, 8, 3, 3), WStrides: list(72, 1, 24, 8),
		Y: list(2, 16, 5, 5), YStrides: list(400, 1, 80, 16),
		Stride: list(2, 2), Low: list(1, 1), High: list(1, 1), Dilation: list(1, 1)}
	all := []interface{ describe(*net) }{c}
	for _, w := range []Way{ToInput, ToWeight} {
		c.Way = w
		all = append(all, c)
	}
	if d.IsHalf() {
		a := Attention{DType: d, Q: list(1, 4, 128, 64), QStrides: list(32768, 64, 256, 1), K: list(1, 2, 256, 64),
			KStrides: list(32768, 16384, 64, 1),
			V:        list(1, 2, 256, 64), VStrides: list(32768, 16384, 64, 1), GStrides: list(32768, 8192, 64, 1),
			YStrides: list(32768, 64, 256, 1)}
		for range 2 {
			all = append(all, a)
			a.Causal = !a.Causal
		}
		a.Backward, a.To = true, [3]attr.Ints{list(98304, 64, 768, 1), list(32768, 16384, 64, 1), list(32768, 16384, 64, 1)}
		all = append(all, a)
	}
	return all
}

// TestDescribe checks that the library takes every description; it validates the graph on a device only.
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

// TestKey checks that kinds of work which differ in any field have different cache keys.
func TestKey(t *testing.T) {
	c := Conv{DType: dtype.BFloat16, X: list(1, 2), Stride: list(1)}
	d := c
	d.Deterministic = true
	a := Attention{DType: dtype.BFloat16, Q: list(1, 2, 3, 4), Backward: true, GStrides: list(24, 12, 4, 1)}
	b := a
	b.GStrides = list(24, 4, 8, 1)
	for _, k := range [][2]string{{keyOf("x", c), keyOf("x", d)}, {keyOf("x", a), keyOf("x", b)}, {keyOf("x", c), keyOf("y", c)}} {
		if k[0] == k[1] {
			t.Errorf("%q stands for two", k[0])
		}
	}
	again := Attention{DType: dtype.BFloat16, Q: list(1, 2, 3, 4), Backward: true, GStrides: list(24, 12, 4, 1)}
	if keyOf("x", a) != keyOf("x", again) {
		t.Error("one has two keys")
	}
}
