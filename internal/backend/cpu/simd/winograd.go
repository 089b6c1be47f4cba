package simd

// The transforms of Winograd's convolution F(4×4, 3×3): 4 by 4 outputs from 6 by 6 inputs by 36 products instead of 144.
// Its points are 0, ±1, ±2 and infinity. Sixteen tiles are transformed together, a lane each.

// WinogradTile is the number of products of a tile, WinogradLanes the number of tiles done together.
const (
	WinogradTile  = 36
	WinogradLanes = 16
)

// HasWinograd reports whether this machine has vectors for it: the twins are for tests.
func HasWinograd() bool { return hasWinograd() }

// WinogradInputF32 transforms tiles: element (i, j) of tile t is x[((i%4)*4+j%4)*plane + i/4*pitch + j/4 + t], the input
// being laid out by the remainders of its rows and columns. Product (i, j) of tile t goes to v[(6i+j)*vs+t]. tiles is a
// multiple of WinogradLanes.
func WinogradInputF32(v []float32, vs int, x []float32, plane, pitch, tiles int) {
	if tiles <= 0 {
		return
	}
	v, x = v[:35*vs+tiles], x[:max(15*plane, 5*plane+pitch+1)+tiles]
	if !winogradInput(v, vs, x, plane, pitch, tiles) {
		winogradInputGeneric(v, vs, x, plane, pitch, tiles)
	}
}

func winogradInputGeneric(v []float32, vs int, x []float32, plane, pitch, tiles int) {
	for t := range tiles {
		var d [6][6]float32
		for i := range 6 {
			for j := range 6 {
				d[i][j] = x[((i%4)*4+j%4)*plane+i/4*pitch+j/4+t]
			}
			d[i] = winogradB(d[i])
		}
		for j := range 6 {
			for i, s := range winogradB([6]float32{d[0][j], d[1][j], d[2][j], d[3][j], d[4][j], d[5][j]}) {
				v[(6*i+j)*vs+t] = s
			}
		}
	}
}

// winogradB transforms six inputs.
func winogradB(d [6]float32) [6]float32 {
	a, b := fma(-4, d[2], d[4]), fma(-4, d[1], d[3])
	c, e := d[4]-d[2], d[3]-d[1]
	e += e
	return [6]float32{fma(-5, d[2], fma(4, d[0], d[4])), a + b, a - b, c + e, c - e, fma(-5, d[3], fma(4, d[1], d[5]))}
}

// WinogradOutputF32 makes outputs of products: product (i, j) of tile t is m[(6i+j)*ms+t]; output (r, c) of tile t goes to
// z[r*plane+4t+c]. tiles is a multiple of WinogradLanes.
func WinogradOutputF32(z []float32, plane int, m []float32, ms, tiles int) {
	if tiles <= 0 {
		return
	}
	z, m = z[:3*plane+4*tiles], m[:35*ms+tiles]
	if !winogradOutput(z, plane, m, ms, tiles) {
		winogradOutputGeneric(z, plane, m, ms, tiles)
	}
}

func winogradOutputGeneric(z []float32, plane int, m []float32, ms, tiles int) {
	for t := range tiles {
		var y [4][6]float32
		for j := range 6 {
			var d [6]float32
			for i := range d {
				d[i] = m[(6*i+j)*ms+t]
			}
			for r, s := range winogradA(d) {
				y[r][j] = s
			}
		}
		for r := range y {
			out := winogradA(y[r])
			copy(z[r*plane+4*t:], out[:])
		}
	}
}

// winogradA makes four outputs of six products.
func winogradA(m [6]float32) [4]float32 {
	s, d, u, v := m[1]+m[2], m[1]-m[2], m[3]+m[4], m[3]-m[4]
	return [4]float32{m[0] + s + u, fma(2, v, d), fma(4, u, s), fma(8, v, d) + m[5]}
}

// WinogradTapsF32 transforms n kernels of 3 by 3 taps: tap i of kernel c is w[c*step+at[i]], and product f of it goes to
// u[f*us+c]. The sums are made in float64.
func WinogradTapsF32(u []float32, us int, w []float32, at *[9]int, step, n int) {
	if n <= 0 {
		return
	}
	last := 0
	for _, i := range at {
		if i < 0 || step < 0 {
			panic("simd: taps before their slice")
		}
		last = max(last, i)
	}
	u, w = u[:(WinogradTile-1)*us+n], w[:(n-1)*step+last+1]
	if !winogradTaps(u, us, w, at, step, n) {
		winogradTapsGeneric(u, us, w, at, step, n)
	}
}

func winogradTapsGeneric(u []float32, us int, w []float32, at *[9]int, step, n int) {
	for c := range n {
		var g [9]float32
		for i := range g {
			g[i] = w[c*step+at[i]]
		}
		for f, v := range winogradTapsOf(&g) {
			u[f*us+c] = v
		}
	}
}

// winogradTapsOf transforms one kernel.
func winogradTapsOf(g *[9]float32) (u [WinogradTile]float32) {
	var t [6][3]float64
	for j := range 3 {
		for i, s := range winogradG(float64(g[j]), float64(g[3+j]), float64(g[6+j])) {
			t[i][j] = s
		}
	}
	for i := range t {
		for j, s := range winogradG(t[i][0], t[i][1], t[i][2]) {
			u[6*i+j] = float32(s)
		}
	}
	return u
}

func winogradG(a, b, c float64) [6]float64 {
	const sixth, twelfth = 1.0 / 6, 1.0 / 12
	s, t := (a+c)*-sixth, a*(twelfth/2)+c*sixth
	return [6]float64{a * 0.25, s - b*sixth, s + b*sixth, t + b*twelfth, t - b*twelfth, c}
}

// WinogradRowsF32 lays out rows as WinogradInputF32 reads them: for r from first to last-1 and c < 4·width, element (r, c)
// goes to dst[((r%4)*4+c%4)*plane + r/4*pitch + c/4]. It is src[(r-first)*srs+c-from] if from <= c < to, else zero.
func WinogradRowsF32(dst []float32, plane, pitch, width int, src []float32, srs, first, last, from, to int) {
	if first >= last || width <= 0 || from >= to {
		return
	}
	dst, src = dst[:15*plane+(last-1)/4*pitch+width], src[:(last-first-1)*srs+to-from]
	if !winogradRows(dst, plane, pitch, width, src, srs, first, last, from, to) {
		winogradRowsGeneric(dst, plane, pitch, width, src, srs, first, last, from, to)
	}
}

func winogradRowsGeneric(dst []float32, plane, pitch, width int, src []float32, srs, first, last, from, to int) {
	for r := first; r < last; r++ {
		for c := range 4 * width {
			var v float32
			if c >= from && c < to {
				v = src[(r-first)*srs+c-from]
			}
			dst[((r%4)*4+c%4)*plane+r/4*pitch+c/4] = v
		}
	}
}
