package transforms

import (
	"context"
	"math/rand/v2"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
)

// Transform makes an image of another. Random choices come from r alone.
type Transform func(r *rand.Rand, x *lucid.Tensor) *lucid.Tensor

func refuse(kind error, op, format string, args ...any) {
	panic(lucid.Errorf(kind, op, format, args...))
}

// Compose runs transforms one after the other.
func Compose(ts ...Transform) Transform {
	return func(r *rand.Rand, x *lucid.Tensor) *lucid.Tensor {
		for _, t := range ts {
			x = t(r, x)
		}
		return x
	}
}

// RandomApply runs a transform with probability p.
func RandomApply(p float64, t Transform) Transform {
	checkProbability("random_apply", p)
	return func(r *rand.Rand, x *lucid.Tensor) *lucid.Tensor {
		if r.Float64() < p {
			return t(r, x)
		}
		return x
	}
}

// RandomChoice runs one of the transforms.
func RandomChoice(ts ...Transform) Transform {
	if len(ts) == 0 {
		refuse(lucid.ErrValue, "random_choice", "there are no transforms to choose from")
	}
	return func(r *rand.Rand, x *lucid.Tensor) *lucid.Tensor { return ts[r.IntN(len(ts))](r, x) }
}

func checkProbability(op string, p float64) {
	if !(p >= 0 && p <= 1) {
		refuse(lucid.ErrValue, op, "a probability of %v; want 0 to 1", p)
	}
}

// NewDataset returns a dataset whose examples are those of d with a transform applied to one of their tensors, 0 being the first.
func NewDataset(d data.Dataset, field int, t Transform) data.Dataset {
	if field < 0 {
		refuse(lucid.ErrIndex, "transforms", "tensor %d of an example", field)
	}
	return &mapped{d, field, t}
}

type mapped struct {
	d     data.Dataset
	field int
	t     Transform
}

// Len returns the number of examples.
func (m *mapped) Len() int { return m.d.Len() }

// Get returns an example; outside of a loader its random numbers are new each time.
func (m *mapped) Get(i int) ([]*lucid.Tensor, error) { return m.GetContext(context.Background(), i) }

// GetContext returns an example.
func (m *mapped) GetContext(ctx context.Context, i int) (out []*lucid.Tensor, err error) {
	var x []*lucid.Tensor
	if c, ok := m.d.(data.ContextDataset); ok {
		x, err = c.GetContext(ctx, i)
	} else {
		x, err = m.d.Get(i)
	}
	if err != nil {
		return nil, err
	}
	if m.field >= len(x) {
		return nil, lucid.Errorf(lucid.ErrIndex, "map", "tensor %d of an example that has %d", m.field, len(x))
	}
	out = append(out, x...)
	err = lucid.Try(func() { out[m.field] = m.t(data.WorkerRand(ctx), x[m.field]) })
	return out, err
}
