package ops

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
)

// naiveTensor is an index tensor of the naive implementation; a mask is made positions first.
type naiveTensor struct{ dims, data []int }

// naiveIndex lists the positions of a row-major tensor that indices name, in the order of the result, and its shape.
// An index is an int, a Range, a mark, or a *naiveTensor.
func naiveIndex(dims []int, indices []any) (shape, positions []int) {
	used, tensors := 0, false
	for _, ix := range indices {
		if ix != lucid.NewAxis && ix != lucid.Ellipsis {
			used++
		}
		_, ok := ix.(*naiveTensor)
		tensors = tensors || ok
	}
	rest := slices.Repeat([]any{lucid.Colon}, len(dims)-used)
	// Positions among the items, ellipsis taken as one separator.
	type dim struct {
		at   []int        // positions of a basic dimension
		t    *naiveTensor // or a tensor
		d    int          // dimension of x, -1: none
		slot int          // dimension of the result, for a basic one
	}
	var list []dim
	adv, order := [][]int{}, []int{}
	d, sep := 0, 0
	add := func(ix any) {
		switch v := ix.(type) {
		case int:
			if v < 0 {
				v += dims[d]
			}
			if tensors {
				list, order = append(list, dim{t: &naiveTensor{nil, []int{v}}, d: d}), append(order, sep)
				adv = append(adv, nil)
			} else {
				list = append(list, dim{t: &naiveTensor{nil, []int{v}}, d: d})
			}
			d++
		case *naiveTensor:
			list, order = append(list, dim{t: v, d: d}), append(order, sep)
			adv = append(adv, v.dims)
			d++
		case lucid.Range:
			sep++
			list = append(list, dim{at: naiveRange(v, dims[d]), d: d})
			d++
		default:
			sep++
			if ix == lucid.NewAxis {
				list = append(list, dim{at: []int{0}, d: -1})
				return
			}
			list = append(list, dim{at: naiveRange(lucid.Range{Stop: lucid.End}, dims[d]), d: d})
			d++
		}
	}
	seen := false
	for _, ix := range indices {
		if ix == lucid.Ellipsis {
			seen = true
			sep++
			for _, c := range rest {
				add(c)
			}
			continue
		}
		add(ix)
	}
	if !seen {
		for _, c := range rest {
			add(c)
		}
	}
	var common []int
	for _, a := range adv {
		common = naiveBroadcast(common, a)
	}
	front := len(order) > 0 && order[0] != order[len(order)-1]
	at := -1 // where the common dims go in the result
	if front {
		at = 0
		shape = append(shape, common...)
	}
	for i := range list {
		if list[i].t != nil {
			if at < 0 {
				at = len(shape)
				shape = append(shape, common...)
			}
			continue
		}
		list[i].slot = len(shape)
		shape = append(shape, len(list[i].at))
	}
	strides := make([]int, len(dims))
	n := 1
	for i := len(dims) - 1; i >= 0; i-- {
		strides[i] = n
		n *= dims[i]
	}
	naiveEach(shape, func(pos []int) {
		p := 0
		for _, l := range list {
			switch {
			case l.d < 0:
			case l.t == nil:
				p += l.at[pos[l.slot]] * strides[l.d]
			default:
				k, f := len(l.t.dims), 0
				for j, n := range l.t.dims {
					q := pos[at+len(common)-k+j]
					if n == 1 {
						q = 0
					}
					f = f*n + q
				}
				v := l.t.data[f]
				if v < 0 {
					v += dims[l.d]
				}
				p += v * strides[l.d]
			}
		}
		positions = append(positions, p)
	})
	return shape, positions
}

