package nn_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/lucid-go/lucid"
)

// PyTorch's keywords whose field here has another name; "!" in front turns a bool round.
var fieldOf = map[string]string{
	"affine": "!NoAffine", "elementwise_affine": "!NoAffine", "track_running_stats": "!NoTracking", "bias": "!NoBias",
	"need_weights": "!NoWeights", "average_attn_weights": "!HeadWeights", "training": "!Eval", "use_input_stats": "!RunningStats",
	"log_input": "!RawInput", "count_include_pad": "!ExcludePad", "cycle_momentum": "!NoCycleMomentum", "nesterov": "!NoNesterov",
	"src_mask": "Src", "mask": "Src", "tgt_mask": "Tgt", "memory_mask": "Memory", "is_causal": "SrcIsCausal", "src_key_padding_mask": "SrcKeyPadding",
	"tgt_key_padding_mask": "TgtKeyPadding", "memory_key_padding_mask": "MemoryKeyPadding", "enforce_sorted": "!NotSorted",
}

var tensorType = reflect.TypeFor[*lucid.Tensor]()

// field finds the field of an options struct for a keyword; not says that a bool is turned round.
func fieldFor(v reflect.Value, key string) (f reflect.Value, not, ok bool) {
	plain := strings.ReplaceAll(key, "_", "")
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		if sf.Anonymous {
			if f, not, ok := fieldFor(v.Field(i), key); ok {
				return f, not, ok
			}
			continue
		}
		if strings.EqualFold(sf.Name, plain) {
			return v.Field(i), false, true
		}
	}
	name, not := strings.CutPrefix(fieldOf[key], "!")
	if name == "" {
		return f, false, false
	}
	f = v.FieldByName(name)
	return f, not, f.IsValid()
}

// set puts a JSON value in a field or parameter.
func (c *parityCase) set(dst reflect.Value, v any) error {
	if s, ok := v.(string); ok && dst.Kind() != reflect.String && (s == "inf" || s == "-inf") {
		v = math.Inf(1)
		if s == "-inf" {
			v = math.Inf(-1)
		}
	}
	if m, ok := v.(map[string]any); ok {
		v = c.inputs[int(m["in"].(float64))]
	}
	if v == nil {
		dst.SetZero()
		return nil
	}
	switch dst.Kind() {
	case reflect.Interface:
		if n, ok := v.(float64); ok && n == math.Trunc(n) {
			v = int(n)
		}
		if list, ok := v.([]any); ok {
			ints := make([]int, len(list))
			for i, x := range list {
				ints[i] = int(x.(float64))
			}
			v = ints
		}
		dst.Set(reflect.ValueOf(v))
		return nil
	case reflect.Pointer:
		if dst.Type() == tensorType {
			t, ok := v.(*lucid.Tensor)
			if !ok {
				return fmt.Errorf("%v is no tensor", v)
			}
			dst.Set(reflect.ValueOf(t))
			return nil
		}
		p := reflect.New(dst.Type().Elem())
		dst.Set(p)
		return c.set(p.Elem(), v)
	case reflect.Slice, reflect.Array:
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		if dst.Kind() == reflect.Slice {
			dst.Set(reflect.MakeSlice(dst.Type(), len(list), len(list)))
		}
		for i, x := range list {
			if err := c.set(dst.Index(i), x); err != nil {
				return err
			}
		}
		return nil
	}
	r := reflect.ValueOf(v)
	if !r.CanConvert(dst.Type()) || r.Kind() == reflect.String != (dst.Kind() == reflect.String) {
		return fmt.Errorf("%v for a %v", v, dst.Type())
	}
	dst.Set(r.Convert(dst.Type()))
	return nil
}

// options fills an options struct.
func (c *parityCase) options(typ reflect.Type, kw map[string]any) (reflect.Value, error) {
	o := reflect.New(typ).Elem()
	for k, v := range kw {
		f, not, ok := fieldFor(o, k)
		switch {
		case k == "momentum" && v == nil: // cumulative
			o.FieldByName("CumulativeAverage").SetBool(true)
			continue
		case k == "dim" && v == nil:
			o.FieldByName("AllDims").SetBool(true)
			continue
		case k == "return_indices" && !ok, k == "training" && !ok:
			continue // another method, or always so
		case !ok:
			return o, fmt.Errorf("%v has no field for %s", typ, k)
		}
		if not {
			v = !v.(bool)
		}
		if err := c.set(f, v); err != nil {
			return o, fmt.Errorf("%s: %w", k, err)
		}
	}
	return o, nil
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
