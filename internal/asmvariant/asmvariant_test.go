package asmvariant

import (
	"fmt"
	"slices"
	"testing"
)

// The variants of a pretended package "p": two routines, one variant absent.
var fooA, fooB, fooC, barA = true, true, false, true

func init() {
	Register("p", "foo/a", &fooA)
	Register("p", "foo/b", &fooB)
	Register("p", "foo/c", &fooC)
	Register("p", "bar/a", &barA)
}

func flags() string { return fmt.Sprint(fooA, fooB, fooC, barA) }

func TestSelect(t *testing.T) {
	before := flags()
	for _, c := range []struct {
		name, want string
		ok         bool
	}{
		{"foo/a", "true false false true", true},
		{"foo/b", "false true false true", true},
		{"bar/a", "true true false true", true},
		{"", "false false false false", true},
		{"foo/c", before, false},
		{"foo/unknown", before, false},
	} {
		restore, ok := Select("p", c.name)
		if got := flags(); got != c.want || ok != c.ok {
			t.Errorf("Select(%q): flags %s ok %v, want %s %v", c.name, got, ok, c.want, c.ok)
		}
		restore()
		if flags() != before {
			t.Errorf("Select(%q): flags after restore %s, want %s", c.name, flags(), before)
		}
	}
}

func TestList(t *testing.T) {
	if got, want := List("p"), []string{"foo/a", "foo/b", "foo/c", "bar/a"}; !slices.Equal(got, want) {
		t.Errorf("List = %v, want %v", got, want)
	}
	if got := List("unknown"); got != nil {
		t.Errorf("List of an unknown package = %v", got)
	}
}

// recorder is a TB that remembers what was called.
type recorder struct{ log []string }

func (r *recorder) Helper()               {}
func (r *recorder) Logf(string, ...any)   { r.log = append(r.log, "log") }
func (r *recorder) Errorf(string, ...any) { r.log = append(r.log, "error") }
func (r *recorder) Fatalf(string, ...any) { r.log = append(r.log, "fatal") }
func (r *recorder) Skipf(string, ...any)  { r.log = append(r.log, "skip") }
func (r *recorder) ran(name string)       { r.log = append(r.log, name) }
func (r *recorder) check(t *testing.T, w string) {
	t.Helper()
	if got := fmt.Sprint(r.log); got != w {
		t.Errorf("calls %s, want %s", got, w)
	}
}

func TestForEach(t *testing.T) {
	for _, c := range []struct{ require, want string }{
		{"", "[foo/a foo/b log bar/a generic]"},
		{"x,c", "[foo/a foo/b error bar/a generic]"},
	} {
		t.Setenv(EnvRequire, c.require)
		r := &recorder{}
		before := flags()
		ForEach(r, "p", r.ran)
		r.check(t, c.want)
		if flags() != before {
			t.Errorf("ForEach left flags %s, want %s", flags(), before)
		}
	}
}

func TestRequire(t *testing.T) {
	Feature("gpu", false)
	for _, c := range []struct{ feature, require, want string }{
		{"a", "a", "[]"},
		{"c", "", "[skip]"},
		{"c", "a,c", "[fatal]"},
		{"gpu", "", "[skip]"},
		{"gpu", "gpu", "[fatal]"},
		{"never heard of", "", "[skip]"},
	} {
		t.Setenv(EnvRequire, c.require)
		r := &recorder{}
		Require(r, c.feature)
		r.check(t, c.want)
	}
}

func TestRegisterPanics(t *testing.T) {
	for _, name := range []string{"foo/a", "noslash", "/x", "x/"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Register(%q) did not panic", name)
				}
			}()
			Register("p", name, &fooA)
		}()
	}
}
