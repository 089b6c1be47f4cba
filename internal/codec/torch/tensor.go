package torch

import (
	"math/bits"
	"slices"
	"strconv"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// storage is an array of a file that tensors show parts of.
type storage struct {
	key    string
	dtype  dtype.DType // Uint8 of untyped ones
	bytes  int64       // as the pickle says; the file is asked when they are read
	offset int64       // into the storage that the file has, for views of the old format
}

// tensor is a part of a storage.
type tensor struct {
	s      *storage
	dtype  dtype.DType
	offset int64 // bytes
	shape  []int
	stride []int // elements
}

// meaning is what a name of a pickle stands for. call is nil for a name that is a value.
type meaning struct {
	dtype dtype.DType // of a storage, or a dtype
	call  func(f *File, g global, args tuple) any
}

var globals map[global]meaning

func init() { // not an initialiser: the functions refer to the table
	globals = map[global]meaning{
		"collections.OrderedDict":             {call: newDict},
		"torch._utils._rebuild_tensor":        {call: (*File).rebuild},
		"torch._utils._rebuild_tensor_v2":     {call: (*File).rebuild},
		"torch._utils._rebuild_tensor_v3":     {call: (*File).rebuildTyped},
		"torch._utils._rebuild_parameter":     {call: rebuildParameter},
		"torch.Size":                          {call: newSize},
		"torch.device":                        {call: func(_ *File, g global, args tuple) any { return note("torch.device") }},
		"torch.storage.UntypedStorage":        {dtype: dtype.Uint8},
		"torch.UntypedStorage":                {dtype: dtype.Uint8},
		"torch.serialization._get_layout":     {call: strided},
		"torch._tensor._rebuild_from_type_v2": {call: fromType},
		"torch.Tensor":                        {},
		"torch.nn.parameter.Parameter":        {},
	}
	for name, d := range map[string]dtype.DType{"Float": dtype.Float32, "Double": dtype.Float64, "Half": dtype.Float16,
		"BFloat16": dtype.BFloat16, "Long": dtype.Int64, "Int": dtype.Int32, "Short": dtype.Int16, "Char": dtype.Int8, "Byte": dtype.Uint8,
		"Bool": dtype.Bool, "ComplexFloat": dtype.Complex64, "ComplexDouble": dtype.Complex128} {
		globals[global("torch."+name+"Storage")] = meaning{dtype: d}
	}
	for _, d := range dtype.All() {
		globals[global("torch."+d.String())] = meaning{dtype: d}
	}
}

func newDict(_ *File, _ global, args tuple) any {
	d := &dict{}
	if len(args) == 0 {
		return d
	}
	pairs, ok := args[0].(*list)
	if !ok || len(args) != 1 {
		refuse("the pickle makes an OrderedDict of %s", kindOf(args[0]))
	}
	for _, p := range pairs.items { // as Python 2 wrote them
		switch p := p.(type) {
		case tuple:
			if len(p) != 2 {
				refuse("an OrderedDict has an entry of %d values", len(p))
			}
			d.set(p[0], p[1])
		case *list:
			if len(p.items) != 2 {
				refuse("an OrderedDict has an entry of %d values", len(p.items))
			}
			d.set(p.items[0], p.items[1])
		default:
			refuse("an OrderedDict has %s as an entry", kindOf(p))
		}
	}
	return d
}

func newSize(_ *File, g global, args tuple) any {
	if len(args) == 1 {
		if t, ok := args[0].(tuple); ok {
			return t
		}
	}
	refuse("%s of %d values; want a tuple", g, len(args))
	return nil
}

func strided(_ *File, g global, args tuple) any {
	if len(args) != 1 || args[0] != "torch.strided" {
		fault.Throw(fault.NotImplemented, op, "a tensor whose layout is not strided")
	}
	return note("torch.strided")
}

// fromType is a tensor with attributes, which are not needed.
func fromType(f *File, g global, args tuple) any {
	if len(args) == 4 {
		inner, ok := args[0].(global)
		kind, is := args[1].(global)
		if list, isTuple := args[2].(tuple); ok && is && isTuple && (kind == "torch.Tensor" || kind == "torch.nn.parameter.Parameter") &&
			inner != g && globals[inner].call != nil {
			if t, ok := globals[inner].call(f, inner, list).(*tensor); ok {
				return t
			}
		}
	}
	refuse("%s makes no tensor", g)
	return nil
}

func rebuildParameter(_ *File, g global, args tuple) any {
	if len(args) > 0 {
		if t, ok := args[0].(*tensor); ok {
			return t
		}
	}
	refuse("%s without a tensor", g)
	return nil
}

// storage finds or makes the storage that a persistent id names.
func (f *File) storage(id any) *storage {
	t, ok := id.(tuple)
	if !ok || len(t) < 5 || len(t) > 6 || t[0] != "storage" {
		fault.Throw(fault.NotImplemented, op, "the pickle refers to something outside that is no storage")
	}
	g, ok := t[1].(global)
	d := globals[g].dtype
	key, isText := t[2].(string)
	n, isNumber := t[4].(int64)
	if !ok || d == dtype.Invalid || !isText || !isNumber || n < 0 || n > f.size {
		refuse("a storage of %v with %v elements", t[1], t[4])
	}
	s := &storage{key: key, dtype: d, bytes: n * int64(d.Size())}
	if len(t) == 6 && t[5] != nil { // a view of another storage
		v, ok := t[5].(tuple)
		if !ok || len(v) != 3 {
			refuse("the storage %.40q is a view of %s", key, kindOf(t[5]))
		}
		at, ok := v[1].(int64)
		size, is := v[2].(int64)
		if !ok || !is || at < 0 || size < 0 || size > n || at > n-size {
			refuse("the storage %.40q has a view at %v of %v elements, outside its %d", key, v[1], v[2], n)
		}
		s.offset, s.bytes = at*int64(d.Size()), size*int64(d.Size())
	}
	c := claim{n * int64(d.Size()), int64(d.Size())}
	if was, there := f.claims[key]; there && was != c {
		refuse("the storage %.40q has %d bytes, and %d elsewhere", key, was.bytes, c.bytes)
	}
	f.claims[key] = c
	return s
}

// claim is what a pickle says of a storage, which must be the same wherever it is named.
type claim struct{ bytes, element int64 }

// rebuild is a tensor of a typed storage.
func (f *File) rebuild(g global, args tuple) any {
	if len(args) < 4 {
		refuse("%s of %d values; want a storage, an offset, sizes and strides", g, len(args))
	}
	s, ok := args[0].(*storage)
	if !ok {
		refuse("%s of %s; want a storage", g, kindOf(args[0]))
	}
	if len(args) > 6 {
		refuseBits(args[6])
	}
	return f.view(g, s, s.dtype, args)
}

// refuseBits refuses a tensor that is the conjugate or the negative of what its storage has, as PyTorch notes behind the other arguments.
func refuseBits(notes any) {
	d, _ := notes.(*dict)
	if d == nil {
		return
	}
	for i, key := range d.keys {
		if (key == "conj" || key == "neg") && d.values[i] == true {
			fault.Throw(fault.NotImplemented, op,
				"a tensor with PyTorch's %v bit, which is not what its storage has; save x.resolve_conj().resolve_neg()", key)
		}
	}
}

// rebuildTyped is a tensor of an untyped storage.
func (f *File) rebuildTyped(g global, args tuple) any {
	if len(args) < 7 {
		refuse("%s of %d values; want 7", g, len(args))
	}
	s, ok := args[0].(*storage)
	name, is := args[6].(global)
	d := globals[name].dtype
	if !ok || !is || d == dtype.Invalid {
		refuse("%s of %s with dtype %s", g, kindOf(args[0]), kindOf(args[6]))
	}
	if len(args) > 7 {
		refuseBits(args[7])
	}
	return f.view(g, s, d, args)
}

func (f *File) view(g global, s *storage, d dtype.DType, args tuple) *tensor {
	offset, ok := args[1].(int64)
	shape, isShape := wholes(args[2])
	stride, isStride := wholes(args[3])
	if !ok || !isShape || !isStride || len(shape) != len(stride) || len(shape) > codec.MaxRank {
		refuse("%s: offset %v, sizes %v, strides %v", g, args[1], args[2], args[3])
	}
	t := &tensor{s: s, dtype: d, shape: shape, stride: stride}
	size := int64(d.Size())
	empty := slices.Contains(shape, 0) // of which PyTorch keeps the offset, wherever it was cut from
	if _, fits := codec.Bytes(d, shape); !fits || offset < 0 || offset > s.bytes/size && !empty {
		refuse("%s: sizes %v at element %d of a storage of %d bytes", g, shape, offset, s.bytes)
	}
	if empty {
		return t
	}
	t.offset = offset * size
	last := uint64(0) // element, from the offset
	for i, n := range shape {
		hi, lo := bits.Mul64(uint64(n-1), uint64(stride[i]))
		var carry uint64
		if last, carry = bits.Add64(last, lo, 0); hi|carry != 0 {
			refuse("%s: sizes %v with strides %v overflow", g, shape, stride)
		}
	}
	if room := uint64((s.bytes - t.offset) / size); last >= room {
		refuse("%s: sizes %v with strides %v from element %d reach past the end of a storage of %d bytes", g, shape, stride, offset,
			s.bytes)
	}
	return t
}

// wholes reads sizes or strides.
func wholes(v any) (out []int, ok bool) {
	t, ok := v.(tuple)
	if !ok {
		return nil, false
	}
	for _, x := range t {
		n, is := x.(int64)
		if !is || n < 0 || int64(int(n)) != n {
			return nil, false
		}
		out = append(out, int(n))
	}
	return out, true
}

// contiguous reports whether elements are in row-major order without gaps.
func (t *tensor) contiguous() bool {
	want := 1
	for i := len(t.shape) - 1; i >= 0; i-- {
		if t.shape[i] != 1 && t.stride[i] != want {
			return false
		}
		want *= max(t.shape[i], 1)
	}
	return true
}

// gather copies the elements of a strided tensor out of the bytes of its storage.
func (t *tensor) gather(dst, src []byte) {
	w := t.dtype.Size()
	at := make([]int, len(t.shape))
	from := int(t.offset)
	for to := 0; to < len(dst); to += w {
		copy(dst[to:to+w], src[from:])
		for i := len(at) - 1; i >= 0; i-- {
			from += t.stride[i] * w
			if at[i]++; at[i] < t.shape[i] {
				break
			}
			from -= at[i] * t.stride[i] * w
			at[i] = 0
		}
	}
}

// walk lists the tensors of a value by name, and its numbers and texts as metadata. Names inside are joined by dots.
func (f *File) walk(name string, v any, depth int) {
	if f.visited++; f.visited > 4*f.lim.MaxTensors {
		refuse("the file has more than %d values", 4*f.lim.MaxTensors)
	}
	if depth > f.lim.MaxDepth {
		refuse("the file has values inside of values more than %d deep, or one inside of itself", f.lim.MaxDepth)
	}
	inside := func(key string) string {
		if name == "" {
			return key
		}
		return name + "." + key
	}
	items := func(list []any) {
		for i, x := range list {
			f.walk(inside(strconv.Itoa(i)), x, depth+1)
		}
	}
	switch v := v.(type) {
	case *tensor:
		f.add(name, v)
	case *dict:
		for i, key := range v.keys {
			text, ok := key.(string)
			if n, is := key.(int64); is && !ok {
				text = strconv.FormatInt(n, 10)
			}
			f.walk(inside(text), v.values[i], depth+1)
		}
	case *list:
		items(v.items)
	case tuple:
		items(v)
	case *storage:
		fault.Throw(fault.NotImplemented, op, "%q is a storage without a tensor", name)
	default:
		f.describe(name, v)
	}
}
