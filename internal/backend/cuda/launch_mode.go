package cuda

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/mem"
)

// launchMode is what a launch does.
type launchMode byte

const (
	running      launchMode = iota
	precompiling            // compile the kernel, launch nothing
	capturing               // add a node to the CUDA graph being captured
)

// inMode returns the Device of the launch mode a launch asks for.
func (d *Device) inMode(c *backend.Ctx) *Device {
	if c != nil && c.LaunchMode != nil {
		return c.LaunchMode.(*Device)
	}
	return d
}

// precompile shows launches to a Device that only compiles their kernels, several at a time.
func (d *Device) precompile(show func(mode any)) {
	show(&Device{shared: d.shared, Device: d.Device, pool: d.pool, mode: precompiling})
}

// main is the device with its own stream.
func (d *Device) main() *driver.Device {
	if d.mode == capturing {
		return d.rec.main
	}
	return d.Device
}

// nowhere is the address of memory that a precompilation never touches; it is aligned as all memory is.
const nowhere = 1 << 20

// fixed returns a buffer that holds host bytes as long as the captured graph lives.
func (d *Device) fixed(b []byte) (*mem.Buffer, error) {
	if d.mode == precompiling {
		return &mem.Buffer{Dev: nowhere, Size: len(b)}, nil
	}
	return d.rec.fixed(b)
}

// Upload copies from the host in stream order.
func (d *Device) Upload(dst uintptr, src []byte) error {
	switch d.mode {
	case precompiling:
		return nil
	case capturing:
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
	if d.mode == precompiling {
		return nil
	}
	return d.Device.Copy(dst, src, n)
}

// Fill sets bytes in stream order.
func (d *Device) Fill(dst uintptr, b byte, n int) error {
	if d.mode == precompiling {
		return nil
	}
	return d.Device.Fill(dst, b, n)
}

// FillRows sets bytes of rows in stream order.
func (d *Device) FillRows(dst uintptr, pitch int, b byte, width, rows int) error {
	if d.mode == precompiling {
		return nil
	}
	return d.Device.FillRows(dst, pitch, b, width, rows)
}
