package cpu

import "github.com/lucid-go/lucid/internal/backend/cpu/simd"

// Short planes of a channel, 7 by 7 or 14 by 14, are summed over the batch before they are reduced: the planes of many
// channels are contiguous and are added by full vectors, and a channel is reduced once for a block rather than once an image.

const shortElems = 1024 // of a row that is summed at a time, about: with the scratch rows it stays in L1

// shortPlanes calls f for some channels of a block after the other: k of them from ch on, whose planes begin at offset at of
// the first row and have n elements in all.
func shortPlanes(g *channelGrid, b channelBlock, f func(ch, k, at, n int)) {
	wide := max(1, shortElems/g.behind)
	for ch := b.ch0; ch < b.ch1; ch += wide {
		k := min(wide, b.ch1-ch)
		f(ch, k, (b.row0*g.channels+ch)*g.behind, k*g.behind)
	}
}

// shortMoments subtracts the mean, then sums squares; the rounding error of the mean is corrected at the end.
func shortMoments(acc []moments, x []float32, g *channelGrid, b channelBlock) {
	rows, pitch := b.row1-b.row0, g.channels*g.behind
	scratch, free := borrow[float32](5 * max(shortElems, g.behind))
	defer free()
	count := float64(rows * g.behind)
	shortPlanes(g, b, func(ch, k, at, n int) {
		sum, sq, part, centre := scratch[:n], scratch[n:2*n], scratch[2*n:3*n], scratch[3*n:4*n]
		means := scratch[4*n:][:k]
		clear(sum)
		for r := range rows {
			simd.SumRowsF32(sum, x[at+r*pitch:][:n])
		}
		for i := range means {
			means[i] = float32(float64(simd.SumF32(sum[i*g.behind:][:g.behind])) / count)
		}
		simd.RepeatRunsF32(centre, means, 1, g.behind, k)
		clear(sum)
		clear(sq)
		for r := range rows {
			simd.SubF32(part, x[at+r*pitch:][:n], centre)
			simd.SumRowsF32(sum, part)
			simd.SquareF32(part, part)
			simd.SumRowsF32(sq, part)
		}
		for i, c := range means {
			s, q := float64(simd.SumF32(sum[i*g.behind:][:g.behind])), float64(simd.SumF32(sq[i*g.behind:][:g.behind]))
			acc[ch-b.ch0+i] = moments{count, float64(c) + s/count, max(q-s*s/count, 0)}
		}
	})
}

// shortDots sums by, and its products with x less the channel's mean.
func shortDots(acc []channelSums, by, x, mean []float32, g *channelGrid, b channelBlock) {
	rows, pitch := b.row1-b.row0, g.channels*g.behind
	scratch, free := borrow[float32](4 * max(shortElems, g.behind))
	defer free()
	shortPlanes(g, b, func(ch, k, at, n int) {
		sum, dot, part, centre := scratch[:n], scratch[n:2*n], scratch[2*n:3*n], scratch[3*n:4*n]
		simd.RepeatRunsF32(centre, mean[ch:], 1, g.behind, k)
		clear(sum)
		clear(dot)
		for r := range rows {
			g := by[at+r*pitch:][:n]
			simd.SumRowsF32(sum, g)
			simd.SubF32(part, x[at+r*pitch:][:n], centre)
			simd.MulF32(part, part, g)
			simd.SumRowsF32(dot, part)
		}
		for i := range k {
			acc[ch-b.ch0+i] = channelSums{float64(simd.SumF32(sum[i*g.behind:][:g.behind])),
				float64(simd.SumF32(dot[i*g.behind:][:g.behind]))}
		}
	})
}
