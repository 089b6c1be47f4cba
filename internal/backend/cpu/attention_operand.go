package cpu

import (
	"bytes"
	"math"
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// matrices is a view of four dimensions as matrices whose rows are contiguous.
type matrices[T floats] struct {
	x              []T
	half           []uint16 // instead of x, of type d
	d              dtype.DType
	batch, head    int // strides
	rs, rows, cols int
	pages          *pages // where rows are; nil: one behind the other
	back           func() // gives the memory of a copy back; nil: there is none to give
}

// done ends the use of the matrices.
func (m *matrices[T]) done() {
	if m.back != nil {
		m.back()
	}
}

// farRows is the distance, in bytes, from which rows are brought together: else each is on a page of its own.
const farRows = 2048

// matricesOf shows a view itself, or a copy: of half types unless keepHalf, of rows that are far apart, of elements that are
// not next to each other.
func matricesOf[T floats](c *backend.Ctx, v backend.View, keepHalf bool) (matrices[T], error) {
	d, st := v.Shape.Dims(), v.Strides()
	m := matrices[T]{batch: st[0], head: st[1], rs: st[2], rows: d[2], cols: d[3], d: v.DType}
	size := v.DType.Size()
	if v.Numel() == 0 {
		m.rs = 0
		return m, nil
	}
	if !v.DType.IsHalf() && (st[3] == 1 || d[3] == 1) && st[0] >= 0 && st[1] >= 0 && st[2] >= d[3] &&
		(v.Contiguous() || st[2]*size < farRows || st[2] <= 2*d[3]) { // or most of what is between rows are rows
		m.x = backend.Whole[T](v)
		return m, nil
	}
	if keepHalf && v.DType.IsHalf() && (st[3] == 1 || d[3] == 1) && st[0] >= 0 && st[1] >= 0 && st[2] >= d[3] {
		m.half = backend.Whole[uint16](v)
		return m, nil
	}
	m.rs, m.head, m.batch = d[3], d[2]*d[3], d[1]*d[2]*d[3]
	if v.DType.IsHalf() {
		x, err := denseF32(c, v)
		m.x = any(x).([]T)
		return m, err
	}
	if v.Contiguous() {
		m.x = backend.Slice[T](v)
		return m, nil
	}
	// Borrowed, not made: copies of each layer would be garbage as large as activations until the collector runs.
	m.x, m.back = borrow[T](v.Numel())
	return m, move(c, v.Shape, size, strided{unsafe.Pointer(unsafe.SliceData(m.x)), v.Shape.Strides()}, stridedOf(v))
}

// at is the matrix of a head.
func (m *matrices[T]) at(batch, head int) []T {
	if m.rows == 0 || m.cols == 0 {
		return nil
	}
	return m.x[batch*m.batch+head*m.head:][:(m.rows-1)*m.rs+m.cols]
}

// wide is how many elements a row takes in scratch memory: none if it is read without a copy.
func (m *matrices[T]) wide() int {
	if m.half == nil && m.pages == nil {
		return 0
	}
	return m.cols
}

// rowsFrom is n rows of the matrix of a head, from row on, and how far they are apart. Half types are widened to scratch, and rows
// of blocks that do not follow each other are brought together there.
func (m *matrices[T]) rowsFrom(batch, head, row, n int, scratch []T) (x []T, rs int) {
	if m.pages == nil {
		return m.rowsAt(batch, head, row, n, scratch)
	}
	if m.together(batch, row, n) == n {
		return m.rowsAt(0, head, m.pages.at(batch, row), n, scratch)
	}
	for j := 0; j < n; {
		run := m.together(batch, row+j, n-j)
		to := scratch[j*m.cols : (j+run)*m.cols]
		x, rs := m.rowsAt(0, head, m.pages.at(batch, row+j), run, to)
		for i := 0; m.half == nil && i < run; i++ {
			copy(to[i*m.cols:(i+1)*m.cols], x[i*rs:])
		}
		j += run
	}
	return scratch[:n*m.cols], m.cols
}

// together is how many of n rows, from row on, follow each other in memory.
func (m *matrices[T]) together(batch, row, n int) int {
	if m.pages == nil {
		return n
	}
	return m.pages.together(batch, row, n)
}

// rowsAt is rowsFrom of rows that follow each other.
func (m *matrices[T]) rowsAt(batch, head, row, n int, scratch []T) (x []T, rs int) {
	if m.half == nil {
		return tail(m.at(batch, head), row*m.rs), m.rs
	}
	z, from := any(scratch).([]float32)[:n*m.cols], m.half[batch*m.batch+head*m.head+row*m.rs:]
	if m.rs == m.cols {
		widenHalf(m.d, z, from[:len(z)])
	} else {
		for i := range n {
			widenHalf(m.d, z[i*m.cols:][:m.cols], from[i*m.rs:][:m.cols])
		}
	}
	return scratch[:n*m.cols], m.cols
}

// attentionMask reads rows of a mask, which has any strides.
type attentionMask struct {
	base    unsafe.Pointer
	d       dtype.DType
	strides [4]int
}

func newAttentionMask(v backend.View) *attentionMask {
	m := &attentionMask{base: unsafe.Add(v.Base(), v.Offset()*v.DType.Size()), d: v.DType}
	for i, s := range v.Strides() {
		if v.Shape.Dim(i) > 1 {
			m.strides[i] = s
		}
	}
	return m
}

// used is how many different rows a dimension has.
func used(dim, stride int) int {
	if stride == 0 {
		return min(dim, 1)
	}
	return dim
}

// addMask adds a row of the mask to scores, from key k0 on.
func addMask[T floats](m *attentionMask, score []T, batch, head, row, k0 int) {
	if len(score) == 0 {
		return
	}
	st := m.strides[3]
	at := unsafe.Add(m.base, (batch*m.strides[0]+head*m.strides[1]+row*m.strides[2]+k0*st)*m.d.Size())
	switch m.d {
	case dtype.Bool:
		maskOut(score, at, st)
	case dtype.Float64:
		addStrided[T, float64](score, at, st)
	case dtype.Float32:
		if s, ok := any(score).([]float32); ok && st == 1 {
			simd.AddF32(s, s, elems[float32](at, len(s)))
			return
		}
		addStrided[T, float32](score, at, st)
	default:
		for i := 0; i < len(score); i += attentionKeys { // no pointer past the end, which checkptr refuses
			addHalf(m.d, score[i:min(i+attentionKeys, len(score))], unsafe.Add(at, 2*i*st), st)
		}
	}
}

// addHalf adds a mask of a half type to up to attentionKeys scores.
func addHalf[T floats](d dtype.DType, score []T, at unsafe.Pointer, st int) {
	buf := floatTiles.Get().(*floatTile) // an array here would go to the heap for every row
	defer floatTiles.Put(buf)
	t := buf[:len(score)]
	var near []uint16
	if st == 1 {
		near = elems[uint16](at, len(score))
	} else {
		near = elems[uint16](unsafe.Pointer(&buf[attentionKeys]), len(score))
		for i := range near {
			near[i] = *(*uint16)(unsafe.Add(at, 2*i*st))
		}
	}
	widenHalf(d, t, near)
	if s, ok := any(score).([]float32); ok {
		simd.AddF32(s, s, t)
		return
	}
	for i, v := range t {
		score[i] += T(v)
	}
}

// unseen are the scores of keys that a row does not see.
var unseen = func() (low [attentionKeys]float32) {
	for i := range low {
		low[i] = float32(math.Inf(-1))
	}
	return low
}()

func maskOut[T floats](score []T, at unsafe.Pointer, st int) {
	low, from := T(math.Inf(-1)), 0
	if st == 1 { // most keys of a cache are seen
		seen := elems[uint8](at, len(score))
		if from = bytes.IndexByte(seen, 0); from < 0 {
			return
		}
		if s, ok := any(score).([]float32); ok {
			for ; from < len(s); from += attentionKeys {
				n := min(attentionKeys, len(s)-from)
				simd.WhereF32(s[from:from+n], seen[from:from+n], s[from:from+n], unseen[:n])
			}
			return
		}
	}
	for i := from; i < len(score); i++ {
		if *(*uint8)(unsafe.Add(at, i*st)) == 0 {
			score[i] = low
		}
	}
}

func addStrided[T, M floats](score []T, at unsafe.Pointer, st int) {
	for i := range score {
		score[i] += T(*(*M)(unsafe.Add(at, i*st*int(unsafe.Sizeof(M(0))))))
	}
}

var scratchF64 = sync.Pool{New: func() any { return new([]float64) }}

// withTemp hands out n elements with any contents.
func withTemp[T floats](n int, f func(t []T) error) error {
	pool := &scratchF64
	if unsafe.Sizeof(T(0)) == 4 {
		pool = &scratchF32
	}
	buf := pool.Get().(*[]T)
	defer pool.Put(buf)
	if len(*buf) < n {
		*buf = newScratch[T](n)
	}
	return f((*buf)[:n])
}
