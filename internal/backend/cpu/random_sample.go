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
		"random_gamma":     randomGamma,
		"random_von_mises": draws[vonMises],
		"random_dirichlet": randomDirichlet,
	})
}

// parametrised is a sampler with one or two parameters.
type parametrised[S any] interface {
	*S
	set(p, q float64)
	Draw(s *threefry.Stream) float64
	// Regular says that Many serves the parameters: one attempt for the elements at, from two words each. The elements that need another
	// go to again; it returns how many they are.
	Regular() bool
	Many(res []float64, at, again []int32, pairs *threefry.Pairs) int
}

type (
	poisson  struct{ threefry.PoissonSampler }
	binomial struct{ threefry.BinomialSampler }
	vonMises struct{ threefry.VonMisesSampler }
)

func (s *poisson) set(p, _ float64)  { s.Set(p) }
func (s *binomial) set(p, q float64) { s.Set(p, q) }
func (s *vonMises) set(p, _ float64) { s.Set(p) }

func (s *vonMises) Regular() bool                                         { return false }
func (s *vonMises) Many(_ []float64, _, _ []int32, _ *threefry.Pairs) int { return 0 }

// counters are what a run of elements adds to the number of its first.
var counters = func() (c [hashesPerBlock]int32) {
	for i := range c {
		c[i] = int32(i)
	}
	return c
}()

// words are the first words of each element of a block: two, or three where concentrations below 1 need them.
type words struct {
	x, y  [3][drawsPerBlock]int32
	count int
}

// hash fills the words of n elements from first on.
func (w *words) hash(k [2]uint32, first, n, count int) {
	w.count = count
	high := threefry.High(uint64(first))
	if high != threefry.High(uint64(first+n-1)) { // rarely
		for j := range count {
			for i := range n {
				x, y := threefry.Hash(k[0], k[1], uint32(first+i), threefry.High(uint64(first+i))+uint32(j))
				w.x[j][i], w.y[j][i] = int32(x), int32(y)
			}
		}
		return
	}
	for j := range count {
		simd.ThreefryRun(w.x[j][:n], w.y[j][:n], counters[:n], int32(uint32(first)+k[0]), int32(high+uint32(j)+k[1]), 0,
			int32(k[0]), int32(k[1]), int32(k[0]^k[1]^0x1BD11BDA))
	}
}

// of are the words of element i of the block. They are no array: copying one waits for its parts to be stored.
func (w *words) of(i int) (word0, word1, word2 uint64) {
	return w.word(0, i), w.word(1, i), w.word(2, i)
}

func (w *words) word(j, i int) uint64 {
	return uint64(uint32(w.x[j][i]))<<32 | uint64(uint32(w.y[j][i]))
}

// drawing is what the blocks of one goroutine use: it is too large for a stack that grows anew for each block.
type drawing[S any] struct {
	words
	params    [2][drawsPerBlock]float64
	res       [drawsPerBlock]float64
	at, again [drawsPerBlock]int32
	more      words // of elements that need another attempt
	sampler   S
	p, q      float64 // the sampler's parameters
	known     bool
	stream    threefry.Stream
}

// fewDraws are elements for which Draw is faster than Many.
const fewDraws = 8

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
		w.hash(k, first, n, 2)
		p, q := w.params[0][:n], w.params[1][:n]
		for lo := 0; lo < n; {
			hi := lo + 1
			for hi < n && p[hi] == p[lo] && q[hi] == q[lo] {
				hi++
			}
			if s := P(&w.sampler); !w.known || p[lo] != w.p || q[lo] != w.q {
				s.set(p[lo], q[lo])
				w.p, w.q, w.known = p[lo], q[lo], true
			}
			drawRun[S, P](w, k, first, lo, hi)
			lo = hi
		}
		putFloats(out[0], at, w.res[:n])
	})
}

// drawRun draws the elements from lo to hi of a block, which have the parameters of the sampler.
func drawRun[S any, P parametrised[S]](w *drawing[S], k [2]uint32, first, lo, hi int) {
	s := P(&w.sampler)
	if hi-lo < fewDraws || !s.Regular() {
		for i := lo; i < hi; i++ {
			a, b, _ := w.of(i)
			w.stream.Start(k[0], k[1], uint64(first+i), a, b, 0, 2)
			w.res[i] = s.Draw(&w.stream)
		}
		return
	}
	at, again := w.at[:hi-lo], w.again[:]
	for j := range at {
		at[j] = int32(lo + j)
	}
	left := s.Many(w.res[:], at, again, &threefry.Pairs{X: [2][]int32{w.x[0][lo:hi], w.x[1][lo:hi]},
		Y: [2][]int32{w.y[0][lo:hi], w.y[1][lo:hi]}})
	for next := 2; left > 0; next += 2 {
		at, again = again[:left], at[:cap(at)]
		var pairs threefry.Pairs
		for j := range 2 {
			x, y := w.more.x[j][:left], w.more.y[j][:left]
			for t, i := range at {
				x[t], y[t] = int32(first)+i, int32(threefry.High(uint64(first)+uint64(i)))+int32(next+j)
			}
			simd.Threefry(x, y, int32(k[0]), int32(k[1]), int32(k[0]^k[1]^0x1BD11BDA))
			pairs.X[j], pairs.Y[j] = x, y
		}
		left = s.Many(w.res[:], at, again, &pairs)
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
