package cuda

import (
	"crypto/sha256"
	"fmt"
	"time"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/fault"
)

// CustomOp is the op of a user's kernel.
const CustomOp = "cuda_kernel"

// Custom is such a kernel, the attribute of its node.
type Custom struct {
	Name, Source string
	Binary       []byte // a cubin, fatbin or PTX instead of Source
	Options      []string
	// Launch gives the launch configuration for the operands, and the scalar arguments behind the pointers.
	Launch func(in, out []backend.View) (Launch, error)
}

// Kernel returns the kernel, also of a type that embeds it.
func (c *Custom) Kernel() *Custom { return c }

// Launch is a launch configuration.
type Launch struct {
	Blocks, Threads [3]int
	Shared          int
	Args            []any
}

func init() { register(map[string]kernel{CustomOp: runCustom}) }

// word8 is a scalar argument of eight bytes or less.
func word8(op string, v any) (unsafe.Pointer, error) {
	switch v := v.(type) {
	case int:
		n := int64(v)
		return unsafe.Pointer(&n), nil
	case int32:
		return unsafe.Pointer(&v), nil
	case int64:
		return unsafe.Pointer(&v), nil
	case uint32:
		return unsafe.Pointer(&v), nil
	case uint64:
		return unsafe.Pointer(&v), nil
	case float32:
		return unsafe.Pointer(&v), nil
	case float64:
		return unsafe.Pointer(&v), nil
	}
	return nil, fault.New(fault.Value, op, "an argument is a %T; want int (long long), int32, int64, uint32, uint64, float32 or float64", v)
}

// runCustom passes pointers to the inputs, then to the outputs, then the scalars.
func runCustom(d *call, a attr.Attr, out, in []backend.View) error {
	k := a.(interface{ Kernel() *Custom }).Kernel()
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	key := fmt.Sprintf("custom %q %s %s", k.Options, k.Name, k.Source)
	if k.Binary != nil {
		key = fmt.Sprintf("custom %s %x", k.Name, sha256.Sum256(k.Binary))
	}
	f, err := d.find(key, text{name: k.Name, source: func() string { return k.Source }, image: k.Binary, options: k.Options})
	if err != nil {
		return err
	}
	form, err := k.Launch(in, out)
	if err != nil {
		return err
	}
	var params []unsafe.Pointer
	for _, v := range append(append([]backend.View(nil), x.views...), out...) {
		p := address(v)
		params = append(params, unsafe.Pointer(&p))
	}
	for _, v := range form.Args {
		p, err := word8(k.Name, v)
		if err != nil {
			return err
		}
		params = append(params, p)
	}
	if d.mode == precompiling {
		return nil
	}
	begin := time.Now()
	if err := d.LaunchParams(f, form.Blocks, form.Threads, form.Shared, unsafe.SliceData(params)); err != nil {
		return err
	}
	if d.slow && d.mode == running {
		defer func() { d.spent("custom "+k.Name, begin) }()
		return d.Sync()
	}
	return nil
}
