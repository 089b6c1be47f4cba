package template

import "testing"

// TestPython checks what templates take over from Python: kinds of sequences, methods of texts, numbers. The results are those of
// Jinja 3.1 as transformers sets it up.
func TestPython(t *testing.T) {
	vars := `{"d": {"b": 1, "a": "x"}, 
		"m": [{"r": "u", "t": "1", "n": 1}, {"r": "v", "t": "0", "n": 2}, {"r": "u", "t": "2", "n": 3, "q": 5}], "s": "Hello",
		"tree": [{"v": "a", "c": [{"v": "b"}, {"v": "c", "c": [{"v": "d"}]}]}, {"v": "e"}]}`
	for _, c := range [][2]string{
		{"{{ (1,2) }} {{ (1,) }} {{ () }} {{ 1,2 }} {{ [(1,2)] == [[1,2]] }} {{ (1,2)|tojson }} {{ (1,2)[1:] }} {{ [1] * 2 }} {{ 2 " +
			"* 'ab' }} {{ [1,2] < [1,3] }}",
			"(1, 2) (1,) () (1, 2) False [1, 2] (2,) [1, 1] abab True"},
		{"{{ d.items() }} {{ d.keys() }} {{ d.values() }} {{ range(4) }} {{ range(1,6,2) }} {{ d|dictsort }} {{ d.keys() is " +
			"sequence }}",
			"dict_items([('b', 1), ('a', 'x')]) dict_keys(['b', 'a']) dict_values([1, 'x']) range(0, 4) range(1, 6, 2) [('a', 'x'), " +
				"('b', 1)] False"},
		{"{{ 3|round }} {{ -1|round(1) }} {{ 2.5|round }} {{ 2.567|round(2) }} {{ 2.1|round(0,'ceil') }} {{ " +
			"2.9|round(method='floor') }}",
			"3 -1 2.0 2.57 3.0 2.0"},
		{"{{ 'a\\n\\n b\\nc\\r\\nd'.splitlines() }} {{ 'a\\nb'.splitlines(true) }} {{ ' a  b c '.split(None, 1) }} {{ ' a  b c " +
			"'.split(maxsplit=1) }} {{ ' a b  c '.rsplit(None, 1) }}",
			"['a', '', ' b', 'c', 'd'] ['a\\n', 'b'] ['a', 'b c '] ['a', 'b c '] [' a b', 'c']"},
		{"{{ \"it's x_y-z (b)\".title() }}|{{ \"it's x_y-z (b)\"|title }}|{{ 'straße ŉ ﬁ'.upper() }} {{ 'ÄÖ'.swapcase() }} {{ " +
			"'Σς'.lower() }} {{ 'ß'.capitalize() }}",
			"It'S X_Y-Z (B)|It's X_y-Z (B)|STRASSE ʼN FI äö σς Ss"},
		{"{{ 'ab'.center(7) }}|{{ 'ab'.ljust(4) }}|{{ 'ab'.rjust(4,'*') }}|{{ '-7'.zfill(4) }}|{{ 'a-b-c'.partition('-') }}|{{ " +
			"'a-b-c'.rpartition('-') }}|{{ 'abcabc'.rfind('b') }} {{ 'abcabc'.find('b', 2) }} {{ 'a\\tb'.expandtabs(4) }} {{ " +
			"'x1'.isalnum() }} {{ '½'.isnumeric() }}",
			"   ab  |ab  |**ab|-007|('a', '-', 'b-c')|('a-b', '-', 'c')|4 4 a   b True True"},
		{"{{ ['\\u2028 \\xa0 \\x07 😀'] }} {{ [q] }} {{ 'x'|escape }} {{ '<'|e|e }} {{ ['<'|safe] }} {{ 'a<b>c</b> d'|striptags }}",
			"['\\u2028 \\xa0 \\x07 😀'] [Undefined] x &lt; [Markup('<')] ac d"},
		{"{{ 'a b c d e f g h'|truncate(9, false, '..', 0) }} {{ 'Hello World'|truncate(5, true, '…') }} {{ 'a b c'|wordcount }} {{ " +
			"'x'|center(5) }}| {{ 'a b/c'|urlencode }} {{ {'a': 1, 'b': 'x y'}|urlencode }} {{ 1536|filesizeformat }} {{ " +
			"1536|filesizeformat(true) }} {{ 1|filesizeformat }}",
			"a b c.. Hell… 3   x  | a%20b/c a=1&b=x+y 1.5 kB 1.5 KiB 1 Byte"},
		{"{{ [1,2,3,4,5]|batch(2, 0)|list }} {{ [1,2,3,4,5]|slice(2)|list }} {{ m|groupby('r')|map('first')|list }} {% for k, v in " +
			"m|groupby('r') %}{{ k }}:{{ v|length }} {% endfor %}",
			"[[1, 2], [3, 4], [5, 0]] [[1, 2, 3], [4, 5]] ['u', 'v'] u:2 v:1 "},
		{"{{ m|map(attribute='q', default='-')|list }} {{ m|sort(attribute='r,t')|map(attribute='t')|list }} {{ ['b','A']|min }} {{ " +
			"m|max(attribute='t')|tojson }} {{ [[3],[1,2]]|sort }} {{ ['a','A','b']|unique|list }} {{ m|sum(attribute='n') }} {{ " +
			"[1]|sum(start=5) }}",
			"['-', '-', 5] ['1', '2', '0'] A {\"r\": \"u\", \"t\": \"2\", \"n\": 3, \"q\": 5} [[1, 2], [3]] ['a', 'b'] 6 6"},
		{"{{ '0x1f'|int(base=16) }} {{ '1_000'|int }} {{ '1_0.5'|float }} {{ 'x'|int(7) }} {{ 'inf'|float }} {{ '-inf'|float|tojson " +
			"}} {{ true|int }} {{ 3.99|int }} {{ -7.5 // 2 }} {{ 2 ** 3 ** 2 }} {{ -2 ** 2 }} {{ 5.5 % 2 }}",
			"31 1000 10.5 7 inf -Infinity 1 3 -4.0 64 4 1.5"},
		{"{{ '%s and %r: %5.2f|%-4d|%04d %x%%' % ('a', 'b', 3.14159, 7, -5, 255) }} {{ '%s'|format(m[0].r) }} {{ '%s' % [1] }} {{ " +
			"'x' % [] }}",
			"a and 'b':  3.14|7   |-005 ff% u [1] x"},
		{"{{ 'a\\n\\nb'|indent(2) }} {{ 'a\\n\\nb'|indent(2, true, true) }} {{ 'a\\rb'|indent('> ') }}",
			"a\n\n  b   a\n  \n  b a\n> b"},
		{"{{ '12' is upper }} {{ 1 is lower }} {{ 2.0 is even }} {{ 2.5 is odd }} {{ 1 is sameas 1.0 }} {{ [] is sameas [] }} {{ " +
			"'upper' is filter }} {{ 'even' is test }} {{ q is callable }} {{ 3 is greaterthan 2 }} {{ 1 is in [1, 2] }} {{ [] is eq " +
			"[] }}",
			"False False True False False False True True True True True True"},
		{"{% raw %}{{ x }}{% if %}{% endraw %}|  {% raw -%}   a {% endraw -%}  b",
			"{{ x }}{% if %}|  a b"},
		{"{% with a = 1, b = s %}{{ a }}{{ b }}{% endwith %}{{ a is defined }}|{% with %}{% set z = 1 %}{% endwith %}{{ z is " +
			"defined }}",
			"1HelloFalse|False"},
		{"{% macro box(t) %}<{{ t }}:{{ caller('x') }}>{% endmacro %}{% call(v) box('T') %}{{ v }}{{ s }}{% endcall %}|{% macro " +
			"f(a) %}{{ a }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ f(1, 2, k=3) }}|{% macro g() %}{{ caller is defined }}{% " +
			"endmacro %}{{ g() }}",
			"<T:xHello>|1(2,){'k': 3}|False"},
		{"{% for x in tree recursive %}{{ loop.depth }}{{ x.v }}{% if x.c %}({{ loop(x.c) }}){% endif %}{% endfor %}",
			"1a(2b2c(3d))1e"},
		{"{% for x in [1,1,2] %}{{ loop.changed(x) }}{% endfor %} {% for x in 1, 2 %}{{ x }}{% endfor %} {% for x in [1,2] %}{% " +
			"break %}{% else %}E{% endfor %} {% if 1, 2 %}t{% endif %}",
			"TrueFalseTrue 12 E t"},
		{"{{ none[1:] }} {{ 5['x'] }} {{ [q, 1] }} {{ d['z'] }} {{ 'abc'|reverse }} {{ [1,2]|reverse|list }} {{ 'abc'|last }} {{ " +
			"[]|first is defined }}",
			"  [Undefined, 1]  cba [2, 1] c False"},
	} {
		if got, err := render(c[0], vars); err != nil || got != c[1] {
			t.Errorf("%s\ngot  %q %v\nwant %q", c[0], got, err, c[1])
		}
	}
}

