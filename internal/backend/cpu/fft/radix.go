package fft

// chunk is after how many vectors a pass lets others run: assembly cannot be interrupted.
const chunk = 1 << 12

// steps are how many elements of memory the elements of a pass are apart in its input and its output, and how many vectors an element has
// instead of one; more are for assembly only, as is a pass again.
type steps struct {
	in, out, wide int
	again         again
}

// again says how often a pass is done, and how many numbers input and output are further on each time. Nothing is once.
type again struct{ times, in, out int }

// once is a pass from a buffer to a buffer.
var once = steps{in: 1, out: 1, wide: 1}

// run does the pass from x to y, whose elements have l lanes: as many as a vector, or 1.
func (st *pass[T]) run(l int, y, x []T, by steps, sw swaps, yield func()) {
	each := max(1, chunk/(st.radix*st.s*by.wide))
	for p := 0; p < st.m; p += each {
		if p > 0 && yield != nil {
			yield()
		}
		st.rows(l, y, x, p, min(each, st.m-p), by, sw)
	}
}

// rows does the butterflies of count values of p from first on.
func (st *pass[T]) rows(l int, y, x []T, first, count int, by steps, sw swaps) {
	if l > 1 && st.fast(y, x, first, count, by, sw) {
		return
	}
	l2 := 2 * l
	var roots []T
	for p := first; p < first+count; p++ {
		if st.roots != nil {
			roots = st.roots[2*p*(st.radix-1):][:2*(st.radix-1)]
		}
		for q := range st.s {
			in, out := x[(q+st.s*p)*l2*by.in:], y[(q+st.s*st.radix*p)*l2*by.out:]
			butterfly(l, st.radix, out, in, st.s*l2*by.out, st.s*st.m*l2*by.in, roots, sw)
		}
	}
}

// butterfly transforms the elements that are from apart in x, in all lanes, and writes them to apart in y, times the roots.
func butterfly[T floats](l, radix int, y, x []T, to, from int, roots []T, sw swaps) {
	var re, im [13][maxLanes]T
	r0, i0 := parts(l, sw.in)
	for k := range radix {
		copy(re[k][:l], x[k*from+r0:])
		copy(im[k][:l], x[k*from+i0:])
	}
	switch radix {
	case 2:
		pair(l, &re[0], &im[0], &re[1], &im[1])
	case 4:
		four(l, &re, &im, 0, 1, 2, 3)
	case 8:
		eight(l, &re, &im)
	default:
		odd(l, radix, &re, &im)
	}
	r0, i0 = parts(l, sw.out)
	for j := range radix {
		yr, yi := y[j*to+r0:][:l], y[j*to+i0:][:l]
		if roots == nil || j == 0 {
			copy(yr, re[j][:l])
			copy(yi, im[j][:l])
			continue
		}
		c, s := roots[2*j-2], roots[2*j-1]
		for i := range l {
			a, b := re[j][i], im[j][i]
			yr[i], yi[i] = T(a*c)-T(b*s), T(a*s)+T(b*c)
		}
	}
}

// pair replaces two elements by their sum and difference.
func pair[T floats](l int, ar, ai, br, bi *[maxLanes]T) {
	for i := range l {
		ar[i], br[i] = ar[i]+br[i], ar[i]-br[i]
		ai[i], bi[i] = ai[i]+bi[i], ai[i]-bi[i]
	}
}

// timesMinusI multiplies by -i.
func timesMinusI[T floats](l int, ar, ai *[maxLanes]T) {
	for i := range l {
		ar[i], ai[i] = ai[i], -ar[i]
	}
}

// four transforms the elements a, b, c and d of x.
func four[T floats](l int, re, im *[13][maxLanes]T, a, b, c, d int) {
	pair(l, &re[a], &im[a], &re[c], &im[c])
	pair(l, &re[b], &im[b], &re[d], &im[d])
	timesMinusI(l, &re[d], &im[d])
	pair(l, &re[a], &im[a], &re[b], &im[b])
	pair(l, &re[c], &im[c], &re[d], &im[d])
	// The results are in the order a, c, b, d.
	re[b], re[c] = re[c], re[b]
	im[b], im[c] = im[c], im[b]
}

// eight transforms all eight elements: the even and the odd ones, then pairs of both.
func eight[T floats](l int, re, im *[13][maxLanes]T) {
	four(l, re, im, 0, 2, 4, 6)
	four(l, re, im, 1, 3, 5, 7)
	const half = 0.70710678118654752440
	for i := range l {
		a, b := re[3][i], im[3][i]
		re[3][i], im[3][i] = T(half)*(a+b), T(half)*(b-a)
		a, b = re[7][i], im[7][i]
		re[7][i], im[7][i] = T(half)*(b-a), -T(half)*(a+b)
	}
	timesMinusI(l, &re[5], &im[5])
	for k := 0; k < 8; k += 2 {
		pair(l, &re[k], &im[k], &re[k+1], &im[k+1])
	}
	// The results are in the order 0, 4, 1, 5, 2, 6, 3, 7.
	*re = [13][maxLanes]T{re[0], re[2], re[4], re[6], re[1], re[3], re[5], re[7]}
	*im = [13][maxLanes]T{im[0], im[2], im[4], im[6], im[1], im[3], im[5], im[7]}
}

// odd transforms a prime number of elements: sums and differences of the elements that are as far from both ends have real factors.
func odd[T floats](l, r int, re, im *[13][maxLanes]T) {
	c, s := oddFactors[T](r)
	for k := 1; 2*k < r; k++ {
		pair(l, &re[k], &im[k], &re[r-k], &im[r-k])
	}
	var yr, yi [13][maxLanes]T
	for i := range l {
		a, b := re[0][i], im[0][i]
		for k := 1; 2*k < r; k++ {
			a, b = a+re[k][i], b+im[k][i]
		}
		yr[0][i], yi[0][i] = a, b
	}
	for j := 1; 2*j < r; j++ {
		for i := range l {
			a, b := re[0][i], im[0][i]
			var d, e T
			for k := 1; 2*k < r; k++ {
				at := j * k % r
				a, b = a+T(c[at]*re[k][i]), b+T(c[at]*im[k][i])
				d, e = d+T(s[at]*re[r-k][i]), e+T(s[at]*im[r-k][i])
			}
			// Σ exp(-iθ)·x = Σ cos·sum - i·Σ sin·difference
			yr[j][i], yi[j][i] = a+e, b-d
			yr[r-j][i], yi[r-j][i] = a-e, b+d
		}
	}
	*re, *im = yr, yi
}

// oddFactors has cos and sin of 2πk/r.
func oddFactors[T floats](r int) (c, s *[13]T) {
	c, s = new([13]T), new([13]T)
	for k := range r {
		re, im := root(k, r)
		c[k], s[k] = T(re), T(-im)
	}
	return c, s
}
