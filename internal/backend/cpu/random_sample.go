package cpu

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/backend/threefry"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Samplers by rejection. Words are hashed for a block of elements at once: nearly all elements need two at most. What a distribution
// computes from its parameters is computed once for neighbours with equal ones.

func init() {
	register(backend.Table{
		"random_poisson":   draws(func() parametrised { return &poisson{} }),
		"random_binomial":  draws(func() parametrised { return &binomial{} }),
		"random_gamma":     draws(func() parametrised { return &gammaOf{} }),
		"random_von_mises": draws(func() parametrised { return &vonMises{} }),
		"random_dirichlet": randomDirichlet,
	})
}

// parametrised is a sampler with one or two parameters.
type parametrised interface {
	set(p, q float64)
	Draw(s *threefry.Stream) float64
}

type (
	poisson  struct{ threefry.PoissonSampler }
	binomial struct{ threefry.BinomialSampler }
	gammaOf  struct{ threefry.GammaSampler }
	vonMises struct{ threefry.VonMisesSampler }
)

func (s *poisson) set(p, _ float64)  { s.Set(p) }
func (s *binomial) set(p, q float64) { s.Set(p, q) }
func (s *gammaOf) set(p, _ float64)  { s.Set(p) }
func (s *vonMises) set(p, _ float64) { s.Set(p) }

// words are the first two words of each element of a block.
type words struct {
	x, y [2][drawsPerBlock]int32
}

// hash fills the words of n elements from first on.
func (w *words) hash(k [2]uint32, first, n int) {
	for j := range 2 {
		for i := range n {
			w.x[j][i], w.y[j][i] = int32(first+i), int32(threefry.High(uint64(first+i)))+int32(j)
		}
		simd.Threefry(w.x[j][:n], w.y[j][:n], int32(k[0]), int32(k[1]), int32(k[0]^k[1]^0x1BD11BDA))
	}
}

// stream is the words of element i of the block.
func (w *words) stream(k [2]uint32, first, i int) threefry.Stream {
	word := func(j int) uint64 { return uint64(uint32(w.x[j][i]))<<32 | uint64(uint32(w.y[j][i])) }
	return threefry.Hashed(k[0], k[1], uint64(first+i), word(0), word(1))
}

// draws makes a kernel of a sampler whose one or two parameters and result are floats.
func draws(sampler func() parametrised) backend.Kernel {
	return func(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
		var params []*operand
		for _, v := range in[1:] {
			params = append(params, tileOf(v))
		}
		return eachDraw(c, out[0], in[0], func(k [2]uint32, at, first, n int) {
			var w words
			var res [drawsPerBlock]float64
			var p [2][drawsPerBlock]float64
			for j, o := range params {
				parameterTile(p[j][:n], o, out[0].DType, at)
			}
			w.hash(k, first, n)
			s := sampler()
			for i := range n {
				if i == 0 || p[0][i] != p[0][i-1] || p[1][i] != p[1][i-1] {
					s.set(p[0][i], p[1][i])
				}
				stream := w.stream(k, first, i)
				res[i] = s.Draw(&stream)
			}
			putFloats(out[0], at, res[:n])
		})
	}
}

// parameterTile reads n elements of a parameter, from element at on, as float64.
func parameterTile(dst []float64, o *operand, d dtype.DType, at int) {
	if d == dtype.Float64 {
		gatherTile(pointer(dst), o, at, len(dst))
		return
	}
	var tile [drawsPerBlock]uint32
	gatherTile(pointer(tile[:]), o, at, len(dst))
	raw := dtype.Bytes(tile[:])
	if d == dtype.Float32 {
		for i, v := range dtype.Slice[float32](raw)[:len(dst)] {
			dst[i] = float64(v)
		}
		return
	}
	for i := range dst {
		dst[i] = d.Get(raw, i).F
	}
}

// putFloats rounds numbers into the elements of a contiguous view from at on.
func putFloats(v backend.View, at int, x []float64) {
	at += v.Offset()
	switch v.DType {
	case dtype.Float64:
		copy(dtype.Slice[float64](v.Buf.Mem)[at:], x)
	case dtype.Float32:
		dst := dtype.Slice[float32](v.Buf.Mem)[at : at+len(x)]
		for i, f := range x {
			dst[i] = float32(f)
		}
	default:
		for i, f := range x {
			v.DType.Put(v.Buf.Mem, at+i, dtype.Scalar{Kind: dtype.KindFloat, F: f})
		}
	}
}

// randomDirichlet draws rows of any length, a block of rows at a time.
func randomDirichlet(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	total := out[0].Numel()
	if total == 0 {
		return nil
	}
	keys, alpha, d := keyPairs(in[0]), tileOf(in[1]), out[0].DType
	size := out[0].Shape.Dim(-1)
	per := total / len(keys)
	rows := per / size
	batch := max(1, drawsPerBlock/size)
	blocks := (rows + batch - 1) / batch
	return runBlocks(c, len(keys)*blocks, func(b int) {
		k, first := keys[b/blocks], b%blocks*batch
		last := min(rows, first+batch)
		var w words
		var fixed [2][drawsPerBlock]float64
		conc, row := fixed[0][:], fixed[1][:]
		if size > drawsPerBlock {
			conc, row = make([]float64, size), make([]float64, size)
		}
		n := (last - first) * size
		base := b/blocks*per + first*size
		for at := 0; at < n; at += drawsPerBlock {
			part := min(drawsPerBlock, n-at)
			parameterTile(conc[at:at+part], alpha, d, base+at)
		}
		for r := 0; r < n; r += size {
			element := first*size + r
			stream := func(i int) threefry.Stream { return w.stream(k, element-r, r+i) }
			if size > drawsPerBlock { // hashed one by one
				stream = func(i int) threefry.Stream { return threefry.Element(k[0], k[1], uint64(element+i)) }
			} else if r == 0 {
				w.hash(k, element, n)
			}
			threefry.Dirichlet(k[0], k[1], uint64(element), row[r:r+size], conc[r:r+size], stream)
		}
		for at := 0; at < n; at += drawsPerBlock {
			putFloats(out[0], base+at, row[at:min(n, at+drawsPerBlock)])
		}
	})
}
