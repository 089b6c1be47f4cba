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
	// Regular says that elements of the parameters can be sampled together: by attempts of a law, if there is one, else by Invert.
	Regular() (law *threefry.Law, regular bool)
	Decide(res []float64, at, again []int32, k, t []float64, pairs *threefry.Pairs) int
	Invert(res []float64, x, y []int32)
}

type (
	poisson  struct{ threefry.PoissonSampler }
	binomial struct{ threefry.BinomialSampler }
	vonMises struct{ threefry.VonMisesSampler }
)

func (s *poisson) set(p, _ float64)  { s.Set(p) }
func (s *binomial) set(p, q float64) { s.Set(p, q) }
func (s *vonMises) set(p, _ float64) { s.Set(p) }

func (s *vonMises) Regular() (law *threefry.Law, regular bool)                              { return nil, false }
func (s *vonMises) Decide(_ []float64, _, _ []int32, _, _ []float64, _ *threefry.Pairs) int { return 0 }
func (s *vonMises) Invert(_ []float64, _, _ []int32)                                        {}

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
	p, q, k0, k1, k2 := int32(uint32(first)+k[0]), int32(high+k[1]), int32(k[0]), int32(k[1]), int32(k[0]^k[1]^0x1BD11BDA)
	if count > 1 {
		simd.ThreefryRuns(w.x[0][:n], w.y[0][:n], w.x[1][:n], w.y[1][:n], counters[:n], p, q, p, q+1, 0, k0, k1, k2)
	}
	if j := count - 1; j != 1 { // the first part of the elements with the last
		half := (n + 1) / 2
		rest := n - half
		simd.ThreefryRuns(w.x[j][:half], w.y[j][:half], w.x[j][rest:n], w.y[j][rest:n], counters[:half], p, q+int32(j), p+int32(rest),
			q+int32(j), 0, k0, k1, k2)
	}
}

// rehash fills the first two words with words j and j+1 of the elements first+at[i].
func (w *words) rehash(k [2]uint32, first int, at []int32, j int) {
	n, high := len(at), threefry.High(uint64(first))
	if high != threefry.High(uint64(first)+drawsPerBlock) { // rarely
		for t, i := range at {
			for d := range 2 {
				e := uint64(first) + uint64(i)
				x, y := threefry.Hash(k[0], k[1], uint32(e), threefry.High(e)+uint32(j+d))
				w.x[d][t], w.y[d][t] = int32(x), int32(y)
			}
		}
		return
	}
	p, q := int32(uint32(first)+k[0]), int32(high+uint32(j)+k[1])
	simd.ThreefryRuns(w.x[0][:n], w.y[0][:n], w.x[1][:n], w.y[1][:n], at, p, q, p, q+1, 0, int32(k[0]), int32(k[1]),
		int32(k[0]^k[1]^0x1BD11BDA))
}

// pairs are the first two words of elements lo to hi.
func (w *words) pairs(lo, hi int) threefry.Pairs {
	return threefry.Pairs{X: [2][]int32{w.x[0][lo:hi], w.x[1][lo:hi]}, Y: [2][]int32{w.y[0][lo:hi], w.y[1][lo:hi]}}
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
	k, t      [drawsPerBlock]float64 // of attempts
	filled    bool                   // parameters are one number each for all blocks
	more      words                  // of elements that need another attempt
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
		uniform := operands[0].scalar && (len(in) < 3 || operands[1].scalar)
		if !uniform || !w.filled {
			for j, o := range operands[:len(in)-1] {
				parameterTile(w.params[j][:n], o, out[0].DType, at)
			}
			w.filled = n == drawsPerBlock
		}
		w.count = 0
		p, q := w.params[0][:n], w.params[1][:n]
		for lo := 0; lo < n; {
			hi := lo + 1
			for hi < n && (uniform || p[hi] == p[lo] && q[hi] == q[lo]) {
				hi++
			}
			if s := P(&w.sampler); !w.known || p[lo] != w.p || q[lo] != w.q {
				s.set(p[lo], q[lo])
				w.p, w.q, w.known = p[lo], q[lo], true
			}
			drawRun[S, P](w, k, first, n, lo, hi)
			lo = hi
		}
		putFloats(out[0], at, w.res[:n])
	})
}

// drawRun draws the elements from lo to hi of a block of n, which have the parameters of the sampler.
func drawRun[S any, P parametrised[S]](w *drawing[S], k [2]uint32, first, n, lo, hi int) {
	s := P(&w.sampler)
	law, regular := s.Regular()
	together := regular && hi-lo >= fewDraws
	if together && law == nil {
		if w.count == 0 {
			w.hash(k, first, n, 1)
		}
		s.Invert(w.res[lo:hi], w.x[0][lo:hi], w.y[0][lo:hi])
		return
	}
	if w.count < 2 {
		w.hash(k, first, n, 2)
	}
	if !together {
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
	pairs := w.pairs(lo, hi)
	for next := 2; ; next += 2 {
		kk, t := w.k[:len(at)], w.t[:len(at)]
		simd.CountFirst(kk, t, unsigned(pairs.X[0]), unsigned(pairs.Y[0]), unsigned(pairs.X[1]), unsigned(pairs.Y[1]),
			law.A, law.B, law.C, law.D, law.Alpha, law.Quick)
		left := s.Decide(w.res[:], at, again, kk, t, &pairs)
		if left == 0 {
			return
		}
		at, again = again[:left], at[:cap(at)]
		w.more.rehash(k, first, at, next)
		pairs = w.more.pairs(0, left)
	}
}

// unsigned shows words without their signs.
func unsigned(w []int32) []uint32 { return elems[uint32](pointer(w), len(w)) }

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
		simd.F32ToF64(dst, dtype.Slice[float32](raw)[:len(dst)])
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
		simd.F64ToF32(dtype.Slice[float32](v.Buf.Mem)[at:at+len(x)], x)
	default:
		for i, f := range x {
			v.DType.Put(v.Buf.Mem, at+i, dtype.Scalar{Kind: dtype.KindFloat, F: f})
		}
	}
}
