package safetensors

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

var byName = map[string]dtype.DType{
	"BOOL": dtype.Bool,
	"U8":   dtype.Uint8, "U16": dtype.Uint16, "U32": dtype.Uint32, "U64": dtype.Uint64,
	"I8": dtype.Int8, "I16": dtype.Int16, "I32": dtype.Int32, "I64": dtype.Int64,
	"F16": dtype.Float16, "BF16": dtype.BFloat16, "F32": dtype.Float32, "F64": dtype.Float64,
	"C64": dtype.Complex64,
}

var names = func() (n [dtype.N]string) {
	for s, d := range byName {
		n[d] = s
	}
	return
}()

// oneByte lists the format's types that take one byte and have no dtype here.
var oneByte = map[string]bool{"F8_E4M3": true, "F8_E5M2": true, "F8_E8M0": true, "F8_E4M3FNUZ": true, "F8_E5M2FNUZ": true}

// lookup finds the dtype of a name in a header. raw is the name again when the bytes are read as uint8.
func lookup(tensor, name string) (d dtype.DType, raw string, err error) {
	if d, ok := byName[name]; ok {
		return d, "", nil
	}
	if oneByte[name] {
		return dtype.Uint8, name, nil
	}
	return 0, "", fault.New(fault.DType, op, "tensor %q has dtype %.32q, which has no counterpart here; convert the file", tensor, name)
}

func refuseRaw(tensor, raw string) error {
	return fault.New(fault.DType, op,
		"tensor %q has dtype %s, which has no counterpart here; set RawF8 to read its bytes as uint8, or convert the file", tensor, raw)
}
