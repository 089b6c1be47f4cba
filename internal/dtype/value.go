package dtype

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"unsafe"
)

// Native lists the Go types whose memory is an element as it stands.
type Native interface {
	bool | uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64 | float32 | float64 | complex64 | complex128 | F16 | BF16
}

// Of returns the dtype of a Go element type; int is int64.
func Of[T Native | int]() DType {
	var z T
	switch any(z).(type) {
	case bool:
		return Bool
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64, int:
		return Int64
	case F16:
		return Float16
	case BF16:
		return BFloat16
	case float32:
		return Float32
	case float64:
		return Float64
	case complex64:
		return Complex64
	}
	return Complex128
}

// Slice views the bytes of a buffer as elements. The bytes must be aligned for T and outlive the result.
func Slice[T any](b []byte) []T {
	var z T
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(z)))
}

// Bytes views elements as bytes.
func Bytes[T any](s []T) []byte {
	var z T
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(z)))
}

// Scalar is one number of any kind, wide enough to hold every dtype's values exactly.
type Scalar struct {
	Kind Kind
	I    int64   // bool, int; uint as its bits
	F    float64 // float; real part
	G    float64 // imaginary part
}

// Float returns the value as float64, losing what does not fit.
func (s Scalar) Float() float64 {
	switch s.Kind {
	case KindBool, KindInt:
		return float64(s.I)
	case KindUint:
		return float64(uint64(s.I))
	}
	return s.F
}

// Int returns the value truncated to an int64.
func (s Scalar) Int() int64 {
	switch s.Kind {
	case KindBool, KindInt, KindUint:
		return s.I
	}
	return TruncInt(s.F)
}

// String prints the number.
func (s Scalar) String() string {
	switch s.Kind {
	case KindBool:
		return strconv.FormatBool(s.I != 0)
	case KindUint:
		return strconv.FormatUint(uint64(s.I), 10)
	case KindInt:
		return strconv.FormatInt(s.I, 10)
	case KindFloat:
		return strconv.FormatFloat(s.F, 'g', -1, 64)
	}
	return strconv.FormatComplex(s.Complex(), 'g', -1, 128)
}

// Complex returns the value as complex128.
func (s Scalar) Complex() complex128 {
	if s.Kind == KindComplex {
		return complex(s.F, s.G)
	}
	return complex(s.Float(), 0)
}

// ScalarOf converts a Go number or bool to a Scalar; ok is false for anything else.
func ScalarOf(v any) (s Scalar, ok bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return Scalar{Kind: KindBool, I: 1}, true
		}
		return Scalar{Kind: KindBool}, true
	case int:
		return Scalar{Kind: KindInt, I: int64(v)}, true
	case int8:
		return Scalar{Kind: KindInt, I: int64(v)}, true
	case int16:
		return Scalar{Kind: KindInt, I: int64(v)}, true
	case int32:
		return Scalar{Kind: KindInt, I: int64(v)}, true
	case int64:
		return Scalar{Kind: KindInt, I: v}, true
	case uint:
		return uintScalar(uint64(v)), true
	case uint8:
		return Scalar{Kind: KindInt, I: int64(v)}, true
	case uint16:
		return Scalar{Kind: KindInt, I: int64(v)}, true
	case uint32:
		return Scalar{Kind: KindInt, I: int64(v)}, true
	case uint64:
		return uintScalar(v), true
	case float32:
		return Scalar{Kind: KindFloat, F: float64(v)}, true
	case float64:
		return Scalar{Kind: KindFloat, F: v}, true
	case F16:
		return Scalar{Kind: KindFloat, F: float64(v.Float32())}, true
	case BF16:
		return Scalar{Kind: KindFloat, F: float64(v.Float32())}, true
	case complex64:
		return Scalar{Kind: KindComplex, F: float64(real(v)), G: float64(imag(v))}, true
	case complex128:
		return Scalar{Kind: KindComplex, F: real(v), G: imag(v)}, true
	}
	return namedScalar(v)
}

// module is the path under which this project's own types have names.
const module = "github.com/lucid-go/lucid"

