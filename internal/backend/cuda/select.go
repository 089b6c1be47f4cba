package cuda

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// selectForm is the shape of a kernel of select.cu: its threads, and whether a row's keys stay in shared memory.
type selectForm struct {
	threads int
	held    bool
}

// selectSource is a kernel of select.cu.
func selectSource(name string, t dtype.DType, f selectForm, skip bool) string {
	return sortSource(name, t, 0, skip) + fmt.Sprintf("#define THREADS %d\n#define HELD %d\n", f.threads, number(f.held)) +
		kernels.Source("select")
}

// selectFormFor chooses for rows of n elements; shared is the shared memory of a block.
func selectFormFor(t dtype.DType, n, shared int) selectForm {
	const counts = 10 << 10 // bytes for counts
	f := selectForm{threads, n*keySize(t) <= shared-counts}
	for f.threads < 1024 && n > 16*f.threads {
		f.threads *= 2
	}
	return f
}

// fewAndLong reports whether one block a row would leave most of the device idle: then rows are sorted.
func (s *sorter) fewAndLong() bool {
	const long = 1 << 17
	return s.n >= long && s.rows < s.SMs/8 && s.byDigits(s.n)
}

// choose runs a kernel of select.cu, one block a row.
func (s *sorter) choose(name string) error {
	form := selectFormFor(s.t, s.n, s.Shared)
	f, err := s.kernel(fmt.Sprint("select ", name, s.t, form, s.skip), name, func() string { return selectSource(name, s.t, form, s.skip) })
	if err != nil {
		return err
	}
	shared := 0
	if form.held {
		shared = s.n * keySize(s.t)
	}
	return s.launchShared(f, s.rows, 1, form.threads, shared, s.args())
}

// foldedLast shows a view with the reduced dimensions last, as one row for each output element, and how many elements a row
// has.
func foldedLast(v backend.View, axes attr.Ints) (backend.View, int) {
	var dims, st, folded, fs []int
	strides := v.Strides()
	for i, n := range v.Shape.Dims() {
		if axes.Contains(i) {
			folded, fs = append(folded, n), append(fs, strides[i])
		} else {
			dims, st = append(dims, n), append(st, strides[i])
		}
	}
	off := v.Offset()
	v.Shape = shape.Of("cuda", append(dims, folded...)...)
	v.Lay = &shape.Layout{Strides: append(st, fs...), Offset: off}
	return v, product(folded)
}

// foldedSorter prepares rows of the reduced elements.
func (d *call) foldedSorter(axes attr.Ints, in backend.View) (*sorter, error) {
	v, n := foldedLast(in, axes)
	x, b, err := d.dense(v)
	if err != nil {
		return nil, err
	}
	if n > longest || in.Numel()/n > longest {
		if b != nil {
			b.Free()
		}
		return nil, backend.ErrNoKernel
	}
	s := &sorter{call: d, t: in.DType, rows: in.Numel() / n, n: n, step: 1, k: 1, x: address(x)}
	if b != nil {
		s.bufs = append(s.bufs, b)
	}
	return s, nil
}

func (d *call) median(skip bool, a attr.Attr, out, in backend.View) error {
	s, err := d.foldedSorter(a.(attr.Axes).Axes, in)
	if err != nil {
		return err
	}
	defer s.free()
	s.out, s.skip = address(out), skip
	if !s.fewAndLong() {
		return s.choose("median")
	}
	if err := s.scratch(s.rows * s.n); err != nil {
		return err
	}
	if err := s.ordered(); err != nil {
		return err
	}
	return s.launch("middle", blocks(s.rows, threads))
}

func argmode(d *call, a attr.Attr, out, in []backend.View) error {
	s, err := d.foldedSorter(a.(attr.Axes).Axes, in[0])
	if err != nil {
		return err
	}
	defer s.free()
	s.at = address(out[0])
	if err := s.scratch(s.rows * s.n); err != nil {
		return err
	}
	if err := s.ordered(); err != nil {
		return err
	}
	return s.launch("mode", s.rows)
}

// segment is how long the segments are that a long row is divided into: their keys fit in shared memory.
func (s *sorter) segment() int { return 128 << 10 / keySize(s.t) }

// cuts reports whether few elements of one long row are wanted: the first of all are among the first of its segments, a
// block each.
func (s *sorter) cuts() bool {
	return s.rows == 1 && s.step == 1 && s.n >= 1<<20 && s.k <= s.segment()/64 && s.Shared >= 160<<10
}

// segments writes the first k of a row and their indices: the candidates of every segment, and the rest behind the last
// one, are sorted.
func (s *sorter) segments() error {
	long := s.segment()
	count := s.n / long
	left := s.n - count*long
	s.width = count*s.k + left
	if err := s.scratch(s.width); err != nil {
		return err
	}
	part := *s
	part.rows, part.n, part.columns = count, long, long
	if err := part.choose("topk"); err != nil {
		return err
	}
	if left > 0 {
		end := *s
		end.n, end.column = left, count*long
		end.x += uintptr(count * long * s.t.Size())
		end.keys += uintptr(count * s.k * keySize(s.t))
		end.idx += uintptr(4 * count * s.k)
		if err := end.launch("make_keys", blocks(left, threads)); err != nil {
			return err
		}
	}
	if err := s.pairs(s.width); err != nil {
		return err
	}
	return s.launch("take_first", blocks(s.k, threads))
}
