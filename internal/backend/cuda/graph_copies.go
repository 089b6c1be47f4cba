package cuda

import (
	"encoding/binary"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
)

// Small copies before and behind a graph are one launch: the driver gives each to the copy engine, and a few microseconds go by until
// that and the multiprocessors have waited for each other.
const (
	mostCopies  = 8       // of a launch: COPIES in graph_copies.cu
	copyWords   = 3       // of each
	dataWords   = 24      // of bytes from the host
	largestCopy = 8 << 10 // bytes; larger ones are the driver's
)

// copies runs copies on the main stream.
func (g *graph) copies(list []backend.Copy) error {
	var small []backend.Copy
	words := 0
	for _, c := range list {
		w := 0
		if c.Src.Mem != nil {
			w = blocks(len(c.Src.Mem), 8)
		}
		if len(small) < mostCopies && words+w <= dataWords && c.Src.Size <= largestCopy {
			small, words = append(small, c), words+w
			continue
		}
		if err := g.copy(c); err != nil {
			return err
		}
	}
	if len(small) == 0 {
		return nil
	}
	f, err := g.r.d.kernel("graph_copies", "graph_copies", func() string { return kernels.Source("prelude", "graph_copies") })
	if err != nil {
		return err
	}
	a := make(args, 0, mostCopies*copyWords+dataWords)
	var data args
	for _, c := range small {
		if c.Src.Mem == nil {
			a.ptr(c.Dst.Dev, c.Src.Dev)
			a.int(c.Src.Size)
			continue
		}
		a.ptr(c.Dst.Dev, 0)
		a.int(len(c.Src.Mem))
		b := append(append([]byte(nil), c.Src.Mem...), make([]byte, 7)...)
		for i := range blocks(len(c.Src.Mem), 8) {
			data = append(data, binary.LittleEndian.Uint64(b[8*i:]))
		}
	}
	a = a[:mostCopies*copyWords]
	return g.r.main.Launch(f, len(small), 1, threads, 0, append(a, append(data, make(args, dataWords-len(data))...)...))
}

// copy runs a copy by the driver.
func (g *graph) copy(c backend.Copy) error {
	if c.Src.Mem != nil {
		return g.r.main.Upload(c.Dst.Dev, c.Src.Mem)
	}
	return g.r.main.Copy(c.Dst.Dev, c.Src.Dev, c.Src.Size)
}
