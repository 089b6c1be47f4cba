package exec

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/mem"
)

func hostBuffer(b []byte) *mem.Buffer { return mem.FromGo(b) }

// transfer copies a value from one device to another, through host memory.
func (p *planner) transfer(from, to *backend.Device) backend.Kernel {
	order := p.kernelFor(hostOf(from), "copy")
	return func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		src, dst := in[0], out[0]
		if from.Download != nil {
			b := make([]byte, src.Buf.Size)
			if err := from.Download(b, src.Buf); err != nil {
				return err
			}
			src.Buf = hostBuffer(b)
		}
		if to.Upload == nil {
			return order(c, a, []backend.View{dst}, []backend.View{src})
		}
		tmp := dst
		tmp.Buf = hostBuffer(make([]byte, dst.Buf.Size))
		if err := order(c, a, []backend.View{tmp}, []backend.View{src}); err != nil {
			return err
		}
		return to.Upload(dst.Buf, tmp.Buf.Mem)
	}
}

// hostOf returns a device whose kernels work on host memory.
func hostOf(d *backend.Device) *backend.Device {
	if d.Host {
		return d
	}
	return Reference
}
