package nn_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/nn"
)

// noDefault are PyTorch's keywords that have no option here, each with its reason.
var noDefault = map[string]string{
	"inplace":                    "an in-place form has a name of its own: F.Relu_",
	"size_average":               "deprecated in PyTorch for reduction",
	"reduce":                     "deprecated in PyTorch for reduction",
	"device":                     "a Device, not a name; nil is the default of both",
	"dtype":                      "a DType; the zero value is the default of both",
	"sparse":                     "gradients are dense; SparseAdam goes by rows that are zero",
	"_random_samples":            "an option here",
	"return_indices":             "a method or function of its own: ForwardIndices, WithIndices",
	"_stacklevel":                "of PyTorch's warnings",
	"output_size":                "required, or its ratio",
	"output_ratio":               "required, or the size",
	"Softmax.dim":                "required: PyTorch's default is deprecated",
	"LogSoftmax.dim":             "required: PyTorch's default is deprecated",
	"Softmin.dim":                "required: PyTorch's default is deprecated",
	"softmax.dim":                "required: PyTorch's default is deprecated",
	"log_softmax.dim":            "required: PyTorch's default is deprecated",
	"softmin.dim":                "required: PyTorch's default is deprecated",
	"Embedding._weight":          "EmbeddingFrom",
	"Embedding._freeze":          "EmbeddingFrom",
	"EmbeddingBag._weight":       "assign to Weight",
	"Transformer.d_model":        "required here, as in its layers",
	"Transformer.nhead":          "required here, as in its layers",
	"Transformer.custom_encoder": "the fields Encoder and Decoder can be set",
	"Transformer.custom_decoder": "the fields Encoder and Decoder can be set",
	"TransformerEncoder.norm":    "an argument here, which may be nil",
	"TransformerDecoder.norm":    "an argument here, which may be nil",
	"TransformerEncoder.enable_nested_tensor":               "there are no nested tensors",
	"TransformerEncoder.mask_check":                         "there are no nested tensors",
	"Transformer.num_encoder_layers":                        "six layers of 2048 are compared by their number below",
	"Transformer.num_decoder_layers":                        "six layers of 2048 are compared by their number below",
	"multi_head_attention_forward.use_separate_proj_weight": "separate matrices are used where they are given",
	"ConvTranspose1d.padding_mode":                          "PyTorch knows zeros alone",
	"ConvTranspose2d.padding_mode":                          "PyTorch knows zeros alone",
	"ConvTranspose3d.padding_mode":                          "PyTorch knows zeros alone",
	"one_hot.num_classes":                                   "nil here; -1 is taken too",
	"batch_norm.training": "the plain case has no statistics to evaluate with; a bool that is false by " +
		"default in both",
}

// plain is a case of an op with as few keywords as possible.
func plain(cases map[string][]*parityCase, op string) *parityCase {
	var best *parityCase
	for _, c := range cases[op] {
		if best == nil || len(c.Kwargs)+len(c.Call) < len(best.Kwargs)+len(best.Call) {
			best = c
		}
	}
	return best
}

// outputs runs a case with other keywords, in training, from one seed.
func (c *parityCase) outputs(t *testing.T, kw map[string]any) (out []*lucid.Tensor, err error) {
	d := *c
	d.Kwargs, d.Train = kw, true
	lucid.Seed(5)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	if f, ok := functions[c.Op]; ok {
		got, err := d.call(reflect.ValueOf(f), d.Args, kw)
		if err != nil {
			return nil, err
		}
		return tensors(got), nil
	}
	got, err := d.call(reflect.ValueOf(modules[c.Op]), d.Args, kw)
	if err != nil {
		return nil, err
	}
	m := got[0].Interface().(nn.Module)
	d.Names = nn.StateDict(m).Names()
	d.load(t, m)
	lucid.Seed(6)
	return d.forward(t, m)(), nil
}

