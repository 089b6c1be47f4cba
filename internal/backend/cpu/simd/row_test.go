package simd

import "testing"

func TestRowSums(t *testing.T) {
	// The sum comes from the reduction; the values are compared through their own sum.
	soft := func(f func(z, x []float32, a float32) float32) func(x, y []float32) float32 {
		return func(x, y []float32) float32 {
			s := f(y, x, 1.25)
			return s + sumF32Generic(y)*3
		}
	}
	testReduce(t, "ExpSubSumF32", soft(ExpSubSumF32), soft(expSubSumF32Generic))
	testReduce(t, "ExpSubSumNextF32", soft(func(z, x []float32, a float32) float32 { return ExpSubSumNextF32(z, x, z, a) }),
		soft(expSubSumF32Generic))
	testUnary(t, "ExpSubSumF32/values", func(z, x []float32) { ExpSubSumF32(z, x, 1.25) },
		func(z, x []float32) { expSubSumF32Generic(z, x, 1.25) })
	testReduce(t, "SumSqSubF32", func(x, y []float32) float32 { return SumSqSubF32(x, y, 0.5) },
		func(x, _ []float32) float32 { return sumSqSubF32Generic(x, 0.5) })
	testReduce(t, "DotNormF32", func(x, y []float32) float32 { return DotNormF32(x, y, nil, 0.5, 1.5) },
		func(x, y []float32) float32 { return dotNormF32Generic(x, y, nil, 0.5, 1.5) })
	testReduce(t, "DotNormF32/weight", func(x, y []float32) float32 { return DotNormF32(x, y, clone(t, x), 0.5, 1.5) },
		func(x, y []float32) float32 { return dotNormF32Generic(x, y, x, 0.5, 1.5) })
}

// Further inputs of a map are copies of the two that the helper gives.
func TestRowMaps(t *testing.T) {
	const a, r, m, d = 0.75, 1.5, -0.25, 0.125
	testUnary(t, "ScaleStreamF32", func(z, x []float32) { ScaleStreamF32(z, x, x, a) }, func(z, x []float32) { scaleF32Generic(z, x, a) })
	norm := func(z, x []float32) { normF32Generic(z, x, a, r) }
	testUnary(t, "NormF32", func(z, x []float32) { NormF32(z, x, a, r) }, norm)
	testUnary(t, "NormStreamF32", func(z, x []float32) { NormStreamF32(z, x, x, a, r) }, norm)
	exps := func(z, x []float32) { expSubTimesF32Generic(z, x, a, r) }
	testUnary(t, "ExpSubTimesF32", func(z, x []float32) { ExpSubTimesF32(z, x, a, r) }, exps)
	testUnary(t, "ExpSubTimesStreamF32", func(z, x []float32) { ExpSubTimesStreamF32(z, x, x, a, r) }, exps)
	weight := func(z, x, y []float32) { normWeightF32Generic(z, x, y, a, r) }
	testBinary(t, "NormWeightF32", func(z, x, y []float32) { NormWeightF32(z, x, y, a, r) }, weight)
	testBinary(t, "NormWeightStreamF32", func(z, x, y []float32) { NormWeightStreamF32(z, x, y, y, a, r) }, weight)
	affine := func(z, x, y []float32) { normAffineF32Generic(z, x, y, clone(t, y), a, r) }
	testBinary(t, "NormAffineF32", func(z, x, y []float32) { NormAffineF32(z, x, y, clone(t, y), a, r) }, affine)
	testBinary(t, "NormAffineStreamF32", func(z, x, y []float32) { NormAffineStreamF32(z, x, y, clone(t, y), x, a, r) }, affine)
	times := func(z, x, y []float32) { subTimesF32Generic(z, x, y, a) }
	testBinary(t, "SubTimesF32", func(z, x, y []float32) { SubTimesF32(z, x, y, a) }, times)
	testBinary(t, "SubTimesStreamF32", func(z, x, y []float32) { SubTimesStreamF32(z, x, y, x, a) }, times)
	back := func(z, x, y []float32) { normBackF32Generic(z, x, y, a, r, m, d) }
	testBinary(t, "NormBackF32", func(z, x, y []float32) { NormBackF32(z, x, y, a, r, m, d) }, back)
	testBinary(t, "NormBackStreamF32", func(z, x, y []float32) { NormBackStreamF32(z, x, y, y, a, r, m, d) }, back)
	weighted := func(z, x, y []float32) { normWeightBackF32Generic(z, x, y, clone(t, x), a, r, m, d) }
	testBinary(t, "NormWeightBackF32", func(z, x, y []float32) { NormWeightBackF32(z, x, y, clone(t, x), a, r, m, d) }, weighted)
	testBinary(t, "NormWeightBackStreamF32", func(z, x, y []float32) {
		NormWeightBackStreamF32(z, x, y, clone(t, x), x, a, r, m, d)
	}, weighted)
	Fence()
}