// naiveRange walks a range as Python's slice does.
func naiveRange(r lucid.Range, n int) []int {
	step, start, stop := r.Step, r.Start, r.Stop
	if step == 0 {
		step = 1
	}
	norm := func(p int) int {
		if p < 0 {
			p += n
		}
		return p
	}
	out := []int{}
	if step > 0 {
		start, stop = max(norm(start), 0), min(norm(stop), n)
		for i := start; i < stop; i += step {
			out = append(out, i)
		}
		return out
	}
	start = min(norm(start), n-1)
	if stop == lucid.End {
		stop = -1
	} else {
		stop = max(norm(stop), -1)
	}
	for i := start; i > stop; i += step {
		out = append(out, i)
	}
	return out
}

func naiveBroadcast(a, b []int) []int {
	for len(a) < len(b) {
		a = append([]int{1}, a...)
	}
	out := slices.Clone(a)
	for i := range b {
		if j := len(a) - len(b) + i; b[i] != 1 {
			out[j] = b[i]
		}
	}
	return out
}

func naiveEach(dims []int, f func(pos []int)) {
	pos := make([]int, len(dims))
	for _, n := range dims {
		if n == 0 {
			return
		}
	}
	for {
		f(pos)
		d := len(dims) - 1
		for ; d >= 0; d-- {
			if pos[d]++; pos[d] < dims[d] {
				break
			}
			pos[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

// chooser draws small numbers from fuzz input.
type chooser struct{ b []byte }

func (c *chooser) n(k int) int {
	if len(c.b) == 0 || k <= 0 {
		return 0
	}
	v := int(c.b[0]) % k
	c.b = c.b[1:]
	return v
}

// indices draws an index list for a tensor, as lucid and as the naive implementation take it. At most one mask.
func (c *chooser) indices(dims []int) (real, naive []any) {
	common := make([]int, c.n(3)) // tensors take a suffix of it, sizes 1 here and there
	for i := range common {
		common[i] = 1 + c.n(3)
	}
	mask := false
	for d := 0; d < len(dims); {
		n := dims[d]
		switch k := c.n(10); {
		case k == 0 && len(real) < 8:
			real, naive = append(real, lucid.NewAxis), append(naive, lucid.NewAxis)
			continue
		case k == 1 && !slices.Contains(real, any(lucid.Ellipsis)):
			real, naive = append(real, lucid.Ellipsis), append(naive, lucid.Ellipsis)
			d += c.n(len(dims) - d + 1)
			continue
		case k <= 3 && n > 0:
			i := c.n(2*n) - n
			real, naive = append(real, i), append(naive, i)
		case k <= 5:
			r := lucid.Range{Start: c.n(2*n+5) - n - 2, Stop: c.n(2*n+5) - n - 2, Step: c.n(7) - 3}
			if c.n(4) == 0 {
				r.Stop = lucid.End
			}
			if c.n(4) == 0 && r.Step < 0 {
				r.Start = lucid.End
			}
			if r.Stop == 0 { // refused for most of the others, see TestRangeWithoutStop
				r.Start, r.Step = 0, 1
			}
			real, naive = append(real, r), append(naive, r)
		case k <= 7 && n > 0:
			td := slices.Clone(common[c.n(len(common)+1):])
			for i := range td {
				if c.n(3) == 0 {
					td[i] = 1
				}
			}
			t := &naiveTensor{dims: td}
			data := []int64{}
			naiveEach(td, func([]int) {
				v := c.n(2*n) - n
				t.data, data = append(t.data, v), append(data, int64(v))
			})
			real, naive = append(real, lucid.New(data, td...)), append(naive, t)
		case k == 8 && !mask && len(common) <= 1:
			mask = true
			size := 1 + c.n(min(2, len(dims)-d))
			md := dims[d : d+size]
			var truth []bool
			at := make([]*naiveTensor, size)
			for i := range at {
				at[i] = &naiveTensor{data: []int{}}
			}
			naiveEach(md, func(pos []int) {
				t := c.n(2) == 1
				truth = append(truth, t)
				if t {
					for i := range at {
						at[i].data = append(at[i].data, pos[i])
					}
				}
			})
			for i := range at {
				at[i].dims = []int{len(at[i].data)}
				naive = append(naive, at[i])
			}
			real = append(real, lucid.New(truth, md...))
			d += size
			continue
		default:
			real, naive = append(real, lucid.Colon), append(naive, lucid.Colon)
		}
		d++
	}
	return real, naive
}

// fits reports whether the tensors among naive indices broadcast together; a mask's length is up to the data.
func fits(naive []any) bool {
	var common []int
	for _, ix := range naive {
		if t, ok := ix.(*naiveTensor); ok {
			for i := 1; i <= min(len(common), len(t.dims)); i++ {
				a, b := common[len(common)-i], t.dims[len(t.dims)-i]
				if a != b && a != 1 && b != 1 {
					return false
				}
			}
			common = naiveBroadcast(common, t.dims)
		}
	}
	return true
}

// FuzzIndex compares At, SetAt and AddAt with a naive implementation.
func FuzzIndex(f *testing.F) {
	for i := range 300 {
		b := make([]byte, 80)
		x := uint32(i)*2654435761 + 12345
		for j := range b {
			x = x*1664525 + 1013904223
			b[j] = byte(x >> 24)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c := &chooser{b}
		dims := make([]int, c.n(5))
		total := 1
		for i := range dims {
			dims[i] = c.n(5)
			total *= dims[i]
		}
		real, naive := c.indices(dims)
		if !fits(naive) {
			return
		}
		x := lucid.Arange(total).Reshape(dims...)
		if c.n(2) == 1 && len(dims) > 1 { // a strided base
			order := make([]int, len(dims))
			for i := range order {
				order[i] = len(dims) - 1 - i
			}
			x = x.Permute(order...).Contiguous().Permute(order...)
		}
		shape, positions := naiveIndex(dims, naive)
		got := x.At(real...)
		if !slices.Equal(got.Shape(), shape) {
			t.Fatalf("%v of %v: shape %v, want %v", show(real), dims, got.Shape(), shape)
		}
		if g := lucid.ToSlice[int](got); !slices.Equal(g, positions) && len(positions) > 0 {
			t.Fatalf("%v of %v: %v, want %v", show(real), dims, g, positions)
		}
		vd := slices.Clone(shape[c.n(len(shape)+1):])
		for i := range vd {
			if c.n(3) == 0 {
				vd[i] = 1
			}
		}
		vn := 1
		for _, n := range vd {
			vn *= n
		}
		set, sum, k := make([]int, total), make([]int, total), 0
		for i := range set {
			set[i], sum[i] = i, i
		}
		naiveEach(shape, func(pos []int) {
			v := 0
			for i, n := range vd {
				q := pos[len(shape)-len(vd)+i]
				if n == 1 {
					q = 0
				}
				v = v*n + q
			}
			set[positions[k]] = 1000 + v
			sum[positions[k]] += 1000 + v
			k++
		})
		value := lucid.Arange(1000, 1000+vn).Reshape(vd...)
		if g := lucid.ToSlice[int](x.Clone().SetAt(value, real...)); !slices.Equal(g, set) {
			t.Fatalf("set %v of %v to %v: %v, want %v", show(real), dims, vd, g, set)
		}
		if g := lucid.ToSlice[int](x.Clone().AddAt(value, real...)); !slices.Equal(g, sum) {
			t.Fatalf("add %v of %v to %v: %v, want %v", show(real), vd, dims, g, sum)
		}
		if g := lucid.ToSlice[int](x); total > 0 && (g[0] != 0 || g[total-1] != total-1) {
			t.Fatalf("writing changed another handle: %v", g)
		}
	})
}

func show(indices []any) string {
	s := ""
	for _, ix := range indices {
		switch v := ix.(type) {
		case *lucid.Tensor:
			s += fmt.Sprintf(" %v%v", v.Shape(), lucid.ToSlice[int](v))
		default:
			s += fmt.Sprintf(" %T(%v)", ix, ix)
		}
	}
	return s
}
