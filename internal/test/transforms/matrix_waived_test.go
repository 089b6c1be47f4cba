package transforms

// matrixWaived names the checks an op does not pass, as op/check or op/check/part of the case's name, and why that is right.
var matrixWaived = map[string]string{
	"histogram/gradient":                       "the edges follow the least and the largest value without a gradient, as in PyTorch",
	"histogram2d/gradient":                     "the edges follow the least and the largest value without a gradient, as in PyTorch",
	"embedding/gradient/padding_idx":           "by definition the padding row gets no gradient",
	"embedding/gradient/scale_grad":            "by definition the gradient is divided by how often a row was taken",
	"cosine_similarity/gradient/eps":           "PyTorch bounds the norms without telling the gradient, and its gradients are the law here",
	"cosine_similarity/second/eps":             "PyTorch bounds the norms without telling the gradient, and its gradients are the law here",
	"batch_norm/gradient/train":                "running statistics take up the batch without a gradient, as in PyTorch",
	"batch_norm_update_running_stats/gradient": "running statistics take up the batch without a gradient, as in PyTorch",
	"stop_gradient/gradient":                   "it is there to break the gradient",
	"standard_gamma_grad/second":               "it is a derivative by the concentration, of which at most two are computed",
	"dirichlet_grad/second":                    "it is a derivative by the concentrations, of which at most two are computed",

	"linalg_cholesky/gradient":          oneTriangle,
	"linalg_cholesky/second":            oneTriangle,
	"linalg_cholesky_ex/gradient":       oneTriangle,
	"linalg_cholesky_ex/second":         oneTriangle,
	"multivariate_normal/gradient":      oneTriangle,
	"multivariate_normal/second":        oneTriangle,
	"linalg_eigh/gradient":              oneTriangle,
	"linalg_eigh/second":                oneTriangle,
	"linalg_eigvalsh/gradient":          oneTriangle,
	"linalg_eigvalsh/second":            oneTriangle,
	"linalg_matrix_sqrth/gradient":      oneTriangle,
	"linalg_matrix_sqrth/second":        oneTriangle,
	"linalg_pinv/gradient/hermitian":    oneTriangle,
	"linalg_pinv/second/hermitian":      oneTriangle,
	"lobpcg/gradient":                   oneTriangle,
	"lobpcg/second":                     oneTriangle,
	"linalg_pinv/gradient/rtol|tensors": cutOff,
	"linalg_pinv/second/rtol|tensors":   cutOff,
	"linalg_ldl_factor/gradient":        "its factors are for ldl_solve, and have no gradient in PyTorch either",
	"linalg_ldl_factor_ex/gradient":     "its factors are for ldl_solve, and have no gradient in PyTorch either",
	"linalg_ldl_solve/gradient":         "the factors have no gradient, in PyTorch either",
	"geqrf/gradient":                    "its factors are for householder_product, and have no gradient in PyTorch either",
}

const oneTriangle = "one triangle is read, and the gradient is that of Hermitian matrices, as in PyTorch; package linalg checks it " +
	"for those"

const cutOff = "the derivative is that of matrices of this rank, as in PyTorch; small singular values are cut off here"

// matrixReads lists ops that read values to know their result's shape; inside VMap and Compile they are a typed error
// on inputs that have none there.
var matrixReads = map[string]string{
	"argwhere": "as many rows as there are nonzeros", "bincount": "as many bins as the largest value",
	"masked_select": "as many as the mask has", "nonzero": "as many rows as there are nonzeros",
	"one_hot":           "as many classes as the largest value",
	"repeat_interleave": "as many as the repeats add up to", "unique": "as many as differ", "unique_consecutive": "as many as differ",
}

// matrixRandom lists the ops that draw from the default generator.
var matrixRandom = map[string]bool{
	"bernoulli": true, "binomial": true, "multinomial": true, "normal": true, "poisson": true,
	"rand": true, "randint": true, "randn": true, "randperm": true,
	"dropout": true, "feature_dropout": true, "alpha_dropout": true, "feature_alpha_dropout": true, "drop_path": true, "drop_block": true,
	"uniform": true, "truncated_normal": true, "multivariate_normal": true, "gumbel": true, "laplace": true, "categorical": true,
	"permutation": true, "cauchy": true, "exponential": true, "geometric": true, "log_normal": true,
	"scaled_dot_product_attention_with_weights": true,
	"lobpcg": true, "svd_lowrank": true, "pca_lowrank": true,
}

// matrixFixed lists ops whose inputs may not be reordered: their order means something.
var matrixFixed = map[string]bool{"embedding_bag": true}

// matrixLike names ops that take the cases of another.
var matrixLike = map[string]string{
	"concat": "cat", "concatenate": "cat", "ger": "outer", "row_stack": "vstack",
	"view": "reshape", "linalg_multi_dot": "chain_matmul",
}
