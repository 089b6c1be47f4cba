package cabi

import (
	"context"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
)

// loaded is a function, and the weights it shares with those of the same file.
type loaded struct {
	f *lucid.Function
	w *weights
}

// weights are freed with the last function of a file that has a handle or runs.
type weights struct {
	users atomic.Int64
	list  []*lucid.Tensor
}

func (w *weights) drop() {
	if w.users.Add(-1) == 0 {
		for _, t := range w.list {
			t.Free()
		}
	}
}

var functions struct {
	sync.RWMutex
	last  Handle
	table map[Handle]loaded
}

// putFunction gives a function a handle. w is nil for the first one of a file.
func putFunction(f *lucid.Function, w *weights) Handle {
	if w == nil {
		w = &weights{list: f.Weights()}
	}
	w.users.Add(1)
	functions.Lock()
	defer functions.Unlock()
	if functions.table == nil {
		functions.table = map[Handle]loaded{}
	}
	functions.last++
	functions.table[functions.last] = loaded{f, w}
	return functions.last
}

// function finds a function; its weights stay until the caller drops them.
func function(op string, h Handle) loaded {
	functions.RLock()
	defer functions.RUnlock()
	f, ok := functions.table[h]
	if !ok {
		fault.Throw(fault.Freed, op, "%#x is no function, or one that was freed", uint64(h))
	}
	f.w.users.Add(1)
	return f
}

// Load reads an exported function from a file.
func Load(path string) (h Handle, err error) {
	err = Guard(func() error {
		f, err := lucid.Import(path)
		if err == nil {
			h = putFunction(f, nil)
		}
		return err
	})
	return h, err
}

// LoadBytes reads an exported function from memory.
func LoadBytes(b []byte) (h Handle, err error) {
	err = Guard(func() error {
		f := new(lucid.Function)
		err := f.UnmarshalBinary(b)
		if err == nil {
			h = putFunction(f, nil)
		}
		return err
	})
	return h, err
}

// Named returns the functions of one name.
func Named(h Handle, name string) (part Handle, err error) {
	err = Guard(func() error {
		all := function("function_named", h)
		defer all.w.drop()
		f, err := all.f.Named(name)
		if err == nil {
			part = putFunction(f, all.w)
		}
		return err
	})
	return part, err
}

// FreeFunction lets a function go; calls of it that run still end. With the last one of a file its weights are freed.
func FreeFunction(h Handle) {
	functions.Lock()
	f, ok := functions.table[h]
	delete(functions.table, h)
	functions.Unlock()
	if ok {
		_ = Guard(func() error {
			f.w.drop()
			return nil
		})
	}
}

// Signatures lists what a file holds.
func Signatures(h Handle) (list []lucid.Signature, err error) {
	err = Guard(func() error {
		f := function("function_signature", h)
		defer f.w.drop()
		list = f.f.Signatures()
		return nil
	})
	return list, err
}

// CallFunction runs a function on tensors and writes the handles of its results into outs, which are computed.
func CallFunction(h Handle, in, outs []Handle) (n int, err error) {
	const op = "function_call"
	err = Guard(func() error {
		f := function(op, h)
		defer f.w.drop()
		args := make([]*graph.Array, 0, len(in))
		defer freeAll(&args)
		for _, t := range in {
			x := tensors.get(op, t)
			args = append(args, door.Unscoped(x))
			x.Unref()
		}
		results, err := run(f.f, args)
		defer freeAll(&results)
		if err != nil {
			return err
		}
		if n = len(results); n > len(outs) {
			fault.Throw(fault.Value, op, "it gives %d tensors; there is room for %d", n, len(outs))
		}
		for i, r := range results {
			outs[i] = tensors.put(r.Acquire())
		}
		return nil
	})
	return n, err
}

func freeAll(list *[]*graph.Array) {
	for _, a := range *list {
		a.Free()
	}
}

// run calls a function and computes its results.
func run(f *lucid.Function, args []*graph.Array) (results []*graph.Array, err error) {
	in := make([]*lucid.Tensor, len(args))
	for i, a := range args {
		in[i] = (*lucid.Tensor)(a)
	}
	outs, err := f.Call(in...)
	if err != nil {
		return nil, err
	}
	nodes := make([]*graph.Node, len(outs))
	for i, o := range outs {
		results = append(results, (*graph.Array)(o))
		nodes[i] = results[i].Raw()
	}
	return results, exec.Eval(context.Background(), nodes...)
}

// Buffer is a value in the caller's memory, row-major. Of a result, Size is the room; after the call, what the result has.
type Buffer struct {
	Data  unsafe.Pointer
	Size  int
	DType dtype.DType
	Shape []int64
}

// Run runs a function on values in the caller's memory, which is not copied and not used after the call, and writes the results to the
// caller's memory. It returns how many there are, and describes as many in outs as fit.
func Run(h Handle, in, outs []Buffer) (n int, err error) {
	const op = "function_run"
	err = Guard(func() error {
		f := function(op, h)
		defer f.w.drop()
		args := make([]*graph.Array, 0, len(in))
		defer freeAll(&args)
		for i := range in {
			args = append(args, argument(op, i, &in[i]))
		}
		results, err := run(f.f, args)
		defer freeAll(&results)
		if err != nil {
			return err
		}
		if n = len(results); n > len(outs) {
			fault.Throw(fault.Value, op, "it gives %d values; there is room for %d", n, len(outs))
		}
		short := -1
		for i, r := range results {
			x, o := r.Peek(), &outs[i]
			room := o.Size
			o.DType, o.Shape, o.Size = x.DType(), o.Shape[:0], x.Shape().Numel()*x.DType().Size()
			for _, d := range x.Shape().Dims() {
				o.Shape = append(o.Shape, int64(d))
			}
			if room < o.Size && short < 0 {
				short = i
			}
		}
		if short >= 0 {
			fault.Throw(fault.Value, op, "result %d has %d bytes, more than there is room for", short, outs[short].Size)
		}
		for i, r := range results {
			if err := copyOut(op, r, &outs[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

func copyOut(op string, r *graph.Array, o *Buffer) error {
	x := r.Acquire()
	defer func() { x.Unref() }()
	return read(op, &x, o.Data, o.Size)
}

// argument shows a value of the caller for the time of a call, on the default device.
func argument(op string, i int, b *Buffer) *graph.Array {
	s := spec(op, b.DType, b.Shape)
	n := s.Shape.Numel() * b.DType.Size()
	if b.Size != n {
		fault.Throw(fault.Value, op, "input %d has %d bytes; %v%v has %d", i, b.Size, b.DType, b.Shape, n)
	}
	buf := mem.FromGo(make([]byte, 8)[:0])
	if n > 0 {
		raw := unsafe.Slice((*byte)(notNil(op, b.Data)), n)
		if uintptr(b.Data)%uintptr(min(b.DType.Size(), 8)) != 0 || b.DType == dtype.Bool && hasOther(raw) {
			raw = alignedCopy(raw, b.DType == dtype.Bool)
		}
		buf = mem.FromGo(raw)
	}
	return door.Unscoped(toDefault(graph.NewStored(buf, s, cpu())))
}