// namedScalar is a value of a type that a program defined as a number or a bool. This project's own, such as dtypes and
// marks, are no numbers to anybody.
func namedScalar(v any) (s Scalar, ok bool) {
	t := reflect.TypeOf(v)
	if t == nil || t.PkgPath() == "" || t.PkgPath() == module || strings.HasPrefix(t.PkgPath(), module+"/internal/") {
		return Scalar{}, false
	}
	switch x := reflect.ValueOf(v); x.Kind() {
	case reflect.Bool:
		return ScalarOf(x.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return ScalarOf(x.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return ScalarOf(x.Uint())
	case reflect.Float32, reflect.Float64:
		return ScalarOf(x.Float())
	case reflect.Complex64, reflect.Complex128:
		return ScalarOf(x.Complex())
	}
	return Scalar{}, false
}

func uintScalar(u uint64) Scalar {
	if u > math.MaxInt64 {
		return Scalar{Kind: KindUint, I: int64(u)}
	}
	return Scalar{Kind: KindInt, I: int64(u)}
}

// DefaultDType is the dtype a lone number of the scalar's kind has, def being the default float.
func (s Scalar) DefaultDType(def DType) DType {
	switch s.Kind {
	case KindBool:
		return Bool
	case KindInt:
		return Int64
	case KindUint:
		return Uint64
	case KindComplex:
		return def.Complex()
	}
	return def
}

// TruncInt converts to int64 towards zero. Out of range and NaN give the minimum, as amd64 hardware does, on every machine.
func TruncInt(f float64) int64 {
	if f >= -9223372036854775808.0 && f < 9223372036854775808.0 {
		return int64(f)
	}
	return math.MinInt64
}

// TruncInt32 converts to int32 towards zero. Out of range and NaN give the minimum.
func TruncInt32(f float64) int32 {
	if f > -2147483649.0 && f < 2147483648.0 {
		return int32(f)
	}
	return math.MinInt32
}

// TruncUint converts to uint64 towards zero, negative values wrapping as through int64. NaN and negative values out of its range give
// 1<<63, what is too large 0.
func TruncUint(f float64) uint64 {
	if f >= 9223372036854775808.0 {
		return uint64(TruncInt(f-9223372036854775808.0)) ^ 1<<63
	}
	return uint64(TruncInt(f))
}

// truncBits converts to an integer dtype, and gives at least its bits: RATIONALE.md, "What is a float that an integer type does not hold?".
func (d DType) truncBits(f float64) uint64 {
	switch d {
	case Int8, Int16, Uint16, Int32:
		return uint64(TruncInt32(f))
	case Uint64:
		return TruncUint(f)
	}
	return uint64(TruncInt(f))
}

// Put stores s as element i of buf, converting to d.
func (d DType) Put(buf []byte, i int, s Scalar) {
	p := unsafe.Pointer(&buf[i*d.Size()])
	switch d {
	case Bool:
		*(*bool)(p) = s.Kind <= KindInt && s.I != 0 || s.Kind >= KindFloat && (s.F != 0 || s.G != 0)
	case Uint8:
		*(*uint8)(p) = uint8(s.bits(d))
	case Uint16:
		*(*uint16)(p) = uint16(s.bits(d))
	case Uint32:
		*(*uint32)(p) = uint32(s.bits(d))
	case Uint64:
		*(*uint64)(p) = s.bits(d)
	case Int8:
		*(*int8)(p) = int8(s.bits(d))
	case Int16:
		*(*int16)(p) = int16(s.bits(d))
	case Int32:
		*(*int32)(p) = int32(s.bits(d))
	case Int64:
		*(*int64)(p) = int64(s.bits(d))
	case Float16:
		*(*F16)(p) = F64ToF16(s.Float())
	case BFloat16:
		*(*BF16)(p) = F64ToBF16(s.Float())
	case Float32:
		*(*float32)(p) = float32(s.Float())
	case Float64:
		*(*float64)(p) = s.Float()
	case Complex64:
		*(*complex64)(p) = complex64(s.Complex())
	case Complex128:
		*(*complex128)(p) = s.Complex()
	}
}

func (s Scalar) bits(d DType) uint64 {
	if s.Kind >= KindFloat {
		return d.truncBits(s.F)
	}
	return uint64(s.I)
}

// Get loads element i of buf.
func (d DType) Get(buf []byte, i int) Scalar {
	p := unsafe.Pointer(&buf[i*d.Size()])
	switch d {
	case Bool:
		return Scalar{Kind: KindBool, I: int64(*(*uint8)(p) & 1)}
	case Uint8:
		return Scalar{Kind: KindUint, I: int64(*(*uint8)(p))}
	case Uint16:
		return Scalar{Kind: KindUint, I: int64(*(*uint16)(p))}
	case Uint32:
		return Scalar{Kind: KindUint, I: int64(*(*uint32)(p))}
	case Uint64:
		return Scalar{Kind: KindUint, I: int64(*(*uint64)(p))}
	case Int8:
		return Scalar{Kind: KindInt, I: int64(*(*int8)(p))}
	case Int16:
		return Scalar{Kind: KindInt, I: int64(*(*int16)(p))}
	case Int32:
		return Scalar{Kind: KindInt, I: int64(*(*int32)(p))}
	case Int64:
		return Scalar{Kind: KindInt, I: *(*int64)(p)}
	case Float16:
		return Scalar{Kind: KindFloat, F: float64((*(*F16)(p)).Float32())}
	case BFloat16:
		return Scalar{Kind: KindFloat, F: float64((*(*BF16)(p)).Float32())}
	case Float32:
		return Scalar{Kind: KindFloat, F: float64(*(*float32)(p))}
	case Float64:
		return Scalar{Kind: KindFloat, F: *(*float64)(p)}
	case Complex64:
		c := *(*complex64)(p)
		return Scalar{Kind: KindComplex, F: float64(real(c)), G: float64(imag(c))}
	case Complex128:
		c := *(*complex128)(p)
		return Scalar{Kind: KindComplex, F: real(c), G: imag(c)}
	}
	panic("lucid: internal: Get of " + d.String())
}
