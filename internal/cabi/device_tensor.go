package cabi

import (
	"context"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/ops"
)

// deviceAlign is what kernels of a GPU rely on for the address of a buffer: the alignment of the driver's own allocations.
const deviceAlign = 256

// BorrowOn is Borrow for elements in memory of a device that the host cannot read, such as ("cuda", 0). The work that writes them must be
// done. They are not copied: the first must be aligned to 256 bytes, and booleans must be 0 and 1. release is called after the work that
// reads them.
func BorrowOn(typ string, index int, d dtype.DType, dims, strides []int64, at uintptr, release func()) (h Handle, err error) {
	const op = "tensor_from_dlpack"
	err = Guard(func() error {
		dev, err := backend.Open(typ, index)
		if err != nil {
			return err
		}
		if dev.Host {
			fault.Throw(fault.Device, op, "%v has no memory of its own", dev)
		}
		s := spec(op, d, dims)
		lay, back, span := layout(op, s, strides)
		if span == 0 {
			h = storeOn(dev, mem.LentDevice(0, 0, nil), s, nil)
			if release != nil {
				later(release)
			}
			return nil
		}
		size := d.Size()
		from := at - uintptr(back*size)
		if at == 0 || uintptr(back*size) > at {
			fault.Throw(fault.Value, op, "the data is NULL")
		}
		if from%deviceAlign != 0 {
			fault.Throw(fault.Value, op, "the elements are at %#x; want an address aligned to %d bytes: copy them on the device first",
				from, deviceAlign)
		}
		var done func()
		if release != nil {
			done = func() { later(func() { settle(dev); release() }) }
		}
		h = storeOn(dev, mem.LentDevice(from, span*size, done), s, lay)
		return nil
	})
	return h, err
}

// settle waits for the work of a device. An error is the next reader's.
func settle(d *backend.Device) {
	if d.Waiter != nil {
		_ = d.Wait()
	}
}

// lendOn computes a node on a device and shows where its elements are there; the node may be replaced by one of the same value.
func lendOn(op string, d *backend.Device, n **graph.Node) (e Elements, err error) {
	if err := exec.Eval(context.Background(), *n); err != nil {
		return e, err
	}
	v := (*n).View()
	if v.Buf.Mem != nil { // a constant of the host
		c := ops.Contiguous(*n)
		c.Ref()
		(*n).Unref()
		*n = c
		if err := exec.Eval(context.Background(), c); err != nil {
			return e, err
		}
		if v = c.View(); v.Buf.Mem != nil {
			fault.Throw(fault.Device, op, "the tensor is a constant without memory on %v; compute something from it first", d)
		}
	}
	settle(d) // the receiver knows nothing of our streams
	e = Elements{DType: v.DType, Shape: v.Shape.Dims(), Strides: v.Strides(), Device: d}
	if v.Numel() > 0 {
		e.At = v.Buf.Dev + uintptr(v.Offset()*v.DType.Size())
	}
	(*n).Ref()
	e.Handle = tensors.put(*n)
	return e, nil
}
