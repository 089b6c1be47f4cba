package cabi

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend"
	hostcpu "github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
	"github.com/lucid-go/lucid/internal/dtype"
)

var remote = sync.OnceValue(func() *backend.Device { return fake.NewRemote(hostcpu.Device) })

func init() { backend.Register("remote", func(int) (*backend.Device, error) { return remote(), nil }) }

// TestDeviceTensors asks that elements in a device's own memory go out to another library and come in again without a copy, and are held
// as long as one of both needs them.
func TestDeviceTensors(t *testing.T) {
	live := Live()
	data := []float32{1, 2, 3, 4, 5, 6}
	host, err := Copy(dtype.Float32, []int64{2, 3}, unsafe.Pointer(&data[0]), 24)
	if err != nil {
		t.Fatal(err)
	}
	there, err := To(host, "remote", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Data(there); !errors.Is(err, lucid.ErrDevice) {
		t.Errorf("data of a device: %v", err)
	}
	e, err := Lend(there)
	if err != nil || e.At == 0 || e.Data != nil || e.Device != remote() || len(e.Shape) != 2 || e.Strides[0] != 3 {
		t.Fatalf("%+v, %v", e, err)
	}
	Free(there)
	Free(host)
	for name, c := range map[string]struct {
		typ  string
		at   uintptr
		kind error
		says string
	}{
		"aligned":   {"remote", e.At + 4, lucid.ErrValue, "aligned to 256 bytes"},
		"NULL":      {"remote", 0, lucid.ErrValue, "NULL"},
		"no device": {"abacus", e.At, lucid.ErrDevice, "abacus"},
		"the host":  {"cpu", e.At, lucid.ErrDevice, "no memory of its own"},
	} {
		_, err := BorrowOn(c.typ, 0, dtype.Float32, []int64{2, 3}, nil, c.at, func() { t.Errorf("%s: released", name) })
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	released := 0
	in, err := BorrowOn("remote", 0, dtype.Float32, []int64{3, 2}, []int64{1, 3}, e.At, func() { released++ })
	if err != nil {
		t.Fatal(err)
	}
	back, err := To(in, "cpu", 0)
	if err != nil {
		t.Fatal(err)
	}
	var got [6]float32
	if err := Read(back, unsafe.Pointer(&got[0]), 24); err != nil || got != [6]float32{1, 4, 2, 5, 3, 6} {
		t.Errorf("%v, %v", got, err)
	}
	Free(back)
	if released != 0 {
		t.Error("released before it was freed")
	}
	Free(in)
	if Live(); released != 1 {
		t.Errorf("released %d times", released)
	}
	Free(e.Handle)
	none, err := BorrowOn("remote", 0, dtype.Float32, []int64{0, 3}, nil, 0, func() { released++ })
	if err != nil {
		t.Fatal(err)
	}
	Free(none)
	if now := Live(); now != live || released != 2 {
		t.Errorf("%d tensors more, %d releases", now-live, released)
	}
}
