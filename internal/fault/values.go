package fault

import (
	"reflect"
	"strings"
)

// wantedValues returns the values behind Expected and Got: those of the message's format on either side of "; want" and ", got".
func wantedValues(format string, args []any) (expected, got []any) {
	before, after, ok := strings.Cut(format, "; want ")
	if !ok {
		return nil, nil
	}
	n := min(verbs(before), len(args))
	got, expected = args[:n], args[n:]
	if want, _, ok := strings.Cut(after, ", got "); ok {
		k := min(verbs(want), len(expected))
		expected, got = expected[:k], expected[k:]
	}
	return plain(expected), plain(got)
}

// verbs counts the verbs of a format.
func verbs(format string) (n int) {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		if i++; i < len(format) && format[i] != '%' {
			n++
		}
	}
	return n
}

// plain copies values; a shape becomes []int, which the program may keep and change.
func plain(values []any) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
		if r := reflect.ValueOf(v); r.Kind() == reflect.Slice && r.Type().Elem().Kind() == reflect.Int {
			list := make([]int, r.Len())
			for k := range list {
				list[k] = int(r.Index(k).Int())
			}
			out[i] = list
		}
	}
	return out
}

// Shapes returns the first shape that was wanted and the first that came, nil where the error names none.
func (e *Error) Shapes() (expected, got []int) {
	return first[[]int](e.ExpectedValues), first[[]int](e.GotValues)
}

func first[T any](values []any) (zero T) {
	for _, v := range values {
		if t, ok := v.(T); ok {
			return t
		}
	}
	return zero
}
