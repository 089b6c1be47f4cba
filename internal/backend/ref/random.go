package ref

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/threefry"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() {
	register(backend.Table{"random_bits": randomBits,
		"random_int": each(func(s *threefry.Stream, p []dtype.Scalar) dtype.Scalar {
			return dtype.Scalar{Kind: dtype.KindUint, I: int64(s.Below(uint64(p[0].I)))}
		}),
		"random_poisson": each(func(s *threefry.Stream, p []dtype.Scalar) dtype.Scalar {
			return float(s.Poisson(p[0].Float()))
		}),
		"random_binomial": each(func(s *threefry.Stream, p []dtype.Scalar) dtype.Scalar {
			return float(s.Binomial(p[0].Float(), p[1].Float()))
		}),
		"random_gamma": each(func(s *threefry.Stream, p []dtype.Scalar) dtype.Scalar {
			var g threefry.GammaSampler
			g.Set(p[0].Float())
			return float(g.Draw(s))
		}),
		"random_von_mises": each(func(s *threefry.Stream, p []dtype.Scalar) dtype.Scalar {
			var v threefry.VonMisesSampler
			v.Set(p[0].Float())
			return float(v.Draw(s))
		}),
		"random_dirichlet": randomDirichlet,
	})
}

func randomBits(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	keys := load(in[0])
	b := out[0].Bytes()
	n := len(b)
	if len(keys) > 2 {
		n = len(b) / (len(keys) / 2)
	}
	for i := 0; i+1 < len(keys); i += 2 {
		threefry.Fill(uint32(keys[i].I), uint32(keys[i+1].I), b[i/2*n:(i/2+1)*n])
	}
	return nil
}

// each draws every element from words of its own; elements are counted from 0 under each key.
func each(f func(s *threefry.Stream, p []dtype.Scalar) dtype.Scalar) backend.Kernel {
	return func(_ *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
		keys, res := load(in[0]), make([]dtype.Scalar, out[0].Numel())
		if len(res) == 0 {
			return nil
		}
		var params [][]dtype.Scalar
		for _, v := range in[1:] {
			params = append(params, load(v))
		}
		rows := len(keys) / 2
		n := len(res) / rows
		for i := range res {
			k := 2 * (i / n)
			s := threefry.Element(uint32(keys[k].I), uint32(keys[k+1].I), uint64(i%n))
			var p []dtype.Scalar
			for _, x := range params {
				p = append(p, x[i])
			}
			res[i] = f(&s, p)
		}
		store(out[0], res)
		return nil
	}
}

// randomDirichlet draws rows; elements are counted from 0 under each key.
func randomDirichlet(_ *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	keys, alpha := load(in[0]), load(in[1])
	if len(alpha) == 0 {
		return nil
	}
	res := make([]dtype.Scalar, len(alpha))
	k := in[1].Shape.Dim(-1)
	per := len(alpha) / (len(keys) / 2)
	row, conc := make([]float64, k), make([]float64, k)
	for at := 0; at < len(alpha); at += k {
		for i := range conc {
			conc[i] = alpha[at+i].Float()
		}
		w := 2 * (at / per)
		k0, k1, first := uint32(keys[w].I), uint32(keys[w+1].I), uint64(at%per)
		threefry.Dirichlet(row, conc, func(i int) threefry.Stream { return threefry.Element(k0, k1, first+uint64(i)) })
		for i, v := range row {
			res[at+i] = float(v)
		}
	}
	store(out[0], res)
	return nil
}
