package driver

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/dl"
)

const peerAccessAlreadyEnabled = 704

// enablePeer gives this device direct access to the memory of another, where the bus allows it; else the driver copies
// through the host. It is done once for each pair.
func (d *Device) enablePeer(from *Device) error {
	if _, done := d.peers.LoadOrStore(from.Index, true); done {
		return nil
	}
	can := new(int32)
	return d.call("asking for peer access", func() uintptr {
		if s := dl.Call(cu.deviceCanAccessPeer, uintptr(unsafe.Pointer(can)), d.handle, from.handle); s != 0 || *can == 0 {
			return s
		}
		if s := uintptr(uint32(dl.Call(cu.ctxEnablePeerAccess, from.context, 0))); s != peerAccessAlreadyEnabled {
			return s
		}
		return 0
	})
}

// CopyPeer copies from another device behind the work submitted to it, in the order of this one; later work of the other
// one waits for the copy.
func (d *Device) CopyPeer(dst uintptr, from *Device, src uintptr, n int) error {
	if n == 0 {
		return nil
	}
	if err := d.enablePeer(from); err != nil {
		return err
	}
	there, err := from.NewMark()
	if err != nil {
		return err
	}
	defer there.Close() // the driver holds it until it is reached
	here, err := d.NewMark()
	if err != nil {
		return err
	}
	defer here.Close()
	if err := there.Record(); err != nil {
		return err
	}
	if err := d.sized("copying bytes from another device", n, func() uintptr {
		if s := dl.Call(cu.streamWaitEvent, d.Stream, there.handle, 0); s != 0 {
			return s
		}
		if s := dl.Call(cu.memcpyPeer, dst, d.context, src, from.context, uintptr(n), d.Stream); s != 0 {
			return s
		}
		return dl.Call(cu.eventRecord, here.handle, d.Stream)
	}); err != nil {
		return err
	}
	return from.call("waiting for a copy to another device", func() uintptr {
		return dl.Call(cu.streamWaitEvent, from.Stream, here.handle, 0)
	})
}
