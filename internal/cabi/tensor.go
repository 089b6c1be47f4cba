package cabi

import (
	"context"
	"math/bits"
	"unsafe"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/shape"
)

// MaxRank is the most dimensions of a tensor.
const MaxRank = shape.MaxRank

// maxBytes bounds a value: more is a mistake of the caller, not a size.
const maxBytes = 1 << 46

// spec checks the dtype and shape of a caller.
func spec(op string, d dtype.DType, dims []int64) graph.Spec {
	if !d.Valid() {
		fault.Throw(fault.DType, op, "%d is no dtype", uint8(d))
	}
	if len(dims) > MaxRank {
		fault.Throw(fault.Shape, op, "%d dimensions; at most %d are possible", len(dims), MaxRank)
	}
	size, sizes := uint64(d.Size()), make([]int, len(dims))
	for i, n := range dims {
		hi, lo := bits.Mul64(size, uint64(max(n, 1)))
		if n < 0 || hi != 0 || lo > maxBytes {
			fault.Throw(fault.Shape, op, "shape %v of %v", dims, d)
		}
		size, sizes[i] = lo, int(n)
	}
	return graph.Spec{DType: d, Shape: shape.Of(op, sizes...)}
}

// Bytes is the size of a value of that dtype and shape.
func Bytes(d dtype.DType, dims []int64) (n int, err error) {
	err = Guard(func() error {
		s := spec("tensor", d, dims)
		n = s.Shape.Numel() * d.Size()
		return nil
	})
	return n, err
}

func store(b *mem.Buffer, s graph.Spec, lay *shape.Layout) Handle { return storeOn(cpu(), b, s, lay) }

func storeOn(d *backend.Device, b *mem.Buffer, s graph.Spec, lay *shape.Layout) Handle {
	n := graph.NewStoredView(b, s, d, lay)
	n.Ref()
	return tensors.put(n)
}

func cpu() *backend.Device {
	d, err := backend.Open("cpu", 0)
	if err != nil {
		fault.Rethrow("device", err)
	}
	return d
}

// Copy makes a tensor of a copy of row-major elements.
func Copy(d dtype.DType, dims []int64, data unsafe.Pointer, size int) (h Handle, err error) {
	const op = "tensor_copy"
	err = Guard(func() error {
		s := spec(op, d, dims)
		n := s.Shape.Numel() * d.Size()
		if size != n {
			fault.Throw(fault.Value, op, "%d bytes for %v%v; want %d", size, d, dims, n)
		}
		b, err := cpu().Pool.Get(op, max(n, 1))
		if err != nil {
			return err
		}
		b.Mem = b.Mem[:n]
		if n > 0 {
			copy(b.Mem, unsafe.Slice((*byte)(notNil(op, data)), n))
		}
		if d == dtype.Bool {
			for i, x := range b.Mem {
				if x > 1 {
					b.Mem[i] = 1 // kernels rely on 0 and 1
				}
			}
		}
		h = store(b, s, nil)
		return nil
	})
	return h, err
}

func notNil(op string, p unsafe.Pointer) unsafe.Pointer {
	if p == nil {
		fault.Throw(fault.Value, op, "the data is NULL")
	}
	return p
}

// Borrow makes a tensor of the caller's own elements, which stay until release is called; release may be nil. strides, in elements, may
// be nil for row-major order. Elements that are not aligned, and booleans other than 0 and 1, are copied, and released at once.
// If there is an error, release is not called.
func Borrow(d dtype.DType, dims, strides []int64, data unsafe.Pointer, release func()) (h Handle, err error) {
	const op = "tensor_borrow"
	err = Guard(func() error {
		s := spec(op, d, dims)
		lay, back, span := layout(op, s, strides)
		if span == 0 {
			h = store(mem.FromGo(make([]byte, 8)[:0]), s, nil)
			if release != nil {
				later(release)
			}
			return nil
		}
		size := d.Size()
		from := unsafe.Add(notNil(op, data), -back*size)
		raw := unsafe.Slice((*byte)(from), span*size)
		if uintptr(from)%uintptr(min(size, 8)) != 0 || d == dtype.Bool && hasOther(raw) {
			raw = alignedCopy(raw, d == dtype.Bool)
			h = store(mem.FromGo(raw), s, lay)
			if release != nil {
				later(release)
			}
			return nil
		}
		var done func()
		if release != nil {
			done = func() { later(release) }
		}
		h = store(mem.Lent(raw, done), s, lay)
		return nil
	})
	return h, err
}

