package lucid

import (
	"fmt"
	"strings"
	"sync"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/format"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
)

// PrintOptions say how tensors print; see SetPrintOptions.
type PrintOptions struct {
	Precision int   // digits after the point
	Threshold int   // more elements than this are summarised
	EdgeItems int   // elements shown at each end of a summarised dimension
	LineWidth int   // columns after which lines break
	SciMode   *bool // scientific notation: nil decides by the values
}

var printing = struct {
	sync.RWMutex
	o PrintOptions
}{o: PrintOptions(format.Default())}

// SetPrintOptions changes how tensors print and returns the options before. Start from GetPrintOptions: a zero is a
// value like any other.
func SetPrintOptions(o PrintOptions) PrintOptions {
	printing.Lock()
	defer printing.Unlock()
	old := printing.o
	printing.o = o
	return old
}

// GetPrintOptions returns how tensors print.
func GetPrintOptions() PrintOptions {
	printing.RLock()
	defer printing.RUnlock()
	return printing.o
}

// String evaluates the tensor and prints it as PyTorch does. Inside a traced function it shows dtype and shape.
func (t *Tensor) String() string {
	if t == nil {
		return "tensor(nil)"
	}
	n := t.array().Raw()
	if n == nil {
		return "tensor(freed)"
	}
	n = acquire(t)
	defer release(n)
	if n.Trace() != nil {
		return fmt.Sprintf("tensor(%v, shape=%v, traced)", n.DType(), n.Shape())
	}
	return t.format(n, GetPrintOptions())
}

func (t *Tensor) format(n *graph.Node, o PrintOptions) string {
	v, err := exec.HostView(scope.Current().Context(), n)
	if err != nil {
		return fmt.Sprintf("tensor(%v, shape=%v, error: %v)", n.DType(), n.Shape(), err)
	}
	dims, strides, off := n.Shape().Dims(), v.Strides(), v.Offset()
	get := func(i int) dtype.Scalar {
		at := off
		for d := len(dims) - 1; d >= 0; d-- {
			at += i % dims[d] * strides[d]
			i /= dims[d]
		}
		return v.DType.Get(v.Buf.Mem, at)
	}
	var suffix []string
	if d := deviceOf(n); d != usualDevice() { // as in PyTorch: where it is not the one that goes without saying
		suffix = append(suffix, "device='"+d.String()+"'")
	}
	if n.Tape() {
		suffix = append(suffix, "requires_grad=True")
	}
	return format.Tensor(format.Options(o), n.DType(), dims, get, suffix)
}

// Format implements fmt.Formatter: %v and %s print the tensor, a precision (%.2f) sets the digits, %d shows dtype and
// shape alone.
func (t *Tensor) Format(f fmt.State, verb rune) {
	if t == nil {
		fmt.Fprint(f, "tensor(nil)")
		return
	}
	switch verb {
	case 'v', 's', 'f', 'g', 'e':
		p, ok := f.Precision()
		n := t.array().Raw()
		if !ok && verb != 'e' || n == nil || n.Trace() != nil {
			fmt.Fprint(f, t.String())
			return
		}
		o := GetPrintOptions()
		if ok {
			o.Precision = p
		}
		if verb != 'v' && verb != 's' && verb != 'g' {
			sci := verb == 'e'
			o.SciMode = &sci
		}
		n = acquire(t)
		defer release(n)
		fmt.Fprint(f, t.format(n, o))
	case 'd':
		fmt.Fprintf(f, "tensor(%v, shape=%v)", t.DType(), t.Shape())
	default:
		fmt.Fprintf(f, "%%!%c(tensor=%s)", verb, strings.ReplaceAll(t.String(), "\n", " "))
	}
}
