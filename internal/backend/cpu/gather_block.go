package cpu

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/ggml"
)

func init() { register(backend.Table{"gather_block_matmul": gatherBlock}) }

// gatherBlock multiplies all rows that go to the same matrix together, one matrix after the other. Matrices without rows are not read.
// Rows get the bits they get alone, as in block_matmul.
func gatherBlock(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	const op = "gather_block_matmul"
	x, err := denseF32(c, in[0])
	if err != nil {
		return err
	}
	b := a.(attr.GatherBlock)
	all, err := blockRowsOf(c, ggml.Type(b.Type), in[1])
	if err != nil {
		return err
	}
	l, err := positions(op, in[2], in[0].Shape.Dim(0))
	if err != nil {
		return err
	}
	r, err := positions(op, in[3], b.Stack)
	if err != nil {
		return err
	}
	z, k, n := backend.Slice[float32](out[0]), all.elems, all.rows/b.Stack
	order, starts := sortBy(r, b.Stack)
	rows, free := borrow[float32](len(order) * (k + n))
	defer free()
	for e := range b.Stack {
		items := order[starts[e]:starts[e+1]]
		if len(items) == 0 {
			continue
		}
		w := all
		w.rows, w.at = n, e*n*all.bytes
		w.data = all.data[w.at:][:n*all.bytes]
		xs, ys := rows[:len(items)*k], rows[len(items)*k:][:len(items)*n]
		for i, t := range items {
			copy(xs[i*k:(i+1)*k], x[int(l[t])*k:])
		}
		if err := w.matmul(c, xs, len(items), ys, in[1], b.Fast); err != nil {
			return err
		}
		for i, t := range items {
			copy(z[t*n:(t+1)*n], ys[i*n:])
		}
	}
	return nil
}
