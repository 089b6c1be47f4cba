package strictjson

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/fault"
)

func TestValid(t *testing.T) {
	good := []string{
		`{}`, `[]`, ` { "a" : [ 1 , -2.5e+3 , true , false , null , "x\u00e9\n\ud83d\ude00" ] } `,
		`0`, `-0`, `"é"`, `{"a":{"a":{}}}`, `[[],[]]`, `1e5`, "\"\u007f\"",
	}
	for _, s := range good {
		if err := Valid("t", []byte(s), 8, 100); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	bad := []string{
		``, ` `, `{`, `}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`, `[1 2]`, `01`, `-`, `1.`, `.5`, `1e`, `+1`, `tru`, `nul`,
		`NaN`, `Infinity`,
		`"`, `"\x"`, `"\u12"`, `"\ud83d"`, `"\ud83dx"`, `"\ud83d\u0041"`, `"\udc00"`, "\"\n\"", "\"\xff\"", `{"a":1,"a":2}`,
		`{"a":1,"\u0061":2}`,
		`{}{}`, `{} x`, `{a:1}`, `{'a':1}`, "\xef\xbb\xbf{}", strings.Repeat("[", 9) + strings.Repeat("]", 9), "\x00", "{}\x00",
		`{"k":{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"i":10}}`, `"\`, `"a\`,
	}
	for _, s := range bad {
		err := Valid("t", []byte(s), 8, 100)
		if k, ok := fault.KindOf(err); !ok || k != fault.Format {
			t.Errorf("%q: %v", s, err)
		}
	}
	if err := Valid("t", []byte(`{"a":1,"b":{"c":2}}`), 8, 2); err == nil {
		t.Error("three keys passed a limit of two")
	}
}

func TestInt(t *testing.T) {
	for s, want := range map[string]int64{"0": 0, "-7": -7, "9223372036854775807": 1<<63 - 1} {
		p, _ := New("t", []byte(s), 1, 1)
		if v, err := p.Int(); err != nil || v != want {
			t.Errorf("%s: %d %v", s, v, err)
		}
	}
	for _, s := range []string{"1.0", "1e3", "9223372036854775808", "-9223372036854775809", "x", ""} {
		p, _ := New("t", []byte(s), 1, 1)
		if v, err := p.Int(); err == nil {
			t.Errorf("%s: %d", s, v)
		}
	}
	p, _ := New("t", []byte("-1"), 1, 1)
	if _, err := p.Len(); err == nil {
		t.Error("a negative length")
	}
}

func TestWriteReads(t *testing.T) {
	m := map[string]string{"": "", "a\"\\\n\x01": "é😀\u2028", "b": "</script>"}
	b := AppendMap(nil, m)
	var std map[string]string
	if err := json.Unmarshal(b, &std); err != nil {
		t.Fatal(err)
	}
	p, err := New("t", b, 2, 10)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.StringMap()
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range m {
		if got[k] != v || std[k] != v {
			t.Errorf("%q: %q, encoding/json %q, want %q", k, got[k], std[k], v)
		}
	}
}

// Whatever we accept, encoding/json accepts.
func FuzzValid(f *testing.F) {
	f.Add([]byte(`{"a":[1,2.5e-3,"\ud83d\ude00",null,true]}`))
	f.Add([]byte(`[[[[]]]]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if Valid("t", b, 16, 1000) == nil && !json.Valid(b) {
			t.Errorf("accepted %q", b)
		}
	})
}
