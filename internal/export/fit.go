package export

import (
	"fmt"
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// Numbers are the numbers of a trace at given sizes, in the order of its nodes.
type Numbers struct {
	Sizes  []int
	values []float64
}

// Fitter finds the formulas of a function whose first trace it was made of.
type Fitter struct {
	first Sample
	rests []attr.Attr // of every step with numbers taken out
	keys  []numberKey
	want  []float64
}

// numberKey says where a number is, and how it is rounded.
type numberKey struct {
	openNumber
	whole bool
}

// NewFitter begins with the trace for the sizes of the examples.
func NewFitter(first Sample) (*Fitter, Numbers) {
	f := &Fitter{first: first}
	for i := range first.Graph.steps {
		s := &first.Graph.steps[i]
		for out := range s.specs {
			for d := range s.specs[out].Shape.Rank() {
				f.keys = append(f.keys, numberKey{openNumber{node: i, out: out, index: d}, true})
				f.want = append(f.want, float64(s.specs[out].Shape.Dim(d)))
			}
		}
		rest, list := attr.Attr(nil), []number(nil)
		if s.attr != nil {
			rest, list = numbersOf(s.attr)
		}
		f.rests = append(f.rests, rest)
		for _, n := range list {
			k := numberKey{openNumber{node: i, out: -1, field: n.field, index: n.index}, n.whole}
			if c, ok := s.attr.(attr.Const); ok && !n.whole {
				k.round = c.DType
			}
			f.keys, f.want = append(f.keys, k), append(f.want, n.value)
		}
	}
	return f, Numbers{first.Sizes, f.want}
}

// Read takes the numbers of another trace; it is an error if more than numbers differ from the first.
func (f *Fitter) Read(s Sample) (Numbers, error) {
	if err := sameStructure(f.first, s); err != nil {
		return Numbers{}, err
	}
	n := Numbers{Sizes: s.Sizes}
	for i := range s.Graph.steps {
		step := &s.Graph.steps[i]
		for out := range step.specs {
			for _, d := range step.specs[out].Shape.Dims() {
				n.values = append(n.values, float64(d))
			}
		}
		if (step.attr == nil) != (f.rests[i] == nil) {
			return n, differ(f.first, s, "%s has attributes only once", step.op.Name)
		}
		if step.attr == nil {
			continue
		}
		rest, list := numbersOf(step.attr)
		if !attr.Same(rest, f.rests[i]) {
			return n, differ(f.first, s, "%s has attributes %v and %v", step.op.Name, f.first.Graph.steps[i].attr, step.attr)
		}
		for _, x := range list {
			k := len(n.values)
			if k >= len(f.keys) || f.keys[k].node != i || f.keys[k].field != x.field || f.keys[k].index != x.index {
				return n, differ(f.first, s, "%s has attributes %v and %v", step.op.Name, f.first.Graph.steps[i].attr, step.attr)
			}
			n.values = append(n.values, x.value)
		}
	}
	if len(n.values) != len(f.keys) {
		return n, differ(f.first, s, "there are %d and %d numbers", len(f.keys), len(n.values))
	}
	return n, nil
}

// Fit finds formulas of all numbers that hold in all samples, of which the first is that of the examples.
func (f *Fitter) Fit(samples []Numbers) (*Open, error) {
	t := newFit(samples)
	formulas := make([]*formula, len(f.keys))
	var open []int
	for k := range f.keys {
		if !slices.ContainsFunc(samples, func(n Numbers) bool { return !sameFloat(n.values[k], f.want[k]) }) {
			continue
		}
		open = append(open, k)
	}
	for left := open; len(left) > 0; { // a number may be a formula of one that comes behind it
		var next []int
		for _, k := range left {
			v := make([]float64, len(samples))
			for i, n := range samples {
				v[i] = n.values[k]
			}
			if formulas[k] = t.find(v, f.keys[k].whole, f.keys[k].round); formulas[k] == nil {
				next = append(next, k)
			}
		}
		if len(next) == len(left) {
			return nil, f.unknown(samples, left[0])
		}
		left = next
	}
	o := &Open{}
	for _, k := range open {
		n := f.keys[k].openNumber
		n.formula = *formulas[k]
		o.numbers = append(o.numbers, n)
	}
	return o, t.finish(o)
}

// unknown is the error of a number without a formula.
func (f *Fitter) unknown(samples []Numbers, k int) error {
	const most = 12
	n, step := f.keys[k], &f.first.Graph.steps[f.keys[k].node]
	what := "a size of its result"
	if n.out < 0 {
		what = n.field
	}
	var v []float64
	var sizes [][]int
	for _, s := range samples[:min(most, len(samples))] {
		v, sizes = append(v, s.values[k]), append(sizes, s.Sizes)
	}
	return fault.New(fault.NotImplemented, "export", "%s of %s is %v at sizes %v: no formula of the open sizes gives that",
		what, step.op.Name, v, sizes)
}

// Gives reports whether the formulas give the numbers of a trace.
func (f *Fitter) Gives(o *Open, n Numbers) bool {
	values, ok := o.values(n.Sizes)
	if !ok {
		return false
	}
	at := 0
	for k, key := range f.keys {
		want := f.want[k]
		if at < len(o.numbers) && o.numbers[at].node == key.node && o.numbers[at].out == key.out &&
			o.numbers[at].field == key.field && o.numbers[at].index == key.index {
			if want, ok = o.numbers[at].eval(values); !ok {
				return false
			}
			at++
		}
		if want != n.values[k] && !sameFloat(want, n.values[k]) {
			return false
		}
	}
	return true
}

// fit finds formulas of columns: of the values of one number in all samples.
type fit struct {
	open    int         // how many sizes are open
	rows    [][]int     // by sample: open sizes, and behind them derived ones
	derived []derived   // those that a formula may use
	columns [][]float64 // of the sizes
	known   map[string]*formula
	failed  map[string]int // how many derived sizes there were when nothing was found
}

func newFit(samples []Numbers) *fit {
	t := &fit{open: len(samples[0].Sizes), known: map[string]*formula{}, failed: map[string]int{}}
	for _, n := range samples {
		t.rows = append(t.rows, slices.Clone(n.Sizes))
	}
	for i := range t.open {
		t.columns = append(t.columns, t.column(func(row []int) float64 { return float64(row[i]) }))
	}
	return t
}

func (t *fit) column(f func(row []int) float64) []float64 {
	v := make([]float64, len(t.rows))
	for k, row := range t.rows {
		v[k] = f(row)
	}
	return v
}

// find returns the formula of a column, nil if there is none.
func (t *fit) find(v []float64, whole bool, round dtype.DType) *formula {
	key := fmt.Sprint(whole, round, v)
	if f := t.known[key]; f != nil {
		return f
	}
	if n, ok := t.failed[key]; ok && n == len(t.derived) {
		return nil
	}
	var f *formula
	if whole {
		f = t.whole(v)
	} else {
		f = t.float(v, round)
	}
	if t.known[key] = f; f == nil {
		t.failed[key] = len(t.derived)
	}
	return f
}

// holds reports whether a formula gives a column.
func (t *fit) holds(f formula, v []float64) bool {
	for k := range t.rows {
		if x, ok := f.eval(t.rows[k]); !ok || !sameFloat(x, v[k]) && x != v[k] {
			return false
		}
	}
	return true
}

// derive makes a size that formulas may use, and returns its number; -1: there are too many.
func (t *fit) derive(d derived) int {
	v := t.column(func(row []int) float64 {
		x, ok := d.eval(row)
		if !ok {
			return math.NaN()
		}
		return float64(x)
	})
	for i, c := range t.columns {
		if slices.Equal(c, v) {
			return i
		}
	}
	if len(t.derived) >= maxDerived || slices.ContainsFunc(v, math.IsNaN) {
		return -1
	}
	t.derived, t.columns = append(t.derived, d), append(t.columns, v)
	for k := range t.rows {
		t.rows[k] = append(t.rows[k], int(v[k]))
	}
	return len(t.columns) - 1
}

// size is the formula that is one size.
func (t *fit) size(i int) formula { return formula{div: 1, terms: []term{{1, t.power(i)}}} }

// power are the powers of a product of sizes.
func (t *fit) power(of ...int) []int {
	p := make([]int, max(t.open, 1+slices.Max(append(of, 0))))
	for _, i := range of {
		p[i]++
	}
	return p
}

// float finds a quotient of products.
func (t *fit) float(v []float64, round dtype.DType) *formula {
	try := func(ups, downs [][]int) *formula {
		for _, up := range ups {
			for _, down := range downs {
				for _, scale := range scales(t.rows[0], v[0], up, down) {
					if f := (formula{scale: scale, up: up, down: down, round: round}); t.holds(f, v) {
						return &f
					}
				}
			}
		}
		return nil
	}
	sizes := monomials(t.open)
	if f := try(sizes, sizes); f != nil {
		return f
	}
	// A number that is whole, or one divided by it.
	for _, down := range []bool{false, true} {
		w, ok := make([]float64, len(v)), true
		for k, x := range v {
			y := x
			if down {
				y = 1 / x
			}
			w[k] = math.Round(y)
			if down {
				y = rounded(1/w[k], round)
			} else {
				y = w[k]
			}
			ok = ok && y == x && math.Abs(w[k]) <= exact
		}
		if !ok {
			continue
		}
		if f := t.find(w, true, 0); f != nil {
			if at := t.derive(derived{of: []formula{*f}}); at >= 0 {
				g := formula{scale: 1, up: t.power(at), down: make([]int, t.open), round: round}
				if down {
					g.up, g.down = g.down, g.up
				}
				if t.holds(g, v) {
					return &g
				}
			}
		}
	}
	// One less than a size is a divisor of variances.
	for i := range t.open {
		for _, b := range []int{-1, 1, -2, 2} {
			t.derive(derived{of: []formula{{div: 1, terms: []term{{1, t.power(i)}, {b, make([]int, t.open)}}}}})
		}
	}
	list := [][]int{make([]int, t.open)}
	for i := range t.columns {
		list = append(list, t.power(i))
		for k := range i + 1 {
			list = append(list, t.power(i, k))
		}
	}
	if len(list) > 200 {
		list = list[:200]
	}
	return try(list, list)
}

// monomials lists powers of n sizes, of degree 0 to 3.
func monomials(n int) (list [][]int) {
	var add func(p []int, left int)
	add = func(p []int, left int) {
		if len(p) == n {
			list = append(list, append([]int(nil), p...))
			return
		}
		for e := 0; e <= left; e++ {
			add(append(p, e), left-e)
		}
	}
	add(nil, 3)
	return list
}

// scales are factors that may be meant: a round number that gives the first value.
func scales(sizes []int, v float64, up, down []int) (list []float64) {
	u, _ := product(up, sizes)
	d, _ := product(down, sizes)
	s := v * d / u
	if math.IsNaN(s) || math.IsInf(s, 0) {
		return nil
	}
	for _, unit := range []float64{1, 2, 4, 8, 10, 16, 100, 1000} {
		list = append(list, math.Round(s*unit)/unit)
	}
	return append(list, s)
}

// finish leaves out the derived sizes that no formula uses.
func (t *fit) finish(o *Open) error {
	used := make([]bool, len(t.columns))
	mark := func(f *formula) {
		f.each(func(powers []int) []int {
			for i, e := range powers {
				used[i] = used[i] || e > 0
			}
			return powers
		})
	}
	for i := range o.numbers {
		mark(&o.numbers[i].formula)
	}
	for i := len(t.derived) - 1; i >= 0; i-- {
		for k := range t.derived[i].of {
			if used[t.open+i] {
				mark(&t.derived[i].of[k])
			}
		}
	}
	number, n := make([]int, len(used)), t.open
	for i := range used {
		if number[i] = n; i < t.open {
			number[i] = i
		} else if used[i] {
			n++
		}
	}
	move := func(f formula) formula {
		f.terms = slices.Clone(f.terms)
		f.each(func(powers []int) []int {
			to := make([]int, t.open)
			for i, e := range powers {
				if e > 0 {
					to = append(to, make([]int, max(0, number[i]+1-len(to)))...)
					to[number[i]] = e
				}
			}
			return to
		})
		return f
	}
	for i, d := range t.derived {
		if used[t.open+i] {
			d.of = slices.Clone(d.of)
			for k := range d.of {
				d.of[k] = move(d.of[k])
			}
			o.derived = append(o.derived, d)
		}
	}
	for i := range o.numbers {
		o.numbers[i].formula = move(o.numbers[i].formula)
	}
	return nil
}

// each changes the powers of a formula.
func (f *formula) each(to func(powers []int) []int) {
	for i := range f.terms {
		f.terms[i].powers = to(f.terms[i].powers)
	}
	if f.div == 0 {
		f.up, f.down = to(f.up), to(f.down)
	}
}
