package driver

import (
	"runtime"
	"unsafe"

	"github.com/lucid-go/lucid/internal/dl"
)

// Alloc returns n bytes of device memory, stream-ordered where the device can.
func (d *Device) Alloc(n int) (uintptr, error) {
	p := new(uintptr)
	err := d.sized("allocating bytes", n, func() uintptr {
		if d.Pooled {
			return dl.Call(cu.memAllocAsync, uintptr(unsafe.Pointer(p)), uintptr(n), d.Stream)
		}
		return dl.Call(cu.memAlloc, uintptr(unsafe.Pointer(p)), uintptr(n))
	})
	return *p, err
}

// Release frees memory behind the work submitted so far.
func (d *Device) Release(p uintptr) error {
	return d.call("freeing memory", func() uintptr {
		if d.Pooled {
			return dl.Call(cu.memFreeAsync, p, d.Stream)
		}
		return dl.Call(cu.memFree, p)
	})
}

// Trim returns the driver's cached memory to the system, after all work is done.
func (d *Device) Trim() error {
	if !d.Pooled {
		return nil
	}
	if err := d.Sync(); err != nil {
		return err
	}
	return d.call("trimming the memory pool", func() uintptr { return dl.Call(cu.memPoolTrimTo, d.pool, 0) })
}

// Upload copies from the host in stream order. Pageable memory is staged before it returns, so src may change afterwards.
func (d *Device) Upload(dst uintptr, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	if len(src) >= leastSlots {
		return d.stagedUpload(dst, src)
	}
	err := d.sized("copying bytes to the device", len(src), func() uintptr {
		return dl.Call(cu.memcpyHtoD, dst, uintptr(unsafe.Pointer(unsafe.SliceData(src))), uintptr(len(src)), d.Stream)
	})
	runtime.KeepAlive(src)
	return err
}

// Copy copies on the device in stream order.
func (d *Device) Copy(dst, src uintptr, n int) error {
	if n == 0 {
		return nil
	}
	return d.sized("copying bytes on the device", n, func() uintptr { return dl.Call(cu.memcpyDtoD, dst, src, uintptr(n), d.Stream) })
}

// Fill sets n bytes to b in stream order.
func (d *Device) Fill(dst uintptr, b byte, n int) error {
	if n == 0 {
		return nil
	}
	return d.sized("filling bytes", n, func() uintptr { return dl.Call(cu.memsetD8, dst, uintptr(b), uintptr(n), d.Stream) })
}

// FillRows sets width bytes of each of some rows, pitch bytes apart, in stream order.
func (d *Device) FillRows(dst uintptr, pitch int, b byte, width, rows int) error {
	if width == 0 || rows == 0 {
		return nil
	}
	return d.sized("filling bytes of rows", width*rows, func() uintptr {
		return dl.Call(cu.memset2D, dst, uintptr(pitch), uintptr(b), uintptr(width), uintptr(rows), d.Stream)
	})
}

// Pinned returns n zeroed bytes of page-locked host memory that the device can access, at the same address.
func (d *Device) Pinned(n int) ([]byte, error) {
	const portable, mapped = 1, 2
	p := new(unsafe.Pointer)
	err := d.sized("allocating bytes of pinned memory", n, func() uintptr {
		return dl.Call(cu.memHostAlloc, uintptr(unsafe.Pointer(p)), uintptr(n), portable|mapped)
	})
	if err != nil {
		return nil, err
	}
	b := unsafe.Slice((*byte)(*p), n)
	clear(b)
	return b, nil
}

// Unpin frees pinned memory, after all work is done.
func (d *Device) Unpin(b []byte) error {
	if err := d.Sync(); err != nil {
		return err
	}
	return d.call("freeing pinned memory", func() uintptr { return dl.Call(cu.memFreeHost, uintptr(unsafe.Pointer(unsafe.SliceData(b)))) })
}
