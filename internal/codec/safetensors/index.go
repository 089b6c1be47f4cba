package safetensors

import (
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/strictjson"
	"github.com/lucid-go/lucid/internal/fault"
)

// maxShards bounds the files one index may open, each of which takes a descriptor.
const maxShards = 4096

// index is a parsed model.safetensors.index.json.
type index struct {
	names  []string          // tensors in order
	shard  map[string]string // tensor to file name
	shards []string          // file names in order of first use
	meta   map[string]string
}

func parseIndex(text []byte, lim codec.Limits) (*index, error) {
	lim = lim.Filled()
	p, err := strictjson.New(op, text, lim.MaxDepth, 4*lim.MaxTensors)
	if err != nil {
		return nil, err
	}
	x := &index{}
	err = p.Object(func(key string) error {
		switch key {
		case "weight_map":
			x.shard = map[string]string{}
			return x.weightMap(p, lim)
		case "metadata":
			if p.Peek() == '{' {
				return x.metadata(p)
			}
		}
		return p.Skip()
	})
	if err == nil {
		err = p.End()
	}
	if err == nil && x.shard == nil {
		err = fault.New(fault.Format, op, "the index has no weight_map")
	}
	if err != nil {
		return nil, err
	}
	return x, nil
}

func (x *index) weightMap(p *strictjson.Parser, lim codec.Limits) error {
	known := map[string]bool{}
	return p.Object(func(name string) error {
		file, err := p.String()
		if err != nil {
			return err
		}
		if len(x.names) >= lim.MaxTensors {
			return p.Fail("the index lists more than %d tensors", lim.MaxTensors)
		}
		if err := codec.CheckName(op, name, lim); err != nil {
			return err
		}
		if !known[file] {
			if err := checkShard(file); err != nil {
				return err
			}
			if len(x.shards) == maxShards {
				return p.Fail("the index names more than %d files", maxShards)
			}
			known[file] = true
			x.shards = append(x.shards, file)
		}
		x.shard[name] = file
		x.names = append(x.names, name)
		return nil
	})
}

// checkShard lets through plain names in the index's own directory, on any system: an index must not choose
// which files of the machine are opened.
func checkShard(file string) error {
	if strings.ContainsAny(file, "/\\:\x00") || !filepath.IsLocal(file) || file == "." || len(file) > 255 {
		return fault.New(fault.Format, op, "the index names the file %.64q; only plain names next to it are allowed", file)
	}
	return nil
}

// metadata keeps strings as they are and other values as their text.
func (x *index) metadata(p *strictjson.Parser) error {
	x.meta = map[string]string{}
	return p.Object(func(key string) (err error) {
		if p.Peek() == '"' {
			x.meta[key], err = p.String()
		} else {
			x.meta[key], err = p.Raw()
		}
		return err
	})
}

// openIndex opens every shard and checks that index and shards agree: each name in exactly the shard the index
// says, and in no other.
func openIndex(fsys fs.FS, path string, o Options) (_ *File, err error) {
	text, err := readIndex(fsys, path, o.Limits.Filled())
	if err != nil {
		return nil, err
	}
	x, err := parseIndex(text, o.Limits)
	if err != nil {
		return nil, codec.InFile(err, path)
	}
	f := &File{o: o, where: map[string]*part{}, names: x.names, meta: x.meta}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	for _, file := range x.shards {
		p, err := openPart(fsys, codec.NextTo(fsys, path, file), o)
		if err != nil {
			return nil, err
		}
		f.parts = append(f.parts, p)
		for _, s := range p.table.Specs() {
			switch home, listed := x.shard[s.Name]; {
			case listed && home == file:
				f.where[s.Name] = p
			case listed:
				return nil, fault.New(fault.Format, op, "%s: tensor %q is in %s and, by the index, in %s", path, s.Name, file, home)
			case !o.IgnoreUnlisted:
				return nil, fault.New(fault.Format, op,
					"%s: tensor %q of %s is not in the index; set IgnoreUnlisted to leave such tensors out", path, s.Name, file)
			}
		}
	}
	for _, name := range x.names {
		if f.where[name] == nil {
			return nil, fault.New(fault.Format, op, "%s: tensor %q is not in %s, where the index puts it", path, name, x.shard[name])
		}
	}
	return f, nil
}

func readIndex(fsys fs.FS, path string, lim codec.Limits) ([]byte, error) {
	f, size, err := codec.OpenIn(op, fsys, path, lim)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, 0, min(size, lim.MaxHeader+1)))
	if err != nil {
		return nil, codec.IOError(op, err)
	}
	if int64(len(text)) > lim.MaxHeader {
		return nil, fault.New(fault.Format, op, "%s: an index of more than %d bytes", path, lim.MaxHeader)
	}
	return text, nil
}
