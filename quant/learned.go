package quant

import (
	"cmp"
	"math"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/ops"
)

// GPTQOptions are those of GPTQ.
type GPTQOptions struct {
	Options         // the format
	Damping float64 // share of the mean of the diagonal that is added to it; 0: 0.01
}

// gptqColumns is how many columns are quantized before the others are updated, by one product.
const gptqColumns = 128

// GPTQ quantizes a matrix of (out, in) for rows x like those of a calibration: gram is Σ xᵀ·x over them, (in, in). Columns are rounded
// one after the other, those with the largest inputs first, and what a column is off is made up for by the next ones. The results are
// those of QuantizeGroups, with other levels: DequantizeGroups and MatMulGroups take them. The operands are evaluated.
func GPTQ(w, gram *lucid.Tensor, opts ...GPTQOptions) (packed, scales, biases *lucid.Tensor) {
	const op = "gptq"
	o := door.Option(op, opts)
	checkLearned(op, w)
	k := w.Size(1)
	if gram.Dim() != 2 || gram.Size(0) != k || gram.Size(1) != k {
		panic(lucid.Errorf(lucid.ErrShapeMismatch, op, "gram has the shape %v; want (%d, %d)", gram.Shape(), k, k))
	}
	switch {
	case o.Damping == 0:
		o.Damping = 0.01
	case !(o.Damping > 0) || math.IsInf(o.Damping, 0):
		panic(lucid.Errorf(lucid.ErrValue, op, "the damping %v; want a positive number", o.Damping))
	}
	lucid.NoGrad(func() {
		QuantizeGroups(w.Narrow(0, 0, 1), o.Options) // refuses a format that does not fit
		values := lucid.ToSlice[float32](w.Detach().To(lucid.CPU).To(lucid.Float32))
		h := gram.Detach().To(lucid.CPU).To(lucid.Float64)
		order := byDiagonal(h)
		columns := lucid.New(order, k)
		g := ops.NewGPTQ(op, o.op(), values, k, order, w.DType())
		factor := inverseFactor(op, h.IndexSelect(0, columns).IndexSelect(1, columns), o.Damping)
		u := lucid.ToSlice[float64](factor)
		for from := 0; from < k; from += gptqColumns {
			to := min(from+gptqColumns, k)
			errors := make([]float32, g.Rows*(to-from))
			g.Columns(from, to, u, errors)
			if to == k {
				break
			}
			rest := factor.Narrow(0, from, to-from).Narrow(1, to, k-to).To(lucid.Float32)
			update := lucid.ToSlice[float32](lucid.FromSlice(errors, g.Rows, to-from).MatMul(rest))
			for r := range g.Rows {
				row := g.W[r*k+to:][:k-to]
				for j, v := range update[r*(k-to):][:k-to] {
					row[j] -= v
				}
			}
		}
		on := lucid.With{Device: w.Device()}
		groups := k / g.Group
		packed = on.New(g.Packed, g.Rows, len(g.Packed)/g.Rows)
		if g.Biases != nil {
			scales = on.New(g.Scales, g.Rows, groups).To(w.DType())
			biases = on.New(g.Biases, g.Rows, groups).To(w.DType())
			return
		}
		codes := make([]byte, len(g.Scales))
		for i, v := range g.Scales {
			codes[i] = byte(v)
		}
		scales = on.New(codes, g.Rows, groups)
	})
	return packed, scales, biases
}

func checkLearned(op string, w *lucid.Tensor) {
	if !w.DType().IsFloat() || w.DType() == lucid.Float64 {
		panic(lucid.Errorf(lucid.ErrDType, op, "w is %v; want float32, bfloat16 or float16", w.DType()))
	}
	if w.Dim() != 2 || w.Size(0) == 0 {
		panic(lucid.Errorf(lucid.ErrShapeMismatch, op, "w has the shape %v; want a matrix with rows", w.Shape()))
	}
}

// byDiagonal lists columns by their diagonal elements, the largest first.
func byDiagonal(h *lucid.Tensor) []int {
	size := lucid.ToSlice[float64](h.Diagonal(0).Contiguous())
	order := make([]int, len(size))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size[b], size[a]) })
	return order
}

// inverseFactor is the upper Cholesky factor of the inverse of a matrix with some of its mean diagonal added.
func inverseFactor(op string, h *lucid.Tensor, damping float64) *lucid.Tensor {
	mean := h.Diagonal(0).Mean().Item()
	if !(mean >= 0) || math.IsInf(mean, 0) {
		panic(lucid.Errorf(lucid.ErrValue, op, "gram has a diagonal with the mean %v; want a sum of squares", mean))
	}
	if mean == 0 {
		mean = 1 // no typical rows: all columns count alike
	}
	h = h.Add(lucid.With{DType: lucid.Float64}.Eye(h.Size(0)).Mul(mean * damping))
	in, free := held(h)
	defer free()
	inverse := ops.CholeskyInverse(ops.Cholesky(in[0], ops.CholeskyOptions{}), ops.CholeskySolveOptions{})
	return wrap(ops.Cholesky(inverse, ops.CholeskyOptions{Upper: true})).Eval()
}

// AWQOptions are those of AWQ.
type AWQOptions struct {
	Options     // the format
	Steps   int // exponents that are tried between 0 and 1; 0: 20
}

// AWQ quantizes a matrix of (out, in) for rows like those of x, (rows, in), of a calibration. Columns that get large inputs are
// multiplied by more before they are rounded, so that they are off by less, and inputs are divided by the same: the product is
// MatMulGroups(x/divisor, packed, scales, biases). The divisor, of (in), is the power of the mean magnitude of inputs with the least
// error of the product on x.
func AWQ(w, x *lucid.Tensor, opts ...AWQOptions) (divisor, packed, scales, biases *lucid.Tensor) {
	const op = "awq"
	o := door.Option(op, opts)
	checkLearned(op, w)
	if x.Dim() != 2 || x.Size(1) != w.Size(1) || x.Size(0) == 0 {
		panic(lucid.Errorf(lucid.ErrShapeMismatch, op, "x has the shape %v; want rows of %d elements", x.Shape(), w.Size(1)))
	}
	switch {
	case o.Steps == 0:
		o.Steps = 20
	case o.Steps < 0:
		panic(lucid.Errorf(lucid.ErrValue, op, "%d steps; want a positive number", o.Steps))
	}
	lucid.NoGrad(func() {
		w, x := w.Detach(), x.Detach().To(lucid.Float32)
		wide := w.To(lucid.Float32)
		size := x.Abs().Mean(0).ClampMin(1e-4)
		least := math.Inf(1)
		for i := range o.Steps {
			s := size.Pow(float64(i) / float64(o.Steps))
			s = s.Div(s.Max().Mul(s.Min()).Sqrt()).Eval()
			p, q, b := QuantizeGroups(wide.Mul(s).To(w.DType()), o.Options)
			off := wide.Sub(DequantizeGroups(p, q, b, DequantizeOptions{o.Options, lucid.Float32}).Div(s))
			if e := x.MatMul(off.Transpose(0, 1)).Square().Mean().Item(); e < least || packed == nil {
				least, divisor, packed, scales, biases = e, s.To(w.DType()).Eval(), p.Eval(), q.Eval(), b
			}
		}
		if biases != nil {
			biases = biases.Eval()
		}
	})
	return divisor, packed, scales, biases
}
