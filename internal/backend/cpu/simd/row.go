package simd

// Sums over a row, in the order of reduce.go. Meanwhile next is prefetched: it is what the next call will
// read, at least as long as x; it is never read here.

func expSubSumF32Generic(z, x []float32, a float32) float32 {
	var l [lanes]float32
	x = x[:len(z)]
	for i, v := range x {
		e := exp1(v - a)
		z[i] = e
		l[i%lanes] += e
	}
	return treeSum(&l)
}

func sumSqSubF32Generic(x []float32, a float32) float32 {
	var l [lanes]float32
	for i, v := range x {
		d := v - a
		l[i%lanes] += float32(d * d)
	}
	return treeSum(&l)
}

func dotNormF32Generic(x, g, w []float32, a, r float32) float32 {
	var l [lanes]float32
	for i, v := range x {
		h := g[i]
		if w != nil {
			h = float32(h * w[i])
		}
		l[i%lanes] += float32(float32((v-a)*r) * h)
	}
	return treeSum(&l)
}

// ExpSubSumF32 sets z[i] = e^(x[i]-a) and returns the sum of z: the inner step of
// softmax, with a the largest x.
func ExpSubSumF32(z, x []float32, a float32) float32 { return ExpSubSumNextF32(z, x, x, a) }
