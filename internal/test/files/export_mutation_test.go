package files

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/codectest"
	checkpoint "github.com/lucid-go/lucid/internal/codec/lucid"
	"github.com/lucid-go/lucid/internal/schema"
	"github.com/lucid-go/lucid/internal/testutil/golden"
)

var (
	jsonNumber = regexp.MustCompile(`-?\d+`)
	jsonDType  = regexp.MustCompile(`"(bool|u?int\d+|b?float\d+|complex\d+)"`)
)

// mutate changes numbers and dtypes of a text, the same in every run.
func mutate(r *rand.Rand, text string) string {
	numbers := []string{"-1", "0", "1", "2", "3", "4", "5", "7", "16", "100", "-2", "2147483648", "4611686018427387904",
		"-9223372036854775808"}
	dtypes := []string{`"bool"`, `"uint8"`, `"int64"`, `"float16"`, `"bfloat16"`, `"float32"`, `"float64"`, `"complex64"`, `"complex128"`}
	for range 1 + r.IntN(3) {
		re, with := jsonNumber, numbers
		if r.IntN(6) == 0 {
			re, with = jsonDType, dtypes
		}
		all := re.FindAllStringIndex(text, -1)
		if len(all) == 0 {
			continue
		}
		at := all[r.IntN(len(all))]
		old, now := text[at[0]:at[1]], with[r.IntN(len(with))]
		if r.IntN(3) == 0 {
			text = strings.ReplaceAll(text, old, now) // so that specs may still agree
		} else {
			text = text[:at[0]] + now + text[at[1]:]
		}
	}
	return text
}

// TestImportMutated changes the graphs of every op of the golden files. What passes the checks is run: it may fail
// with a typed error. Under the race detector, pointers out of bounds are found too.
func TestImportMutated(t *testing.T) {
	perOp, tries := 2, 20
	if testing.Short() {
		perOp, tries = 1, 5
	}
	for _, family := range golden.Families() {
		t.Run(family, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			seen, passed, ran, total := map[string]int{}, 0, 0, 0
			for _, c := range golden.Read(t, family) {
				if schema.Lookup(c.Op) == nil {
					continue
				}
				if seen[c.Op]++; seen[c.Op] > perOp {
					continue
				}
				for _, file := range filesOf(&c) {
					text := string(file.Sections[0].Data)
					for range tries {
						total++
						file.Sections[0].Data = []byte(mutate(r, text))
						g, err := newFunction(file)
						if err != nil {
							if !codectest.Typed(err) {
								t.Fatalf("%v\n%s", err, file.Sections[0].Data)
							}
							continue
						}
						passed++
						if runSmall(t, g, string(file.Sections[0].Data)) {
							ran++
						}
					}
				}
			}
			t.Logf("%d texts, %d pass, %d run", total, passed, ran)
		})
	}
}

// filesOf returns what the case and its gradient are in a file.
func filesOf(c *golden.Case) (list []checkpoint.Checkpoint) {
	eachFunction(c, func(f func([]*lucid.Tensor) []*lucid.Tensor, in []*lucid.Tensor) error {
		_, b, err := throughFile(f, in)
		if err == nil {
			file, err := checkpoint.Parse(b, codec.Limits{})
			if err == nil {
				list = append(list, file)
			}
		}
		return nil
	})
	return list
}

// runSmall runs what is small enough; every failure must be typed.
func runSmall(t *testing.T, f *lucid.Function, text string) (ok bool) {
	for _, s := range f.Signatures() {
		if !small(s) {
			continue
		}
		in := make([]*lucid.Tensor, len(s.Inputs))
		for i, spec := range s.Inputs {
			for d, n := range spec.Shape {
				if n < 0 { // open
					spec.Shape[d] = s.Least
				}
			}
			in[i] = lucid.With{DType: spec.DType}.Full(spec.Shape, 1)
		}
		out, err := f.Call(in...)
		if err == nil {
			err = lucid.Eval(out...)
		}
		if ok = err == nil; !ok && !codectest.Typed(err) && !strings.Contains(err.Error(), "a kernel panicked") {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	return ok
}
