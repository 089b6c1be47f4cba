package linalg_test

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/linalg"
)

func near(a, b *lucid.Tensor) bool {
	return lucid.AllClose(a, b, lucid.CloseOptions{RTol: new(1e-9), ATol: new(1e-9)})
}
func TestScratch(t *testing.T) {
	check := func(ok bool, f string, a ...any) {
		if !ok {
			t.Errorf(f, a...)
		}
	}
	lucid.Seed(7)
	a := lucid.With{DType: lucid.Float64}.Randn(3, 5, 5)
	b := lucid.With{DType: lucid.Float64}.Randn(3, 5, 2)
	spd := a.MatMul(lucid.MT(a)).Add(lucid.Eye(5).To(lucid.Float64))
	x := linalg.Solve(a, b)
	check(near(a.MatMul(x), b), "solve")
	q, r := linalg.QR(a)
	check(near(q.MatMul(r), a), "qr")
	u, s, vh := linalg.SVD(a)
	check(near(u.MatMul(lucid.DiagEmbed(s)).MatMul(vh), a), "svd")
	l := linalg.Cholesky(spd)
	check(near(l.MatMul(lucid.MT(l)), spd), "cholesky")
	w, v := linalg.Eigh(spd)
	check(near(v.MatMul(lucid.DiagEmbed(w)).MatMul(lucid.MT(v)), spd), "eigh")
	p, lo, up := linalg.LU(a)
	check(near(p.MatMul(lo).MatMul(up), a), "lu")
	check(near(linalg.Inv(a).MatMul(a), lucid.Eye(5).To(lucid.Float64).Expand(3, 5, 5)), "inv")
	sign, logdet := linalg.SlogDet(a)
	check(near(sign.Mul(logdet.Exp()), linalg.Det(a)), "slogdet")
	logAbsDet := func(a *lucid.Tensor) *lucid.Tensor { _, l := linalg.SlogDet(a); return l }
	grad := lucid.VMap(lucid.Grad(logAbsDet))
	check(near(grad(a), lucid.MT(linalg.Inv(a))), "gradient of slogdet")
	check(near(lucid.Compile(grad)(a), grad(a)), "compiled")
	err := lucid.GradCheck(func(in []*lucid.Tensor) []*lucid.Tensor {
		w, v := linalg.Eigh(in[0].Add(lucid.MT(in[0])))
		return []*lucid.Tensor{w, v.Abs()}
	}, []*lucid.Tensor{a})
	check(err == nil, "gradient of eigh %v", err)
	err = lucid.Try(func() { linalg.Inv(lucid.Zeros(2, 3)) })
	check(errors.Is(err, lucid.ErrShapeMismatch), "inv of no square: %v", err)
	err = lucid.Eval(linalg.Inv(lucid.Zeros(2, 2)))
	check(errors.Is(err, lucid.ErrSingular), "inv of a singular matrix: %v", err)
	t.Log(err)
	inverse, info := linalg.InvEx(lucid.Zeros(2, 2))
	check(lucid.Eval(inverse) == nil && info.Item() != 0, "inv_ex tells and does not fail")
}