// TestPythonRefuses checks what Python refuses too.
func TestPythonRefuses(t *testing.T) {
	for _, source := range []string{"{{ q|int }}", "{{ q|float }}", "{{ 'a' is even }}", "{{ [1] is odd }}",
		"{{ [1]|indent }}", "{{ -'a' }}",
		"{{ [1] + (2,) }}", "{{ {}.keys()|tojson }}", "{{ range(3)|tojson }}", "{{ [[1]]|unique|list }}", "{{ '%d' % 'a' }}",
		"{{ '%s' % () }}",
		"{{ 'a' % 1 }}", "{{ 9223372036854775807 + 1 }}", "{{ 2 ** 70 }}", "{{ 3037000500 * 3037000500 }}", "{{ 'a'.center(5, 'xy') }}",
		"{{ 'a'.partition('') }}", "{{ 'a'.index('b') }}", "{% macro f(a) %}{% endmacro %}{{ f(1, a=2) }}", "{{ [1]|batch(0)|list }}",
		"{{ [1]|slice(0)|list }}", "{{ 'a'|truncate(1) }}", "{{ 'a' * 99999999 * 9999 }}", "{{ [0] * 99999999 * 999999 }}",
		"{{ 'a'.rjust(999999999999) }}", "{{ '%999999999d' % 1 }}", "{{ '\\t'.expandtabs(999999999999) }}"} {
		if got, err := render(source, "{}"); err == nil {
			t.Errorf("%s: %q", source, got)
		}
	}
}
