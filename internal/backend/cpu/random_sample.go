package cpu

import (
	"sync"

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
		"random_poisson":   draws[poisson],
		"random_binomial":  draws[binomial],
		"random_gamma":     draws[gammaOf],
		"random_von_mises": draws[vonMises],
		"random_dirichlet": randomDirichlet,
	})
}

// parametrised is a sampler with one or two parameters.
type parametrised[S any] interface {
	*S
	set(p, q float64)
	first(word0, word1, word2 uint64, n int) (float64, bool) // where the first n words of an element are enough
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

func (s *poisson) first(_, _, _ uint64, _ int) (float64, bool)            { return 0, false }
func (s *binomial) first(_, _, _ uint64, _ int) (float64, bool)           { return 0, false }
func (s *gammaOf) first(a, b, c uint64, n int) (x float64, accepted bool) { return s.First(a, b, c, n) }
func (s *vonMises) first(_, _, _ uint64, _ int) (float64, bool)           { return 0, false }

// words are the first words of each element of a block: two, or three where concentrations below 1 need them.
type words struct {
	x, y  [3][drawsPerBlock]int32
	count int
}

// hash fills the words of n elements from first on.
func (w *words) hash(k [2]uint32, first, n, count int) {
	w.count = count
	for j := range count {
		x, y := w.x[j][:n], w.y[j][:n]
		for i := range x {
			x[i], y[i] = int32(first+i), int32(threefry.High(uint64(first+i)))+int32(j)
		}
		simd.Threefry(x, y, int32(k[0]), int32(k[1]), int32(k[0]^k[1]^0x1BD11BDA))
	}
}

// of are the words of element i of the block. They are no array: copying one waits for its parts to be stored.
func (w *words) of(i int) (word0, word1, word2 uint64) {
	return w.word(0, i), w.word(1, i), w.word(2, i)
}

func (w *words) word(j, i int) uint64 {
	return uint64(uint32(w.x[j][i]))<<32 | uint64(uint32(w.y[j][i]))
}

// wanted is how many words elements with these parameters need at first.
func wanted(p []float64) int {
	for _, v := range p {
		if v < 1 {
			return 3
		}
	}
	return 2
}

// drawing is what the blocks of one goroutine use: it is too large for a stack that grows anew for each block.
type drawing[S any] struct {
	words
	params  [2][drawsPerBlock]float64
	res     [drawsPerBlock]float64
	sampler S
	stream  threefry.Stream
}

// draws is the kernel of a sampler whose one or two parameters and result are floats.
func draws[S any, P parametrised[S]](c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	var operands [2]*operand
	for i, v := range in[1:] {
		operands[i] = tileOf(v)
	}
	pool := sync.Pool{New: func() any { return new(drawing[S]) }}
	return eachDraw(c, out[0], in[0], func(k [2]uint32, at, first, n int) {
		w := pool.Get().(*drawing[S])
		defer pool.Put(w)
		for j, o := range operands[:len(in)-1] {
			parameterTile(w.params[j][:n], o, out[0].DType, at)
		}
		w.hash(k, first, n, wanted(w.params[0][:n]))
		s := P(&w.sampler)
		p, q := w.params[0][:n], w.params[1][:n]
		for i := range w.res[:n] {
			if i == 0 || p[i] != p[i-1] || q[i] != q[i-1] {
				s.set(p[i], q[i])
			}
			a, b, c := w.of(i)
			if x, ok := s.first(a, b, c, w.count); ok {
				w.res[i] = x
				continue
			}
			w.stream.Start(k[0], k[1], uint64(first+i), a, b, c, w.count)
			w.res[i] = s.Draw(&w.stream)
		}
		putFloats(out[0], at, w.res[:n])
	})
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

// rowDrawing is what the blocks of rows of one goroutine use.
type rowDrawing struct {
	words
	conc, row [drawsPerBlock]float64
	samplers  [drawsPerBlock]threefry.GammaSampler
	stream    threefry.Stream
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
	pool := sync.Pool{New: func() any { return new(rowDrawing) }}
	return runBlocks(c, len(keys)*blocks, func(b int) {
		w := pool.Get().(*rowDrawing)
		defer pool.Put(w)
		k, first := keys[b/blocks], b%blocks*batch
		n := (min(rows, first+batch) - first) * size
		element, base := first*size, b/blocks*per+first*size
		conc, row, samplers := w.conc[:], w.row[:], w.samplers[:]
		hashed := size <= drawsPerBlock
		if !hashed {
			conc, row, samplers = make([]float64, size), make([]float64, size), make([]threefry.GammaSampler, size)
		}
		for at := 0; at < n; at += drawsPerBlock {
			parameterTile(conc[at:min(n, at+drawsPerBlock)], alpha, d, base+at)
		}
		if hashed {
			w.hash(k, element, n, wanted(conc[:n]))
		}
		for r := 0; r < n; r += size {
			threefry.Dirichlet(row[r:r+size], conc[r:r+size], samplers[:size], &w.stream, func(i int, again bool) {
				if hashed && !again {
					a, b, c := w.of(r + i)
					w.stream.Start(k[0], k[1], uint64(element+r+i), a, b, c, w.count)
					return
				}
				w.stream = threefry.Element(k[0], k[1], uint64(element+r+i))
			})
		}
		for at := 0; at < n; at += drawsPerBlock {
			putFloats(out[0], base+at, row[at:min(n, at+drawsPerBlock)])
		}
	})
}
