package schema

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// set converts an attribute to the type the op wants.
func (c *Caller) set(name string, v, into any) {
	ok := false
	switch p := into.(type) {
	case *bool:
		*p, ok = v.(bool)
	case *string:
		*p, ok = v.(string)
	case *int:
		*p, ok = asInt(v)
	case **int:
		i := 0
		if i, ok = asInt(v); ok {
			*p = &i
		}
	case **bool:
		b := false
		if b, ok = v.(bool); ok {
			*p = &b
		}
	case *float64:
		*p, ok = asFloat(v)
	case **float64:
		f := 0.0
		if f, ok = asFloat(v); ok {
			*p = &f
		}
	case *[]int:
		*p, ok = asInts(v)
	case *map[string]int:
		*p, ok = asLengths(v)
	case *[]float64:
		*p, ok = asFloats(v)
	case *any:
		*p, ok = asAny(v)
	case *dtype.DType:
		switch v := v.(type) {
		case dtype.DType:
			*p, ok = v, v.Valid()
		case string:
			*p, ok = dtype.Parse(v)
		}
	}
	if !ok {
		c.Bad(fault.DType, "attribute %q is %v of type %T", name, v, v)
	}
}

func asInt(v any) (int, bool) {
	switch v := v.(type) {
	case float64: // JSON has no other numbers
		return int(v), v == math.Trunc(v) && math.Abs(v) < 1<<63
	case dtype.DType: // no number, though it is stored as one
		return 0, false
	}
	s, ok := dtype.ScalarOf(v)
	return int(s.I), ok && s.Kind == dtype.KindInt
}

func asFloat(v any) (float64, bool) {
	s, ok := dtype.ScalarOf(v)
	return s.Float(), ok && s.Kind != dtype.KindComplex && s.Kind != dtype.KindBool
}

func asInts(v any) ([]int, bool) {
	switch v := v.(type) {
	case []int:
		return v, true
	case []int64:
		out := make([]int, len(v))
		for i, x := range v {
			out[i] = int(x)
		}
		return out, true
	case []any:
		out := make([]int, len(v))
		for i, x := range v {
			if x == nil { // PyTorch's None in a list of sizes: the one there is
				out[i] = -1
				continue
			}
			var ok bool
			if out[i], ok = asInt(x); !ok {
				return nil, false
			}
		}
		return out, true
	}
	i, ok := asInt(v)
	return []int{i}, ok
}

// asLengths is a table of named sizes.
func asLengths(v any) (map[string]int, bool) {
	switch v := v.(type) {
	case map[string]int:
		return v, true
	case map[string]any:
		out := make(map[string]int, len(v))
		for k, x := range v {
			var ok bool
			if out[k], ok = asInt(x); !ok {
				return nil, false
			}
		}
		return out, true
	}
	return nil, false
}

// asAny lets numbers, words, and lists of ints or of such lists through; the op checks further.
func asAny(v any) (any, bool) {
	switch v := v.(type) {
	case string, []int, [][]int:
		return v, true
	case []any:
		if ints, ok := asInts(v); ok {
			return ints, true
		}
		lists := make([][]int, len(v))
		for i, l := range v {
			var ok bool
			if lists[i], ok = asInts(l); !ok {
				return nil, false
			}
		}
		return lists, true
	}
	_, ok := dtype.ScalarOf(v)
	return v, ok
}

func asFloats(v any) ([]float64, bool) {
	switch v := v.(type) {
	case []float64:
		return v, true
	case []any:
		out := make([]float64, len(v))
		for i, x := range v {
			var ok bool
			if out[i], ok = asFloat(x); !ok {
				return nil, false
			}
		}
		return out, true
	}
	f, ok := asFloat(v)
	return []float64{f}, ok
}
