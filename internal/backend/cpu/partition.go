package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() { register(backend.Table{"argpartition": argpartition}) }

// argpartition finds the key at an index by selection, then goes over the row once more: keys below it go to the
// front and keys above it to the end. Of equal keys as many go to the front as belong there, the first ones.
func argpartition(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	t, d := a.(attr.TopK), in[0].DType
	r, err := rowsAlong(c, in[0], t.Axis)
	if err != nil || r.count() == 0 || r.n == 0 {
		return err
	}
	z, size := backend.Slice[int64](out[0]), d.Size()
	return r.groups(c, 1<<14, func(lo, hi int) {
		keys, some := newScratch[uint64](r.n), make([]uint64, 0, 1024)
		for i := lo; i < hi; i++ {
			from := r.start(i, r.n)
			orderKeys(keys, unsafe.Add(r.base, from*size), r.inner, d)
			var pivot uint64
			var below int
			pivot, below, some = keyAt(keys, t.K, keyBits(d), some)
			putParts(z[from:], r.inner, keys, pivot, t.K-below, t.K)
		}
	})
}

// putParts writes the indices of keys around a pivot; equal of the keys like it come before index k.
func putParts(z []int64, stride int, keys []uint64, pivot uint64, equal, k int) {
	front, back := 0, (k+1)*stride
	for i, v := range keys {
		switch {
		case v < pivot:
		case v > pivot || equal < 0:
			z[back] = int64(i)
			back += stride
			continue
		case equal == 0:
			z[k*stride] = int64(i)
			equal--
			continue
		default:
			equal--
		}
		z[front] = int64(i)
		front += stride
	}
}

// keyBits is how many bits of a key tell elements apart.
func keyBits(d dtype.DType) int { return 8 * d.Size() }

// orderKeys makes keys that are ordered as the elements are.
func orderKeys(keys []uint64, p unsafe.Pointer, stride int, d dtype.DType) {
	if d.Size() == 8 {
		keys64(keys, p, stride, d, 0)
		return
	}
	keys32(keys, p, stride, d, 0)
	for i, v := range keys {
		keys[i] = v >> 32
	}
}
