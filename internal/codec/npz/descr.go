package npz

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

var byCode = map[string]dtype.DType{
	"b1": dtype.Bool,
	"u1": dtype.Uint8, "u2": dtype.Uint16, "u4": dtype.Uint32, "u8": dtype.Uint64,
	"i1": dtype.Int8, "i2": dtype.Int16, "i4": dtype.Int32, "i8": dtype.Int64,
	"f2": dtype.Float16, "f4": dtype.Float32, "f8": dtype.Float64,
	"c8": dtype.Complex64, "c16": dtype.Complex128,
	"V2": dtype.BFloat16, // if the reader is told so
}

var codes = func() (c [dtype.N]string) {
	for s, d := range byCode {
		c[d] = s
	}
	return
}()

// parseDescr splits a type string such as ">f4".
func parseDescr(name, descr string) (d dtype.DType, swap, void bool, err error) {
	code := descr
	if code != "" {
		switch code[0] {
		case '>':
			swap = true
			fallthrough
		case '<', '|', '=':
			code = code[1:]
		}
	}
	d, ok := byCode[code]
	switch {
	case ok:
		return d, swap && d.Size() > 1, code == "V2", nil
	case code == "O":
		return 0, false, false, fault.New(fault.DType, op,
			"array %q holds Python objects, which would have to be unpickled; save it with a numeric dtype", name)
	}
	return 0, false, false, fault.New(fault.DType, op, "array %q has the NumPy type %.32q, which has no counterpart here", name, descr)
}

// formatDescr is the type string we write.
func formatDescr(d dtype.DType) string {
	if d.Size() == 1 {
		return "|" + codes[d]
	}
	return "<" + codes[d]
}
