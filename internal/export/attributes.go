package export

import (
	"encoding/base64"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/codec/strictjson"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// Attributes are written by reflection: a struct is an object of its fields that are not zero, by name. So a field
// added later, whose zero means what was before, can be read from old files; a field that is not known is refused.

// attrTypes lists the attributes a file may hold, by name.
var attrTypes = func() map[string]reflect.Type {
	m := map[string]reflect.Type{}
	for _, a := range []attr.Attr{attr.Const{}, attr.Cast{}, attr.Axis{}, attr.Axes{}, attr.Shape{}, attr.Perm{}, attr.Slice{}, attr.Scan{},
		attr.FFT{}, attr.HalfFFT{},
		attr.Scatter{}, attr.Sort{}, attr.Bits{}, attr.Arange{}, attr.Bound{}, attr.Order{}, attr.Polynomial{}, attr.Conv{},
		attr.GatherMM{},
		attr.Softplus{}, attr.ClassLoss{},
		attr.RowNorm{}, attr.Attention{}, attr.Table{}, attr.Pool{}, attr.Var{}, attr.Norm{}, attr.TopK{}, attr.Search{},
		attr.Strided{},
		attr.Unfold{}, attr.Bitcast{}, attr.Diagonal{}, attr.Split{}, attr.Recurrent{}, attr.Domain{}, attr.Mix{}, attr.Factor{},
		attr.Block{}, attr.GatherBlock{}, attr.Quantized{}} {
		t := reflect.TypeOf(a)
		m[t.Name()] = t
	}
	return m
}()

// Limits of one attribute.
const (
	maxAttrInts  = 1 << 16
	maxAttrBytes = 1 << 28
)

var (
	intsType  = reflect.TypeFor[attr.Ints]()
	dtypeType = reflect.TypeFor[dtype.DType]()
)

// appendAttr writes an attribute as {"name":{fields}}; the error names what cannot be written.
func appendAttr(b []byte, op string, a attr.Attr) ([]byte, error) {
	t := reflect.TypeOf(a)
	if attrTypes[t.Name()] != t {
		return b, fault.New(fault.NotImplemented, op, "cannot be written to a file: its attribute is a %v", t)
	}
	b = append(b, `{"`+t.Name()+`":`...)
	b = appendFields(b, reflect.ValueOf(a))
	return append(b, '}'), nil
}

func appendFields(b []byte, v reflect.Value) []byte {
	b = append(b, '{')
	sep := ""
	for i := range v.NumField() {
		if isZeroBits(v.Field(i)) {
			continue
		}
		b = append(b, sep+`"`+v.Type().Field(i).Name+`":`...)
		b = appendValue(b, v.Field(i))
		sep = ","
	}
	return append(b, '}')
}

// isZeroBits is IsZero, but for -0, which must be written.
func isZeroBits(v reflect.Value) bool {
	if v.Kind() == reflect.Struct {
		return false
	}
	return v.IsZero() && !(v.Kind() == reflect.Float64 && math.Signbit(v.Float()))
}

func appendValue(b []byte, v reflect.Value) []byte {
	switch {
	case v.Type() == intsType:
		b = append(b, '[')
		s := v.Interface().(attr.Ints)
		for i := range s.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(s.At(i)), 10)
		}
		return append(b, ']')
	case v.Type() == dtypeType:
		return strictjson.AppendString(b, v.Interface().(dtype.DType).String())
	}
	switch v.Kind() {
	case reflect.Struct:
		return appendFields(b, v)
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.Int, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10)
	case reflect.Uint8:
		return strconv.AppendUint(b, v.Uint(), 10)
	case reflect.Float64:
		return appendFloat(b, v.Float())
	case reflect.String:
		return strictjson.AppendString(b, base64.StdEncoding.EncodeToString([]byte(v.String())))
	}
	panic("lucid: internal: an attribute has a field of type " + v.Type().String())
}

// appendFloat writes every bit of a number: JSON has neither infinities nor NaN.
func appendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, `"nan:`+strconv.FormatUint(math.Float64bits(f), 16)+`"`...)
	case math.IsInf(f, 0):
		return append(b, `"`+strconv.FormatFloat(f, 'g', -1, 64)+`"`...)
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64)
}

