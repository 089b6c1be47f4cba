package doors

import (
	"fmt"
	"slices"
	"sort"
)

// families sort the ops by subject: the generated files are named after them. A key is a file of package ops.
var families = map[string][]string{
	"activation": {"activation", "activation_piecewise", "softmax"},
	"arithmetic": {"arithmetic", "divide", "integer", "blend", "pow", "elementwise"},
	"attention":  {"attention", "attention_weights", "rope"},
	"compare":    {"compare", "predicate"},
	"complex":    {"complex"},
	"conv":       {"conv_doors", "conv_general", "fold"},
	"create":     {"create", "full", "linspace", "tri_indices", "grid"},
	"cumulative": {"scan", "logcumsumexp", "cumextremum", "diff", "gradient"},
	"distance":   {"distance", "similarity"},
	"dropout":    {"dropout"},
	"einops":     {"einops"},
	"embedding":  {"embedding", "embedding_bag"},
	"fft":        {"fft", "fft_cosine", "fft_convolve", "stft"},
	"index":      {"index", "index_read", "index_write", "index_slices", "mask", "where", "dynamic_slice", "search", "subscript_write"},
	"linalg": {"linalg_solve", "linalg_factor", "linalg_spectral", "linalg_eig", "linalg_polar", "linalg_rank", "linalg_norm",
		"linalg_lowrank"},
	"loss":       {"loss", "loss_margin", "cross_entropy", "linear_cross_entropy", "ctc_loss"},
	"math":       {"unary", "transcendental", "logarithm", "round", "signs"},
	"matmul":     {"addmm", "matmul", "products", "products_more", "gather_mm", "einsum", "hadamard"},
	"norm":       {"batch_norm", "group_norm", "layer_norm", "norm_more"},
	"pool":       {"pool", "pool_avg"},
	"random":     {"random", "random_more", "random_multivariate", "random_named", "random_categorical", "normal"},
	"recurrent":  {"recurrent", "recurrent_cell"},
	"reduce":     {"reduce", "extrema", "extremum", "moments", "logsumexp", "nan_reduce", "norm", "truth", "segment"},
	"shape":      {"view", "dims", "join", "split", "repeat", "strided", "diagonal", "pad", "move"},
	"solver":     {"diffeq"},
	"sort":       {"sort", "median", "quantile", "unique"},
	"special":    {"bessel", "gamma", "incomplete", "polynomial"},
	"statistics": {"cov", "histogram"},
	"vision":     {"grid_sample", "interpolate", "shuffle", "named"},
	"windows":    {"window", "window_exp"},
	"graph":      {"depends"},
}

// familyOf is the subject of a file of package ops.
func familyOf(file string) (string, error) {
	for f, files := range families {
		if slices.Contains(files, file) {
			return f, nil
		}
	}
	return "", fmt.Errorf("%s.go belongs to no family; add it to one in internal/gen/doors/families.go", file)
}

func familyNames() (names []string) {
	for f := range families {
		names = append(names, f)
	}
	sort.Strings(names)
	return names
}
