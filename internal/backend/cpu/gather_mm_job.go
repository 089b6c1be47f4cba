package cpu

import "github.com/lucid-go/lucid/internal/backend"

const (
	joinRows  = 16  // matrices with at most so many rows are joined as rows
	joinedMax = 64  // rows of a joined product
	joinCols  = 512 // and its columns
	joinInner = 64  // inner sizes below are joined
	innerMax  = 256
)

type gatherJob[T numbers] struct {
	mul     product[T]
	a, b    *stack[T]
	z       []T
	l, r, o []int64
}

func (g *gatherJob[T]) run(c *backend.Ctx, outs int, in []backend.View) (err error) {
	if len(g.z) == 0 {
		return nil
	}
	if g.l, err = positions("gather_mm", in[2], in[0].Shape.Dim(0)); err != nil {
		return err
	}
	if g.r, err = positions("gather_mm", in[3], in[1].Shape.Dim(0)); err != nil {
		return err
	}
	if g.o, err = positions("gather_mm", in[4], outs); err != nil {
		return err
	}
	order, starts := sortBy(g.o, outs)
	if rights := in[1].Shape.Dim(0); alone(order, starts) && g.a.rows <= joinRows && len(order) >= 2*rights {
		return g.byRight(c, rights)
	}
	return g.byOutput(c, outs, order, starts)
}

// byRight joins the rows of all products with one right matrix.
func (g *gatherJob[T]) byRight(c *backend.Ctx, rights int) error {
	m, k, n := g.a.rows, g.a.cols, g.b.cols
	order, starts := sortBy(g.r, rights)
	type part struct{ from, to, col int }
	var parts []part
	each := max(1, joinedMax/m)
	for r := range rights {
		for t := starts[r]; t < starts[r+1]; t += each {
			for col := 0; col < n; col += joinCols {
				parts = append(parts, part{t, min(t+each, starts[r+1]), col})
			}
		}
	}
	return c.For(len(parts), func(i int) {
		p := parts[i]
		items, nc := order[p.from:p.to], min(joinCols, n-p.col)
		rows := len(items) * m
		buf, free := borrow[T](rows * (k + nc))
		defer free()
		x, y := buf[:rows*k], buf[rows*k:]
		for q, t := range items {
			copyMatrix(x[q*m*k:], k, 1, g.a.at(int(g.l[t])), g.a.rs, g.a.cs, m, k)
		}
		g.mul(rows, nc, k, x, k, 1, tail(g.b.at(int(g.r[items[0]])), p.col*g.b.cs), g.b.rs, g.b.cs, y, nc, false, nil)
		for q, t := range items {
			copyMatrix(g.z[int(g.o[t])*m*n+p.col:], n, 1, y[q*m*nc:], nc, 1, m, nc)
		}
	})
}

// byOutput sums the products of each output.
func (g *gatherJob[T]) byOutput(c *backend.Ctx, outs int, order, starts []int) error {
	m, k, n := g.a.rows, g.a.cols, g.b.cols
	perOut := m * n * max(k, 1) * max(1, len(order)/outs)
	if perOut >= productWork {
		var err error
		run := gemmRunner(c, &err)
		for o := range outs {
			if g.output(o, order[starts[o]:starts[o+1]], run); err != nil {
				return err
			}
		}
		return nil
	}
	each := max(1, productWork/perOut)
	return c.For((outs+each-1)/each, func(b int) {
		for o := b * each; o < min((b+1)*each, outs); o++ {
			g.output(o, order[starts[o]:starts[o+1]], nil)
		}
	})
}

// output computes one output from its products.
func (g *gatherJob[T]) output(o int, items []int, run func(int, func(int))) {
	m, k, n := g.a.rows, g.a.cols, g.b.cols
	z := g.z[o*m*n:][:m*n]
	if len(items) == 0 || k == 0 {
		clear(z)
		return
	}
	if len(items) == 1 || k >= joinInner {
		for i, t := range items {
			g.mul(m, n, k, g.a.at(int(g.l[t])), g.a.rs, g.a.cs, g.b.at(int(g.r[t])), g.b.rs, g.b.cs, z, n, i > 0, run)
		}
		return
	}
	each := innerMax / k
	buf, free := borrow[T](each * k * (m + n))
	defer free()
	x, y := buf[:each*k*m], buf[each*k*m:]
	for from := 0; from < len(items); from += each {
		part := items[from:min(from+each, len(items))]
		for q, t := range part {
			copyMatrix(x[q*k*m:], 1, m, g.a.at(int(g.l[t])), g.a.rs, g.a.cs, m, k)
			copyMatrix(y[q*k*n:], n, 1, g.b.at(int(g.r[t])), g.b.rs, g.b.cs, k, n)
		}
		g.mul(m, n, len(part)*k, x, 1, m, y, n, 1, z, n, from > 0, run)
	}
}

// copyMatrix copies rows by cols elements between strided matrices.
func copyMatrix[T any](z []T, zrs, zcs int, x []T, xrs, xcs, rows, cols int) {
	if rows > 1 && zrs == 1 { // copy along the contiguous side
		zrs, zcs, xrs, xcs, rows, cols = zcs, zrs, xcs, xrs, cols, rows
	}
	for i := range rows {
		to, from := z[i*zrs:], tail(x, i*xrs)
		if zcs == 1 && xcs == 1 {
			copy(to[:cols], from)
			continue
		}
		for j := range cols {
			to[j*zcs] = from[j*xcs]
		}
	}
}
