package graph

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
)

// complete is a declaration that Register takes.
func complete() Op {
	return Op{Name: "test_op", Version: 1, Kind: Elementwise, Inputs: Exactly(1), DTypes: dtype.SetFloats,
		Validate: func(*Op, attr.Attr, []*Node) {},
		Infer:    func(attr.Attr, []*Node) []Spec { return nil },
		VJP:      func(*Node, []*Node, []bool) []*Node { return nil },
		JVP:      func(*Node, []*Node) []*Node { return nil },
		VMap:     func(*Node, []*Node, []bool, int) []*Node { return nil }}
}

// TestRegisterRefuses leaves out one part of a declaration after the other.
func TestRegisterRefuses(t *testing.T) {
	if op := complete(); op.missing() != "" {
		t.Fatal(op.missing())
	}
	for want, leaveOut := range map[string]func(op *Op){
		"has no name":                func(op *Op) { op.Name = "" },
		"is declared twice":          func(op *Op) { op.Name = "data" },
		"has no version":             func(op *Op) { op.Version = 0 },
		"has no Infer":               func(op *Op) { op.Infer = nil },
		"needs both VJP and JVP":     func(op *Op) { op.JVP = nil },
		"needs VMap":                 func(op *Op) { op.VMap = nil },
		"needs Inputs":               func(op *Op) { op.Inputs = Arity{} },
		"needs DTypes":               func(op *Op) { op.DTypes = 0 },
		"needs Validate":             func(op *Op) { op.Validate = nil },
		"NotInFiles with the reason": func(op *Op) { op.NotInFiles = "both a rule and a reason" },
		"NoGrad with the reason":     func(op *Op) { op.NoGrad = "both rules and a reason" },
		"NoVMap with the reason":     func(op *Op) { op.NoVMap = "both a rule and a reason" },
		"is a view without Layout":   func(op *Op) { op.Kind = View },
		"the number of its inputs":   func(op *Op) { op.Inputs = Arity{} },
		"the dtypes that it takes":   func(op *Op) { op.DTypes = 0 },
	} {
		op := complete()
		leaveOut(&op)
		if got := refused(op); !strings.Contains(got, want) {
			t.Errorf("Register said %q, want %q", got, want)
		}
	}
}

func refused(op Op) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	Register(op)
	return ""
}

func TestArity(t *testing.T) {
	for _, c := range []struct {
		a       Arity
		takes   []int
		refuses []int
		text    string
	}{
		{Exactly(0), []int{0}, []int{1, -1}, "0"},
		{Exactly(2), []int{2}, []int{0, 1, 3}, "2"},
		{Between(3, 4), []int{3, 4}, []int{2, 5}, "3 to 4"},
		{AtLeast(1), []int{1, 2, 1000}, []int{0}, "at least 1"},
	} {
		for _, n := range c.takes {
			if !c.a.Takes(n) {
				t.Errorf("%v does not take %d", c.a, n)
			}
		}
		for _, n := range c.refuses {
			if c.a.Takes(n) {
				t.Errorf("%v takes %d", c.a, n)
			}
		}
		if c.a.String() != c.text || c.a == (Arity{}) {
			t.Errorf("%q, want %q", c.a, c.text)
		}
	}
}
