// Package utils has what training needs around modules: gradients are clipped, parameters become vectors and back,
// norms are folded into the layers before them.
package utils
