package export

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// attributes that elementwise ops need to be valid at all.
var elementwiseAttr = map[string]string{
	"beta_grad":           `{"Order":{"N":1}}`,
	"cast":                `{"Cast":{"To":"float32"}}`,
	"erfcx_derivative":    `{"Order":{"N":1}}`,
	"standard_gamma_grad": `{"Order":{"N":1}}`,
	"polygamma":           `{"Order":{"N":1}}`,
	"require":             `{"Domain":{"Rule":1}}`,
	"softplus":            `{"Softplus":{"Beta":1,"Threshold":20}}`,
	"special_polynomial":  `{"Polynomial":{"Family":1}}`,
	"wrap_index":          `{"Bound":{"Size":3}}`,
}

// checkOne checks a file whose only node applies op to n inputs of a dtype. The dtype of the result is one the file gets wrong
// unless the op gives out.
func checkOne(op *graph.Op, in []dtype.DType, out dtype.DType) error {
	var inputs, numbers []string
	for i, d := range in {
		inputs, numbers = append(inputs, fmt.Sprintf(`[%q,3]`, d)), append(numbers, fmt.Sprint(i))
	}
	a := ""
	if text := elementwiseAttr[op.Name]; text != "" {
		a = `,"attr":` + text
	}
	text := fmt.Sprintf(
		`{"functions":[{"name":"f","inputs":[%s],"nodes":[{"op":%q,"version":%d,"in":[%s]%s,"out":[[%q,3]]}],"outputs":[%d]}]}`,
		strings.Join(inputs, ","), op.Name, op.Version, strings.Join(numbers, ","), a, out, len(in))
	graphs, _, err := Parse([]byte(text), nil)
	if err != nil {
		return err
	}
	return graphs[0].Check(nil)
}

// TestImportChecksDTypes gives every elementwise op inputs of every dtype: those that its declaration names pass, all others are
// a typed error when the file is read, rather than a missing kernel when the function is called.
func TestImportChecksDTypes(t *testing.T) {
	passed := 0
	for _, op := range graph.Ops() {
		if op.Kind != graph.Elementwise {
			continue
		}
		for d := dtype.Bool; d < dtype.N; d++ {
			in := slices.Repeat([]dtype.DType{d}, op.Inputs.Least())
			if op.Name == "where" {
				in[0] = dtype.Bool
			}
			ok := false
			for out := dtype.Bool; out < dtype.N && !ok; out++ {
				err := checkOne(op, in, out)
				ok = err == nil
				if kind, typed := fault.KindOf(err); err != nil && (!typed || kind != fault.Format) {
					t.Fatalf("%s of %v: %v is not a format error", op.Name, d, err)
				}
			}
			if ok != op.DTypes.Has(d) {
				t.Errorf("%s of %v: taken is %v, its declaration says %v", op.Name, d, ok, op.DTypes)
			}
			if ok {
				passed++
			}
		}
		more := slices.Repeat([]dtype.DType{dtype.Float32}, op.Inputs.Least()+1)
		if err := checkOne(op, more, dtype.Float32); err == nil || !strings.Contains(err.Error(), "inputs, not") {
			t.Errorf("%s over one input too many: %v", op.Name, err)
		}
	}
	if passed < 500 {
		t.Errorf("%d pairs of op and dtype passed", passed)
	}
}
