package nn

import (
	"sync/atomic"
	"unsafe"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/tree"
)

// Base makes a struct a module; embed it by value. It holds the training mode, the hooks and the
// parametrizations.
type Base struct {
	mode   lucid.GuardCell // 0: training, 1: evaluation
	hooks  hookCell
	formed formed
	seen   atomic.Pointer[instance] // by a walk over a model
}

// Module is a pointer to a struct that embeds Base.
type Module interface{ base() *Base }

// Layer is a module from one tensor to one.
type Layer interface {
	Module
	Forward(x *lucid.Tensor) *lucid.Tensor
}

func (b *Base) base() *Base { return b }

// Training reports whether the module is in training mode, as it is until Eval. A compiled function that asked is
// traced anew when the mode changes.
func (b *Base) Training() bool {
	if i := b.seen.Load(); i != nil {
		if w, ok := scope.Current().GuardCells.(tree.Watch); ok {
			if m := i.module(); m != nil {
				w.Module(m, unsafe.Pointer(b))
			}
		}
	}
	return b.mode.Load() == 0
}

func (b *Base) setTraining(on bool) {
	b.mode.SetReason("the training mode of a module changed")
	v := int64(1)
	if on {
		v = 0
	}
	b.mode.Store(v)
}

// Train puts m and all modules inside in training mode.
func Train(m Module) { SetTraining(m, true) }

// Eval puts m and all modules inside in evaluation mode.
func Eval(m Module) { SetTraining(m, false) }

// SetTraining sets the mode of m and all modules inside.
func SetTraining(m Module, on bool) {
	for _, c := range NamedModules(m) {
		c.base().setTraining(on)
	}
}

// Parameter makes t a parameter: a leaf that Backward leaves a gradient in.
func Parameter(t *lucid.Tensor) *lucid.Tensor { return t.Detach().Clone().RequiresGrad_(true) }

func refuse(kind error, op, format string, args ...any) {
	panic(lucid.Errorf(kind, op, format, args...))
}
