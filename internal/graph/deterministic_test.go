package graph

import (
	"errors"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
)

// TestNondeterministic asks that an op without a deterministic form refuses by name where one is asked for.
func TestNondeterministic(t *testing.T) {
	op := &Op{Name: "atomic_sum", Kind: Source, Nondeterministic: "it adds floats in any order", Inputs: Exactly(0),
		Infer: func(attr.Attr, []*Node) []Spec { return []Spec{{shape.Of("test", 2), dtype.Float32}} }}
	record := func() error { return fault.Catch(func() { New(op, nil) }) }
	if err := record(); err != nil {
		t.Error(err)
	}
	scope.SetDeterministic(true)
	err := record()
	scope.SetDeterministic(false)
	if !errors.Is(err, fault.SentinelOf(fault.NotImplemented)) ||
		!strings.Contains(err.Error(), "atomic_sum: has no deterministic form: it adds floats in any order") {
		t.Error(err)
	}
	scope.With(func(s *scope.State) { s.Deterministic = true }, func() {
		if record() == nil {
			t.Error("recorded inside Deterministic")
		}
	})
	if err := record(); err != nil {
		t.Error(err)
	}
}