// layout checks strides: back elements before the first one and span in all are reached. The layout is nil for row-major order.
func layout(op string, s graph.Spec, strides []int64) (lay *shape.Layout, back, span int) {
	n := s.Shape.Numel()
	if strides == nil || n == 0 {
		return nil, 0, n
	}
	lay = &shape.Layout{Strides: make([]int, len(strides))}
	front := 0
	for i, st := range strides {
		d := s.Shape.Dim(i)
		if d <= 1 {
			lay.Strides[i] = 1
			continue
		}
		hi, lo := bits.Mul64(uint64(d-1), uint64(max(st, -st)))
		if st < -maxBytes || st > maxBytes || hi != 0 || lo > maxBytes {
			fault.Throw(fault.Shape, op, "strides %v of shape %v", strides, s.Shape)
		}
		lay.Strides[i] = int(st)
		if st < 0 {
			back += int(lo)
		} else {
			front += int(lo)
		}
	}
	if span = back + front + 1; span > maxBytes/s.DType.Size() {
		fault.Throw(fault.Shape, op, "strides %v of shape %v", strides, s.Shape)
	}
	if lay.Offset = back; back == 0 && lay.IsContiguous(s.Shape) {
		return nil, 0, n
	}
	return lay, back, span
}

func hasOther(b []byte) bool {
	for _, x := range b {
		if x > 1 {
			return true
		}
	}
	return false
}

func alignedCopy(b []byte, truth bool) []byte {
	w := make([]uint64, (len(b)+7)/8)
	c := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), len(b))
	copy(c, b)
	if truth {
		for i, x := range c {
			c[i] = min(x, 1)
		}
	}
	return c
}

// Info is what is known of a tensor without computing it.
type Info struct {
	DType  dtype.DType
	Shape  []int
	Device *backend.Device
}

// InfoOf describes a tensor.
func InfoOf(h Handle) (i Info, err error) {
	err = Guard(func() error {
		n := tensors.get("tensor_info", h)
		defer n.Unref()
		i = Info{DType: n.DType(), Shape: n.Shape().Dims(), Device: deviceOf(n)}
		return nil
	})
	return i, err
}

func deviceOf(n *graph.Node) *backend.Device {
	if d := n.Device(); d != nil {
		return d
	}
	return exec.DefaultDevice()
}

// Free lets a tensor go. A number that is none is left alone.
func Free(h Handle) {
	_ = Guard(func() error {
		tensors.drop(h)
		return nil
	})
}

// Retain makes another handle of a tensor.
func Retain(h Handle) (again Handle, err error) {
	err = Guard(func() error {
		again = tensors.put(tensors.get("tensor_retain", h))
		return nil
	})
	return again, err
}

// Eval computes tensors and waits for them.
func Eval(hs []Handle) error {
	return Guard(func() error {
		nodes := make([]*graph.Node, 0, len(hs))
		defer func() {
			for _, n := range nodes {
				n.Unref()
			}
		}()
		for _, h := range hs {
			nodes = append(nodes, tensors.get("tensor_eval", h))
		}
		return exec.Eval(context.Background(), nodes...)
	})
}

// Read computes a tensor and copies its elements out in row-major order; size is the room there.
func Read(h Handle, data unsafe.Pointer, size int) error {
	const op = "tensor_read"
	return Guard(func() error {
		n := tensors.get(op, h)
		defer func() { n.Unref() }()
		return read(op, &n, data, size)
	})
}

