package cuda

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/mem"
)

// face is what becomes of a launch.
type face byte

const (
	running   face = iota
	looking        // nothing happens, but its kernel is compiled
	recording      // it becomes part of a graph
)

// faced returns the face a launch asks for.
func (d *Device) faced(c *backend.Ctx) *Device {
	if c != nil && c.LaunchMode != nil {
		return c.LaunchMode.(*Device)
	}
	return d
}

// ahead shows launches to a face that has their kernels compiled side by side.
func (d *Device) ahead(show func(face any)) {
	show(&Device{shared: d.shared, Device: d.Device, pool: d.pool, face: looking})
}

// main is the device with its own stream.
func (d *Device) main() *driver.Device {
	if d.face == recording {
		return d.rec.main
	}
	return d.Device
}

// nowhere stands for memory that a face which computes nothing never touches; it is aligned as all memory is.
const nowhere = 1 << 20

// fixed returns a buffer that holds bytes from the host as long as what is recorded lives.
func (d *Device) fixed(b []byte) (*mem.Buffer, error) {
	if d.face == looking {
		return &mem.Buffer{Dev: nowhere, Size: len(b)}, nil
	}
	return d.rec.fixed(b)
}

// Upload copies from the host in stream order.
func (d *Device) Upload(dst uintptr, src []byte) error {
	switch d.face {
	case looking:
		return nil
	case recording:
		b, err := d.rec.fixed(src)
		if err != nil {
			return err
		}
		return d.Device.Copy(dst, b.Dev, len(src))
	}
	return d.Device.Upload(dst, src)
}

// Copy copies on the device in stream order.
func (d *Device) Copy(dst, src uintptr, n int) error {
	if d.face == looking {
		return nil
	}
	return d.Device.Copy(dst, src, n)
}

// Fill sets bytes in stream order.
func (d *Device) Fill(dst uintptr, b byte, n int) error {
	if d.face == looking {
		return nil
	}
	return d.Device.Fill(dst, b, n)
}

// FillRows sets bytes of rows in stream order.
func (d *Device) FillRows(dst uintptr, pitch int, b byte, width, rows int) error {
	if d.face == looking {
		return nil
	}
	return d.Device.FillRows(dst, pitch, b, width, rows)
}
