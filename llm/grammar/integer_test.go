package grammar

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestIntegerBounds compares grammars of bounded integers with the bounds: every number near them, and numbers of all lengths.
func TestIntegerBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	bounds := [][2]int64{{0, 0}, {-1, 1}, {-9, -3}, {7, 12}, {95, 1003}, {-1005, 999}, {100, 199}, {-maxInteger, maxInteger},
		{1, maxInteger}}
	for range 60 {
		a, b := r.Int64N(3000)-1500, r.Int64N(3000)-1500
		bounds = append(bounds, [2]int64{min(a, b), max(a, b)})
	}
	for _, c := range bounds {
		lo, hi := c[0], c[1]
		g, err := JSONSchema(fmt.Appendf(nil, `{"type": "integer", "minimum": %d, "maximum": %d}`, lo, hi))
		if err != nil {
			t.Fatal(err)
		}
		try := []int64{lo, hi, lo - 1, hi + 1, 0, maxInteger, -maxInteger, maxInteger + 1}
		for v := int64(-1510); v <= 1510; v += 1 + r.Int64N(3) {
			try = append(try, v)
		}
		for n := range 15 {
			v, _ := strconv.ParseInt("314159265358979"[:n+1], 10, 64)
			try = append(try, v, -v)
		}
		for _, v := range try {
			if got := g.Matches(strconv.FormatInt(v, 10)); got != (v >= lo && v <= hi) {
				t.Errorf("from %d to %d: %d is allowed: %v", lo, hi, v, got)
			}
		}
		for _, text := range []string{"", "-", "-0", "00", "07", "1.0", "+1", " 1", "1e1"} {
			if g.Matches(text) {
				t.Errorf("from %d to %d allows %q", lo, hi, text)
			}
		}
	}
}

// TestIntegerKeys looks at the other keys, at bounds between whole numbers, and at what is refused.
func TestIntegerKeys(t *testing.T) {
	for schema, want := range map[string][2]int64{
		`{"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 7}`:                 {4, 6},
		`{"type": "integer", "minimum": 2.5, "maximum": 7.9}`:                               {3, 7},
		`{"type": "integer", "exclusiveMinimum": 2.5, "exclusiveMaximum": 7.9}`:             {3, 7},
		`{"type": "integer", "minimum": 1, "exclusiveMinimum": 2, "maximum": 1e1}`:          {3, 10},
		`{"type": ["null", "integer"], "minimum": -2, "exclusiveMaximum": -0.5}`:            {-2, -1},
		`{"anyOf": [{"type": "integer", "minimum": 9, "maximum": 9}, {"type": "boolean"}]}`: {9, 9},
	} {
		g, err := JSONSchema([]byte(schema))
		if err != nil {
			t.Errorf("%s: %v", schema, err)
			continue
		}
		for v := int64(-20); v <= 20; v++ {
			if got := g.Matches(strconv.FormatInt(v, 10)); got != (v >= want[0] && v <= want[1]) {
				t.Errorf("%s: %d is allowed: %v", schema, v, got)
			}
		}
	}
	for _, schema := range []string{`{"type": "integer", "minimum": 4, "maximum": 3}`, `{"type": "integer", "minimum": "1"}`,
		`{"type": "integer", "maximum": 1e15}`, `{"type": "integer", "minimum": 1e999}`, `{"type": "number", "minimum": 0}`,
		`{"type": ["integer", "number"], "minimum": 0}`, `{"type": "integer", "multipleOf": 2}`, `{"minimum": 1}`,
		`{"type": "string", "minimum": 1}`, `{"type": "integer", "exclusiveMinimum": true}`,
		`{"type": "integer", "exclusiveMinimum": 2, "exclusiveMaximum": 3}`} {
		if _, err := JSONSchema([]byte(schema)); err == nil {
			t.Errorf("%s was accepted", schema)
		}
	}
}
