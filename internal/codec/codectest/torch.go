package codectest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"strconv"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/dtype"
)

// torchStorages are the names of storages in files of torch.save.
var torchStorages = map[dtype.DType]string{dtype.Float32: "Float", dtype.Float64: "Double", dtype.Float16: "Half",
	dtype.BFloat16: "BFloat16", dtype.Int64: "Long", dtype.Int32: "Int", dtype.Uint8: "Byte", dtype.Bool: "Bool"}

// Torch is a file as torch.save writes it, for tests of readers: a dict of the tensors by name.
func Torch(f codec.File) []byte {
	var p, out bytes.Buffer
	z := zip.NewWriter(&out)
	entry := func(name string, data []byte) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name}) // stored
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil { // of a buffer: cannot be
			panic(err)
		}
	}
	u32 := func(n int) { p.Write(binary.LittleEndian.AppendUint32(nil, uint32(n))) }
	text := func(s string) {
		p.WriteByte('X')
		u32(len(s))
		p.WriteString(s)
	}
	number := func(n int) {
		p.WriteByte('J')
		u32(n)
	}
	p.WriteString("\x80\x02}(")
	for i, t := range f.Tensors {
		key := strconv.Itoa(i)
		entry("archive/data/"+key, t.Data)
		text(t.Name)
		p.WriteString("ctorch._utils\n_rebuild_tensor_v2\n((")
		text("storage")
		p.WriteString("ctorch\n" + torchStorages[t.DType] + "Storage\n")
		text(key)
		text("cpu")
		number(len(t.Data) / t.DType.Size())
		p.WriteString("tQK\x00(")
		stride := make([]int, len(t.Shape))
		for k, n := len(t.Shape)-1, 1; k >= 0; k-- {
			stride[k] = n
			n *= t.Shape[k]
		}
		for _, n := range t.Shape {
			number(n)
		}
		p.WriteString("t(")
		for _, n := range stride {
			number(n)
		}
		p.WriteString("t\x89ccollections\nOrderedDict\n)RtR")
	}
	p.WriteString("u.")
	entry("archive/data.pkl", p.Bytes())
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}
