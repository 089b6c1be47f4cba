package llm

import (
	"context"
	"os"
	"strings"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/gguf"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/ggml"
)

// ConvertOptions say how Convert writes a model.
type ConvertOptions struct {
	// Format is the type of matrices, one of Formats; "" leaves a GGUF file's as they are, and stores those of a folder as f16, if
	// most of its tensors are float16, bf16, if they are bfloat16, and else as f32.
	Format string
	// Progress is called after each tensor; nil: not.
	Progress func(done, total int)
}

// Convert writes the model at from, a .gguf file or a folder, to a .gguf file. A GGUF file is converted tensor by tensor: it may be of
// a family that this package does not know, and may be split. Of a folder the whole model is loaded. Quantizing what is quantized
// already loses more than quantizing the original does.
func Convert(ctx context.Context, from, to string, o ConvertOptions) (err error) {
	caught := fault.Catch(func() {
		if !strings.HasSuffix(to, ".gguf") {
			fault.Throw(fault.Value, op, "the path %q; want one that ends with .gguf", to)
		}
		err = convert(ctx, from, to, o)
	})
	if caught != nil {
		err = caught
	}
	return codec.InFile(err, from)
}

func convert(ctx context.Context, from, to string, o ConvertOptions) error {
	if strings.HasSuffix(from, ".gguf") {
		return requantize(ctx, from, to, o)
	}
	info, err := Describe(from)
	if err != nil {
		return err
	}
	if o.Format == "" {
		for dtype, format := range map[string]string{"float16": "f16", "bfloat16": "bf16"} {
			if n := info.Types[dtype]; 2*n > tensors(info) {
				o.Format = format
			}
		}
	}
	parseFormat(o.Format) // before the work
	save := SaveOptions{Format: o.Format, Progress: o.Progress, stop: ctx.Err}
	if info.Config.Encoder {
		e, err := LoadEmbedder(from)
		if err != nil {
			return err
		}
		return e.Save(to, save)
	}
	m, err := Load(from)
	if err != nil {
		return err
	}
	return m.Save(to, save)
}

func tensors(i Info) (n int) {
	for _, k := range i.Types {
		n += k
	}
	return n
}

// requantize copies a GGUF file with its matrices in another type.
func requantize(ctx context.Context, from, to string, o ConvertOptions) error {
	if a, err := os.Stat(from); err == nil {
		if b, err := os.Stat(to); err == nil && os.SameFile(a, b) {
			return fault.New(fault.Value, op, "the file would be written over itself; name another one")
		}
	}
	f, err := gguf.Open(from, gguf.Options{})
	if err != nil {
		return err
	}
	defer f.Close()
	meta, r := &gguf.Metadata{}, recipe{}
	for _, key := range f.Metadata().Keys() {
		if v, _ := f.Metadata().Get(key); !strings.HasPrefix(key, "split.") {
			meta.Set(key, v)
		}
	}
	if o.Format != "" {
		r = parseFormat(o.Format)
		_, head := f.Info("output.weight")
		r.layers, r.tied = int(meta.Int(meta.Text("general.architecture", "")+".block_count", 0)), !head
		meta.Set("general.file_type", gguf.OfUint32(r.number))
		meta.Set("general.quantization_version", gguf.OfUint32(2))
	}
	infos := f.Infos()
	list := make([]gguf.Tensor, 0, len(infos))
	for i, info := range infos {
		if err := ctx.Err(); err != nil {
			return err
		}
		t, err := requantized(f, info, r, o.Format == "")
		if err != nil {
			return err
		}
		list = append(list, t)
		if o.Progress != nil {
			o.Progress(i+1, len(infos))
		}
	}
	return gguf.Write(to, meta, list)
}

// requantized is a tensor of a file in the type of a recipe, or as it is.
func requantized(f *gguf.File, info gguf.Info, r recipe, asIs bool) (t gguf.Tensor, err error) {
	kind := info.Type
	if !asIs && len(info.Shape) > 1 {
		kind = r.of(info.Name, info.Shape)
		if kind == ggml.F32 && r.base != ggml.F32 { // what a recipe leaves alone
			kind = info.Type
		}
	}
	t = gguf.Tensor{Name: info.Name, Type: kind, Shape: info.Shape}
	if kind == info.Type {
		t.Data, err = f.Data(info.Name) // of the mapping
		return t, err
	}
	if !info.Type.CanDequantize() {
		return t, fault.New(fault.NotImplemented, op, "the tensor %q is %v, which cannot be converted", info.Name, info.Type)
	}
	values, err := f.Floats(info.Name)
	if err == nil {
		t.Data = quantize(kind, values)
	}
	return t, err
}
