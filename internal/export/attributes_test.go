package export

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/codec/strictjson"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Structs of package attr that no file holds, with the reason.
var notWritten = map[string]string{
	"TupleItem": "items are steps of their own",
	"Paged":     "its pools belong to a process",
	"Shown":     "belongs to Print",
	"Print":     "holds a Go function",
	"Span":      "is computed from Pool",
}

// TestEveryAttributeIsKnown finds attributes that were added and not listed.
func TestEveryAttributeIsKnown(t *testing.T) {
	pkgs, err := parser.ParseDir(token.NewFileSet(), "../attr", func(f fs.FileInfo) bool {
		return !strings.HasSuffix(f.Name(), "_test.go")
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range pkgs["attr"].Files {
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.TypeSpec)
			if !ok || !s.Name.IsExported() {
				return true
			}
			if _, ok := s.Type.(*ast.StructType); !ok {
				return true
			}
			found++
			if attrTypes[s.Name.Name] == nil && notWritten[s.Name.Name] == "" {
				t.Errorf("attr.%s is neither in attrTypes nor excused", s.Name.Name)
			}
			return true
		})
	}
	if found != len(attrTypes)+len(notWritten) {
		t.Errorf("%d structs, %d listed and %d excused", found, len(attrTypes), len(notWritten))
	}
}

// fill sets every field, each call to other values.
func fill(t *testing.T, v reflect.Value, k int) {
	ints := []int{0, 1, -1, math.MaxInt, math.MinInt, 7}
	floats := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.Float64frombits(0x7ff8000000000123), 0.1, 5e-324, -1e300}
	for i := range v.NumField() {
		f := v.Field(i)
		switch x := k + i; {
		case f.Type() == intsType:
			f.SetString(string(attr.MakeInts(ints[:x%len(ints)]...)))
		case f.Type() == dtypeType:
			f.SetUint(uint64(dtype.Bool) + uint64(x)%uint64(dtype.N-dtype.Bool))
		case f.Kind() == reflect.Struct:
			fill(t, f, x)
		case f.Kind() == reflect.Bool:
			f.SetBool(x%2 == 1)
		case f.Kind() == reflect.Int || f.Kind() == reflect.Int64:
			f.SetInt(int64(ints[x%len(ints)]))
		case f.Kind() == reflect.Uint8:
			f.SetUint(uint64(x*37) % 256)
		case f.Kind() == reflect.Float64:
			f.SetFloat(floats[x%len(floats)])
		case f.Kind() == reflect.String:
			f.SetString("a\x00\xff\"" + strings.Repeat("z", x))
		default:
			t.Fatalf("a field of type %v: teach appendValue and parseValue", f.Type())
		}
	}
}

func TestAttributesComeBack(t *testing.T) {
	for name, typ := range attrTypes {
		for k := range 16 {
			v := reflect.New(typ).Elem()
			fill(t, v, k)
			b, err := appendAttr(nil, "test", v.Interface())
			if err != nil {
				t.Fatal(err)
			}
			p, err := strictjson.New("test", b, maxDepth, 100)
			if err != nil {
				t.Fatal(err)
			}
			got, err := parseAttr(p)
			if err != nil {
				t.Fatalf("%s: %v of %s", name, err, b)
			}
			again, _ := appendAttr(nil, "test", got)
			if string(again) != string(b) || reflect.TypeOf(got) != typ {
				t.Errorf("%s: %+v came back as %+v", name, v, got)
			}
		}
	}
}

func TestAttributesRefused(t *testing.T) {
	for _, text := range []string{`{}`, `{"Axis":{}, "Axes":{}}`, `{"Nope":{}}`, `{"Axis":{"axis":1}}`, `{"Axis":{"Axis":1.5}}`,
		`{"Axis":{"Axis":9223372036854775808}}`,
		`{"Axis":{"Axis":"1"}}`, `{"Cast":{"To":"invalid"}}`, `{"Cast":{"To":3}}`, `{"Axes":{"Axes":[1,"2"]}}`, `{"Axes":{"Keep":1}}`,
		`{"Scatter":{"Reduce":256}}`,
		`{"Scatter":{"Reduce":-1}}`, `{"Norm":{"P":"inf"}}`, `{"Norm":{"P":1e999}}`, `{"Norm":{"P":"nan:1"}}`, `{"Table":{"Data":"*"}}`,
		`{"Print":{}}`, `[]`, `3`,
		`{"Axis":{"Axis":1,"Axis":2}}`, `{"Axes":{"Axes":[` + strings.Repeat("1,", maxAttrInts) + `1]}}`} {
		p, err := strictjson.New("test", []byte(text), maxDepth, 100)
		if err != nil {
			t.Fatal(err)
		}
		if a, err := parseAttr(p); err == nil {
			t.Errorf("%.60s is %+v", text, a)
		}
	}
	if _, err := appendAttr(nil, "print", &attr.Print{}); err == nil || !strings.Contains(err.Error(), "print") {
		t.Error(err)
	}
}
