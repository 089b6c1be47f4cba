package cuda

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// flat shows a contiguous view as one dimension.
func flat(v backend.View) backend.View {
	off := v.Offset()
	v.Shape = shape.Of("cuda", v.Numel())
	v.Lay = &shape.Layout{Strides: []int{1}, Offset: off}
	return v
}

// manyPositions is the number of indices from which they are sorted before a scatter.
const manyPositions = 256

// segmentChunk is how many sorted indices a thread walks: longer chunks leave fewer partial runs to combine.
func segmentChunk(count, columns int) int {
	if columns == 1 && count >= 1<<20 {
		return 128
	}
	return 32
}

// sortedPositions sorts contiguous indices below n along lines: their keys, and their original positions. Keys have 32
// bits, and only as many digits as n.
func (d *call) sortedPositions(at backend.View, axis, n int) (*sorter, error) {
	b, err := d.pool.Get("positions", 4*at.Numel())
	if err != nil {
		return nil, err
	}
	s, err := d.sorter(backend.View{Buf: b, DType: dtype.Uint32, Shape: at.Shape}, axis)
	if err != nil {
		b.Free()
		return nil, err
	}
	s.bufs, s.bits = append(s.bufs, b), bits.Len(uint(n))
	if err := d.narrow(b.Dev, at, n); err != nil {
		s.free()
		return nil, err
	}
	if err := s.scratch(at.Numel()); err != nil {
		s.free()
		return nil, err
	}
	if err := s.ordered(); err != nil {
		s.free()
		return nil, err
	}
	return s, nil
}

// narrow canFoldCast indices to 32 bits; those out of range report a device error and become n.
func (d *call) narrow(to uintptr, at backend.View, n int) error {
	f, err := d.kernel("narrow", "narrow", narrowSource)
	if err != nil {
		return err
	}
	return d.checked(d.ctx, "index", func(record uintptr) error {
		var g args
		g.int(at.Numel(), n)
		g.ptr(to, address(at), record)
		return d.launch(f, blocks(at.Numel(), threads), 1, threads, g)
	})
}

func narrowSource() string {
	return kernels.Source("prelude") + "#define NARROW\n" + kernels.Source("index")
}

// segmentedSource is a kernel of segmented_scatter.cu: of slices, or along lines; each columns at a time.
func segmentedSource(name string, slices bool, t, s dtype.DType, r attr.Reduction, each, chunk int) string {
	form := "#define LINES\n"
	if slices {
		form = "#define SLICES\n"
	}
	return kernels.Source("prelude", "elementwise") + "template <class T> DEV T second(T, T y) { return y; }\n" + form + "#define " +
		strings.ToUpper(name) + "\n" +
		typed(t) + fmt.Sprintf("#define S %s\n#define COMBINE %s\n#define V %d\n#define CHUNK %d\n", ctype[s], combine[r], each, chunk) +
		kernels.Source("segmented_scatter")
}

// segmentedScatter combines values into sorted indices, each columns at a time. more is what struct Args has behind the
// common fields.
func (d *call) segmentedScatter(s *sorter, slices bool, to, src backend.View, from uintptr, r attr.Reduction, n, columns, each int,
	more args) error {
	chunk := segmentChunk(s.n, columns)
	chunks := blocks(s.n, chunk)
	parts, err := s.get(2 * 16 * s.rows * chunks * columns)
	if err != nil {
		return err
	}
	var g args
	g.int(n, s.n, columns, s.rows, chunks)
	g.ptr(s.keys, s.idx, parts, parts+uintptr(16*s.rows*chunks*columns), address(to), from)
	g = append(g, more...)
	for _, name := range []string{"segmented_scatter", "segmented_finish"} {
		f, err := d.kernel(fmt.Sprint(name, slices, to.DType, src.DType, r, each, " ", chunk), name,
			func() string { return segmentedSource(name, slices, to.DType, src.DType, r, each, chunk) })
		if err != nil {
			return err
		}
		if err := d.launch(f, blocks(s.rows*chunks*(columns/each), threads), 1, threads, g); err != nil {
			return err
		}
	}
	return nil
}
