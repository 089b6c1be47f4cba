package lucid

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/safetensors"
	"github.com/lucid-go/lucid/internal/fault"
)

// indexName is what the list of a directory's shards is called.
const indexName = "model.safetensors.index.json"

// ShardOptions: ShardSize bounds the bytes of a shard, 0 meaning 1 GiB; a tensor is never cut.
type ShardOptions struct {
	ShardSize int64 // most bytes of a shard; 0: 1 GiB
}

// SaveSharded writes tensors to several .safetensors files in a directory, which it makes, and an index of them, as
// other programs read them. The index is written last: a directory has the old content or the new one, never a mixture.
func SaveSharded(dir string, d *StateDict, opts ...ShardOptions) error {
	const op = "save_sharded"
	var f codec.File
	var size int64
	err := Try(func() {
		if size = option(op, opts).ShardSize; size < 0 {
			fault.Throw(fault.Value, op, "ShardSize is %d; want a number of bytes, or 0 for 1 GiB", size)
		}
		if size == 0 {
			size = 1 << 30
		}
		f = d.file(op)
	})
	if err != nil {
		return err
	}
	shards, total := shard(f.Tensors, size)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return codec.IOError(op, err)
	}
	index := struct {
		Metadata  map[string]any `json:"metadata"`
		WeightMap inOrder        `json:"weight_map"`
	}{Metadata: map[string]any{"total_size": total}}
	for k, v := range f.Metadata {
		index.Metadata[k] = v
	}
	round, err := freeRound(dir)
	if err != nil {
		return err
	}
	written := map[string]bool{}
	for i, s := range shards {
		name := shardName(i, len(shards), round)
		if err := safetensors.Write(filepath.Join(dir, name), codec.File{Tensors: s},
			safetensors.WriteOptions{KeepOrder: true}); err != nil {
			return err
		}
		written[name] = true
		for _, t := range s {
			index.WeightMap = append(index.WeightMap, [2]string{t.Name, name})
		}
	}
	b, err := json.MarshalIndent(index, "", "  ")
	if err != nil {
		return fault.Wrap(fault.Internal, op, err, "the index")
	}
	err = codec.WriteAtomic(filepath.Join(dir, indexName), func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
	if err != nil {
		return err
	}
	return sweep(dir, written)
}

// inOrder is a JSON object that keeps its order, which is that of the tensors.
type inOrder [][2]string

// MarshalJSON writes the pairs as they come.
func (o inOrder) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, p := range o {
		key, err := json.Marshal(p[0])
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(p[1])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, key...), ':'), value...)
	}
	return append(b, '}'), nil
}

func shardName(i, n, round int) string {
	if round == 0 {
		return fmt.Sprintf("model-%05d-of-%05d.safetensors", i+1, n)
	}
	return fmt.Sprintf("model-r%d-%05d-of-%05d.safetensors", round, i+1, n)
}

// freeRound returns a number whose shard names are not taken: the old index goes on naming the old shards until it is
// replaced.
func freeRound(dir string) (int, error) {
	for round := 0; ; round++ {
		pattern := "model-[0-9]*-of-*.safetensors"
		if round > 0 {
			pattern = fmt.Sprintf("model-r%d-*-of-*.safetensors", round)
		}
		taken, err := matching(dir, pattern)
		if err != nil || len(taken) == 0 {
			return round, err
		}
	}
}

// matching returns the names of a directory's files that match. filepath.Glob would take the directory's name for a pattern too.
func matching(dir, pattern string) (names []string, err error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, codec.IOError("save_sharded", err)
	}
	for _, e := range list {
		if ok, _ := filepath.Match(pattern, e.Name()); ok {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// shard cuts the list where the next tensor would make a shard too large.
func shard(ts []codec.Tensor, size int64) (out [][]codec.Tensor, total int64) {
	var used int64
	for _, t := range ts {
		n := int64(len(t.Data))
		if len(out) == 0 || used > 0 && used+n > size {
			out, used = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], t)
		used += n
		total += n
	}
	return out, total
}

// sweep removes shards that the index does not name any more.
func sweep(dir string, keep map[string]bool) error {
	all, err := matching(dir, "model-*-of-*.safetensors")
	if err != nil {
		return err
	}
	for _, name := range all {
		if !keep[name] {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				return codec.IOError("save_sharded", err)
			}
		}
	}
	return nil
}

// LoadSharded reads what SaveSharded wrote to a directory.
func LoadSharded(dir string) (*StateDict, error) {
	f, err := safetensors.Read(filepath.Join(dir, indexName), safetensors.Options{})
	if err != nil {
		return nil, err
	}
	return fromFiles(f)
}