// read copies the elements of a node; the node may be replaced by one of the same value.
func read(op string, n **graph.Node, data unsafe.Pointer, size int) error {
	want := (*n).Shape().Numel() * (*n).DType().Size()
	if size < want {
		fault.Throw(fault.Value, op, "room for %d bytes; the tensor has %d", size, want)
	}
	v, err := contiguous(n)
	if err != nil || want == 0 {
		return err
	}
	copy(unsafe.Slice((*byte)(notNil(op, data)), want), v.Bytes())
	return nil
}

// contiguous computes a node, in host memory; it is replaced by a copy in row-major order if it is stored otherwise.
func contiguous(n **graph.Node) (backend.View, error) {
	v, err := exec.HostView(context.Background(), *n)
	if err == nil && !v.Contiguous() {
		c := ops.Contiguous(*n)
		c.Ref()
		(*n).Unref()
		*n = c
		v, err = exec.HostView(context.Background(), c)
	}
	return v, err
}

// Data computes a tensor and returns where its elements are in host memory, in row-major order. They stay until the tensor is freed.
func Data(h Handle) (p unsafe.Pointer, size int, err error) {
	const op = "tensor_data"
	err = Guard(func() error {
		n := tensors.get(op, h)
		defer func() { n.Unref() }()
		onHost(op, n)
		was := n
		v, err := contiguous(&n)
		if err != nil {
			return err
		}
		if n != was {
			n.Ref()
			tensors.replace(op, h, was, n)
		}
		size = v.Numel() * v.DType.Size()
		if size > 0 {
			p = unsafe.Pointer(unsafe.SliceData(v.Bytes()))
		}
		return nil
	})
	return p, size, err
}

func onHost(op string, n *graph.Node) {
	if d := deviceOf(n); !d.Host {
		fault.Throw(fault.Device, op, "the tensor is on %v, whose memory the host cannot read; bring it to the cpu first", d)
	}
}

// Elements is a computed tensor as another program sees it.
type Elements struct {
	DType          dtype.DType
	Shape, Strides []int          // strides in elements
	Data           unsafe.Pointer // in host memory
	Device         *backend.Device
	At             uintptr // in memory of a device that the host cannot read
	Handle         Handle  // holds the elements until it is freed
}

// Lend computes a tensor and shows where its elements are, without a copy, in whatever layout they have.
func Lend(h Handle) (e Elements, err error) {
	const op = "tensor_to_dlpack"
	err = Guard(func() error {
		n := tensors.get(op, h)
		defer func() { n.Unref() }()
		if d := deviceOf(n); !d.Host {
			var err error
			e, err = lendOn(op, d, &n)
			return err
		}
		v, err := exec.HostView(context.Background(), n)
		if err != nil {
			return err
		}
		e = Elements{DType: v.DType, Shape: v.Shape.Dims(), Strides: v.Strides(), Device: deviceOf(n)}
		if len(v.Buf.Mem) > 0 {
			e.Data = unsafe.Pointer(&v.Buf.Mem[v.Offset()*v.DType.Size()])
		}
		n.Ref()
		e.Handle = tensors.put(n)
		return nil
	})
	return e, err
}

// To returns a tensor on a device, where it may be already.
func To(h Handle, typ string, index int) (out Handle, err error) {
	err = Guard(func() error {
		dev, err := backend.Open(typ, index)
		if err != nil {
			return err
		}
		n := tensors.get("tensor_to", h)
		if deviceOf(n) != dev {
			m := ops.ToDevice(n, dev)
			m.Ref()
			n.Unref()
			n = m
		}
		out = tensors.put(n)
		return nil
	})
	return out, err
}

// Stats returns the memory statistics of a device.
func Stats(typ string, index int) (s lucid.Stats, err error) {
	err = Guard(func() error {
		s = lucid.MemoryStats(lucid.Device{Type: typ, Index: index})
		return nil
	})
	return s, err
}
