package simd

// A convolution of one channel by 3 by 3 taps, stride 1, and its gradient to the taps. Where the window reaches out of
// the input it sees zeros; masks, one set for each 16 columns, say where.

// Window3x3 describes the planes: output (r, c) sees input rows Row+r to Row+r+2 and columns Col+c to Col+c+2.
type Window3x3 struct {
	Rows, Cols     int // of the output
	InRows, InCols int // of the input
	Row, Col       int
	ZStride        int // between rows
	XStride        int
	masks          []uint16 // for 16 columns: what each of three taps reads, and which outputs there are
	ended          []int32  // for vectors of eight of which the last ends where the row does: the same, a word for each column
	lanes          []int32  // for vectors of eight that follow each other
}

// Prepare makes what all planes share.
func (w *Window3x3) Prepare() {
	for b := 0; b < w.Cols; b += 16 {
		m := w.mask(b, 16)
		w.masks = append(w.masks, m[:]...)
	}
	w.prepareVectors()
}

// mask says of the n columns from b on what each of three taps reads, and which outputs there are.
func (w *Window3x3) mask(b, n int) (m [4]uint16) {
	for l := range min(n, w.Cols-b) {
		m[3] |= 1 << l
		for v := range 3 {
			if at := w.Col + b + l + v; at >= 0 && at < w.InCols {
				m[v] |= 1 << l
			}
		}
	}
	return m
}

// HasDepthwise reports whether this machine has vectors for it: the twin is for tests.
func HasDepthwise() bool { return hasDepthwise() }

// check panics if an element is outside its slice: assembly does not check.
func (w *Window3x3) check(z, x int) {
	if w.Rows > 0 && w.Cols > 0 && ((w.Rows-1)*w.ZStride+w.Cols > z || (w.InRows-1)*w.XStride+w.InCols > x) {
		panic("simd: a plane is too short")
	}
}

// Depthwise3x3F32 sets z to the convolution of x with taps: each sum begins at zero and adds the taps in order, by FMA;
// rows outside the input are left out.
func Depthwise3x3F32(z, x []float32, taps *[9]float32, w *Window3x3) {
	w.check(len(z), len(x))
	if w.Rows > 0 && w.Cols > 0 && len(x) > 0 && depthwise3x3(z, x, taps, w) {
		return
	}
	depthwise3x3Generic(z, x, taps, w)
}

func depthwise3x3Generic(z, x []float32, taps *[9]float32, w *Window3x3) {
	for r := range w.Rows {
		for c := range w.Cols {
			z[r*w.ZStride+c] = w.sum(x, taps, r, c)
		}
	}
}

// sum is one element of the convolution.
func (w *Window3x3) sum(x []float32, taps *[9]float32, r, c int) (s float32) {
	for u := range 3 {
		if i := w.Row + r + u; uint(i) < uint(w.InRows) {
			for v := range 3 {
				s = fma(w.at(x, i, w.Col+c+v), taps[u*3+v], s)
			}
		}
	}
	return s
}

// at is element (i, j) of a row that exists, or zero outside the row.
func (w *Window3x3) at(x []float32, i, j int) float32 {
	if uint(j) >= uint(w.InCols) {
		return 0
	}
	return x[i*w.XStride+j]
}

// Correlate3x3F32 adds to sums, for each tap and each of 16 columns, the products of the cotangent g and what the tap
// reads: row by row of the input, by FMA. Add the 16 to get the gradient of a tap.
func Correlate3x3F32(sums *[9][16]float32, g, x []float32, w *Window3x3) {
	w.check(len(g), len(x))
	if w.Rows > 0 && w.Cols > 0 && len(x) > 0 && correlate3x3(sums, g, x, w) {
		return
	}
	correlate3x3Generic(sums, g, x, w)
}

func correlate3x3Generic(sums *[9][16]float32, g, x []float32, w *Window3x3) {
	for i := range w.InRows {
		for c := range w.Cols {
			for u := range 3 {
				if r := i - w.Row - u; uint(r) < uint(w.Rows) {
					for v := range 3 {
						s := &sums[u*3+v][c%16]
						*s = fma(w.at(x, i, w.Col+c+v), g[r*w.ZStride+c], *s)
					}
				}
			}
		}
	}
}
