package quantize

import "github.com/lucid-go/lucid/internal/par"

// grid is the levels of one group.
type grid struct {
	f           Format
	scale, bias float32
}

// fit returns what is stored for the levels of a group.
func (f Format) fit(group []float32, round func(float32) float32) (scale, bias float32) {
	if f.Mode == Affine {
		scale, bias = f.affine(group)
		return round(scale), round(bias)
	}
	var scratch [4 * 8]uint32 // of at most 128 numbers of 8 bits
	return float32(f.quantizeFloats(group, scratch[:], 0)), 0
}

// nearest returns the level for a value, and the level's own value.
func (g grid) nearest(v float32) (level uint32, value float32) {
	x := float32(0)
	if g.scale != 0 {
		x = (v - g.bias) / g.scale
	}
	if g.f.Mode != Affine {
		if level = nearest4(x); g.f.Bits == 8 {
			level = uint32(ToE4M3(x))
		}
		return level, g.scale * g.f.float(level)
	}
	level = g.f.level(x)
	return level, g.scale*float32(level) + g.bias
}

// GPTQ is a matrix whose columns are quantized one after the other: the error of each is spread over those behind it, so that products
// with typical rows stay what they are. Scales are those of the matrix as it was.
type GPTQ struct {
	Format
	Rows, K        int
	Order          []int     // of columns: the first are those that count most
	W              []float32 // columns in that order; they change as others are quantized
	Packed         []uint32
	Scales, Biases []float32 // codes of scales, and no biases, for the modes of floats
}

// NewGPTQ begins with a matrix of rows of k numbers.
func NewGPTQ(f Format, w []float32, k int, order []int, round func(float32) float32) *GPTQ {
	rows := len(w) / k
	g := &GPTQ{Format: f, Rows: rows, K: k, Order: order, W: make([]float32, len(w)), Packed: make([]uint32, rows*f.Words(k)),
		Scales: make([]float32, rows*k/f.Group)}
	if f.Mode == Affine {
		g.Biases = make([]float32, len(g.Scales))
	}
	for i := range g.Scales {
		scale, bias := f.fit(w[i*f.Group:][:f.Group], round)
		if g.Scales[i] = scale; f.Mode == Affine {
			g.Biases[i] = bias
		}
	}
	for r := range rows {
		for i, column := range order {
			g.W[r*k+i] = w[r*k+column]
		}
	}
	return g
}

// levels are those of group i of all rows.
func (g *GPTQ) levels(i int) grid {
	if g.Mode == Affine {
		return grid{g.Format, g.Scales[i], g.Biases[i]}
	}
	return grid{g.Format, g.scale(byte(g.Scales[i])), 0}
}

// Columns quantizes the columns from one number to another in their order, and writes what each of them is off, divided by its own
// weight, to errors, (rows, columns). u is the upper Cholesky factor of the inverse of Σ x·xᵀ in that order. The caller subtracts errors
// times the rows of u from the columns behind.
func (g *GPTQ) Columns(from, to int, u []float64, errors []float32) {
	const each = 8 // rows in a block of work
	par.For((g.Rows+each-1)/each, func(b int) {
		for r := b * each; r < min((b+1)*each, g.Rows); r++ {
			g.row(r, from, to, u, errors[r*(to-from):][:to-from])
		}
	})
}

func (g *GPTQ) row(r, from, to int, u []float64, errors []float32) {
	w, groups := g.W[r*g.K:][:g.K], g.K/g.Group
	packed := g.Packed[r*g.Words(g.K):][:g.Words(g.K)]
	for i := from; i < to; i++ {
		column := g.Order[i]
		level, value := g.levels(r*groups + column/g.Group).nearest(w[i])
		g.put(packed, column, level)
		e := float64(w[i]-value) / u[i*g.K+i]
		for j, v := range u[i*g.K+i+1 : i*g.K+to] {
			w[i+1+j] -= float32(e * v)
		}
		errors[i-from] = float32(e)
	}
}
