package export

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/codec/strictjson"
)

// derived is a whole number that formulas use like an open size: one formula, or the largest or smallest of several, of open sizes and
// of derived ones before it. Minima and maxima are written so, and quotients that are factors.
type derived struct {
	take string // takeMin, takeMax; "": there is one formula
	of   []formula
}

const (
	takeMin = "min"
	takeMax = "max"
)

// maxDerived bounds the derived sizes of a function, maxPieces the formulas of each.
const (
	maxDerived = 64
	maxPieces  = 8
)

// eval computes a derived size.
func (d *derived) eval(values []int) (int, bool) {
	best := 0.0
	for i := range d.of {
		v, ok := d.of[i].eval(values)
		if !ok {
			return 0, false
		}
		if i == 0 || d.take == takeMin && v < best || d.take == takeMax && v > best {
			best = v
		}
	}
	return int(best), true
}

// values are the open sizes and behind them the derived ones.
func (o *Open) values(sizes []int) ([]int, bool) {
	values := slices.Clone(sizes)
	for i := range o.derived {
		v, ok := o.derived[i].eval(values)
		if !ok {
			return nil, false
		}
		values = append(values, v)
	}
	return values, true
}

// Version is the first version of the format that has what the open sizes use.
func (o *Open) Version() int {
	if len(o.derived) > 0 || slices.ContainsFunc(o.Sizes, func(s OpenSize) bool { return s.Most > 0 }) {
		return 4
	}
	return 3
}

// append writes a derived size.
func (d *derived) append(b []byte) []byte {
	b = append(b, '{')
	if d.take != "" {
		b = append(b, `"take":"`+d.take+`",`...)
	}
	b = append(b, `"of":[`...)
	for i := range d.of {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		b = append(d.of[i].append(b), '}')
	}
	return append(b, "]}"...)
}

// parseDerived reads what append wrote.
func parseDerived(p *strictjson.Parser) (d derived, err error) {
	err = p.Object(func(key string) (err error) {
		switch key {
		case "take":
			if d.take, err = p.String(); err == nil && d.take != takeMin && d.take != takeMax {
				err = p.Fail("%.40q of sizes, where min or max is expected", d.take)
			}
		case "of":
			err = p.Array(func(i int) error {
				if i >= maxPieces {
					return p.Fail("more than %d formulas of a size", maxPieces)
				}
				var f formula
				err := p.Object(func(key string) error { return f.parse(p, key) })
				d.of = append(d.of, f)
				return err
			})
		default:
			err = p.Fail("unknown key %.40q", key)
		}
		return err
	})
	return d, err
}

// fits reports whether a formula is one of so many open sizes and at most so many sizes in all.
func (f *formula) fits(open, all int) (whole, ok bool) {
	powers := func(list []int) bool {
		return len(list) >= open && len(list) <= all && !slices.ContainsFunc(list, func(e int) bool { return e < 0 || e > maxPower })
	}
	if f.div > 0 {
		for _, t := range f.terms {
			if !powers(t.powers) {
				return true, false
			}
		}
		return true, len(f.terms) > 0
	}
	return false, len(f.terms) == 0 && f.div == 0 && powers(f.up) && powers(f.down) && !math.IsNaN(f.scale) && !math.IsInf(f.scale, 0)
}

// checkDerived refuses derived sizes that are none.
func (o *Open) checkDerived(g *Graph) error {
	for k, d := range o.derived {
		good := len(d.of) == 1 || len(d.of) > 1 && d.take != ""
		for i := range d.of {
			whole, ok := d.of[i].fits(len(o.Sizes), len(o.Sizes)+k)
			good = good && whole && ok
		}
		if !good {
			return g.fault(len(g.steps), "derived size %d whose formula is none", k)
		}
	}
	return nil
}
