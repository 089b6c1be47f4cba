package special_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/special"
)

// tableRow is a line of a table: a function's arguments, its value, and the size whose last bit is the unit of errors. That is the
// value's but near the zeros of waves and of differences, where it is that of the waves or of the terms.
type tableRow struct {
	args        []float64
	want, scale float64
}

func (r tableRow) String() string {
	var b strings.Builder
	for _, v := range append(slices.Clone(r.args), r.want, r.scale) {
		fmt.Fprintf(&b, " %s", strconv.FormatFloat(v, 'x', -1, 64))
	}
	return b.String()
}

func readTable(t *testing.T, path string, rows map[string][]tableRow) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(z); s.Scan(); {
		w := strings.Fields(s.Text())
		v := make([]float64, len(w)-1)
		for i := range v {
			if v[i], err = strconv.ParseFloat(w[i+1], 64); err != nil {
				t.Fatal(err)
			}
		}
		n := len(v) - 2
		rows[w[0]] = append(rows[w[0]], tableRow{v[:n], v[n], v[n+1]})
	}
}

type function = func(x []*lucid.Tensor) *lucid.Tensor

// tableFunctions are the functions by their names in the tables.
func tableFunctions() map[string]function {
	m := map[string]function{
		"betainc": func(x []*lucid.Tensor) *lucid.Tensor { return special.Betainc(x[0], x[1], x[2]) },
		"logit":   func(x []*lucid.Tensor) *lucid.Tensor { return special.Logit(x[0]) },
	}
	for name, f := range map[string]func(x, y any) *lucid.Tensor{"zeta": special.Zeta, "gammainc": special.Gammainc,
		"gammaincc": special.Gammaincc, "beta": special.Beta, "betaln": special.Betaln, "xlogy": special.Xlogy, "xlog1py": special.Xlog1py,
		"logaddexp": lucid.Logaddexp, "logaddexp2": lucid.Logaddexp2, "chebyshev_t": special.ChebyshevPolynomialT,
		"chebyshev_u": special.ChebyshevPolynomialU, "chebyshev_v": special.ChebyshevPolynomialV,
		"chebyshev_w": special.ChebyshevPolynomialW,
		"shifted_t":   special.ShiftedChebyshevPolynomialT, "shifted_u": special.ShiftedChebyshevPolynomialU,
		"shifted_v": special.ShiftedChebyshevPolynomialV, "shifted_w": special.ShiftedChebyshevPolynomialW,
		"hermite_h": special.HermitePolynomialH, "hermite_he": special.HermitePolynomialHe, "laguerre_l": special.LaguerrePolynomialL,
		"legendre_p": special.LegendrePolynomialP} {
		m[name] = func(x []*lucid.Tensor) *lucid.Tensor { return f(x[0], x[1]) }
	}
	for name, f := range map[string]func(*lucid.Tensor) *lucid.Tensor{"lgamma": lucid.Lgamma, "digamma": special.Digamma, "i0": special.I0,
		"i0e": special.I0e, "i1": special.I1, "i1e": special.I1e, "j0": special.BesselJ0, "j1": special.BesselJ1, "y0": special.BesselY0,
		"y1": special.BesselY1, "k0": special.ModifiedBesselK0, "k1": special.ModifiedBesselK1, "k0e": special.ScaledModifiedBesselK0,
		"k1e": special.ScaledModifiedBesselK1, "spherical_j0": special.SphericalBesselJ0, "sinc": lucid.Sinc, "erf": lucid.Erf,
		"erfc": lucid.Erfc, "erfinv": lucid.Erfinv, "expit": lucid.Sigmoid, "erfcx": special.Erfcx, "ndtr": special.Ndtr,
		"log_ndtr": special.LogNdtr, "ndtri": special.Ndtri, "entr": special.Entr, "erfcinv": special.Erfcinv,
		"airy_ai": special.AiryAi} {
		m[name] = func(x []*lucid.Tensor) *lucid.Tensor { return f(x[0]) }
	}
	return m
}

// tableFunction finds a function by its name in a table, polygamma and mvlgamma with their order behind it; d0_f is the derivative of f
// by its first argument.
func tableFunction(all map[string]function, name string) function {
	var n int
	if f := all[name]; f != nil {
		return f
	}
	if len(name) > 3 && name[0] == 'd' && name[2] == '_' {
		f, i := tableFunction(all, name[3:]), int(name[1]-'0')
		if f == nil {
			return nil
		}
		return func(x []*lucid.Tensor) *lucid.Tensor {
			return lucid.Grad(func(v *lucid.Tensor) *lucid.Tensor {
				y := slices.Clone(x)
				y[i] = v
				return f(y).Sum()
			})(x[i])
		}
	} else if _, err := fmt.Sscanf(name, "polygamma%d", &n); err == nil {
		return func(x []*lucid.Tensor) *lucid.Tensor { return special.Polygamma(x[0], n) }
	} else if _, err := fmt.Sscanf(name, "mvlgamma%d", &n); err == nil {
		return func(x []*lucid.Tensor) *lucid.Tensor { return special.Mvlgamma(x[0], n) }
	}
	return nil
}

