package testutil

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// Keywords puts PyTorch's keywords, as JSON has them, into options structs.
type Keywords struct {
	// Names has the field of keywords that have another name; "!" in front negates a bool.
	Names map[string]string
	// Resolve converts the JSON form of a tensor to the tensor; other values it returns as they are. It may be nil.
	Resolve func(v any) any
}

// Field finds the field of an options struct for a keyword: the same name but for case and underscores, in embedded
// structs too, or that of Names. not says that a bool is negated.
func (k Keywords) Field(v reflect.Value, key string) (f reflect.Value, not, ok bool) {
	plain := strings.ReplaceAll(key, "_", "")
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		if sf.Anonymous {
			if f, not, ok := k.Field(v.Field(i), key); ok {
				return f, not, ok
			}
			continue
		}
		if strings.EqualFold(sf.Name, plain) {
			return v.Field(i), false, true
		}
	}
	name, not := strings.CutPrefix(k.Names[key], "!")
	if name == "" {
		return f, false, false
	}
	f = v.FieldByName(name)
	return f, not, f.IsValid()
}

// Fill fills an options struct.
func (k Keywords) Fill(o reflect.Value, kw map[string]any) error {
	for key, v := range kw {
		f, not, ok := k.Field(o, key)
		if !ok {
			return fmt.Errorf("%v has no field for %s", o.Type(), key)
		}
		if not {
			v = !v.(bool)
		}
		if err := k.Set(f, v); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// Set puts a JSON value in a field or parameter: a number for all in a list, a value behind a pointer, and so on.
func (k Keywords) Set(dst reflect.Value, v any) error {
	if s, ok := v.(string); ok && dst.Kind() != reflect.String && (s == "inf" || s == "-inf") {
		v = math.Inf(1)
		if s == "-inf" {
			v = math.Inf(-1)
		}
	}
	if k.Resolve != nil {
		v = k.Resolve(v)
	}
	if v == nil {
		dst.SetZero()
		return nil
	}
	if r := reflect.ValueOf(v); dst.Kind() == reflect.Pointer && r.Type() == dst.Type() {
		dst.Set(r)
		return nil
	}
	switch dst.Kind() {
	case reflect.Interface:
		dst.Set(reflect.ValueOf(integers(v)))
		return nil
	case reflect.Pointer:
		p := reflect.New(dst.Type().Elem())
		dst.Set(p)
		return k.Set(p.Elem(), v)
	case reflect.Slice, reflect.Array:
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		if dst.Kind() == reflect.Slice {
			dst.Set(reflect.MakeSlice(dst.Type(), len(list), len(list)))
		}
		for i, x := range list {
			if err := k.Set(dst.Index(i), x); err != nil {
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

// integers converts integral numbers, and lists of them, to ints.
func integers(v any) any {
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) {
			return int(v)
		}
	case []any:
		ints := make([]int, len(v))
		for i, x := range v {
			ints[i] = int(x.(float64))
		}
		return ints
	}
	return v
}
