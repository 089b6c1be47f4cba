package ops_test

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

// choices makes decisions of fuzzed bytes; when they run out every decision is 0.
type choices struct{ b []byte }

func (c *choices) below(n int) int {
	if len(c.b) == 0 {
		return 0
	}
	v := int(c.b[0]) % n
	c.b = c.b[1:]
	return v
}

// einsumCase is an equation and operands; names holds a name for each dimension, those under the ellipsis counted from the end.
type einsumCase struct {
	equation string
	names    [][]string
	dims     [][]int
	out      []string
}

func makeEinsum(c *choices) einsumCase {
	var e einsumCase
	size := map[string]int{}
	for _, l := range []string{"a", "b", "C", "d", "Z", "1", "2"} {
		size[l] = []int{2, 3, 1, 2, 0}[c.below(5)]
	}
	count := map[string]int{}
	var terms []string
	dots := 0
	for range 1 + c.below(3) {
		term, names, dims := "", []string{}, []int{}
		here := map[string]int{}
		n, at := c.below(4), -1
		if c.below(3) == 0 {
			at = c.below(n + 1)
		}
		for i := range n + 1 {
			if i == at {
				term += "..."
				k := c.below(3)
				dots = max(dots, k)
				for ; k > 0; k-- {
					names = append(names, fmt.Sprint(k))
				}
			}
			if i < n {
				l := []string{"a", "b", "C", "d", "Z"}[c.below(5)]
				term += l
				if c.below(4) == 0 {
					term += " "
				}
				names = append(names, l)
			}
		}
		for _, l := range names {
			d, seen := here[l]
			if !seen {
				if d = size[l]; c.below(5) == 0 {
					d = 1 // broadcast
				}
			}
			here[l] = d
			dims = append(dims, d)
			count[l]++
		}
		terms, e.names, e.dims = append(terms, term), append(e.names, names), append(e.dims, dims)
	}
	e.equation = strings.Join(terms, ",")
	var all []string
	for l := range count {
		all = append(all, l)
	}
	sort.Strings(all)
	for k := dots; k > 0; k-- {
		e.out = append(e.out, fmt.Sprint(k))
	}
	if c.below(2) == 0 {
		for _, l := range all {
			if count[l] == 1 && l > "9" {
				e.out = append(e.out, l)
			}
		}
		return e
	}
	e.equation += "->..."
	for range c.below(4) {
		if l := []string{"a", "b", "C", "d", "Z"}[c.below(5)]; count[l] > 0 && !slices.Contains(e.out, l) {
			e.out = append(e.out, l)
			e.equation += l
		}
	}
	return e
}

// naive evaluates the sum over all values of all names.
func (e *einsumCase) naive(xs [][]float64) ([]int, []float64) {
	size := map[string]int{}
	var names []string
	for i := range e.names {
		for k, l := range e.names[i] {
			if _, ok := size[l]; !ok {
				names = append(names, l)
				size[l] = 1
			}
			if e.dims[i][k] != 1 {
				size[l] = e.dims[i][k]
			}
		}
	}
	total, shape, n := 1, []int{}, 1
	for _, l := range names {
		total *= size[l]
	}
	for _, l := range e.out {
		shape = append(shape, size[l])
		n *= size[l]
	}
	res := make([]float64, n)
	at := map[string]int{}
	for i := range total {
		for _, l := range names {
			at[l] = i % size[l]
			i /= size[l]
		}
		offset := func(labels []string, dims []int) int {
			o := 0
			for k, l := range labels {
				o *= dims[k]
				if dims[k] != 1 {
					o += at[l]
				}
			}
			return o
		}
		p := 1.0
		for k, x := range xs {
			p *= x[offset(e.names[k], e.dims[k])]
		}
		res[offset(e.out, shape)] += p
	}
	return shape, res
}

// FuzzEinsum compares random equations with their plain meaning.
func FuzzEinsum(f *testing.F) {
	for i := range 200 {
		b := make([]byte, 60)
		for k := range b {
			b[k] = byte((i*7919 + k*k*31 + k*i*17) >> 3)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e := makeEinsum(&choices{b})
		var xs [][]float64
		var ts []*lucid.Tensor
		for k, dims := range e.dims {
			n := 1
			for _, d := range dims {
				n *= d
			}
			x := make([]float64, n)
			for i := range x {
				x[i] = float64((i*5+k*3)%7 - 3)
			}
			xs, ts = append(xs, x), append(ts, lucid.New(x, dims...))
		}
		shape, want := e.naive(xs)
		y := lucid.Einsum(e.equation, ts...)
		if !slices.Equal(y.Shape(), shape) {
			t.Fatalf("%q of %v has shape %v, want %v", e.equation, e.dims, y.Shape(), shape)
		}
		if got := lucid.ToSlice[float64](y); !slices.Equal(got, want) {
			t.Fatalf("%q of %v is %v, want %v", e.equation, e.dims, got, want)
		}
		if steps := lucid.EinsumPath(e.equation, ts...); len(steps) != len(ts)-1 {
			t.Fatalf("%q: path %v has %d steps for %d operands", e.equation, steps, len(steps), len(ts))
		}
	})
}

// FuzzEinsumEquation checks that an equation is either understood or refused, whatever it is.
func FuzzEinsumEquation(f *testing.F) {
	for _, s := range []string{"ij,jk->ik", "ij,jk", "...i,...i", "i..,ij", "->", "ij,jk->ii", "é,ij", ",", "ij,...->...", "....,ij"} {
		f.Add(s)
	}
	x := lucid.New([]float64{1, 2, 3, 4}, 2, 2)
	f.Fuzz(func(t *testing.T, equation string) {
		_ = lucid.Try(func() { lucid.Einsum(equation, x, x) })
	})
}

func TestEinsumPath(t *testing.T) {
	a, b, c := lucid.Zeros(2, 100), lucid.Zeros(100, 50), lucid.Zeros(50, 3)
	steps := lucid.EinsumPath("ij,jk,kl->il", a, b, c)
	// The middle matrix is first multiplied with the thinner side.
	if len(steps) != 2 || steps[0].Pair != [2]int{0, 1} || steps[0].Cost != 2*100*50 {
		t.Errorf("path %v", steps)
	}
}
