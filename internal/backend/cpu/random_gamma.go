package cpu

import (
	"math"
	"sync"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/backend/threefry"
)

// gammaTile draws gamma numbers for a block of elements with concentrations of their own. The first attempt is made in vectors; where it
// needs logarithms, these are computed for all such elements at once. Few elements are left for a loop.
type gammaTile struct {
	words
	alpha, res [drawsPerBlock]float64
	near, far  [drawsPerBlock]float64 // ends of layers
	rest       [drawsPerBlock]float64 // uniform numbers for concentrations below 1
	u, v       [drawsPerBlock]float64 // and their logarithms
	square     [drawsPerBlock]float64
	list       [drawsPerBlock]int32
	samplers   [drawsPerBlock]threefry.GammaSampler // of the elements in the list
	filled     bool                                 // alpha is one number for all blocks
	stream     threefry.Stream
}

const one = 0x3ff0000000000000 // bits of 1

var layerEnds = [257]float64(threefry.LayerEnds())

// draw fills res with numbers of the concentrations in alpha, for n elements from first on.
func (g *gammaTile) draw(k [2]uint32, first, n int) {
	alpha, res, count := g.alpha[:n], g.res[:n], 2
	for _, v := range alpha {
		if v < 1 {
			count = 3
			break
		}
	}
	g.hash(k, first, n, count)
	for i, y := range g.y[0][:n] {
		g.near[i], g.far[i] = layerEnds[y&255], layerEnds[y&255+1]
	}
	simd.GammaFirst(res, alpha, unsigned(g.x[0][:n]), unsigned(g.y[0][:n]), unsigned(g.x[1][:n]), unsigned(g.y[1][:n]), g.near[:n],
		g.far[:n])
	if count == 3 {
		for i, a := range alpha {
			bits := math.Float64bits(1 - threefry.Unit(g.word(2, i)))
			if a >= 1 {
				bits = one
			}
			g.rest[i] = math.Float64frombits(bits)
		}
	}
	g.second(k, first, n)
	if count == 3 {
		g.powers(n)
	}
}

// second decides by logarithms where the first attempt did not, and draws again what is rejected.
func (g *gammaTile) second(k [2]uint32, first, n int) {
	var s threefry.GammaSampler
	m, last := 0, math.NaN()
	for i, x := range g.res[:n] {
		if x == x {
			continue
		}
		if g.alpha[i] != last {
			last = g.alpha[i]
			s.Set(last)
		}
		if square, v, u, some := s.Attempt(g.word(0, i), g.word(1, i)); some {
			g.square[m], g.v[m], g.u[m], g.list[m], g.samplers[m] = square, v, u, int32(i), s
			m++
		} else {
			g.again(k, first, i, 0, &s)
		}
	}
	logU, logV := g.near[:m], g.far[:m] // no longer needed
	simd.LogF64(logU, g.u[:m])
	simd.LogF64(logV, g.v[:m])
	for j, i := range g.list[:m] {
		if s := &g.samplers[j]; s.Accepts(g.square[j], g.v[j], logU[j], logV[j]) {
			g.res[i] = s.Of(g.v[j])
		} else {
			g.again(k, first, int(i), 2, s)
		}
	}
}

// again draws element i, leaving out the words of an attempt that failed.
func (g *gammaTile) again(k [2]uint32, first, i, skip int, s *threefry.GammaSampler) {
	a, b, c := g.of(i)
	g.stream.Start(k[0], k[1], uint64(first+i), a, b, c, g.count)
	g.stream.Skip(skip)
	if !s.Usual() {
		g.res[i] = s.Draw(&g.stream)
		return
	}
	g.res[i] = s.AtLeastOne(&g.stream)
	if s.Less() {
		g.rest[i] = 1 - g.stream.Float()
	}
}

// powers multiplies numbers by rest^(1/alpha); rest is 1 for concentrations that are not below 1.
func (g *gammaTile) powers(n int) {
	f := g.u[:n]
	simd.LogF64(f, g.rest[:n])
	simd.DivF64(f, f, g.alpha[:n])
	simd.ExpF64(f, f)
	simd.MulF64(g.res[:n], g.res[:n], f)
}

func randomGamma(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	alpha := tileOf(in[1])
	pool := sync.Pool{New: func() any { return new(gammaTile) }}
	return eachDraw(c, out[0], in[0], func(k [2]uint32, at, first, n int) {
		g := pool.Get().(*gammaTile)
		defer pool.Put(g)
		if !alpha.scalar || !g.filled {
			parameterTile(g.alpha[:n], alpha, out[0].DType, at)
			g.filled = n == drawsPerBlock
		}
		g.draw(k, first, n)
		putFloats(out[0], at, g.res[:n])
	})
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
	pool := sync.Pool{New: func() any { return new(gammaTile) }}
	return runBlocks(c, len(keys)*blocks, func(b int) {
		g := pool.Get().(*gammaTile)
		defer pool.Put(g)
		k, lo := keys[b/blocks], b%blocks*batch
		n := (min(rows, lo+batch) - lo) * size
		first, base := lo*size, b/blocks*per+lo*size
		row, conc := g.res[:min(n, drawsPerBlock)], g.alpha[:min(n, drawsPerBlock)]
		if n > drawsPerBlock { // one long row
			row, conc = make([]float64, n), make([]float64, n)
		}
		for at := 0; at < n; at += drawsPerBlock {
			part := min(drawsPerBlock, n-at)
			parameterTile(g.alpha[:part], alpha, d, base+at)
			g.draw(k, first+at, part)
			if n > drawsPerBlock {
				copy(conc[at:], g.alpha[:part])
				copy(row[at:], g.res[:part])
			}
		}
		for r := 0; r < n; r += size {
			threefry.Shares(row[r:r+size], conc[r:r+size], func(i int) threefry.Stream {
				return threefry.Element(k[0], k[1], uint64(first+r+i))
			})
		}
		for at := 0; at < n; at += drawsPerBlock {
			putFloats(out[0], base+at, row[at:min(n, at+drawsPerBlock)])
		}
	})
}
