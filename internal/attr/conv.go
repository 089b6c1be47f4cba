package attr

// Conv is a convolution over the dimensions behind batch and channels. Output y reads, for tap k, element
// y·Stride + k·KernelDilation - Low of the input, whose elements are InputDilation apart with zeros between and beyond
// them. Low and High are the zeros before and behind; negative ones crop. Flip reverses the kernel. Winograd allows a
// way with fewer products that loses accuracy. With Sums a convolution of a half type has the dtype of its sums, float32: a bias
// is added before the result is rounded, once.
type Conv struct {
	Stride, Low, High             Ints
	KernelDilation, InputDilation Ints
	Groups                        int
	Flip, Winograd, Sums          bool
}

// Size returns how many outputs dimension d has for an input of size x and a kernel of size k; below 0 is none.
func (c Conv) Size(d, x, k int) int {
	span := c.Span(d, x) + c.Low.At(d) + c.High.At(d) - (k-1)*c.KernelDilation.At(d) - 1
	if span < 0 {
		return 0
	}
	return span/c.Stride.At(d) + 1
}

// Span returns the size of the input with the zeros between its elements.
func (c Conv) Span(d, x int) int {
	if x == 0 {
		return 0
	}
	return (x-1)*c.InputDilation.At(d) + 1
}

// GatherMM says how many products a gather_mm makes.
type GatherMM struct{ Outs int }

// Block is a block format of quantized rows, by its number in GGUF files. Fast lets a product round activations to int8.
type Block struct {
	Type int
	Fast bool
}

// GatherBlock is Block for a stack of so many matrices.
type GatherBlock struct {
	Type  int
	Fast  bool
	Stack int
}
