package transforms

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	"github.com/lucid-go/lucid/linalg"
)

// handLinalg has the factorisations whose vectors are determined up to a phase, which the golden files leave out.
func handLinalg(add adder) {
	a := tensortest.Uniform(-1, 1, 3, 3)
	batch := tensortest.Uniform(-1, 1, 2, 3, 3)
	spread := lucid.Diag(lucid.New([]float64{1, 3, 6}, 3))
	for _, x := range []*lucid.Tensor{a.Add(spread), batch.Add(spread)} {
		sym := x.MatMul(lucid.MT(x))
		add("linalg_eigh", nil, sym)
		add("linalg_eigh", tensortest.Attrs{"UPLO": "U"}, sym)
		add("linalg_svd", nil, x)
		add("linalg_svd", tensortest.Attrs{"full_matrices": false}, x)
		add("linalg_eig", nil, sym)
		add("linalg_eigvals", nil, x)
		add("linalg_polar", nil, x)
		add("linalg_polar", tensortest.Attrs{"left": true}, x)
		add("linalg_matrix_sqrth", nil, sym)
		add("linalg_tri_inv", nil, x)
		add("linalg_tri_inv", tensortest.Attrs{"upper": true}, x)
		add("triangular_solve", nil, a, x)
		add("triangular_solve", tensortest.Attrs{"upper": false, "transpose": true, "unitriangular": true}, a, x)
		l := linalg.Cholesky(sym)
		add("cholesky_inverse", nil, l)
		add("cholesky_solve", nil, x, l)
	}
	add("linalg_svd", tensortest.Attrs{"full_matrices": false}, tensortest.Uniform(-1, 1, 4, 2))
	add("linalg_lstsq", tensortest.Attrs{"driver": "gels"}, tensortest.Uniform(-1, 1, 4, 2), tensortest.Uniform(-1, 1, 4, 3))
	add("linalg_lstsq", nil, tensortest.Uniform(-1, 1, 4, 2), tensortest.Uniform(-1, 1, 4))
	add("linalg_cond", tensortest.Attrs{"p": 1}, a.Add(spread))
	add("linalg_cond", tensortest.Attrs{"p": "fro"}, a.Add(spread))
	low := tensortest.Uniform(-1, 1, 5, 4)
	add("svd_lowrank", tensortest.Attrs{"q": 2}, low)
	add("pca_lowrank", tensortest.Attrs{"q": 2}, low)
	b := tensortest.Uniform(-1, 1, 4, 4)
	add("lobpcg", tensortest.Attrs{"niter": 2}, b.MatMul(b.T()).Add(lucid.Eye(4).To(lucid.Float64)))
}
