package fft

// pairRoots are the roots between the steps, pairs by column j, by k.
func (g *long[T]) pairRoots() []T {
	g.once.Do(func() {
		g.pairs = make([]T, 2*g.n)
		for j := range g.b {
			for k := range g.a {
				at := 2 * (j*g.a + k)
				g.pairs[at], g.pairs[at+1] = g.root(j * k)
			}
		}
	})
	return g.pairs
}

// neighbours transforms long rows that are side by side in a tensor, with the arithmetic of one row: a row is a lane, so that the
// matrix need not be transposed. What is left of neighbours that are no whole vector are rows of their own.
func (g *long[T]) neighbours(run For, out, in []T, t tensor, sw swaps, stream bool, scale T) error {
	l := lanesOf[T]()
	tiles := t.inner / l
	_, buffer := g.sizes()
	pitch := 2*l*g.a + 2*l // columns do not all begin in the same set of the cache
	roots := g.pairRoots()
	err := eachGroup(run, t.outer*tiles, g.n, buffer+pitch*g.b, func(i int, x, y []T, yield func()) {
		at, matrix := 2*(i/tiles*g.n*t.inner+i%tiles*l), x[buffer:]
		for j := range g.b {
			source := end[T]{at: in[at+2*j*t.inner:], step: g.b * t.inner, pairs: true}
			z := g.pa.between(source, end[T]{}, x[:buffer], y[:buffer], swaps{in: sw.in}, 1, yield)
			mulLanes(l, matrix[j*pitch:], z, roots[2*g.a*j:], g.a, swaps{})
		}
		for k := range g.a {
			source := end[T]{at: matrix[2*l*k:], step: pitch / (2 * l)}
			to := end[T]{at: out[at+2*k*t.inner:], step: g.a * t.inner, pairs: true, stream: stream}
			g.pb.between(source, to, x[:buffer], y[:buffer], swaps{out: sw.out}, scale, yield)
		}
	})
	if rest := t.inner - tiles*l; rest > 0 && err == nil {
		err = run(t.outer*rest, func(r int) {
			_ = g.withRoom(true, func(rm room[T]) error { // it cannot fail
				row := lanes{stride: t.inner}
				row.off[0] = r/rest*g.n*t.inner + tiles*l + r%rest
				return g.run(inOrder, rm, out, in, &row, &row, sw, scale)
			})
		})
	}
	return err
}
