package cpu

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// Means of windows that are not at distances vectors can step by, adaptive ones and those three and more apart, and their
// transposes: rows of the input are added up by vectors, and of their sum each window takes its elements.

// poolPlane is how many elements a plane may have whose transpose one block computes.
const poolPlane = 64 << 10

// rowsMean computes means, some rows of outputs at a time.
func rowsMean(c *backend.Ctx, g *grid, z, x []float32) error {
	return overBlocks(c, len(x)/g.inSize(), g.out, max(1, g.reach()/4), func(b rowBlock) {
		sum, free := borrow[float32](g.in[2])
		defer free()
		b.each(func(p, d, h int) {
			sd, sh := g.spans[0][d], g.spans[1][h]
			clear(sum)
			for i := sd.Start; i < sd.End; i += sd.Step {
				for j := sh.Start; j < sh.End; j += sh.Step {
					simd.SumRowsF32(sum, x[((p*g.in[0]+i)*g.in[1]+j)*g.in[2]:][:g.in[2]])
				}
			}
			row := z[((p*g.out[0]+d)*g.out[1]+h)*g.out[2]:][:g.out[2]]
			for o, sw := range g.spans[2] {
				s := float32(0)
				for k := sw.Start; k < sw.End; k += sw.Step {
					s += sum[k]
				}
				row[o] = s / float32(g.divisor(sd, sh, sw))
			}
		})
	})
}

// rowsMeanT is its transpose, plane by plane: what a row of outputs gives to every row that its windows see is laid out once.
func rowsMeanT(c *backend.Ctx, g *grid, z, x []float32) error {
	n := g.inSize()
	each := max(1, blockElems/n)
	planes := len(z) / n
	return c.For(ceil(planes, each), func(b int) {
		share, free := borrow[float32](g.in[2])
		defer free()
		for p := b * each; p < min((b+1)*each, planes); p++ {
			plane := z[p*n:][:n]
			clear(plane)
			for d, sd := range g.spans[0] {
				for h, sh := range g.spans[1] {
					clear(share)
					for o, v := range x[((p*g.out[0]+d)*g.out[1]+h)*g.out[2]:][:g.out[2]] {
						sw := g.spans[2][o]
						v /= float32(g.divisor(sd, sh, sw))
						for k := sw.Start; k < sw.End; k += sw.Step {
							share[k] += v
						}
					}
					for i := sd.Start; i < sd.End; i += sd.Step {
						for j := sh.Start; j < sh.End; j += sh.Step {
							simd.SumRowsF32(plane[(i*g.in[1]+j)*g.in[2]:][:g.in[2]], share)
						}
					}
				}
			}
		}
	})
}