// hasOption reports whether an op takes a keyword, as an option or as an argument.
func hasOption(f any, key string) bool {
	t := reflect.TypeOf(f)
	if t.NumIn() == 0 {
		return false
	}
	o := t.In(t.NumIn() - 1)
	if t.IsVariadic() {
		o = o.Elem()
	}
	if o.Kind() != reflect.Struct {
		return false
	}
	_, _, ok := testutil.Keywords{Names: fieldOf}.Field(reflect.New(o).Elem(), key)
	return ok
}

// The zero value of every option means what PyTorch's default means: a module or function with the default given
// computes the same bits as one without. That the options are not ignored is what TestParity shows: each has a case
// with another value.
func TestDefaultsArePyTorchs(t *testing.T) {
	raw, err := os.ReadFile("testdata/defaults.json")
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ NN, Functional map[string]map[string]any }
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	cases := map[string][]*parityCase{}
	for _, file := range []string{"modules", "sequences", "losses", "functional"} {
		for _, c := range readParity(t, file) {
			cases[c.Op] = append(cases[c.Op], c)
		}
	}
	compared := 0
	for _, part := range []map[string]map[string]any{list.NN, list.Functional} {
		for op, defaults := range part {
			for key, def := range defaults {
				if noDefault[key] != "" || noDefault[op+"."+key] != "" || random[op] {
					continue
				}
				if compareDefault(t, cases, op, key, def) {
					compared++
				}
			}
		}
	}
	if compared < 300 {
		t.Errorf("only %d defaults were compared", compared)
	}
}

func compareDefault(t *testing.T, cases map[string][]*parityCase, op, key string, def any) bool {
	f := modules[op]
	if f == nil {
		f = functions[op]
	}
	c := plain(cases, op)
	if f == nil || c == nil {
		t.Errorf("%s: no case", op)
		return false
	}
	if def == nil {
		return true // an absent pointer or list is the zero value
	}
	if !hasOption(f, key) {
		t.Errorf("%s: no option for %s, whose default is %v", op, key, def)
		return false
	}
	varied := false
	for _, c := range cases[op] {
		if v, ok := c.Kwargs[key]; ok && fmt.Sprint(v) != fmt.Sprint(def) {
			varied = true
		}
	}
	if !varied && unvaried[op+"."+key] == "" && unvaried[key] == "" {
		t.Errorf("%s: no case has another %s than %v", op, key, def)
	}
	kw := maps.Clone(c.Kwargs)
	if kw == nil {
		kw = map[string]any{}
	}
	delete(kw, key)
	without, err := c.outputs(t, kw)
	if err != nil {
		t.Errorf("%s without %s: %v", op, key, err)
		return false
	}
	kw[key] = def
	with, err := c.outputs(t, kw)
	if err != nil {
		t.Errorf("%s with %s = %v: %v", op, key, def, err)
		return false
	}
	if len(with) != len(without) {
		t.Errorf("%s: %d results with %s = %v, %d without", op, len(with), key, def, len(without))
		return false
	}
	for i := range with {
		if !lucid.Equal(with[i].Detach(), without[i].Detach()) {
			t.Errorf("%s: %s = %v, PyTorch's default, gives another result than no option", op, key, def)
		}
	}
	return true
}

// unvaried are options without a case of another value, each with its reason.
var unvaried = map[string]string{
	"dropout": "what is dropped is random; TestDropouts", "dropout_p": "what is dropped is random; TestDropouts",
	"rrelu.training":         "slopes are random; TestDropouts",
	"batch_norm.momentum":    "changes the running statistics alone, which the module's cases show",
	"instance_norm.momentum": "changes the running statistics alone, which the module's cases show",
}

// random are ops that drop elements; their defaults are compared in TestRandomDefaults.
var random = map[string]bool{
	"Dropout": true, "Dropout1d": true, "Dropout2d": true, "Dropout3d": true, "AlphaDropout": true, "FeatureAlphaDropout": true,
	"dropout": true, "dropout1d": true, "dropout2d": true, "dropout3d": true, "alpha_dropout": true, "feature_alpha_dropout": true,
	"gumbel_softmax": true,
}
