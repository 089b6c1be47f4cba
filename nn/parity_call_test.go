package nn_test

import (
	"fmt"
	"reflect"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil"
)

// PyTorch's keywords whose field here has another name; "!" in front negates a bool.
var fieldOf = map[string]string{
	"affine": "!NoAffine", "elementwise_affine": "!NoAffine", "track_running_stats": "!NoTracking", "bias": "!NoBias",
	"need_weights": "!NoWeights", "average_attn_weights": "!HeadWeights", "training": "!Eval", "use_input_stats": "!RunningStats",
	"log_input": "!RawInput", "count_include_pad": "!ExcludePad", "cycle_momentum": "!NoCycleMomentum", "nesterov": "!NoNesterov",
	"src_mask": "Src", "mask": "Src", "tgt_mask": "Tgt", "memory_mask": "Memory", "is_causal": "SrcIsCausal",
	"src_key_padding_mask": "SrcKeyPadding",
	"tgt_key_padding_mask": "TgtKeyPadding", "memory_key_padding_mask": "MemoryKeyPadding", "enforce_sorted": "!NotSorted",
	"use_trivialization": "!NoTrivialization",
}

var tensorType = reflect.TypeFor[*lucid.Tensor]()

// keywords fills options; tensors of JSON are those of the case.
func (c *parityCase) keywords() testutil.Keywords {
	return testutil.Keywords{Names: fieldOf, Resolve: func(v any) any {
		if m, ok := v.(map[string]any); ok {
			return c.inputs[int(m["in"].(float64))]
		}
		return v
	}}
}

func (c *parityCase) set(dst reflect.Value, v any) error { return c.keywords().Set(dst, v) }

// options fills an options struct.
func (c *parityCase) options(typ reflect.Type, kw map[string]any) (reflect.Value, error) {
	o := reflect.New(typ).Elem()
	k := c.keywords()
	rest := map[string]any{}
	for key, v := range kw {
		_, _, ok := k.Field(o, key)
		switch {
		case key == "momentum" && v == nil: // cumulative
			o.FieldByName("CumulativeAverage").SetBool(true)
		case key == "dim" && v == nil:
			o.FieldByName("AllDims").SetBool(true)
		case !ok && (key == "return_indices" || key == "training"): // another method, or always so
		default:
			rest[key] = v
		}
	}
	return o, k.Fill(o, rest)
}

// call calls a function with PyTorch's arguments; keywords go to its options.
func (c *parityCase) call(f reflect.Value, args []any, kw map[string]any) ([]reflect.Value, error) {
	t := f.Type()
	var in []reflect.Value
	n := t.NumIn()
	last := n - 1
	optional := n > 0 && (t.IsVariadic() && t.In(last).Elem().Kind() == reflect.Struct || t.In(last).Kind() == reflect.Struct)
	if optional {
		n--
	}
	variadic := t.IsVariadic() && !optional
	for i := range n {
		if variadic && i == n-1 {
			for _, a := range args[min(i, len(args)):] {
				list, ok := a.([]any)
				if !ok {
					list = []any{a}
				}
				for _, x := range list {
					v := reflect.New(t.In(i).Elem()).Elem()
					if err := c.set(v, x); err != nil {
						return nil, err
					}
					in = append(in, v)
				}
			}
			break
		}
		v := reflect.New(t.In(i)).Elem()
		if i < len(args) {
			if err := c.set(v, args[i]); err != nil {
				return nil, fmt.Errorf("argument %d: %w", i, err)
			}
		} else if t.In(i) != tensorType {
			return nil, fmt.Errorf("%d arguments for %v", len(args), t)
		}
		in = append(in, v)
	}
	if optional {
		typ := t.In(last)
		if t.IsVariadic() {
			typ = typ.Elem()
		}
		o, err := c.options(typ, kw)
		if err != nil {
			return nil, err
		}
		for i, a := range args[min(n, len(args)):] { // what may be left out comes first in the options, in PyTorch's order
			if err := c.set(o.Field(i), a); err != nil {
				return nil, fmt.Errorf("argument %d: %w", n+i, err)
			}
		}
		in = append(in, o)
	} else if len(kw) > 0 {
		for k := range kw {
			if k != "return_indices" {
				return nil, fmt.Errorf("%v takes no %v", t, kw)
			}
		}
	}
	return f.Call(in), nil
}

// tensors returns results that are there.
func tensors(out []reflect.Value) (list []*lucid.Tensor) {
	for _, v := range out {
		if t := v.Interface().(*lucid.Tensor); t != nil {
			list = append(list, t)
		}
	}
	return list
}
