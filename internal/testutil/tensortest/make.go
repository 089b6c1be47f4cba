package tensortest

import (
	"context"
	"math/rand/v2"
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/testutil/golden"
)

// Attrs are the attributes of a call by name.
type Attrs = map[string]any

// Uniform makes doubles between lo and hi, the same every time.
func Uniform(lo, hi float64, shape ...int) *lucid.Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	r := rand.New(rand.NewPCG(uint64(n), uint64(len(shape))))
	v := make([]float64, n)
	for i := range v {
		v[i] = lo + (hi-lo)*r.Float64()
	}
	return lucid.New(v, shape...)
}

// UniformInt makes integers from 0 to n-1, the same every time.
func UniformInt(n int, shape ...int) *lucid.Tensor {
	return Uniform(0, float64(n), shape...).Floor().To(lucid.Int64)
}

// RandomFloats makes n normal numbers, the same every time.
func RandomFloats(n int) []float32 {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// Golden makes a tensor of a golden file, on the CPU; that of nil is nil.
func Golden(g *golden.Tensor) *lucid.Tensor { return (*lucid.Tensor)(g.Array()) }

// OnDefault moves a tensor to the default device.
func OnDefault(t *lucid.Tensor) *lucid.Tensor {
	if t == nil || lucid.DefaultDevice() == lucid.CPU {
		return t
	}
	return t.To(lucid.DefaultDevice())
}

// Target is a device that tests run on, such as a fake one, which no name of a device finds.
type Target struct{ Dev *backend.Device }

// Put moves a tensor to the device.
func (d *Target) Put(t *lucid.Tensor) *lucid.Tensor {
	if d.Dev == cpu.Device {
		return t
	}
	n := (*graph.Array)(t).Acquire()
	defer n.Unref()
	return (*lucid.Tensor)(door.Wrap(ops.ToDevice(n, d.Dev)))
}

// Countdown is a context that is cancelled when it has been asked a number of times.
type Countdown struct {
	context.Context
	Left int
}

// Done returns a channel that stays open: only Err tells.
func (c *Countdown) Done() <-chan struct{} { return make(chan struct{}) }

// Err counts.
func (c *Countdown) Err() error {
	if c.Left--; c.Left < 0 {
		return context.Canceled
	}
	return nil
}

var schemas = sync.OnceValue(func() map[string]*lucid.Op {
	all := map[string]*lucid.Op{}
	for _, o := range lucid.Ops() {
		for _, name := range append([]string{o.Name}, o.Aliases...) {
			all[name] = &o
		}
	}
	return all
})

// Schema describes the op that Call finds under a name; nil if there is none.
func Schema(name string) *lucid.Op { return schemas()[name] }
