package optim_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

// ours names what an optimizer keeps under another name than PyTorch's keyword; for pairs, the two parts.
var ours = map[string][]string{
	"betas": {"beta1", "beta2"}, "etas": {"less", "more"}, "step_sizes": {"shortest", "longest"}, "ns_coefficients": {"a", "b", "c"},
	"eps": {"eps1", "eps2"}, "adjust_lr_fn": {"adjust_lr"},
}

// The numbers an optimizer has when only the rate is given are PyTorch's.
func TestDefaultsArePyTorchs(t *testing.T) {
	raw, err := os.ReadFile("testdata/optim.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Defaults map[string]map[string]any }
	if err := json.NewDecoder(z).Decode(&f); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for op, want := range f.Defaults {
		if strings.HasSuffix(op, "LR") || op == "LBFGS" || strings.Contains(op, "LROn") || strings.Contains(op, "Warm") {
			continue // schedules and LBFGS are compared by their values
		}
		d := make1(op, []*lucid.Tensor{lucid.Zeros(2, 2).RequiresGrad_(true)}, options{"lr": 0.1}).StateDict()
		get := func(names ...string) *lucid.Tensor {
			for _, n := range names {
				if t := d.Get("param_groups.0." + n); t != nil {
					return t
				}
			}
			return nil
		}
		compare := func(key string, names []string, v any) {
			got := get(names...)
			if got == nil {
				if !(v == nil || v == false || v == 0.0) {
					t.Errorf("%s: nothing is stored for %s, whose default is %v", op, key, v)
				}
				return
			}
			w := 0.0
			switch v := v.(type) {
			case nil: // "as the dtype says", or none
				return
			case bool:
				if v {
					w = 1
				}
			case float64:
				w = v
			}
			if checked++; got.Item() != w {
				t.Errorf("%s: %s is %v; PyTorch's default is %v", op, key, got.Item(), v)
			}
		}
		for key, v := range want {
			if key == "lr" {
				continue
			}
			if list, ok := v.([]any); ok {
				for i, x := range list {
					compare(fmt.Sprintf("%s[%d]", key, i), ours[key][i:i+1], x)
				}
				continue
			}
			names := []string{key}
			if key != "eps" {
				names = append(names, ours[key]...)
			}
			compare(key, names, v)
		}
	}
	if checked < 40 {
		t.Errorf("only %d defaults were compared", checked)
	}
}
