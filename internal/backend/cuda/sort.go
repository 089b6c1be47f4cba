package cuda

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
)

func init() {
	register(map[string]kernel{
		"sort": func(d *call, a attr.Attr, out, in []backend.View) error {
			s := a.(attr.Sort)
			return d.firstOf(in[0], &out[0], out[1], s.Axis, in[0].Shape.Dim(s.Axis), s.Descending)
		},
		"argsort": func(d *call, a attr.Attr, out, in []backend.View) error {
			s := a.(attr.Sort)
			return d.firstOf(in[0], nil, out[0], s.Axis, in[0].Shape.Dim(s.Axis), s.Descending)
		},
		"topk": func(d *call, a attr.Attr, out, in []backend.View) error {
			t := a.(attr.TopK)
			return d.firstOf(in[0], &out[0], out[1], t.Axis, t.K, !t.Smallest)
		},
		"lexsort": lexsort, "argmode": argmode,
		"median":    func(d *call, a attr.Attr, out, in []backend.View) error { return d.median(false, a, out[0], in[0]) },
		"nanmedian": func(d *call, a attr.Attr, out, in []backend.View) error { return d.median(true, a, out[0], in[0]) },
	})
}

// tile is how many elements a block sorts in shared memory; longer rows are sorted by tiles, which are then merged.
const tile = 2048

// sortSource is a kernel of sort.cu. tile is the length rows are padded to.
func sortSource(name string, t dtype.DType, tile int, skip bool) string {
	return kernels.Source("prelude") + "#define " + strings.ToUpper(name) + "\n" +
		fmt.Sprintf("#define T %s\n#define K %s\n#define P %d\n#define SKIP %v\n", ctype[t], keyOf(t), tile, skip) +
		kernels.Source("key", "sort")
}

func keyOf(t dtype.DType) string {
	if keySize(t) == 8 {
		return "u64"
	}
	return "u32"
}

func keySize(t dtype.DType) int { return max(4, t.Size()) }

// sorter is struct Args of sort.cu.
type sorter struct {
	*call
	t                         dtype.DType
	rows, n, step, k          int
	x, out, at                uintptr
	keys, idx, keys2, idx2    uintptr
	flip                      bool
	width, column, columns, p int
	skip                      bool
	bits                      int // that keys have at most; 0: as many as their dtype
	bufs                      []*mem.Buffer
}

func (s *sorter) free() {
	for _, b := range s.bufs {
		b.Free()
	}
}

// get allocates memory until the sorter is freed.
func (s *sorter) get(n int) (uintptr, error) {
	b, err := s.pool.Get("sort", n)
	if err != nil {
		return 0, err
	}
	s.bufs = append(s.bufs, b)
	return b.Dev, nil
}

// scratch allocates memory for n keys with their indices, twice.
func (s *sorter) scratch(n int) (err error) {
	size := keySize(s.t)
	for _, p := range []*uintptr{&s.keys, &s.keys2} {
		if *p, err = s.get(n * size); err != nil {
			return err
		}
	}
	for _, p := range []*uintptr{&s.idx, &s.idx2} {
		if *p, err = s.get(n * 4); err != nil {
			return err
		}
	}
	return nil
}

func (s *sorter) launch(name string, blocks int) error {
	f, err := s.kernel(fmt.Sprint("sort ", name, s.t, s.p, s.skip), name, func() string { return sortSource(name, s.t, s.p, s.skip) })
	if err != nil {
		return err
	}
	return s.call.launch(f, blocks, 1, threads, s.args())
}

func (s *sorter) args() (g args) {
	g.int(s.rows, s.n, s.step, s.k)
	g.ptr(s.x, s.out, s.at, s.keys, s.idx, s.keys2, s.idx2)
	g.int(number(s.flip), s.width, s.column, s.columns)
	return g
}

// pairs sorts rows of n keys with their indices.
func (s *sorter) pairs(n int) error {
	if s.byDigits(n) {
		return s.radix(n, false, false)
	}
	p := *s
	p.n, p.p = n, tile
	for p.p/2 >= max(n, 32) { // short rows
		p.p /= 2
	}
	tiles := s.rows * blocks(n, tile)
	if err := p.launch("sort_tiles", tiles); err != nil {
		return err
	}
	for p.width = p.p; ; p.width *= 2 {
		p.keys, p.keys2, p.idx, p.idx2 = p.keys2, p.keys, p.idx2, p.idx
		if p.width >= n {
			break
		}
		if err := p.launch("merge_tiles", tiles); err != nil {
			return err
		}
	}
	s.keys, s.keys2, s.idx, s.idx2 = p.keys, p.keys2, p.idx, p.idx2
	return nil
}

