// Package lucid is a machine-learning framework: n-dimensional tensors that are computed lazily, functions that
// differentiate, vectorise and compile other functions, and PyTorch's way of training with them. It needs no cgo.
//
// Tensors are made from Go data (New, Of, FromSlice), filled (Zeros, Full, Arange, Rand) or read from files (Load, Open); With
// says their dtype and device. Ops are functions that take every option and methods in their common form: Sum(x, ReduceOptions{…})
// and x.Sum(-1). They record what is to be computed; Item, ToSlice, String and Eval compute it.
//
// Functions are sorted by subject, as the files they stand in are: arithmetic (Add, Pow, Clamp, Lerp), math (Exp, Sin, Round,
// Erf), compare (Eq, IsClose, LogicalAnd), complex (Real, Conj), reduce (Sum, Amax, Std, Norm), cumulative (CumSum, Diff), sort
// (Sort, TopK, Median, Quantile, Unique), shape (Reshape, Permute, Cat, Split, Flip, Diagonal), index (Gather, Scatter, Where,
// MaskedFill), matmul (MatMul, Einsum, Outer), statistics (Cov, Histc) and activation (Softmax). Everything with weights, windows
// and losses is in nn/functional; linalg, special, signal/windows and einops have their subjects. A reduction's method has a form
// that keeps dimensions: x.SumKeep(-1). Call runs any op by name.
//
// Gradients come from Grad and the other transforms of functions, or from RequiresGrad_ and Backward, as in PyTorch. Compile traces a
// function once and replays it, with the tensors it changes. Modules, losses and optimizers are in nn, nn/functional and optim.
//
// A mistake, such as shapes that do not fit, panics with *Error at the line that made it; Try gives it as an error. What depends on
// the world, such as memory and files, returns an error. Everything is safe for use by several goroutines.
package lucid
