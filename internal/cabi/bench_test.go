package cabi

import (
	"testing"
	"unsafe"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/schema"
)

// BenchmarkCall records and frees an op, without and with an attribute: what a call from C costs beyond the way into Go.
func BenchmarkCall(b *testing.B) {
	data := [4]float32{1, 2, 3, 4}
	x, err := Copy(dtype.Float32, []int64{4}, unsafe.Pointer(&data), 16)
	if err != nil {
		b.Fatal(err)
	}
	defer Free(x)
	for _, name := range []string{"add", "sum"} {
		b.Run(name, func(b *testing.B) {
			op, err := FindOp(name)
			if err != nil {
				b.Fatal(err)
			}
			in, outs := []Handle{x, x}, make([]Handle, 1)
			b.ReportAllocs()
			for b.Loop() {
				var few [4]schema.Attr
				attrs := few[:0]
				if name == "sum" {
					in, attrs = in[:1], append(attrs, schema.Attr{Name: "dim", Value: 0})
				}
				if _, err := Call(op, in, attrs, outs); err != nil {
					b.Fatal(err)
				}
				Free(outs[0])
			}
		})
	}
}
