package lucid

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/codec"
	checkpoint "github.com/lucid-go/lucid/internal/codec/lucid"
	"github.com/lucid-go/lucid/internal/codec/npz"
	"github.com/lucid-go/lucid/internal/codec/safetensors"
	"github.com/lucid-go/lucid/internal/codec/torch"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// Names inside a checkpoint that are not tensors.
const (
	metadataSection = "__metadata__"
	stateSchema     = "state_dict"
)

// Save writes tensors to a file whose name says the format: .safetensors, .npz, .npy (one tensor) or .lucid, which
// has a checksum on every byte. The file appears whole or not at all. Values come back bit for bit.
func Save(path string, d *StateDict) error {
	op := "save"
	var f codec.File
	err := Try(func() { f = d.file(op) })
	if err != nil {
		return err
	}
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".safetensors":
		// The format keeps tensors in the order of their offsets; ours is the order of the names.
		return safetensors.Write(path, f, safetensors.WriteOptions{KeepOrder: true})
	case ".npz":
		return npz.Write(path, f, npz.WriteOptions{})
	case ".npy":
		if len(f.Tensors) != 1 {
			return fault.New(fault.Value, op, "a .npy file holds one tensor, the state has %d; use .npz", len(f.Tensors))
		}
		return npz.WriteNpy(path, f.Tensors[0], npz.WriteOptions{BFloat16AsVoid: true})
	case ".lucid":
		return saveCheckpoint(path, f)
	default:
		return fault.New(fault.Format, op, "%q has extension %q; want .safetensors, .npz, .npy or .lucid", path, ext)
	}
}

// file evaluates the tensors, all in one plan, and copies them out.
func (d *StateDict) file(op string) codec.File {
	f := codec.File{Metadata: maps.Clone(d.meta)}
	all := make([]*Tensor, 0, d.Len())
	for _, t := range d.All() {
		all = append(all, t)
	}
	if err := Eval(all...); err != nil {
		throw(op, err)
	}
	for name, t := range d.All() {
		v, done := t.read(op)
		f.Tensors = append(f.Tensors, codec.Tensor{Name: name, DType: t.DType(), Shape: t.Shape(), Data: slices.Clone(v.Bytes())})
		done()
	}
	return f
}

func saveCheckpoint(path string, f codec.File) error {
	c := checkpoint.Checkpoint{Schema: map[string]int{stateSchema: 1}}
	if len(f.Metadata) > 0 {
		b, err := json.Marshal(f.Metadata)
		if err != nil {
			return err
		}
		c.Sections = append(c.Sections, checkpoint.Section{Name: metadataSection, Kind: checkpoint.JSON, Data: b})
	}
	for _, t := range f.Tensors {
		c.Add(t)
	}
	return checkpoint.Write(path, c)
}

// Load reads a file Save or another program wrote; its name says the format as in Save, and .json is the index of a model in
// several .safetensors files. .pt, .pth, .bin and .ckpt are files of torch.save: tensors in dicts, lists and tuples, whose names are
// joined by dots; numbers and texts next to them are metadata. Nothing in such a file is run: one that names other objects is
// refused. A file that is missing, damaged or of another kind is an error.
func Load(path string) (*StateDict, error) {
	f, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return fromFiles(f)
}

func fromFiles(f codec.File) (*StateDict, error) {
	d := &StateDict{meta: f.Metadata}
	err := Try(func() {
		for _, t := range f.Tensors {
			d.Set(t.Name, fromFile(t))
		}
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

func readFile(path string) (f codec.File, err error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".safetensors", ".json":
		return safetensors.Read(path, safetensors.Options{})
	case ".npz":
		return npz.Read(path, npz.Options{})
	case ".npy":
		t, err := npz.ReadNpy(path, npz.Options{VoidAsBFloat16: true})
		if t.Name == "" {
			t.Name = "arr_0" // NumPy's name for an array that has none
		}
		return codec.File{Tensors: []codec.Tensor{t}}, err
	case ".lucid":
		return readCheckpoint(path)
	case ".pt", ".pth", ".bin", ".ckpt":
		return torch.Read(path, torch.Options{})
	default:
		return f, fault.New(fault.Format, "load",
			"%q has extension %q; want .safetensors, .json for an index of them, .npz, .npy, .lucid, or .pt, .pth, .bin "+
				"or .ckpt of PyTorch", path, ext)
	}
}

func readCheckpoint(path string) (f codec.File, err error) {
	c, err := checkpoint.Read(path, codec.Limits{})
	if err != nil {
		return f, err
	}
	if err := c.Upgrade(map[string]int{stateSchema: 1}); err != nil {
		return f, codec.InFile(err, path)
	}
	for _, s := range c.Sections {
		if t, ok := s.Tensor(); ok {
			f.Tensors = append(f.Tensors, t)
		} else if s.Name == metadataSection {
			if err := json.Unmarshal(s.Data, &f.Metadata); err != nil {
				return f, fault.Wrap(fault.Format, "load", err, "the metadata of %q", path)
			}
		}
	}
	return f, nil
}

// fromFile makes a tensor of its own out of a file's bytes. Data of a file is ours and never written again.
func fromFile(t codec.Tensor) *Tensor { return fromBuffer(t, mem.FromGo(t.Data)) }

func fromBuffer(t codec.Tensor, b *mem.Buffer) *Tensor {
	if len(t.Data) == 0 {
		b = mem.FromGo(dtype.Bytes([]uint64{0})[:0])
	}
	n := graph.NewStored(b, graph.Spec{Shape: shape.Of("load", t.Shape...), DType: t.DType}, CPU.open())
	return wrap(n)
}