// parseAttr reads what appendAttr wrote.
func parseAttr(p *strictjson.Parser) (a attr.Attr, err error) {
	err = p.Object(func(name string) error {
		t := attrTypes[name]
		switch {
		case a != nil:
			return p.Fail("a node with two attributes")
		case t == nil:
			return p.Fail("unknown attribute %.40q", name)
		}
		v := reflect.New(t).Elem()
		if err := parseFields(p, v); err != nil {
			return err
		}
		a = v.Interface()
		return nil
	})
	if err == nil && a == nil {
		err = p.Fail("an attribute without a name")
	}
	return a, err
}

func parseFields(p *strictjson.Parser, v reflect.Value) error {
	return p.Object(func(name string) error {
		f, ok := v.Type().FieldByName(name)
		if !ok || !f.IsExported() || len(f.Index) != 1 {
			return p.Fail("%v has no field %.40q", v.Type(), name)
		}
		return parseValue(p, v.FieldByIndex(f.Index))
	})
}

func parseValue(p *strictjson.Parser, v reflect.Value) error {
	switch {
	case v.Type() == intsType:
		list, err := parseInts(p, maxAttrInts)
		v.SetString(string(attr.MakeInts(list...)))
		return err
	case v.Type() == dtypeType:
		d, err := parseDType(p)
		v.SetUint(uint64(d))
		return err
	}
	switch v.Kind() {
	case reflect.Struct:
		return parseFields(p, v)
	case reflect.Bool:
		text, err := p.Raw()
		if err == nil && text != "true" && text != "false" {
			err = p.Fail("%.40s is neither true nor false", text)
		}
		v.SetBool(text == "true")
		return err
	case reflect.Int, reflect.Int64:
		i, err := p.Int()
		v.SetInt(i)
		return err
	case reflect.Uint8:
		i, err := p.Int()
		if err == nil && (i < 0 || i > 255) {
			err = p.Fail("%d is out of range", i)
		}
		v.SetUint(uint64(uint8(i)))
		return err
	case reflect.Float64:
		f, err := parseFloat(p)
		v.SetFloat(f)
		return err
	case reflect.String:
		s, err := p.String()
		if err != nil {
			return err
		}
		if len(s) > maxAttrBytes {
			return p.Fail("a value of %d bytes", len(s))
		}
		raw, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return p.Fail("a value that is no base64")
		}
		v.SetString(string(raw))
		return nil
	}
	return p.Fail("a field of type %v", v.Type())
}

func parseFloat(p *strictjson.Parser) (float64, error) {
	if p.Peek() != '"' {
		text, err := p.Number()
		if err != nil {
			return 0, err
		}
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, p.Fail("%.40s is no number of 64 bits", text)
		}
		return f, nil
	}
	s, err := p.String()
	if err != nil {
		return 0, err
	}
	switch s {
	case "+Inf":
		return math.Inf(1), nil
	case "-Inf":
		return math.Inf(-1), nil
	}
	bits, ok := strings.CutPrefix(s, "nan:")
	u, err := strconv.ParseUint(bits, 16, 64)
	if !ok || err != nil || !math.IsNaN(math.Float64frombits(u)) {
		return 0, p.Fail("%.40q is no number", s)
	}
	return math.Float64frombits(u), nil
}

func parseInts(p *strictjson.Parser, limit int) (list []int, err error) {
	err = p.Array(func(i int) error {
		if i >= limit {
			return p.Fail("more than %d numbers", limit)
		}
		v, err := p.Int()
		if err == nil && int64(int(v)) != v {
			err = p.Fail("%d is out of range", v)
		}
		list = append(list, int(v))
		return err
	})
	return list, err
}

func parseDType(p *strictjson.Parser) (dtype.DType, error) {
	s, err := p.String()
	if err != nil {
		return 0, err
	}
	d, ok := dtype.Parse(s)
	if !ok || !d.Valid() {
		return 0, p.Fail("unknown dtype %.40q", s)
	}
	return d, nil
}
