package cublas

import (
	"cmp"
	"slices"
	"time"

	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
)

// tune takes the fastest algorithm by device events, on the operands at hand. All are run a few times; those close to the
// fastest then run longer, alternating: a few runs may have had a higher clock, and many in a row draw more power.
func (h *Handle) tune(l *plan, list []candidate, p Product, o Operands) error {
	if o.Residual == o.Z { // it is still to be added
		space, err := h.d.Alloc(p.Batch * p.M * p.Pitch * p.DType.Size())
		if err != nil {
			return err
		}
		defer func() { _ = h.d.Release(space) }()
		o.Z = space
	}
	w, err := h.watch()
	if err != nil {
		return err
	}
	defer w.close()
	tried, err := h.tryAll(w, l, list, o)
	if err != nil || len(tried) == 0 {
		return err
	}
	best, err := h.final(w, l, tried, o)
	l.algo = best
	return err
}

// trial is an algorithm and its shortest run, in milliseconds.
type trial struct {
	algo   algorithm
	number int // in the library's order
	ms     float64
}

// tryAll runs each algorithm a few times, within a time budget.
func (h *Handle) tryAll(w *watch, l *plan, list []candidate, o Operands) (tried []trial, err error) {
	const runs, patience = 3, 40 * time.Millisecond
	best, begin := 0.0, time.Now()
	for i := range list {
		if best > 0 && time.Since(begin) > patience {
			break
		}
		c := &list[i]
		if c.state != 0 || h.launch(h.d, l, &c.algo, o) != 0 { // the first run loads code
			continue
		}
		least := 0.0
		for range runs {
			ms, err := h.took(w, l, &c.algo, o, 1)
			if err != nil {
				return nil, err
			}
			if least == 0 || ms < least {
				least = ms
			}
			if best > 0 && least > 1.3*best || ms > 1 { // one long run is measurement enough
				break
			}
		}
		if best == 0 || least < best {
			best = least
		}
		tried = append(tried, trial{c.algo, i, least})
	}
	return tried, nil
}

// final chooses between the algorithms that came close to the fastest. Of equals it takes the one the library listed first.
func (h *Handle) final(w *watch, l *plan, tried []trial, o Operands) (algorithm, error) {
	const close, most, rounds, span, equal = 1.04, 4, 3, 1.0, 1.005
	best := slices.MinFunc(tried, func(a, b trial) int { return cmp.Compare(a.ms, b.ms) }).ms
	last := slices.DeleteFunc(tried, func(t trial) bool { return t.ms > close*best })
	slices.SortStableFunc(last, func(a, b trial) int { return cmp.Compare(a.ms, b.ms) })
	last = last[:min(most, len(last))]
	slices.SortFunc(last, func(a, b trial) int { return a.number - b.number })
	if len(last) == 1 {
		return last[0].algo, nil
	}
	runs := max(1, int(span/best))
	took := make([]float64, len(last))
	for range rounds {
		for i := range last {
			ms, err := h.took(w, l, &last[i].algo, o, runs)
			if err != nil {
				return last[0].algo, err
			}
			took[i] += ms
		}
	}
	at := 0
	for i := range last {
		if equal*took[i] < took[at] {
			at = i
		}
	}
	return last[at].algo, nil
}

// took returns the time of so many runs of an algorithm, in milliseconds.
func (h *Handle) took(w *watch, l *plan, a *algorithm, o Operands, runs int) (float64, error) {
	return w.took(runs, func() error {
		if s := h.launch(h.d, l, a, o); s != 0 {
			return failed(s, "timing a product")
		}
		return nil
	})
}

// watch times what runs between two events.
type watch [2]*driver.Event

func (h *Handle) watch() (*watch, error) {
	w := &watch{}
	for i := range w {
		e, err := h.d.NewEvent()
		if err != nil {
			w.close()
			return nil, err
		}
		w[i] = e
	}
	return w, nil
}

func (w *watch) close() {
	for _, e := range w {
		if e != nil {
			// A device that cannot free memory has failed for good; the next call that returns an error reports it.
			_ = e.Close()
		}
	}
}

// took returns the time of so many runs, in milliseconds.
func (w *watch) took(runs int, run func() error) (float64, error) {
	if err := w[0].Record(); err != nil {
		return 0, err
	}
	for range runs {
		if err := run(); err != nil {
			return 0, err
		}
	}
	if err := w[1].Record(); err != nil {
		return 0, err
	}
	if err := w[1].Wait(); err != nil {
		return 0, err
	}
	return w[1].Since(w[0])
}
