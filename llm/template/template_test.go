package template

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/lucid-go/lucid/internal/codec/codectest"
	"github.com/lucid-go/lucid/internal/fault"
)

// TestRender: the results are Jinja's, under the settings of chat templates.
func TestRender(t *testing.T) {
	vars := `{"a":{"b":[1,2,3],"c":"x"},"s":"Hello World","n":5,"f":0.5,"e":[],
		"m":[{"r":"u","t":"1"},{"r":"v"},{"r":"u","t":"2"}],"z":null,"y":true}`
	for _, c := range [][2]string{
		{"plain", "plain"},
		{"a\n", "a"},
		{"{{ s }}", "Hello World"},
		{"{{ missing }}|{{ a.nope }}", "|"},
		{"{% if n > 3 %}\nyes\n{% endif %}\nend", "yes\nend"},
		{"  {% if y %}x{% endif %}\n y", "x y"},
		{"a  {%- if y %}x{% endif -%}  b", "axb"},
		{"a {%+ if y %}x{% endif +%}\nb", "a x\nb"},
		{"{# note #}\na{#- b -#} c", "ac"},
		{"{{ a.b[0] }}{{ a['b'][-1] }}{{ a.b[1:] }}{{ a.b[::-1] }}{{ s[:5] }}{{ s[-5:] }}", "13[2, 3][3, 2, 1]HelloWorld"},
		{"{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 2 ** 3 }} {{ 1 + 2 * 3 }} {{ 1.0 }}", "3 -4 2 3.5 8 7 1.0"},
		{"{{ 'a' ~ 1 ~ none ~ true }} {{ 'ab' * 2 }} {{ [1] + [2] }}", "a1NoneTrue abab [1, 2]"},
		{"{{ 1 == 1.0 }} {{ 'a' in s }} {{ 'o' in s }} {{ 2 not in a.b }} {{ 1 < 2 < 3 }} {{ 'b' in a }}",
			"True False True False True True"},
		{"{% for x in a.b %}{{ loop.index }}/{{ loop.length }}:{{ x }}{% if not loop.last %},{% endif %}{% endfor %}",
			"1/3:1,2/3:2,3/3:3"},
		{"{% for x in e %}x{% else %}none{% endfor %}{% for x in a.b if x != 2 %}{{ x }}{% endfor %}", "none13"},
		{"{% for x in a.b %}{% if x == 2 %}{% continue %}{% endif %}{{ x }}{% if x == 3 %}{% break %}{% endif %}{% endfor %}",
			"13"},
		{"{% for k, v in a.items() %}{{ k }}={{ v }};{% endfor %}", "b=[1, 2, 3];c=x;"},
		{"{% set x = 1 %}{% for i in a.b %}{% set x = i %}{% endfor %}{{ x }}", "1"},
		{"{% set ns = namespace(x=1) %}{% for i in a.b %}{% set ns.x = ns.x + i %}{% endfor %}{{ ns.x }}", "7"},
		{"{% set x %}a{{ n }}{% endset %}{{ x }}{% set p, q = [1, 2] %}{{ q }}", "a52"},
		{"{% macro f(a, b='d') %}<{{ a }}{{ b }}>{% endmacro %}{{ f(1) }}{{ f(b=2, a=3) }}", "<1d><32>"},
		{"{% filter upper %}abc{% endfilter %}{% generation %}g{% endgeneration %}", "ABCg"},
		{"{{ 'x' if n > 9 else 'y' }}{{ 'x' if n > 9 }}{{ (1, 2)[1] }}{{ {'k': 'v'}.k }}{{ {1: 2}[1] }}", "y2v2"},
		{"{{ s|upper }} {{ s|length }} {{ '  a '|trim }} {{ a.b|join('-') }} {{ e|default('d') }} {{ q|default('d') }}" +
			" {{ ''|default('d', true) }}",
			"HELLO WORLD 11 a 1-2-3 [] d d"},
		{"{{ a|tojson }} {{ {'é': '\"<>\n'}|tojson }} {{ a.b|tojson(indent=2) }} {{ f|tojson }} {{ z|tojson }}",
			"{\"b\": [1, 2, 3], \"c\": \"x\"} {\"é\": \"\\\"<>\\n\"} [\n  1,\n  2,\n  3\n] 0.5 null"},
		{"{{ m|selectattr('r', 'equalto', 'u')|map(attribute='t')|list }} {{ m|map(attribute='r')|join }}" +
			" {{ m|rejectattr('t')|list|length }}",
			"['1', '2'] uvu 1"},
		{"{{ s.split(' ')[1] }} {{ s.startswith('He') }} {{ s.replace('l', 'L') }} {{ '{} {x}'.format(1, x=2) }}" +
			" {{ a.get('q', 4) }} {{ s.lower().title() }}",
			"World True HeLLo WorLd 1 2 4 Hello World"},
		{"{{ z is none }} {{ q is defined }} {{ s is string }} {{ a is mapping }} {{ a.b is iterable }} {{ n is number }}" +
			" {{ n is odd }} {{ n is divisibleby 5 }} {{ not n is even }}",
			"True False True True True True True True True"},
		{"{{ a.b|first }}{{ a.b|last }}{{ a.b|sum }}{{ a.b|reverse|list }}{{ [3,1]|sort }}{{ '3'|int + 1 }}" +
			"{{ ['b', 'a']|unique|list }}",
			"136[3, 2, 1][1, 3]4['b', 'a']"},
		{"{{ {'b': 1, 'a': 2}|dictsort }} {{ 'a\nb'|indent(2) }} {{ \"it's\" }} {{ [\"it's\", 'q\"'] }}",
			"[('a', 2), ('b', 1)] a\n  b it's [\"it's\", 'q\"']"},
		{"{{ range(3)|list }} {{ range(1, 6, 2)|list }} {{ strftime_now('%Y-%m-%d %H:%M') }} {{ loop is defined }}",
			"[0, 1, 2] [1, 3, 5] 2026-03-04 05:06 False"},
		{`{{ 'a\n\t\u00e9\'' }}`, "a\n\té'"},
		{"{{ '<'|safe + '<' }}", "<&lt;"},
		{"{{ -n|abs }}", "5"},
		{"{{ dict(b=1, a=2) }} {% for i in [1] %}{{ loop|list }}{% endfor %}", "{'b': 1, 'a': 2} ['index', 'index0', 'revindex', " +
			"'revindex0', 'length', 'depth', 'depth0', 'first', 'last', 'cycle', 'changed']"},
		{"{{ range == range }} {{ range in [range] }} {{ [1, [2]] == [1, [2]] }} {{ {'a': [1]} == {'a': [1]} }}",
			"False False True True"},
		{"{% set s = 'aé✓😀' %}{{ s[0] }}{{ s[-1] }}{{ s[9] }}{{ s[-9] }}|{{ s[1:3] }}|{{ s[-2:] }}|{{ s[3:1] }}|{{ s[::-1] }}|" +
			"{{ s[::2] }}|{{ s|first }}{{ s|last }}|{{ s|length }}|{{ s.find('✓') }}|{{ s|reverse }}",
			"a😀|é✓|✓😀||😀✓éa|a✓|a😀|4|2|😀✓éa"},
	} {
		if got, err := render(c[0], vars); err != nil || got != c[1] {
			t.Errorf("%s\ngot  %q %v\nwant %q", c[0], got, err, c[1])
		}
	}
}

