package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/backend/threefry"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Every word is a hash of its index (Threefry), so blocks of any size give the same numbers.

const (
	hashesPerBlock = 4096
	drawsPerBlock  = 512
)

func init() {
	register(backend.Table{"random_bits": randomBits, "random_int": randomInt})
}

// keyPairs reads keys of any layout.
func keyPairs(v backend.View) [][2]uint32 {
	n := v.Numel() / 2
	keys := newScratch[[2]uint32](n)
	dims, strides := v.Shape.Dims(), v.Strides()
	last := len(dims) - 1
	w := dtype.Slice[uint32](v.Buf.Mem)
	for i := range keys {
		off, rest := v.Offset(), i
		for d := last - 1; d >= 0; d-- {
			off += rest % dims[d] * strides[d]
			rest /= dims[d]
		}
		keys[i] = [2]uint32{w[off], w[off+strides[last]]}
	}
	return keys
}

func randomBits(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	b := out[0].Bytes()
	if len(b) == 0 {
		return nil
	}
	keys := keyPairs(in[0])
	n := len(b) / len(keys)
	hashes := threefry.Hashes(n)
	blocks := (hashes + hashesPerBlock - 1) / hashesPerBlock
	part := func(i int) {
		k, lo := i/blocks, i%blocks*hashesPerBlock
		fillHashes(keys[k], b[k*n:(k+1)*n], lo, min(lo+hashesPerBlock, hashes))
	}
	return runBlocks(c, len(keys)*blocks, part)
}

// fillHashes is threefry.FillPart; where both words of a hash are whole, vectors of counters are hashed in place.
func fillHashes(key [2]uint32, b []byte, lo, hi int) {
	words := (len(b) + 3) / 4
	step := words - words/2
	many := min(hi, words/2, len(b)/4-step) - lo
	if base := unsafe.Pointer(unsafe.SliceData(b)); many > 1 && uintptr(base)%4 == 0 {
		half := many / 2
		x, y := elems[int32](unsafe.Add(base, 4*lo), many), elems[int32](unsafe.Add(base, 4*(lo+step)), many)
		p, q := int32(uint32(lo)+key[0]), int32(uint32(lo+step)+key[1])
		simd.ThreefryRuns(x[:half], y[:half], x[half:2*half], y[half:2*half], counters[:half], p, q, p+int32(half), q+int32(half), -1,
			int32(key[0]), int32(key[1]), int32(key[0]^key[1]^0x1BD11BDA))
		lo += 2 * half
	}
	threefry.FillPart(key[0], key[1], b, lo, hi)
}

// runBlocks runs blocks in the caller where there is only one.
func runBlocks(c *backend.Ctx, n int, f func(int)) error {
	if n == 1 {
		f(0)
		return nil
	}
	return c.For(n, f)
}

// eachDraw calls f for blocks of elements under one key: the key, the first element, its number under the key, how many.
func eachDraw(c *backend.Ctx, out backend.View, key backend.View, f func(k [2]uint32, at, first, n int)) error {
	total := out.Numel()
	if total == 0 {
		return nil
	}
	keys := keyPairs(key)
	n := total / len(keys)
	blocks := (n + drawsPerBlock - 1) / drawsPerBlock
	return runBlocks(c, len(keys)*blocks, func(i int) {
		k, lo := i/blocks, i%blocks*drawsPerBlock
		f(keys[k], k*n+lo, lo, min(drawsPerBlock, n-lo))
	})
}

// tileOf is a parameter from which blocks of elements are taken.
func tileOf(v backend.View) *operand {
	o := operandOf(v)
	if o.dims == nil {
		o.dims, o.strides = collapse(v)
	}
	return &o
}

func randomInt(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	z, span := backend.Slice[uint64](out[0]), tileOf(in[1])
	return eachDraw(c, out[0], in[0], func(k [2]uint32, at, first, n int) {
		dst := z[at : at+n]
		gatherTile(pointer(dst), span, at, n)
		var x, y [drawsPerBlock]int32
		for i := range n {
			x[i], y[i] = int32(first+i), int32(threefry.High(uint64(first+i)))
		}
		simd.Threefry(x[:n], y[:n], int32(k[0]), int32(k[1]), int32(k[0]^k[1]^0x1BD11BDA))
		for i, m := range dst {
			w := uint64(uint32(x[i]))<<32 | uint64(uint32(y[i]))
			hi, lo := bits.Mul64(w, m)
			if lo < m || m == 0 { // rarely
				s := threefry.Element(k[0], k[1], uint64(first+i))
				hi = s.Below(m)
			}
			dst[i] = hi
		}
	})
}
