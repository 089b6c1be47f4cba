package ref

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
)

func init() {
	register(backend.Table{"recurrent": recurrent, "recurrent_grad": recurrentGrad})
}

// numbersOf reads a view of floats.
func numbersOf(v backend.View) []float64 {
	x := load(v)
	out := make([]float64, len(x))
	for i, s := range x {
		out[i] = s.F
	}
	return out
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// times adds rows of x, m by k, times w to y, m by n: w is (k, n), or (n, k) if transposed.
func times(y, x, w []float64, m, k, n int, transposed bool) {
	for i := range m {
		for j := range n {
			for p := range k {
				at := p*n + j
				if transposed {
					at = j*k + p
				}
				y[i*n+j] += x[i*k+p] * w[at]
			}
		}
	}
}

// recurrent goes step by step; what it carries from one to the next is never rounded to the dtype of the results.
func recurrent(_ *backend.Ctx, at attr.Attr, out, in []backend.View) error {
	a := at.(attr.Recurrent)
	gx, w, state := numbersOf(in[0]), numbersOf(in[1]), numbersOf(in[2])
	g := a.Cell.Gates()
	h, p := in[1].Shape.Dim(0)/g, in[1].Shape.Dim(1)
	var memory, proj []float64
	bias := make([]float64, g*h)
	rest := in[3:]
	if a.Cell == attr.CellLSTM {
		memory, rest = numbersOf(rest[0]), rest[1:]
	}
	if a.Biased {
		bias, rest = numbersOf(rest[0]), rest[1:]
	}
	if a.Project {
		proj, rest = numbersOf(rest[0]), rest[1:]
	}
	n := in[0].Shape.Dim(0)
	if a.Input {
		x, wi, bi := gx, numbersOf(rest[0]), numbersOf(rest[1])
		gx = make([]float64, n*g*h)
		for i := range gx {
			gx[i] = bi[i%(g*h)]
		}
		times(gx, x, wi, n, in[0].Shape.Dim(1), g*h, true)
	}
	y, extra, gates := make([]float64, n*p), make([]float64, n*h), make([]float64, n*g*h)
	offsets := a.Offsets()
	for _, t := range a.Order() {
		rows := offsets[t+1] - offsets[t]
		s := make([]float64, rows*g*h)
		times(s, state, w, rows, p, g*h, true)
		next := make([]float64, rows*h)
		for i := range rows {
			for u := range h {
				row := offsets[t] + i
				x, r := gx[row*g*h:], func(q int) float64 { return s[i*g*h+q*h+u] + bias[q*h+u] }
				z, e := gates[row*g*h:], row*h+u
				switch a.Cell {
				case attr.CellLSTM:
					for q := range 4 {
						z[q*h+u] = sigmoid(x[q*h+u] + r(q))
					}
					z[2*h+u] = math.Tanh(x[2*h+u] + r(2))
					c := z[h+u]*memory[i*h+u] + z[u]*z[2*h+u]
					memory[i*h+u], extra[e] = c, c
					next[i*h+u] = z[3*h+u] * math.Tanh(c)
				case attr.CellGRU:
					z[u], z[h+u], extra[e] = sigmoid(x[u]+r(0)), sigmoid(x[h+u]+r(1)), r(2)
					z[2*h+u] = math.Tanh(x[2*h+u] + z[u]*extra[e])
					next[i*h+u] = z[2*h+u] + z[h+u]*(state[i*h+u]-z[2*h+u])
				case attr.CellReLU:
					next[i*h+u] = x[u] + r(0)
					if next[i*h+u] <= 0 { // a NaN stays
						next[i*h+u] = 0
					}
				default:
					next[i*h+u] = math.Tanh(x[u] + r(0))
				}
			}
		}
		if a.Project {
			clear(state[:rows*p])
			times(state, next, proj, rows, h, p, true)
			next = state[:rows*p]
		}
		copy(state, next)
		copy(y[offsets[t]*p:], next)
	}
	if len(out) == 2 {
		extra = memory // the last one alone
	}
	for i, x := range [][]float64{y, extra, gates}[:len(out)] {
		store(out[i], floats(x))
	}
	return nil
}

// recurrentGrad goes back over the steps.
func recurrentGrad(_ *backend.Ctx, at attr.Attr, out, in []backend.View) error {
	a := at.(attr.Recurrent)
	var x [][]float64
	for _, v := range in {
		x = append(x, numbersOf(v))
	}
	gates, w, g := x[0], x[1], a.Cell.Gates()
	h, p := in[1].Shape.Dim(0)/g, in[1].Shape.Dim(1)
	var c, start, y, proj, dc []float64
	dy := x[len(x)-1]
	if g > 1 {
		c, start, dy = x[2], x[3], x[4]
		rest := x[5:]
		if a.Cell == attr.CellGRU {
			y = rest[0]
		}
		if a.Project {
			proj, rest = rest[0], rest[1:]
		}
		if a.Memory {
			dc = rest[0]
		}
	}
	n, b, offsets, order := in[0].Shape.Dim(0), out[1].Shape.Dim(0), a.Offsets(), a.Order()
	dgates, extra := make([]float64, n*g*h), make([]float64, n*max(h, p))
	dh, dm := make([]float64, b*p), make([]float64, b*h)
	for k := len(order) - 1; k >= 0; k-- {
		t := order[k]
		rows := offsets[t+1] - offsets[t]
		// before is sequence i's value of the step before, from start or from all.
		before := func(i, u int, all []float64) float64 {
			if k > 0 && offsets[order[k-1]+1]-offsets[order[k-1]] > i {
				return all[(offsets[order[k-1]]+i)*h+u]
			}
			return start[i*h+u]
		}
		for i := range rows * p {
			dh[i] += dy[offsets[t]*p+i]
		}
		ds := dh
		if a.Project {
			copy(extra[offsets[t]*p:], dh[:rows*p])
			ds = make([]float64, rows*h)
			times(ds, dh, proj, rows, p, h, false)
		}
		back, past := make([]float64, rows*g*h), make([]float64, rows*p)
		for i := range rows {
			for u := range h {
				row, d := offsets[t]+i, ds[i*h+u]
				z, e := gates[row*g*h:], row*h+u
				of := func(q int) float64 { return z[q*h+u] }
				put := func(q int, v float64) { dgates[row*g*h+q*h+u], back[i*g*h+q*h+u] = v, v }
				switch a.Cell {
				case attr.CellLSTM:
					tc := math.Tanh(c[e])
					m := dm[i*h+u] + d*of(3)*(1-tc*tc)
					if dc != nil {
						m += dc[e]
					}
					put(0, m*of(2)*of(0)*(1-of(0)))
					put(1, m*before(i, u, c)*of(1)*(1-of(1)))
					put(2, m*of(0)*(1-of(2)*of(2)))
					put(3, d*tc*of(3)*(1-of(3)))
					dm[i*h+u] = m * of(1)
				case attr.CellGRU:
					dn := d * (1 - of(1)) * (1 - of(2)*of(2))
					put(0, dn*c[e]*of(0)*(1-of(0)))
					put(1, d*(before(i, u, y)-of(2))*of(1)*(1-of(1)))
					put(2, dn)
					extra[e] = dn * of(0)
					back[i*g*h+2*h+u] = extra[e]
					past[i*h+u] = d * of(1)
				case attr.CellReLU:
					if z[u] > 0 {
						put(0, d)
					}
				default:
					put(0, d*(1-z[u]*z[u]))
				}
			}
		}
		copy(dh, past)
		times(dh, back, w, rows, g*h, p, false)
	}
	results := [][]float64{dgates, dh, extra[:0], extra[:n*p]}
	switch a.Cell {
	case attr.CellLSTM:
		results[2] = dm
	case attr.CellGRU:
		results[2] = extra[:n*h]
	}
	for i, v := range out {
		store(v, floats(results[i]))
	}
	return nil
}
