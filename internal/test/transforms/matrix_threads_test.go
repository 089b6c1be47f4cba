package transforms

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// batchOf repeats the inputs of a case often enough that kernels cut their work, each example a little different.
func (c *matrixCase) batchOf(size int) []*lucid.Tensor {
	most := 1
	for _, x := range c.in {
		if x != nil {
			most = max(most, x.NumElement())
		}
	}
	n := max(3, size/most)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	out := make([]*lucid.Tensor, len(c.in))
	for i, x := range c.in {
		if x == nil {
			continue
		}
		y := x.Unsqueeze(0).Expand(append([]int{n}, x.Shape()...)...)
		if x.DType().IsInexact() {
			scale := make([]float64, n)
			for k := range scale {
				scale[k] = 1 - 0.01*r.Float64()
			}
			shape := append([]int{n}, make([]int, x.Dim())...)
			for k := range x.Dim() {
				shape[k+1] = 1
			}
			y = y.Mul(lucid.New(scale, shape...).To(x.DType()))
		}
		out[i] = y.Contiguous().Eval()
	}
	return out
}

// bits is the memory of the results of a batch and of the gradients of its differentiable inputs.
func (c *matrixCase) bits(batch []*lucid.Tensor) (s string, err error) {
	var args []*lucid.Tensor
	var where []int
	for i, x := range batch {
		if x != nil {
			args, where = append(args, x), append(where, i)
		}
	}
	f := lucid.VMap(func(ts []*lucid.Tensor) []*lucid.Tensor {
		in := make([]*lucid.Tensor, len(c.in))
		for k, i := range where {
			in[i] = ts[k]
		}
		return c.call(in)
	}, lucid.VMapOptions{Randomness: lucid.RandomDifferent})
	add := func(ts []*lucid.Tensor) {
		for _, t := range ts {
			s += tensortest.Bits(t)
		}
	}
	if e := lucid.Try(func() { c.seeded(func() { add(f(args)) }) }); e != nil {
		return "", e
	}
	if len(c.floats()) == 0 || tensortest.Schema(c.op) == nil {
		return s, nil
	}
	// Ops without a gradient say so; their values were compared.
	_ = lucid.Try(func() {
		c.seeded(func() {
			ys, g := lucid.VJPN(func(xs []*lucid.Tensor) []*lucid.Tensor { return inexact(f(xs)) }, args, onesLike(inexact(f(args))))
			add(ys)
			add(inexact(g))
		})
	})
	return s, nil
}

func inexact(ts []*lucid.Tensor) (out []*lucid.Tensor) {
	for _, t := range ts {
		if t != nil && t.DType().IsInexact() {
			out = append(out, t)
		}
	}
	return out
}

func onesLike(ts []*lucid.Tensor) (out []*lucid.Tensor) {
	for _, t := range ts {
		out = append(out, lucid.OnesLike(t))
	}
	return out
}

// TestSameBitsForAnyThreadsEveryOp: values and gradients of every op over a batch that kernels cut in blocks have the same
// bits for any number of threads.
func TestSameBitsForAnyThreadsEveryOp(t *testing.T) {
	size, every := 1<<17, 1
	if testing.Short() {
		every = 32
	}
	cases := matrixCases(t, false)
	old := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(old)
	ran := 0
	for i, op := range lucid.Ops() {
		if i%every != 0 || !op.Deterministic || matrixReads[op.Name] != "" {
			continue
		}
		var c *matrixCase
		for _, k := range cases[op.Name] { // the largest
			if len(k.in) > 0 && (c == nil || weight(k) > weight(c)) {
				c = k
			}
		}
		if c == nil || weight(c) == 0 {
			continue
		}
		batch := c.batchOf(size)
		runtime.GOMAXPROCS(1)
		want, err := c.bits(batch)
		if err != nil {
			continue // the matrix says which ops refuse batches, and why
		}
		ran++
		for _, n := range testutil.ThreadCounts() {
			runtime.GOMAXPROCS(n)
			if got, err := c.bits(batch); err != nil || got != want {
				t.Errorf("%s: GOMAXPROCS %d changes bits%s", c.name, n, fmt.Sprint(" ", err))
			}
		}
	}
	if want := 400 / every; ran < want {
		t.Errorf("only %d ops ran, want at least %d", ran, want)
	}
}

// weight is the number of elements of a case.
func weight(c *matrixCase) (n int) {
	for _, x := range c.in {
		if x != nil {
			n += x.NumElement()
		}
	}
	return n
}
