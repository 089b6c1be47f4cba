package format

import "github.com/lucid-go/lucid/internal/dtype"

const prefix = "tensor("

// Tensor writes data of dtype d and the given shape. get gives element i in row-major order and is called once
// for each element shown.
//
// A size or dtype that the data does not tell is added by Tensor itself. suffix holds further parts, such as
// "requires_grad=True"; they follow the dtype, but for "device=…", which goes first.
func Tensor(o Options, d dtype.DType, shape []int, get func(i int) dtype.Scalar, suffix []string) string {
	o = o.clean()
	n := count(shape)
	out := append([]byte(nil), prefix...)
	if n == 0 {
		out = append(out, "[]"...)
	} else {
		out = data(out, o, d, shape, n, get)
	}
	out = appendParts(out, parts(o, d, shape, n == 0, suffix), o.LineWidth, len(prefix))
	return string(append(out, ')'))
}

// Scalar writes one number as it stands between the parentheses of a 0-d tensor.
func Scalar(o Options, s dtype.Scalar, d dtype.DType) string {
	return string(data(nil, o.clean(), d, nil, 1, func(int) dtype.Scalar { return s }))
}

// data appends the bracketed values to out, whose length is the column they start at.
func data(out []byte, o Options, d dtype.DType, shape []int, n int, get func(int) dtype.Scalar) []byte {
	shown := axes(shape, n > o.Threshold, o.EdgeItems)
	vals := gather(shown, shape, get)
	for i, s := range vals {
		vals[i] = conform(d, s)
	}
	l := layout{cells: newCells(o, d, vals), width: o.LineWidth, vals: vals, out: out}
	l.block(shown, len(out))
	return l.out
}
