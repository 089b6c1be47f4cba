package export

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// support is how many samples a formula inside a minimum or maximum has to give, and how many of them no other one gives.
const (
	support    = 3
	supportNew = 2
	fewPieces  = 4
)

// piece is a formula that gives some of the samples.
type piece struct {
	formula
	v    []float64
	hits int
}

// pick fits the smallest or largest of several formulas, or the one within the other: a size that is clamped.
func (t *fit) pick(v []float64) *formula {
	all := t.pieces(v)
	as := func(d derived, ok bool) *formula {
		if !ok {
			return nil
		}
		at := t.derive(d)
		if at < 0 {
			return nil
		}
		if f := t.size(at); t.holds(f, v) {
			return &f
		}
		return nil
	}
	everywhere := make([]int, len(v))
	for k := range v {
		everywhere[k] = k
	}
	for _, take := range []string{takeMin, takeMax} {
		if f := as(cover(all, v, everywhere, take)); f != nil {
			return f
		}
	}
	for _, take := range []string{takeMin, takeMax} {
		inside := takeMin
		if take == takeMin {
			inside = takeMax
		}
		for _, outer := range all {
			var rest []int
			for k := range v {
				if outer.v[k] != v[k] {
					rest = append(rest, k)
				}
			}
			if len(rest) < support || !outer.bounds(v, everywhere, take) {
				continue
			}
			d, ok := cover(all, v, rest, inside)
			if !ok {
				continue
			}
			at := t.derive(d)
			if at < 0 {
				return nil
			}
			if f := as(derived{take, []formula{outer.formula, t.size(at)}}, true); f != nil {
				return f
			}
		}
	}
	return nil
}

// bounds reports whether a piece may be one of those that the smallest or largest is taken of.
func (p *piece) bounds(v []float64, at []int, take string) bool {
	for _, k := range at {
		if take == takeMin && p.v[k] < v[k] || take == takeMax && p.v[k] > v[k] {
			return false
		}
	}
	return true
}

// cover picks pieces whose smallest or largest gives the values at the samples, those that give most of them first.
func cover(all []piece, v []float64, at []int, take string) (derived, bool) {
	d := derived{take: take}
	left := slices.Clone(at)
	for len(left) > 0 && len(d.of) < fewPieces {
		best, most := -1, 0
		for i := range all {
			n := 0
			for _, k := range left {
				if all[i].v[k] == v[k] {
					n++
				}
			}
			if n > most && all[i].bounds(v, at, take) {
				best, most = i, n
			}
		}
		if most < supportNew {
			return d, false
		}
		d.of = append(d.of, all[best].formula)
		left = slices.DeleteFunc(left, func(k int) bool { return all[best].v[k] == v[k] })
	}
	return d, len(left) == 0 && len(d.of) > 1
}

// pieces lists formulas that give some of the values: constants, sizes that are known, lines through two samples, quotients of runs.
func (t *fit) pieces(v []float64) (all []piece) {
	seen := map[string]bool{}
	add := func(f formula) {
		key := fmt.Sprint(f.terms, f.div)
		if seen[key] {
			return
		}
		seen[key] = true
		p := piece{formula: f, v: make([]float64, len(v))}
		for k := range v {
			x, ok := f.eval(t.rows[k])
			if !ok {
				x = math.NaN()
			}
			if p.v[k] = x; x == v[k] {
				p.hits++
			}
		}
		if p.hits >= support {
			all = append(all, p)
		}
	}
	for _, x := range v {
		add(formula{div: 1, terms: []term{{int(x), make([]int, t.open)}}})
	}
	for _, key := range slices.Sorted(maps.Keys(t.known)) { // of pieces that are as good the first is taken: files are the same each time
		if f := t.known[key]; f != nil && f.div > 0 {
			add(*f)
		}
	}
	bases := monomials(t.open)
	for i := t.open; i < len(t.columns); i++ {
		bases = append(bases, t.power(i))
	}
	for _, p := range bases {
		x := t.column(func(row []int) float64 { y, _ := product(p, row); return y })
		lines := map[[2]float64]bool{}
		for k := range v {
			for l := range k {
				c := (v[k] - v[l]) / (x[k] - x[l])
				if b := v[k] - c*x[k]; c == math.Trunc(c) && c != 0 && !lines[[2]float64{c, b}] {
					lines[[2]float64{c, b}] = true
					if f, ok := t.through(p, x[k], v[k], x[l], v[l]); ok {
						add(f)
					}
				}
			}
		}
	}
	for i := range t.open {
		run := t.run(i)
		for from := range run {
			for _, n := range []int{2 * support, 4 * support, largestDivisor + 2} {
				part := run[from:min(from+n, len(run))]
				if f, ok := quotient(pickAt(t.rows, part), pickAt(v, part), t.power(i)); ok && len(part) >= 2*support {
					add(f)
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(p piece) bool { return slices.ContainsFunc(p.v, math.IsNaN) })
}

func pickAt[T any](list []T, at []int) (out []T) {
	for _, k := range at {
		out = append(out, list[k])
	}
	return out
}

// run lists the samples along one size with all others as in the first, by that size.
func (t *fit) run(i int) (run []int) {
	for k, row := range t.rows {
		same := true
		for j := range t.open {
			same = same && (j == i || row[j] == t.rows[0][j])
		}
		if same {
			run = append(run, k)
		}
	}
	slices.SortFunc(run, func(a, b int) int { return t.rows[a][i] - t.rows[b][i] })
	return run
}

// Switches lists sizes along one open size where another formula of a minimum or maximum begins to be taken, between given sizes.
func (o *Open) Switches(sizes []int, along int, between []int) (at []int) {
	slices.Sort(between)
	for i := range o.derived {
		if o.derived[i].take == "" {
			continue
		}
		taken := func(s int) int {
			to := slices.Clone(sizes)
			to[along] = s
			values, ok := o.values(to)
			if !ok {
				return -1
			}
			return slices.IndexFunc(o.derived[i].of, func(f formula) bool {
				v, ok := f.eval(values)
				return ok && int(v) == values[len(o.Sizes)+i]
			})
		}
		for k := 1; k < len(between); k++ {
			low, high := between[k-1], between[k]
			for was := taken(low); taken(high) != was && high-low > 1; {
				if m := (low + high) / 2; taken(m) == was {
					low = m
				} else {
					high = m
				}
			}
			if taken(low) != taken(high) && !slices.Contains(at, high) {
				at = append(at, high)
			}
		}
	}
	return at
}
