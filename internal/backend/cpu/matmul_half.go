package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Half types are multiplied as float32 and rounded once. With many rows both operands are widened as a whole; with few,
// where the product is bound by memory, the right one goes through the cache in strips of columns.
const (
	fewRows    = 32
	stripElems = 64 << 10 // of the right operand
	stripCols  = 256
)

func widenHalf(d dtype.DType, z []float32, x []uint16) {
	if d == dtype.BFloat16 {
		simd.BF16ToF32(z, x)
		return
	}
	simd.F16ToF32(z, x)
}

func narrowHalf(d dtype.DType, z []uint16, x []float32) {
	if d == dtype.BFloat16 {
		simd.F32ToBF16(z, x)
		return
	}
	simd.F32ToF16(z, x)
}

// widenOperand reads n elements of an operand of a half type, from place from on.
func widenOperand(d dtype.DType, z []float32, o *operand, from int) {
	var tile [tileElems]uint16
	for at := 0; at < len(z); at += tileElems {
		n := min(tileElems, len(z)-at)
		gatherTile(unsafe.Pointer(&tile), o, from+at, n)
		widenHalf(d, z[at:at+n], tile[:n])
	}
}

// widenedFlat is a view of a half type as float32.
func widenedFlat(c *backend.Ctx, v backend.View) (flat[float32], error) {
	if v.Numel() == 0 {
		return flat[float32]{strides: v.Strides()}, nil
	}
	l := compactOf(v)
	x, free := borrow[float32](l.count)
	err := l.blocks(c, func(from, n int) { widenOperand(v.DType, x[from:from+n], &l.src, from) })
	return flat[float32]{x, l.fresh, free}, err
}

// widenedStack is a view of a half type as a stack of float32.
func widenedStack(c *backend.Ctx, v backend.View) (stack[float32], error) {
	f, err := widenedFlat(c, v)
	return newStack(f.x, v.Shape, f.strides, f.free), err
}

func halfStacks(c *backend.Ctx, out backend.View, in []backend.View, then finished) error {
	a, err := widenedStack(c, in[0])
	if err != nil {
		return err
	}
	defer a.done()
	z := backend.Slice[uint16](out)
	if a.rows <= fewRows && in[1].Numel() > stripElems {
		return halfStrips(c, out.DType, z, &a, in[1], then)
	}
	b, err := widenedStack(c, in[1])
	if err != nil {
		return err
	}
	defer b.done()
	f, free := borrow[float32](len(z))
	defer free()
	if err := multiplyStacks(c, f, &a, &b, product32); err != nil {
		return err
	}
	err = forRuns(c, len(z), func(from, n int) { narrowHalf(out.DType, z[from:from+n], f[from:from+n]) })
	if then != nil && len(z) > 0 {
		then(0, 0, len(z)/b.cols, b.cols)
	}
	return err
}

// halfStrips multiplies few rows by strips of columns of the right operands. A strip whose columns are contiguous is
// taken whole, one whose rows are in chunks of rows.
func halfStrips(c *backend.Ctx, d dtype.DType, z []uint16, a *stack[float32], right backend.View, then finished) error {
	w, err := stackOf[uint16](c, right)
	if err != nil || len(z) == 0 {
		return err
	}
	defer w.done()
	m, k, n := a.rows, a.cols, w.cols
	byCols := w.rs < w.cs
	cols, depth := min(n, stripCols), min(k, stripElems/stripCols)
	if byCols {
		cols, depth = min(n, max(16, stripElems/max(k, 1)/16*16)), k
	}
	strips := (n + cols - 1) / cols
	return c.For(len(z)/(m*n)*strips, func(block int) {
		i, j := block/strips, block%strips*cols
		nc := min(cols, n-j)
		buf, free := borrow[float32](depth*nc + m*nc)
		defer free()
		b, f := buf[:depth*nc], buf[depth*nc:]
		from := tail(w.at(i), j*w.cs)
		for p := 0; p < k || p == 0; p += depth {
			kc := min(depth, k-p)
			brs, bcs := nc, 1
			if byCols {
				brs, bcs = 1, kc
				widenMatrix(d, b, from, w.cs, w.rs, nc, kc)
			} else {
				widenMatrix(d, b, tail(from, p*w.rs), w.rs, w.cs, kc, nc)
			}
			product32(m, nc, kc, tail(a.at(i), p*a.cs), a.rs, a.cs, b, brs, bcs, f, nc, p > 0, nil)
			if k == 0 {
				break
			}
		}
		for r := range m {
			narrowHalf(d, z[(i*m+r)*n+j:][:nc], f[r*nc:][:nc])
		}
		if then != nil {
			then(i*m, j, m, nc)
		}
	})
}

// widenMatrix reads rows of cols elements, one after the other.
func widenMatrix(d dtype.DType, z []float32, x []uint16, rs, cs, rows, cols int) {
	for i := range rows {
		widenStrided(d, z[i*cols:][:cols], x[i*rs:], cs)
	}
}

// widenStrided reads elements a step apart.
func widenStrided(d dtype.DType, z []float32, x []uint16, step int) {
	if step == 1 {
		widenHalf(d, z, x[:len(z)])
		return
	}
	var tile [128]uint16
	for at := 0; at < len(z); at += len(tile) {
		n := min(len(tile), len(z)-at)
		for i := range tile[:n] {
			tile[i] = x[(at+i)*step]
		}
		widenHalf(d, z[at:at+n], tile[:n])
	}
}
