package exec

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/par"
	"github.com/lucid-go/lucid/internal/shape"
)

func hostBuffer(b []byte) *mem.Buffer { return mem.FromGo(b) }

// hostBytes are aligned for every element type.
func hostBytes(n int) []byte { return dtype.Bytes(make([]uint64, (n+7)/8))[:n] }

// transfer copies a value from one device to another, through host memory unless they are peers.
func (p *planner) transfer(from, to *backend.Device) backend.Kernel {
	order := hostKernel("copy")
	return func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		if c.LaunchMode != nil {
			return fault.New(fault.NotImplemented, "to_device", "it moves a value between %v and %v", from, to)
		}
		src, dst := in[0], out[0]
		if to.PeerCopier != nil && from.Type == to.Type && src.Buf.Mem == nil && src.Contiguous() {
			size := src.DType.Size()
			return to.CopyPeer(dst.Buf, &mem.Buffer{Dev: src.Buf.Dev + uintptr(src.Offset()*size), Size: src.Numel() * size}, from)
		}
		if from.Transfer != nil {
			var err error
			if src, err = download(from, src); err != nil {
				return err
			}
		}
		if to.Transfer == nil {
			if src.Contiguous() {
				par.Copy(dst.Bytes(), src.Bytes())
				return nil
			}
			return order(c, a, []backend.View{dst}, []backend.View{src})
		}
		if !src.Contiguous() {
			tmp := dst
			tmp.Buf = hostBuffer(hostBytes(dst.Buf.Size))
			if err := order(c, a, []backend.View{tmp}, []backend.View{src}); err != nil {
				return err
			}
			src = tmp
		}
		return to.Upload(dst.Buf, src.Bytes())
	}
}

// download brings the elements a view shows to host memory, and those between them.
func download(d *backend.Device, v backend.View) (backend.View, error) {
	if v.Buf.Mem != nil {
		return v, nil
	}
	size, lo, hi := v.DType.Size(), v.Offset(), v.Offset()
	for i, s := range v.Strides() {
		if n := v.Shape.Dim(i); n == 0 {
			hi = lo - 1 // nothing
			break
		} else if s < 0 {
			lo += (n - 1) * s
		} else {
			hi += (n - 1) * s
		}
	}
	b := hostBytes(max(hi-lo+1, 0) * size)
	if err := d.Download(b, v.Buf.Window(lo*size, len(b))); err != nil {
		return v, err
	}
	if v.Lay != nil {
		v.Lay = &shape.Layout{Strides: v.Lay.Strides, Offset: v.Lay.Offset - lo}
	}
	v.Buf = hostBuffer(b)
	return v, nil
}

// hostKernel finds a kernel that works on host memory: the fast one, or the reference.
func hostKernel(op string) backend.Kernel {
	for _, d := range []*backend.Device{Host, Reference} {
		if d != nil && d.Table[op] != nil {
			return d.Table[op]
		}
	}
	return nil
}

// onHost makes a kernel of a device with memory of its own out of one for host memory.
func onHost(d *backend.Device, op string, k backend.Kernel) backend.Kernel {
	declared := graph.Lookup(op)
	always := declared != nil && declared.Role == graph.RolePrint // it belongs on the host
	return func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		if c.LaunchMode != nil {
			return fault.New(fault.NotImplemented, op, "it runs on the host")
		}
		if !always {
			if err := d.Fallback(op); err != nil {
				return err
			}
		}
		hostIn, hostOut := make([]backend.View, len(in)), make([]backend.View, len(out))
		for i, v := range in {
			var err error
			if hostIn[i], err = download(d, v); err != nil {
				return err
			}
		}
		for i, v := range out {
			hostOut[i] = v
			hostOut[i].Buf = hostBuffer(hostBytes(v.Buf.Size))
		}
		if err := k(c, a, hostOut, hostIn); err != nil {
			return err
		}
		for i, v := range hostOut {
			if err := d.Upload(out[i].Buf, v.Buf.Mem); err != nil {
				return err
			}
		}
		return nil
	}
}

// orOnHost lets a kernel pass on operands it was not written for.
func orOnHost(d *backend.Device, op string, k backend.Kernel) backend.Kernel {
	return func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		err := k(c, a, out, in)
		if err != backend.ErrNoKernel {
			return err
		}
		h := hostKernel(op)
		if h == nil {
			return fault.New(fault.NotImplemented, op, "device %v has no kernel for %v", d, in[0].DType)
		}
		return onHost(d, op, h)(c, a, out, in)
	}
}
