package lucid

// matrixWaived names the checks an op does not meet, as op/check, and why that is right.
var matrixWaived = map[string]string{}

// matrixReads lists ops that read values to know their result's shape; inside VMap and Compile they are a typed error
// on inputs that have none there.
var matrixReads = map[string]string{}

// matrixRandom lists the ops that draw from the default generator.
var matrixRandom = map[string]bool{
	"bernoulli": true, "binomial": true, "multinomial": true, "normal": true, "poisson": true,
	"rand": true, "randint": true, "randn": true, "randperm": true, "rrelu": true,
}

// matrixFixed lists ops whose inputs may not be turned round: their order means something.
var matrixFixed = map[string]bool{"embedding_bag": true}

// matrixLike names ops that take the cases of another.
var matrixLike = map[string]string{
	"clamp_max": "maximum", "clamp_min": "minimum", "concat": "cat", "concatenate": "cat", "ger": "outer", "row_stack": "vstack",
	"view": "reshape", "matrix_transpose": "adjoint", "linalg_multi_dot": "chain_matmul", "vecdot": "linalg_cross",
}
