// Package format writes n-d data as text, character for character as PyTorch
// prints a tensor: the same column widths, the same choice between plain and
// scientific notation, the same "..." and line breaks.
//
// It owns the look of printed values and the options that steer it. It knows
// nothing of tensors, graphs or devices: the caller hands it a dtype, a shape
// and a function that gives element i in row-major order, and that function is
// called once for each element shown and never for one left out.
//
//	x := []float32{1, 2.5, -3}
//	get := func(i int) dtype.Scalar { return dtype.Scalar{Kind: dtype.KindFloat, F: float64(x[i])} }
//	format.Tensor(format.Default(), dtype.Float32, []int{3}, get, nil)
//	// tensor([ 1.0000,  2.5000, -3.0000])
//
// A text is made in three steps: view.go picks the elements, column.go finds one
// notation and width for all of them, layout.go sets them in brackets.
//
// There is one difference from PyTorch: a dtype is named float64, not
// torch.float64. Lines still break where PyTorch breaks them, so its output with
// "torch." deleted is ours.
package format
