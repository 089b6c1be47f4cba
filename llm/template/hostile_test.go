package template

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lucid-go/lucid/internal/codec/codectest"
	"github.com/lucid-go/lucid/internal/testutil"
)

// hostileTexts are large texts; each is what some operation is slow with, or makes much of.
var hostileTexts = []string{"'a'", "'é '", "' '", `'\n'`, "'<!-->'", `'\''`, "'%'", "'&'", "'Σ'", "'ŉ'", "'a.'",
	"'{}'", `'\x00'`, "'1'", `'\t'`,
	`'\r\n'`, "'ﬃ.'", "','", "'A '", "'%s'", "'<b>x'"}

// hostile measures a template: the least time and memory of some renderings, and the last error.
func hostile(t *testing.T, source string) (took time.Duration, bytes uint64, err error) {
	t.Helper()
	tmpl, err := Parse(source)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	for i := range 4 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begun := time.Now()
		_, err = tmpl.Render(map[string]any{"one": []any{map[string]any{"a": 1}}}, Options{})
		d := time.Since(begun)
		runtime.ReadMemStats(&after)
		n := after.TotalAlloc - before.TotalAlloc
		if i == 0 || d < took {
			took = d
		}
		if i == 0 || n < bytes {
			bytes = n
		}
		if took < limitTime/2 {
			break
		}
	}
	return took, bytes, err
}

// limitTime is ten times what the slowest takes on a machine that does nothing else.
const limitTime, limitBytes = time.Second, 64 << 20

func checkHostile(t *testing.T, source string) {
	t.Helper()
	took, n, err := hostile(t, source)
	if took > limitTime && !testutil.Raced || n > limitBytes {
		t.Errorf("%s: %v, %d MiB; %v", source, took, n>>20, err)
	}
	if err != nil && !codectest.Typed(err) {
		t.Errorf("%s: %v", source, err)
	}
}

// arguments of filters and methods that need some, with s for the large text.
var hostileArguments = map[string][]string{
	"replace": {"('a', s)", "('', s)", "(s, s)", "('a', 'bb')", "('', 'b', 5)"}, "join": {"(s)",
		"('')"}, "indent": {"(s)", "(1000, true, true)"},
	"center": {"(1000000000000)", "(4000001)"}, "ljust": {"(1000000000000)", "(4000001)"},
	"rjust": {"(1000000000000)", "(4000001)"},
	"zfill": {"(1000000000000)", "(4000001)"}, "expandtabs": {"(1000000000)", ""}, "format": {"(s, s)",
		"(1)"}, "batch": {"(1)", "(65536, 0)", "(1000000000000)"},
	"slice": {"(65536)", "(1, 0)"}, "groupby": {"('a')", "(s)", "(0)"}, "truncate": {"(3999900)",
		"(9223372036854775807)", "(5, true, s)"},
	"split": {"('a')", "", "(s)", "('.', 2000000)", "(none, 1000000)"}, "rsplit": {"('a')", "",
		"('.', 2000000)", "(none, 1000000)"},
	"partition": {"('z')", "(s)"}, "rpartition": {"('z')", "(s)"}, "strip": {"(s)", ""}, "lstrip": {"(s)",
		""}, "rstrip": {"(s)", ""}, "trim": {"(s)", ""},
	"find": {"('z')", "(s)", "('z', 3000000)", "(s[1:] ~ 'b')"}, "rfind": {"('z')", "(s, 1)"}, "index": {"('z')",
		"(s)"}, "rindex": {"('a')"},
	"count": {"('a')", "('')", "('a', -3000000)"}, "startswith": {"(s)",
		"('a')"}, "endswith": {"(s)"}, "removeprefix": {"(s)", "('a')"},
	"removesuffix": {"(s)"}, "splitlines": {"(true)", ""}, "map": {"('upper')", "(attribute=s)",
		"('map', 'map', 'map', 'list')", "(filter='upper')"},
	"select": {"('eq', s)", ""}, "reject": {"('eq', s)", ""}, "selectattr": {"(s)", "('a', 'eq', s)"},
	"rejectattr": {"(s)", "('a')"},
	"sort":       {"", "(attribute=s)"}, "unique": {"", "(attribute=s)"}, "min": {"", "(attribute=s)"},
	"max": {"", "(attribute=s)"},
	"sum": {"", "(start='')", "(attribute=s)"}, "attr": {"(s)"}, "default": {"(s)",
		""}, "d": {"(s)"}, "tojson": {"(true)", "", "(indent=100)", "(separators=[s, s])"},
	"int": {"", "(0, 36)"}, "round": {"(300)"}, "get": {"(s)"},
}

