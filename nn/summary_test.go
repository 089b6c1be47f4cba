package nn_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// takesTensors reports whether Forward wants nothing but tensors, and options.
func takesTensors(m nn.Module) bool {
	t := reflect.ValueOf(m).MethodByName("Forward").Type()
	for i := range t.NumIn() {
		if t.In(i) != tensorType && !(t.IsVariadic() && i == t.NumIn()-1) {
			return false
		}
	}
	return true
}

// Every kind of module has a summary: with its own number of parameters, and with the shape of what it returns.
func TestSummaryOfAll(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range []string{"modules", "sequences", "losses"} {
		for _, c := range readParity(t, file) {
			f, ok := modules[c.Op]
			if !ok || seen[c.Op] || strings.Contains(c.Op, ".") && !strings.HasSuffix(c.Op, ".norm") ||
				strings.HasPrefix(c.Op, "Fractional") || strings.HasPrefix(c.Op, "MaxUnpool") {
				continue
			}
			seen[c.Op] = true
			got, err := c.call(reflect.ValueOf(f), c.Args, c.Kwargs)
			if err != nil {
				t.Fatal(err)
			}
			m := got[0].Interface().(nn.Module)
			count := fmt.Sprintf("%d parameters, ", nn.NumParameters(m))
			if s := nn.Summary(m); !strings.Contains(strings.ReplaceAll(s, ",", ""), strings.ReplaceAll(count, ",", "")) ||
				strings.Count(s, "\n") != 2+len(nn.Modules(m)) {
				t.Errorf("%s:\n%s", c.Op, s)
			}
			if !takesTensors(m) {
				continue
			}
			var in []*lucid.Tensor
			for _, v := range c.Ins {
				var x *lucid.Tensor
				if ref, ok := v.(map[string]any); ok {
					x = c.inputs[int(ref["in"].(float64))]
				}
				in = append(in, x)
			}
			if s := nn.Summary(m, in...); !strings.Contains(s, fmt.Sprint(c.Out[0])) {
				t.Errorf("%s: no shape %v in\n%s", c.Op, c.Out[0], s)
			}
		}
	}
	if len(seen) < 120 {
		t.Errorf("only %d kinds", len(seen))
	}
}

// States that are not given are nil, as in Forward; what cannot be an argument is refused.
func TestSummaryArguments(t *testing.T) {
	s := nn.Summary(nn.NewLSTM(3, 4), lucid.Zeros(5, 2, 3))
	if !strings.Contains(s, "[5 2 4] [1 2 4] [1 2 4]") {
		t.Errorf("\n%s", s)
	}
	if s := nn.Summary(nn.NewTransformerEncoderLayer(4, 2), lucid.Zeros(5, 2, 4)); !strings.Contains(s, "self_attn") ||
		!strings.Contains(s, "[5 2 4]") {
		t.Errorf("\n%s", s)
	}
	if s := nn.Summary(nn.NewSequential(nn.NewLazyLinear(3)), lucid.Zeros(2, 5)); !strings.Contains(s, "18 parameters") {
		t.Errorf("\n%s", s)
	}
	for name, f := range map[string]func(){
		"too many inputs": func() { nn.Summary(nn.NewLinear(2, 2), lucid.Zeros(2), lucid.Zeros(2)) },
		"no Forward":      func() { nn.Summary(nn.NewModuleDict(), lucid.Zeros(2)) },
	} {
		if err := lucid.Try(f); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
