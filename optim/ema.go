package optim

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// EMAOptions say how parameters are averaged: each update moves the average towards the parameters by 1-Decay (nil:
// Decay is 0.999), or, with Equal, to the mean of all updates.
type EMAOptions struct {
	Decay *float64 // share of the average that stays at an update; nil: 0.999
	Equal bool     // the mean of all updates instead
}

// EMA keeps a running average of parameters, which is often better than the last values. The first update copies.
type EMA struct {
	params, mean []*lucid.Tensor
	count        *lucid.Tensor // updates made, 0-d float64
	o            EMAOptions
}

// NewEMA returns it for parameters, and buffers if they are to be averaged too.
func NewEMA(params []*lucid.Tensor, o EMAOptions) *EMA {
	if len(params) == 0 {
		refuse(lucid.ErrValue, "ema", "there are no parameters")
	}
	within("ema", "Decay", door.Or(o.Decay, 0.999), 0, 1)
	e := &EMA{params: append([]*lucid.Tensor(nil), params...), count: scalarLike(params[0], 0), o: o}
	for i, p := range params {
		if !p.DType().IsFloat() {
			refuse(lucid.ErrDType, "ema", "tensor %d is %v; want a floating dtype", i, p.DType())
		}
		e.mean = append(e.mean, p.Detach().Clone())
	}
	return e
}

// Update moves the average on. It may be part of a compiled step; outside of one it starts one evaluation.
func (e *EMA) Update() { must(e.TryUpdate()) }

// TryUpdate is Update that returns the error.
func (e *EMA) TryUpdate() error {
	door.Untaped(func() {
		share := e.count.Mul(0).Add(1 - door.Or(e.o.Decay, 0.999))
		if e.o.Equal {
			share = e.count.Add(1).Reciprocal()
		}
		share = lucid.Where(e.count.Eq(0), 1, share)
		for i, m := range e.mean {
			p := e.params[i].Detach()
			m.Assign(lucid.Where(e.count.Eq(0), p, m.Add(p.Sub(m).Mul(share.To(m.DType())))))
		}
		e.count.Add_(1)
	})
	if inTrace(e.params[0]) {
		return nil
	}
	return lucid.EvalAsync(append([]*lucid.Tensor{e.count}, e.mean...)...)
}

// Mean returns the averages, in the order of the parameters.
func (e *EMA) Mean() []*lucid.Tensor { return append([]*lucid.Tensor(nil), e.mean...) }

// CopyTo makes the parameters show the averages.
func (e *EMA) CopyTo() {
	door.Untaped(func() {
		for i, p := range e.params {
			p.Assign(e.mean[i])
		}
	})
}

// With calls f while the parameters show the averages, and puts them back.
func (e *EMA) With(f func()) {
	old := make([]*lucid.Tensor, len(e.params))
	for i, p := range e.params {
		old[i] = p.Detach()
	}
	e.CopyTo()
	defer door.Untaped(func() {
		for i, p := range e.params {
			p.Assign(old[i])
		}
	})
	f()
}

// StateDict returns the averages and the number of updates.
func (e *EMA) StateDict() *lucid.StateDict {
	d := lucid.NewStateDict()
	d.Set("n_averaged", e.count.Detach())
	for i, m := range e.mean {
		d.Set(fmt.Sprintf("mean.%d", i), m.Detach())
	}
	return d
}

// LoadStateDict brings it back; if something does not fit it changes nothing.
func (e *EMA) LoadStateDict(d *lucid.StateDict) error {
	return lucid.Try(func() {
		get := func(name string, like *lucid.Tensor) *lucid.Tensor {
			t := d.Get(name)
			if t == nil {
				refuse(lucid.ErrFormat, "load_state_dict", "ema: the state has no %s", name)
			}
			if fmt.Sprint(t.Shape()) != fmt.Sprint(like.Shape()) {
				refuse(lucid.ErrShapeMismatch, "load_state_dict", "ema: %s has shape %v; want %v", name, t.Shape(), like.Shape())
			}
			return t
		}
		if d.Len() != len(e.mean)+1 {
			refuse(lucid.ErrFormat, "load_state_dict", "ema: the state has %d tensors; want %d", d.Len(), len(e.mean)+1)
		}
		list := make([]*lucid.Tensor, len(e.mean))
		for i, m := range e.mean {
			list[i] = get(fmt.Sprintf("mean.%d", i), m)
		}
		e.count.Assign(get("n_averaged", e.count))
		for i, m := range e.mean {
			m.Assign(list[i].To(m.Device()))
		}
	})
}