// ulpBound is how many units a function may be wrong by in float64: 4, a derivative 8.
func ulpBound(name string) float64 {
	switch {
	case name == "erfinv":
		return 5
	case name == "d0_zeta": // a sum of some forty nodes
		return 16
	case name[0] == 'd' && name[2] == '_':
		return 8
	}
	return 4
}

// columns are the arguments of rows as tensors.
func columns(rows []tableRow, d lucid.DType) []*lucid.Tensor {
	x := make([]*lucid.Tensor, len(rows[0].args))
	for k := range x {
		v := make([]float64, len(rows))
		for i, r := range rows {
			v[i] = r.args[k]
		}
		x[k] = lucid.New(v, len(v)).To(d)
	}
	return x
}

// worstFirst orders the numbers of rows by their errors and gives the worst one.
func worstFirst(errors []float64) (order []int, worst float64) {
	for i, e := range errors {
		if e != e {
			errors[i] = math.Inf(1)
		}
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case errors[i] > errors[j]:
			return -1
		case errors[i] < errors[j]:
			return 1
		}
		return 0
	})
	return order, errors[order[0]]
}

// TestTable compares functions of float64 and their derivatives with a table of values to all bits, of points where this or an earlier
// version was worst. LUCID_SPECIAL_TABLE names another one, as scripts/special/sweep.py writes it; LUCID_SPECIAL_WORST a file to which its
// worst rows are appended.
func TestTable(t *testing.T) {
	rows, all := map[string][]tableRow{}, tableFunctions()
	if path := os.Getenv("LUCID_SPECIAL_TABLE"); path != "" {
		readTable(t, path, rows)
	} else {
		readTable(t, "testdata/worst.txt.gz", rows)
		readTable(t, "../internal/backend/special/testdata/values.txt.gz", rows)
		for name := range all {
			if rows[name] == nil {
				t.Errorf("the tables have no %s", name)
			}
		}
	}
	var names []string
	for n := range rows {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, name := range names {
		f, r := tableFunction(all, name), rows[name]
		if f == nil {
			t.Errorf("no function %s", name)
			continue
		}
		errors, i := make([]float64, len(r)), 0
		for got := range lucid.Values[float64](f(columns(r, lucid.Float64))) {
			errors[i] = math.Abs(got-r[i].want) / (math.Nextafter(r[i].scale, math.Inf(1)) - r[i].scale)
			i++
		}
		order, worst := worstFirst(errors)
		t.Logf("%-16s %6d values, worst %6.1f ulp at %v", name, len(r), worst, r[order[0]].args)
		if bound := ulpBound(name); worst > bound {
			t.Errorf("%s is wrong by %v units in the last bit at %v, want %v at most", name, worst, r[order[0]].args, bound)
		}
		if path := os.Getenv("LUCID_SPECIAL_WORST"); path != "" {
			w, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range order[:min(len(order), 6)] {
				fmt.Fprintln(w, name+r[i].String())
			}
			w.Close()
		}
	}
}

// TestFloat32 compares functions of float32 with those of float64, which the table checks, at its points rounded to float32.
func TestFloat32(t *testing.T) {
	rows, all := map[string][]tableRow{}, tableFunctions()
	readTable(t, "testdata/worst.txt.gz", rows)
	readTable(t, "../internal/backend/special/testdata/values.txt.gz", rows)
	for name, r := range rows {
		if name[0] == 'd' && name[2] == '_' {
			continue
		}
		f, x := tableFunction(all, name), columns(r, lucid.Float32)
		wide := make([]*lucid.Tensor, len(x))
		for k := range x {
			wide[k] = x[k].To(lucid.Float64)
		}
		want := slices.Collect(lucid.Values[float64](f(wide)))
		errors, i := make([]float64, len(r)), 0
		for got := range lucid.Values[float32](f(x)) {
			scale := math.Abs(want[i])
			if r[i].scale > math.Abs(r[i].want) {
				scale = max(scale, r[i].scale)
			}
			_, e := math.Frexp(scale)
			switch {
			case scale > 0x1p126 || !(scale > 0x1p-126) || math.Float32bits(got) == math.Float32bits(float32(want[i])):
			default:
				errors[i] = math.Abs(float64(got)-want[i]) / math.Ldexp(1, e-24)
			}
			i++
		}
		if order, worst := worstFirst(errors); worst > 4 {
			t.Errorf("%s of float32 is wrong by %v units in the last bit at %v, want 4 at most", name, worst, r[order[0]].args)
		}
	}
}