// ordered sorts the keys of the rows' elements.
func (s *sorter) ordered() error {
	if s.byDigits(s.n) {
		return s.radix(s.n, true, false)
	}
	if err := s.launch("make_keys", blocks(s.rows*s.n, threads)); err != nil {
		return err
	}
	return s.pairs(s.n)
}

// longest is what 32-bit indices and grids can count.
const longest = 1<<31 - 1

// sorter prepares an operand: rows along an axis, contiguous or not.
func (d *call) sorter(v backend.View, axis int) (*sorter, error) {
	dims := v.Shape.Dims()
	n := dims[axis]
	if n > longest || v.Numel()/n > longest {
		return nil, backend.ErrNoKernel
	}
	x, b, err := d.dense(v)
	if err != nil {
		return nil, err
	}
	s := &sorter{call: d, t: v.DType, rows: v.Numel() / n, n: n, step: product(dims[axis+1:]), x: address(x)}
	if b != nil {
		s.bufs = append(s.bufs, b)
	}
	return s, nil
}

// firstOf writes the first k elements in order of every row along an axis, if asked for, and their indices.
func (d *call) firstOf(v backend.View, val *backend.View, at backend.View, axis, k int, descending bool) error {
	s, err := d.sorter(v, axis)
	if err != nil {
		return err
	}
	defer s.free()
	s.k, s.at, s.flip = k, address(at), descending
	if val != nil {
		s.out = address(*val)
	}
	if s.n <= tile {
		for s.p = 2; s.p < s.n; s.p *= 2 {
		}
		return s.launch("sort_rows", blocks(s.rows, tile/s.p))
	}
	if s.t == dtype.Bool && s.rows*blocks(s.n, maskTile) <= longest {
		return s.compactMask()
	}
	if s.cuts() {
		return s.segments()
	}
	s.width = s.n
	if k*8 < s.n && !s.fewAndLong() {
		s.width = k
	}
	if err := s.scratch(s.rows * s.width); err != nil {
		return err
	}
	if s.width == s.n && s.byDigits(s.n) {
		return s.radix(s.n, true, true)
	}
	if s.width == k && k < s.n {
		err = s.choose("topk")
	} else {
		err = s.launch("make_keys", blocks(s.rows*s.n, threads))
	}
	if err != nil {
		return err
	}
	if err := s.pairs(s.width); err != nil {
		return err
	}
	return s.launch("take_first", blocks(s.rows*k, threads))
}

// lexsort orders the rows of matrices by their last column first: stable sorts from the least significant key.
func lexsort(d *call, _ attr.Attr, out, in []backend.View) error {
	r := in[0].Shape.Rank()
	m := in[0].Shape.Dim(r - 1)
	n := in[0].Shape.Dim(r - 2)
	if n > longest || out[0].Numel()/n > longest {
		return backend.ErrNoKernel
	}
	x, b, err := d.dense(in[0])
	if err != nil {
		return err
	}
	s := &sorter{call: d, t: in[0].DType, rows: out[0].Numel() / n, n: n, step: 1, k: n, width: n, x: address(x), at: address(out[0]),
		columns: m, flip: true}
	defer s.free()
	if b != nil {
		s.bufs = append(s.bufs, b)
	}
	if err := s.scratch(s.rows * n); err != nil {
		return err
	}
	if m == 0 { // nothing to compare: the order they have
		s.columns, s.x, s.t = 1, s.keys, dtype.Uint32
		if err := d.Fill(s.keys, 0, 4*s.rows*n); err != nil {
			return err
		}
		m = 1
	}
	for s.column = m - 1; s.column >= 0; s.column-- {
		if err := s.launch("column_keys", blocks(s.rows*n, threads)); err != nil {
			return err
		}
		s.flip = false
		if err := s.pairs(n); err != nil {
			return err
		}
	}
	return s.launch("take_first", blocks(s.rows*n, threads))
}
