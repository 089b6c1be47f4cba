package cpu

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// countBelow is how many elements of a sorted row are not >= w; what a look decides is a number and no branch.
func countBelow[T reals](row []T, w T) int64 {
	lo, n := 0, len(row)
	for n > 1 {
		half := n / 2
		stay := 0 // 1 is set by no branch
		if row[lo+half-1] >= w {
			stay = 1
		}
		lo, n = lo+half&(stay-1), n-half
	}
	if n == 1 && !(row[lo] >= w) {
		lo++
	}
	return int64(lo)
}

// countTo is how many elements of a sorted row are not > w.
func countTo[T reals](row []T, w T) int64 {
	lo, n := 0, len(row)
	for n > 1 {
		half := n / 2
		stay := 0 // 1 is set by no branch
		if row[lo+half-1] > w {
			stay = 1
		}
		lo, n = lo+half&(stay-1), n-half
	}
	if n == 1 && !(row[lo] > w) {
		lo++
	}
	return int64(lo)
}

// searchTyped finds the index of each value in its row of the sequence.
func searchTyped[T reals](c *backend.Ctx, right bool, seq, v rowSet, z []int64) error {
	s, x := elems[T](seq.base, seq.outer*seq.n), elems[T](v.base, len(z))
	perRow := len(z) / seq.outer
	const block = 1 << 13
	return each(c, (len(z)+block-1)/block, func(b int) {
		for i := b * block; i < min((b+1)*block, len(z)); i++ {
			row := s[i/perRow*seq.n : (i/perRow+1)*seq.n]
			if right {
				z[i] = countTo(row, x[i])
			} else {
				z[i] = countBelow(row, x[i])
			}
		}
	})
}

func searchsorted(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	z := backend.Slice[int64](out[0])
	if len(z) == 0 {
		return nil
	}
	seq, err := rowsAlong(c, in[0], in[0].Shape.Rank()-1)
	if err != nil {
		return err
	}
	v, err := rowsAlong(c, in[1], 0)
	if err != nil {
		return err
	}
	right, d := a.(attr.Search).Right, in[0].DType
	switch d {
	case dtype.Float32:
		return searchTyped[float32](c, right, seq, v, z)
	case dtype.Float64:
		return searchTyped[float64](c, right, seq, v, z)
	case dtype.Int64:
		return searchTyped[int64](c, right, seq, v, z)
	case dtype.Int32:
		return searchTyped[int32](c, right, seq, v, z)
	case dtype.Int16:
		return searchTyped[int16](c, right, seq, v, z)
	case dtype.Int8:
		return searchTyped[int8](c, right, seq, v, z)
	case dtype.Uint64:
		return searchTyped[uint64](c, right, seq, v, z)
	case dtype.Uint32:
		return searchTyped[uint32](c, right, seq, v, z)
	case dtype.Uint16:
		return searchTyped[uint16](c, right, seq, v, z)
	case dtype.Uint8, dtype.Bool:
		return searchTyped[uint8](c, right, seq, v, z)
	}
	widenRows(&seq, d, seq.outer*seq.n)
	widenRows(&v, d, len(z))
	return searchTyped[float32](c, right, seq, v, z)
}

// widenRows makes float32 of half elements.
func widenRows(r *rowSet, d dtype.DType, n int) {
	w := newScratch[float32](n)
	p := unsafe.Pointer(unsafe.SliceData(w)) // keeps w alive
	castTable[dtype.Float32][d](n, p, r.base, nil, nil, nil)
	r.base = p
}

// lexsort orders the rows of matrices by their first element that differs, comparing keys.
func lexsort(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	rank := in[0].Shape.Rank()
	n, m := in[0].Shape.Dim(rank-2), in[0].Shape.Dim(rank-1)
	z := backend.Slice[int64](out[0])
	if len(z) == 0 {
		return nil
	}
	r, err := rowsAlong(c, in[0], rank-1)
	if err != nil {
		return err
	}
	keys := newScratch[uint64](len(z) * m)
	const block = 1 << 15
	err = each(c, (len(keys)+block-1)/block, func(b int) {
		lo := b * block
		loadKeys(keys[lo:min(lo+block, len(keys))], unsafe.Add(r.base, lo*in[0].DType.Size()), 1, in[0].DType)
	})
	if err != nil {
		return err
	}
	return each(c, len(z)/n, func(b int) {
		p, k := z[b*n:(b+1)*n], keys[b*n*m:]
		for i := range p {
			p[i] = int64(i)
		}
		slices.SortFunc(p, func(i, j int64) int {
			if d := slices.Compare(k[int(i)*m:(int(i)+1)*m], k[int(j)*m:(int(j)+1)*m]); d != 0 {
				return d
			}
			return cmp.Compare(i, j)
		})
	})
}

func init() { register(backend.Table{"searchsorted": searchsorted, "lexsort": lexsort}) }