// TestHostile runs every filter and method on large values, again and again: each ends within the bounds of time and memory.
func TestHostile(t *testing.T) {
	texts := hostileTexts
	if testing.Short() {
		texts = texts[:2]
	}
	n := 0
	check := func(source string) {
		if n++; !testing.Short() || n%8 == 0 {
			checkHostile(t, source)
		}
	}
	args := func(name string) []string {
		if a := hostileArguments[name]; a != nil {
			return a
		}
		return []string{""}
	}
	again := func(set, op string) string {
		return set + "{% for i in range(2000) %}{% set x = " + op + " %}{% endfor %}"
	}
	for _, text := range texts {
		set := "{% set s = " + text + " * (4000000 // (" + text + "|urlencode|length)) %}"
		for _, name := range slices.Sorted(maps.Keys(textMethods)) {
			for _, a := range args(name) {
				if a == "" {
					a = "()"
				}
				check(again(set, "s."+name+a))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(filters)) {
			for _, a := range args(name) {
				check(again(set, "s|"+name+a))
				check(again(set, "[s, s]|"+name+a))
				check(again(set, "[s, s]|"+name+a+"|list"))
				check(again(set, "one|"+name+a))
				check(again(set, "{s: s}|"+name+a))
				if strings.HasPrefix(text, "'a'") {
					check(again(set+"{% set l = range(400000) %}", "l|"+name+a))
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(tests)) {
			if name[0] < 'a' || name == "in" {
				continue
			}
			check(again(set, "s is "+name))
			check(again(set, "s is "+name+"(s)"))
		}
		for _, op := range []string{"s[3999999]", "s[-3999999]", "s[1:]", "s[:-1]", "s[::-1]", "s[::2]",
			"s ~ s", "s + s",
			"s * 2", "s == s ~ ''", "s < s ~ 'b'",
			"[s] * 1000", "'%s%s' % (s, s)", "'%1000.1000s' % s", "[s]|string", "{s: s}[s]", "s in s",
			"'z' in s",
			"s not in [s]", "s|safe + s", "(s, s)|string",
			"dict(a=s)", "namespace({s: s})", "strftime_now(s)", "range(s|length)", "s % 1", "s % (s, s)",
			"raise_exception(s)", "s.x", "one[s]"} {
			check(again(set, op))
		}
	}
}

// TestHostileOnce asks for more than a gigabyte, or a million million steps, at once.
func TestHostileOnce(t *testing.T) {
	const large = "{% set s = 'a' * 4000000 %}"
	const list = "{% set l = range(300000)|list %}"
	const grown = "{% set ns = namespace(a=[1], b=[1]) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}" +
		"{% set ns.b = [ns.b, ns.b] %}{% endfor %}"
	for _, source := range []string{
		large + "{{ s|replace('a', s) }}", large + "{{ s.replace('', s) }}",
		large + "{{ range(100000)|join(s) }}",
		large + "{{ s.join(range(100000)) }}",
		large + "{{ s * 1000 }}", large + "{{ 1000 * s }}", "{{ 'a' * 9223372036854775807 }}",
		"{{ [1] * 9223372036854775807 }}", "{{ () * 9223372036854775807 ~ [1] * 99999999 }}",
		large + "{{ s.replace('a', '\n')|indent(s) }}", "{{ 'a'|center(99999999999) }}",
		"{{ 'a'.zfill(9223372036854775807) }}", "{{ 'a'.ljust(1000000000000) }}",
		"{{ '\\t'.expandtabs(9223372036854775807) }}", large + "{{ s.replace('a', '\\t').expandtabs(100000) }}",
		"{{ range(1000000000000) }}", "{{ range(-9223372036854775807, 9223372036854775807) }}",
		"{{ range(9223372036854775807, -9223372036854775807, -1) }}", large + "{{ '{0}'.replace('{0}', '{0}' *" +
			" 1000).format(s) }}", large + "{{ ('%s' * 1000) % (([s] * 1000)|list) }}",
		large + "{{ ('%s' * 1000)|format(s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s) }}",
		"{{ ('%65000s' * 100000) % ((1,) * 100000) }}",
		large + list + "{{ l|tojson(separators=[s, s]) }}", large + "{{ ([s] * 1000)|tojson }}", large + "{{ ([s] *" +
			" 1000)|string }}", large + "{{ ([s] * 1000)|join }}",
		large + "{{ ([s] * 1000)|map('upper')|list }}", large + "{{ ([s] * 1000)|sum(start='') }}", large + "{{" +
			" ([s] * 1000)|sort }}", large + "{{ ([s] * 1000)|groupby(0) }}{{ ([s] * 1000)|unique|list }}" +
			"{{ ([s]*1000)|min }}", large + "{{ ([s] * 1000)|urlencode }}", large + "{{ [['a', s]] * 1000|int }}{{" +
			" ([['a', s]] * 1000)|urlencode }}",
		list + "{% set x = l|batch(1)|list %}{% set x = l|batch(1)|list %}{% set x = l|batch(1)|list %}{% set x =" +
			" l|batch(1)|list %}{% set x = l|batch(1)|list %}{% set x = l|batch(1)|list %}" +
			"{% set x = l|batch(1)|list %}", list + "{{ l|batch(65536, 1)|map('batch', 65536, 1)|map('list')|list }}{{" +
			" (l * 5)|batch(1, 1)|map('batch', 65536, 1)|map('list')|list }}",
		"{{ ([1] * 1000)|map('slice', 65536)|list }}", list + "{% for a in l %}{% for b in l %}" +
			"{% endfor %}{% endfor %}", list + "{{ l|map('in', l)|list }}{% for a in l if -1 in l %}{% endfor %}",
		list + "{{ l|unique|list }}", list + "{{ l|select('in', l)|list|length }}{{ l|reverse|select('in', l)|list" +
			" }}", list + "{{ l|sort }}{{ l|sort(reverse=true) }}{{ l|reverse|sort }}{{ l|sort }}",
		large + "{% for i in range(100000) %}{{ s }}{% endfor %}", large + "{% macro f() %}{{ s }}{% endmacro %}{%" +
			" for i in range(100000) %}{% set x = f() %}{% endfor %}",
		large + "{% macro f() %}{{ varargs|string }}{{ kwargs }}{% endmacro %}{{ f(s, s, s, s, s, s, s, s, s, s, s," +
			" s, s, s, s, s, s, s, s, s) }}",
		large + "{% macro f() %}{{ caller() }}{{ caller() }}{% endmacro %}{% for i in range(1000) %}{% call f()" +
			" %}{{ s }}{% endcall %}{% endfor %}",
		large + "{% for i in [1, 2, 3] recursive %}{{ s }}{{ loop([1, 2, 3]) }}{% endfor %}",
		"{% for i in [1, 2, 3] recursive %}{{ loop([1, 2, 3]) }}{{ loop([1, 2]) }}{% endfor %}",
		large + "{% for i in range(1000) %}{% set x %}{{ s }}{% endset %}{% filter upper %}{{ x }}{% endfilter %}{%" +
			" endfor %}",
		"{% set ns = namespace(l=[]) %}{% for i in range(1000000) %}{% set ns.l = [ns.l, loop] %}" +
			"{% endfor %}",
		"{% set ns = namespace(l=[]) %}{% for i in range(1000000) %}{% macro f() %}{% endmacro %}" +
			"{% set ns.l = [ns.l, f, namespace()] %}{% endfor %}",
		grown + "{{ ns.a == ns.b }}", grown + "{{ ns.a < ns.b }}", grown + "{{ ns.a in [ns.b] }}", grown + "{{" +
			" [ns.a] is sameas [ns.b] }}{{ ns.a is eq ns.b }}", grown + "{{ ns.a }}", grown + "{{ ns.a|tojson }}",
		grown + "{{ [(ns.a,), (ns.b,)]|sort }}", grown + "{{ [ns.b].index(ns.a) }}", grown + "{% for i in [1, 2]" +
			" %}{{ loop.changed(ns.a if i == 1 else ns.b) }}{% endfor %}",
		"{{ 1" + strings.Repeat("+1", 400_000) + " }}", "{{ a" + strings.Repeat("|e", 400_000) + " }}",
		"{{ a" + strings.Repeat(" or a", 180_000) + " }}",
		"{% for i in range(1000000) %}{{ range(" + strings.Repeat("1,", 400_000) + "1) }}{% endfor %}",
		"{% if a %}" + strings.Repeat("{% elif a %}", 80_000) + "{% endif %}",
		"{% macro f(" + strings.Repeat("a,", 100_000) + "a) %}{% endmacro %}" +
			"{% for i in range(1000000) %}{{ f() }}{% endfor %}",
		"{{ 'a'|map(" + strings.Repeat("'map',", 100_000) + "'map')|list }}",
		"{% for i in range(1000000) %}{% set x = i|string %}" +
			"{{ [x, x, x]|join }}{{ x.split('') }}{% endfor %}",
	} {
		if len(source) > 1<<20 {
			t.Fatal("too long")
		}
		short := source
		if len(short) > 300 {
			short = short[:100] + "…" + short[len(short)-100:]
		}
		tmpl, err := Parse(source)
		if err != nil {
			t.Fatalf("%s: %v", short, err)
		}
		_ = tmpl
		took, n, err := hostile(t, source)
		if took > limitTime && !testutil.Raced || n > limitBytes {
			t.Errorf("%s: %v, %d MiB; %.200v", short, took, n>>20, err)
		}
		if !codectest.Typed(err) {
			t.Errorf("%s: %.200v", short, err)
		}
	}
}
