package lucid

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/par"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
)

// With makes tensors with a dtype or on a device of choice: With{DType: Int32}.Zeros(2, 3). The zero value means the
// defaults.
type With struct {
	DType        DType
	Device       Device
	RequiresGrad bool
	Generator    *Generator // of random numbers; nil: the default one
}

// SetDefaultDType changes the dtype of floats that name none.
func SetDefaultDType(d DType) { ops.SetDefaultFloat(d) }

// DefaultDType returns it.
func DefaultDType() DType { return ops.DefaultFloat() }

// dtypeOr returns the dtype wanted, or a default.
func (w With) dtypeOr(d DType) DType {
	if w.DType != dtype.Invalid {
		return w.DType
	}
	return d
}

// made makes a value of nothing on its device: made elsewhere and copied, a trace would repeat the copy in every replay.
func (w With) made(f func() *graph.Node) *Tensor {
	if w.Device.Type == "" || w.Device.open() == targetDevice() {
		return w.done(f())
	}
	var t *Tensor
	WithDevice(w.Device, func() { t = w.done(f()) })
	return t
}

// done moves a fresh value to its device and makes the handle.
func (w With) done(n *graph.Node) *Tensor {
	if w.Device.Type != "" {
		dev := w.Device.open()
		if n.Device() != dev {
			n = ops.ToDevice(n, dev)
		}
	}
	t := wrap(n)
	if w.RequiresGrad {
		t.RequiresGrad_(true)
	}
	return t
}

// hostDevice is where Go data arrives.
func hostDevice() *backend.Device {
	d, ok := scope.Current().Device.(*backend.Device)
	if !ok {
		d = defaultDevice.Load()
	}
	if d.Host {
		return d
	}
	return CPU.open()
}

// New copies Go data into a tensor of the given shape.
func New[T Element](data []T, shape ...int) *Tensor { return newTensor(data, true, shape) }

// FromSlice shows Go data as a tensor without copying; the data must not be changed while the tensor is in use. An
// []int is copied.
func FromSlice[T Element](data []T, shape ...int) *Tensor { return newTensor(data, false, shape) }

func newTensor[T Element](data []T, copied bool, dims []int) *Tensor {
	s := shape.Of("new", dims...)
	if s.Numel() != len(data) {
		fault.Throw(fault.Shape, "new", "%d elements do not fill the shape %v, which has %d", len(data), s, s.Numel())
	}
	d := dtype.Of[T]()
	var b *mem.Buffer
	switch v := any(data).(type) {
	case []int:
		w := make([]int64, len(v))
		for i, x := range v {
			w[i] = int64(x)
		}
		b = mem.FromGo(dtype.Bytes(w))
		b.ReadOnly = false
	default:
		raw := dtype.Bytes(data)
		if copied {
			var err error
			if b, err = hostDevice().Pool.Get("new", len(raw)); err != nil {
				throw("new", err)
			}
			par.Copy(b.Mem, raw)
		} else {
			b = mem.FromGo(raw)
		}
	}
	return wrap(stored("new", b, s, d))
}

// stored makes a value of host memory where creation goes now; a device with memory of its own gets its copy at once.
func stored(op string, b *mem.Buffer, s *shape.Shape, d DType) *graph.Node {
	spec, dev := graph.Spec{Shape: s, DType: d}, targetDevice()
	if dev.Transfer == nil {
		return graph.NewStored(b, spec, hostDevice())
	}
	to, err := dev.Pool.Get(op, b.Size)
	if err == nil {
		err = dev.Upload(to, b.Mem)
	}
	if err != nil {
		throw(op, err)
	}
	return graph.NewStored(to, spec, dev)
}

// targetDevice is where creation goes now.
func targetDevice() *backend.Device {
	if d, ok := scope.Current().Device.(*backend.Device); ok {
		return d
	}
	return defaultDevice.Load()
}

// Scalar makes a 0-d tensor of a Go number: ints are int64, floats the default float.
func Scalar(v any) *Tensor { return With{}.Scalar(v) }

// Scalar makes a 0-d tensor of a Go number.
func (w With) Scalar(v any) *Tensor {
	s, ok := dtype.ScalarOf(v)
	if !ok {
		fault.Throw(fault.DType, "scalar", "%T is no number or bool", v)
	}
	d := w.dtypeOr(s.DefaultDType(ops.DefaultFloat()))
	b := mem.FromGo(make([]byte, 16)[:d.Size()])
	b.ReadOnly = false
	d.Put(b.Mem, 0, s)
	return w.made(func() *graph.Node { return stored("scalar", b, shape.Scalar, d) })
}
