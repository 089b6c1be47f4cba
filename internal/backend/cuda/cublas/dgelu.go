package cublas

import "errors"

// errSlower is why a product is computed without its epilogue: timing says so.
var errSlower = errors.New("the product and a pass over memory are faster than this epilogue")

// dgeluPays reports whether a product with gelu's derivative as epilogue is faster than the plain product and an
// elementwise pass, which reads two matrices and writes one. Some of the library's kernels take three times as long as the
// plain product. A copy measures the memory's speed.
func (h *Handle) dgeluPays(l *plan, p Product, o Operands) (bool, error) {
	q := p
	q.Epilogue = Epilogue{}
	plain, err := h.plan(q, true, Operands{Z: o.Z, X: o.X, Y: o.Y})
	if err != nil {
		return false, err
	}
	h.plans[q] = plain
	var ms [3]float64
	for i, run := range []func() error{
		func() error { return h.asked(l, o) },
		func() error { return h.asked(plain, Operands{Z: o.Z, X: o.X, Y: o.Y}) },
		func() error { return h.d.Copy(o.Z, o.Aux, p.Batch*p.M*p.Pitch*p.DType.Size()) },
	} {
		if ms[i], err = h.least(run); err != nil {
			return false, err
		}
	}
	pass := 1.5 * ms[2]
	if p.Epilogue.BiasGradLater { // the column sums are a pass of their own
		pass -= 0.5 * ms[2]
	}
	return ms[0] < ms[1]+pass, nil
}

func (h *Handle) asked(l *plan, o Operands) error {
	if s := h.launch(h.d, l, &l.algo, o); s != 0 {
		return failed(s, "timing a product")
	}
	return nil
}

// least is the shortest of some runs in milliseconds, by device events.
func (h *Handle) least(run func() error) (least float64, err error) {
	w, err := h.watch()
	if err != nil {
		return 0, err
	}
	defer w.close()
	for i := range 4 {
		ms, err := w.took(1, run)
		if err != nil {
			return 0, err
		}
		if i == 1 || i > 1 && ms < least { // the first run loads code
			least = ms
		}
	}
	return least, nil
}
