package ref

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

func init() {
	register(backend.Table{"attention": attention, "attention_grad": attentionGrad, "paged_attention": pagedAttention})
}

// attended holds the operands of an attention, and goes over the scores of its rows.
type attended struct {
	a                     attr.Attention
	n, h, g, l, s, e, f   int
	q, k, v               []dtype.Scalar
	mask                  []dtype.Scalar
	maskDims, maskStrides []int
	bools                 bool
}

func newAttended(a attr.Attr, q, k, v backend.View, mask []backend.View) *attended {
	dq, dk := q.Shape.Dims(), k.Shape.Dims()
	r := &attended{a: a.(attr.Attention), n: dq[0], h: dq[1], g: dk[1], l: dq[2], s: dk[2], e: dq[3], f: v.Shape.Dim(3), q: load(q),
		k: load(k), v: load(v)}
	if len(mask) > 0 {
		m := mask[0]
		r.mask, r.maskDims, r.maskStrides, r.bools = load(m), m.Shape.Dims(), rowMajor(m.Shape), m.DType == dtype.Bool
	}
	return r
}

// each calls f for every row: its number, that of its stack of keys, and the scores, -Inf where a key takes no part.
func (r *attended) each(f func(row, keys int, score []float64)) {
	score := make([]float64, r.s)
	indices([]int{r.n, r.h, r.l}, func(at []int) {
		row, keys := (at[0]*r.h+at[1])*r.l+at[2], at[0]*r.g+at[1]*r.g/r.h
		for j := range score {
			x := 0.0
			for i := range r.e {
				x += r.q[row*r.e+i].F * r.k[(keys*r.s+j)*r.e+i].F
			}
			x *= r.a.Scale
			if r.mask != nil {
				m := 0
				for d, p := range []int{at[0], at[1], at[2], j} {
					if r.maskDims[d] > 1 {
						m += p * r.maskStrides[d]
					}
				}
				switch {
				case !r.bools:
					x += r.mask[m].F
				case !truth(r.mask[m]):
					x = math.Inf(-1)
				}
			}
			if r.a.Causal && j > at[2] {
				x = math.Inf(-1)
			}
			score[j] = x
		}
		f(row, keys, score)
	})
}

func attention(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	newAttended(a, in[0], in[1], in[2], in[3:]).run(out)
	return nil
}

// pagedAttention gathers keys and values first.
func pagedAttention(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	p := a.(attr.Paged)
	r := newAttended(attr.Attention{Scale: p.Scale}, in[0], in[1], in[2], in[4:])
	pool, table := r.s, load(in[3])
	r.s = in[4].Shape.Dim(3)
	gathered := func(x []dtype.Scalar, size int) (y []dtype.Scalar, err error) {
		for n := range r.n {
			for g := range r.g {
				for j := range r.s {
					at := int(table[n*in[3].Shape.Dim(1)+j/p.Block].I)
					if at < 0 || at >= pool/p.Block {
						return nil, fault.New(fault.Index, "paged_attention", "block %d of %d", at, pool/p.Block)
					}
					row := g*pool + at*p.Block + j%p.Block
					y = append(y, x[row*size:(row+1)*size]...)
				}
			}
		}
		return y, nil
	}
	var err error
	if r.k, err = gathered(r.k, r.e); err == nil {
		r.v, err = gathered(r.v, r.f)
	}
	if err == nil {
		r.run(out)
	}
	return err
}

// run computes all rows.
func (r *attended) run(out []backend.View) {
	y, sums := make([]dtype.Scalar, out[0].Numel()), make([]dtype.Scalar, out[1].Numel())
	r.each(func(row, keys int, score []float64) {
		m, sum := math.Inf(-1), 0.0
		for _, x := range score {
			m = math.Max(m, x)
		}
		if math.IsInf(m, -1) && (r.mask != nil || r.s == 0) {
			sums[row] = float(math.Inf(1))
			for i := range r.f {
				y[row*r.f+i] = float(0)
			}
			return
		}
		for _, x := range score {
			sum += math.Exp(x - m)
		}
		sums[row] = float(m + math.Log(sum))
		for i := range r.f {
			t := 0.0
			for j, x := range score {
				t += math.Exp(x-m) * r.v[(keys*r.s+j)*r.f+i].F
			}
			y[row*r.f+i] = float(t / sum)
		}
	})
	store(out[0], y)
	store(out[1], sums)
}

func attentionGrad(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	rest := in[6:]
	var shift []dtype.Scalar
	if a.(attr.Attention).Shifted {
		shift, rest = load(rest[0]), rest[1:]
	}
	r := newAttended(a, in[1], in[2], in[3], rest)
	g, lse, y := load(in[0]), load(in[4]), load(in[5])
	dq, dk, dv := make([]float64, len(r.q)), make([]float64, len(r.k)), make([]float64, len(r.v))
	r.each(func(row, keys int, score []float64) {
		sum := 0.0 // of the result times its cotangent
		for i := row * r.f; i < (row+1)*r.f; i++ {
			sum += g[i].F * y[i].F
		}
		if shift != nil {
			sum -= shift[row].F
		}
		for j, x := range score {
			p := math.Exp(x - lse[row].F)
			dp := -sum
			at := keys*r.s + j
			for i := range r.f {
				t := g[row*r.f+i].F
				dp += t * r.v[at*r.f+i].F
				dv[at*r.f+i] += p * t
			}
			ds := p * dp * r.a.Scale
			for i := range r.e {
				dq[row*r.e+i] += ds * r.k[at*r.e+i].F
				dk[at*r.e+i] += ds * r.q[row*r.e+i].F
			}
		}
	})
	for i, x := range [][]float64{dq, dk, dv} {
		y := make([]dtype.Scalar, len(x))
		for j, v := range x {
			y[j] = float(v)
		}
		store(out[i], y)
	}
	return nil
}
