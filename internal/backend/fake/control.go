package fake

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// controlRecorder records control flow whose value is read when the recording runs.
type controlRecorder struct{ f *Faults }

func (r controlRecorder) RecordsControl() bool { return true }

func (r controlRecorder) RecordBranch(c *backend.Ctx, which backend.View, parts []func(c *backend.Ctx) error) error {
	var lists [][]recorded
	for _, p := range parts {
		list, err := r.part(c, p)
		if err != nil {
			return err
		}
		lists = append(lists, list)
	}
	return take(c, nil, []backend.View{which}, func(c *backend.Ctx, _, in []backend.View) error {
		r.f.decided()
		return runAll(c, lists[max(0, min(number(in[0]), len(lists)-1))])
	})
}

func (r controlRecorder) RecordLoop(c *backend.Ctx, again backend.View, round func(c *backend.Ctx) error) error {
	list, err := r.part(c, round)
	if err != nil {
		return err
	}
	return take(c, nil, []backend.View{again}, func(c *backend.Ctx, _, in []backend.View) error {
		for r.f.decided(); number(in[0]) != 0; r.f.decided() {
			if err := runAll(c, list); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r controlRecorder) RecordRounds(c *backend.Ctx, n int, round func(c *backend.Ctx) error) error {
	list, err := r.part(c, round)
	if err != nil {
		return err
	}
	return take(c, nil, nil, func(c *backend.Ctx, _, _ []backend.View) error {
		for range n {
			if err := runAll(c, list); err != nil {
				return err
			}
		}
		return nil
	})
}

// part records the launches of a part.
func (r controlRecorder) part(c *backend.Ctx, show func(c *backend.Ctx) error) ([]recorded, error) {
	inner, ctx := &recorder{}, *c
	ctx.LaunchMode = inner
	err := show(&ctx)
	return inner.list, err
}

func runAll(c *backend.Ctx, list []recorded) error {
	for _, l := range list {
		if err := l.run(c); err != nil {
			return err
		}
	}
	return nil
}

// number reads a number of 0 dimensions.
func number(v backend.View) int {
	b := dtype.Slice[byte](v.Bytes())
	return int(v.DType.Get(b, 0).I)
}

// decided notes that a recording read what it decides by.
func (f *Faults) decided() {
	f.mu.Lock()
	f.decisions++
	f.mu.Unlock()
}

// Decisions returns how often recordings read what control flow decides by.
func (f *Faults) Decisions() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.decisions
}
