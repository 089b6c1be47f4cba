package door

import "github.com/lucid-go/lucid/internal/fault"

// Option returns the options given behind a function's other arguments, or the zero value; more than one is refused.
func Option[T any](op string, opts []T) (o T) {
	if len(opts) > 1 {
		fault.Throw(fault.Value, op, "got %d option structs; want at most one", len(opts))
	}
	if len(opts) == 1 {
		return opts[0]
	}
	return o
}

// Or returns what an option points at, or its default.
func Or[T any](p *T, def T) T {
	if p == nil {
		return def
	}
	return *p
}

// NonZero points at a number, and is nil for zero: for options whose zero means the default.
func NonZero[T int | float64](v T) *T {
	if v == 0 {
		return nil
	}
	return &v
}

// Count returns a number that an option gives, or its default for zero.
func Count[T int | float64](v, def T) T {
	if v == 0 {
		return def
	}
	return v
}
