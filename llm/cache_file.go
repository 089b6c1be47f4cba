package llm

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/nn"
)

// Names in the file of a cache.
const (
	cacheIDs   = "ids"
	cacheModel = "lucid.cache.model"
	cacheBits  = "lucid.cache.bits"
)

// Save writes the text of the cache, with its keys and values, to a .lucid file, which has a checksum on every byte. The file appears
// whole or not at all.
func (c *Cache) Save(path string) error {
	if !strings.HasSuffix(path, ".lucid") {
		return fault.New(fault.Format, op, "%q; want a name that ends in .lucid", filepath.Base(path))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.s == nil || c.s.pos == 0 {
		return fault.New(fault.Value, op, "the cache is empty; there is nothing to save")
	}
	if c := c.m.net.Config(); c.LengthScaled() {
		return fault.New(fault.NotImplemented, op, "a cache of a model whose positions depend on the length of the text cannot be saved")
	}
	d := lucid.NewStateDict()
	return lucid.Try(func() {
		ids := make([]int32, c.s.pos)
		for i, id := range c.s.ids {
			ids[i] = int32(id)
		}
		d.Set(cacheIDs, lucid.New(ids, len(ids)))
		lucid.NoGrad(func() {
			for i, t := range c.s.cache {
				view := t.Narrow(2, 0, c.s.pos)
				d.Set(strconv.Itoa(i), view.Contiguous())
				view.Free()
			}
		})
		d.SetMetadata(cacheModel, c.m.fingerprint())
		d.SetMetadata(cacheBits, strconv.Itoa(c.o.Bits))
		if err := lucid.Save(path, d); err != nil {
			fault.Rethrow(op, err)
		}
	})
}

// OpenCache reads a cache that Save wrote. It is an error if the file is damaged, or is of another model: its shape or its weights differ.
func (m *Model) OpenCache(path string) (c *Cache, err error) {
	if !strings.HasSuffix(path, ".lucid") {
		return nil, fault.New(fault.Format, op, "%q; want a name that ends in .lucid", filepath.Base(path))
	}
	d, err := lucid.Load(path)
	if err != nil {
		return nil, err
	}
	caught := fault.Catch(func() {
		meta := d.Metadata()
		if meta[cacheModel] != m.fingerprint() {
			fault.Throw(fault.Value, op, "%q is a cache of another model, or no cache", filepath.Base(path))
		}
		bits, _ := strconv.Atoi(meta[cacheBits])
		c = m.NewCache(CacheOptions{Bits: bits})
		c.s = m.newSessionFrom(d, bits)
	})
	if caught != nil {
		return nil, caught
	}
	return c, nil
}

// newSessionFrom makes a session of what a file has, checked.
func (m *Model) newSessionFrom(d *lucid.StateDict, bits int) *session {
	bad := func(format string, args ...any) {
		fault.Throw(fault.Format, op, "the file of the cache: %s", fmt.Sprintf(format, args...))
	}
	get := func(name string) *lucid.Tensor {
		if !d.Has(name) {
			bad("there is no tensor %q", name)
		}
		return d.Get(name)
	}
	t := get(cacheIDs)
	if t.DType() != lucid.Int32 || t.Dim() != 1 || t.Size(0) == 0 || t.Size(0) > m.net.Config().Context {
		bad("the ids are no numbers of a text that fits the context of %d", m.net.Config().Context)
	}
	var ids []int
	for _, id := range lucid.ToSlice[int32](t) {
		ids = append(ids, int(id))
	}
	m.checkPrompt(ids, nil)
	s := m.newSessionOf(len(ids)+1, bits)
	if d.Len() != len(s.cache)+1 {
		bad("%d tensors; want %d", d.Len(), len(s.cache)+1)
	}
	parts := make([]*lucid.Tensor, len(s.cache))
	for i, own := range s.cache {
		shape := slices.Clone(own.Shape())
		shape[2] = len(ids)
		if t = get(strconv.Itoa(i)); t.DType() != own.DType() || !slices.Equal(t.Shape(), shape) {
			bad("the tensor %d is not %v of %v", i, own.DType(), shape)
		}
		if parts[i] = t; t.Device() != own.Device() {
			parts[i] = t.To(own.Device())
		}
	}
	s.ids = ids
	s.fill(parts)
	return s
}

// fingerprint tells models apart whose caches are of no use to each other: by the names and shapes of their weights and by some of their
// values.
func (m *Model) fingerprint() string {
	h := sha256.New()
	p := m.net.Placement()
	config, err := json.Marshal(m.net.Config())
	if err != nil {
		fault.Rethrow(op, err)
	}
	fmt.Fprintf(h, "%s %v\n", config, p.DType)
	lucid.NoGrad(func() {
		for name, t := range nn.StateDict(m.net).All() {
			fmt.Fprintf(h, "%s %v %v\n", name, t.DType(), t.Shape())
			n := min(t.NumElement(), 256)
			some := t.Reshape(-1).Narrow(0, (t.NumElement()-n)/2, n).To(lucid.Float32)
			for _, v := range lucid.ToSlice[float32](some) {
				_ = binary.Write(h, binary.LittleEndian, math.Float32bits(v))
			}
			t.Free()
		}
	})
	return hex.EncodeToString(h.Sum(nil))
}