func TestRefused(t *testing.T) {
	for _, source := range []string{"{{", "{{ a", "{% if %}", "{% if a %}", "{% endif %}", "{% for x %}", "{% for x in a %}",
		"{{ 1 + }}", "{{ a..b }}", "{{ 'a }}", "{# a",
		"{% import 'x' %}", "{% break %}", "{{ a[] }}", "{{ a[1:2:3:4] }}", "{% set %}", "{{ [1 }}", "{{ ! }}", "{% macro %}",
		"{{ a b }}",
		"{{" + strings.Repeat("(", 1000) + "}}", strings.Repeat("{% if a %}", 1000), strings.Repeat("a", maxSource+1)} {
		if _, err := Parse(source); !codectest.Typed(err) {
			t.Errorf("%.40q: %v", source, err)
		}
	}
	for _, source := range []string{"{{ raise_exception('no') }}", "{{ q.x }}", "{{ 1 + 'a' }}", "{{ none.x() }}", "{{ 1 / 0 }}",
		"{{ 1|nothing }}", "{{ 1 is nothing }}", "{{ [1].append(2) }}",
		"{{ 'a' < 1 }}", "{% for x in 5 %}{% endfor %}", "{{ s * 99999999 * 99999999 }}",
		"{% set a = 'x' * 1000000 %}{% for i in range(1000) %}{{ a }}{% endfor %}",
		"{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
		"{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "{{ range(99999999999)|list }}",
		"{% set a, b = [1] %}", "{{ [1]|map('nothing')|list }}", "{{ (range(3)|map('string'))|tojson }}", "{{ 's'.x() }}"} {
		tmpl, err := Parse(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		got, err := tmpl.Render(map[string]any{"s": "abcdefgh"}, Options{MaxSteps: 100_000, MaxOutput: 1 << 23})
		if !codectest.Typed(err) {
			t.Errorf("%s: %.40q, %v", source, got, err)
		}
	}
	tmpl, err := Parse("{{ x }}")
	if err != nil {
		t.Fatal(err)
	}
	_, err = tmpl.Render(map[string]any{"x": make(chan int)}, Options{})
	codectest.WantKind(t, err, fault.Value)
	if got, err := tmpl.Render(map[string]any{"x": []map[string]string{{"b": "1", "a": "2"}}},
		Options{}); err != nil || got != "[{'a': '2', 'b': '1'}]" {
		t.Error(got, err)
	}
}

// TestBounded asserts that no template takes more memory or time than its bounds: each of these would take gigabytes, or hours.
func TestBounded(t *testing.T) {
	const grown = "{% set ns = namespace(a=[1], b=[1]) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}" +
		"{% set ns.b = [ns.b, ns.b] %}{% endfor %}"
	const large = "{% set s = 'a' * 8000000 %}"
	for _, source := range []string{
		grown + "{{ ns.a == ns.b }}", grown + "{{ ns.a in [ns.b] }}", grown + "{{ [ns.a, ns.b]|unique|list|length }}",
		grown + "{{ ns.a|tojson }}",
		large + "{{ s|replace('a', s) }}", large + "{{ s.replace('a', s) }}", large + "{{ range(100000)|join(s) }}",
		large + "{{ (s|replace('a', '\n'))|indent(s) }}", large + "{{ [s, s, s, s, s, s, s, s, s, s]|string }}",
		large + "{% set l = [s] * 1 if false else [s, s, s, s, s, s, s, s, s] %}{{ l|tojson }}",
		large + "{{ range(1000)|list|tojson(separators=[s, s]) }}", large + "{{ '{0}{0}{0}{0}{0}{0}{0}{0}{0}'.format(s) }}",
		large + "{% set ns = namespace(l=[]) %}{% for i in range(1000) %}{% set ns.l = ns.l + [s.upper()] %}{% endfor %}",
		large + "{% for i in range(500000) %}{% if s[7999999] == 'b' %}{% endif %}{% endfor %}",
		large + "{% for i in range(500000) %}{% if 'b' in s or s|length == 1 %}{% endif %}{% endfor %}",
		large + "{% for c in s %}{% endfor %}", large + "{{ strftime_now(s) }}",
	} {
		tmpl, err := Parse(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begun := time.Now()
		_, err = tmpl.Render(nil, Options{})
		runtime.ReadMemStats(&after)
		codectest.WantKind(t, err, fault.Value)
		if took, n := time.Since(begun), after.TotalAlloc-before.TotalAlloc; took > 20*time.Second || n > 1<<30 {
			t.Errorf("%s: %v, %d bytes", source, took, n)
		}
	}
}

func FuzzRender(f *testing.F) {
	f.Add("{% for m in messages %}{{ m['role'] + ': ' + m['content'] }}{% endfor %}" +
		"{% if x is defined and not y %}{{ x|tojson }}{% endif %}")
	f.Add("{% macro f(a, b=1) %}{{ a ~ b }}{% endmacro %}{{ f(1)[1:] }}{% set ns = namespace(x=1) %}{% set ns.x = 2 %}")
	f.Fuzz(func(t *testing.T, source string) {
		tmpl, err := Parse(source)
		if err != nil {
			if !codectest.Typed(err) {
				t.Fatal(err)
			}
			return
		}
		_, err = tmpl.Render(map[string]any{"messages": []map[string]any{{"role": "user", "content": "hi"}}},
			Options{MaxSteps: 10000, MaxOutput: 1 << 16})
		if err != nil && !codectest.Typed(err) {
			t.Fatal(err)
		}
	})
}
