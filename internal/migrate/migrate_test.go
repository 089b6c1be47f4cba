package migrate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/fault"
)

func TestBring(t *testing.T) {
	var s Steps[*[]string]
	add := func(text string) func(*[]string) error {
		return func(l *[]string) error {
			*l = append(*l, text)
			return nil
		}
	}
	s.Register("a", 2, add("2→3"))
	s.Register("a", 1, add("1→2"))
	s.Register("b", 1, add("b"))
	var log []string
	var seen []int
	sub := Subject{Op: "load", What: "part", Name: "a", Version: 1, Current: 3}
	if err := s.Bring(sub, &log, func(v int) { seen = append(seen, v) }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(log, []string{"1→2", "2→3"}) || !slices.Equal(seen, []int{2, 3}) || !slices.Equal(s.From("a"), []int{1, 2}) {
		t.Error(log, seen, s.From("a"))
	}
	for _, c := range []struct {
		version, current int
		words            []string
	}{
		{4, 3, []string{`version 4 of part "a"`, "versions 1 to 3", "update"}},
		{0, 3, []string{`version 0 of part "a"`, "versions 1 to 3", "from version 0 to 1", "save it again"}},
		{3, 4, []string{"version 3", "knows version 4", "from version 3 to 4"}},
	} {
		sub.Version, sub.Current = c.version, c.current
		err := s.Bring(sub, &log, nil)
		if k, _ := fault.KindOf(err); k != fault.Version {
			t.Fatalf("%d to %d: %v", c.version, c.current, err)
		}
		for _, w := range c.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%v does not say %q", err, w)
			}
		}
	}
	if len(log) != 2 {
		t.Error("a refused version was changed", log)
	}
	boom := errors.New("boom")
	s.Register("a", 3, func(*[]string) error { return boom })
	sub.Version, sub.Current = 1, 4
	if err := s.Bring(sub, &log, nil); !errors.Is(err, boom) || !strings.Contains(err.Error(), "from version 3 to 4") {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a second step was taken")
		}
	}()
	s.Register("a", 3, add(""))
}
