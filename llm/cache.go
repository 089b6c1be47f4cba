package llm

import (
	"sync"

	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/fault"
)

// Cache holds the keys and values of a text from one generation to the next: a prompt that begins as that text did, as the next
// message of a chat does, is evaluated from where they part. Logits may differ in their last bits from those of a generation
// without it, because the prompt is read in other parts. It serves one generation at a time.
type Cache struct {
	m  *Model
	o  CacheOptions
	mu sync.Mutex
	s  *session
}

// CacheOptions say how a cache stores keys and values.
type CacheOptions struct {
	// Bits is 8 for int8, each vector with a scale of its own: a quarter of the memory of float32, for logits that differ a little. 0:
	// the dtype of the model.
	Bits int
}

func (o *CacheOptions) check() {
	if o.Bits != 0 && o.Bits != 8 {
		fault.Throw(fault.NotImplemented, op, "a cache of %d bits; want 8, or 0 for the dtype of the model", o.Bits)
	}
}

// NewCache returns an empty cache, for Options.Cache.
func (m *Model) NewCache(opts ...CacheOptions) *Cache {
	o := door.Option("llm.NewCache", opts)
	o.check()
	return &Cache{m: m, o: o}
}

// Free lets the memory go. The cache is empty then and can be used again.
func (c *Cache) Free() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.s != nil {
		c.s.free()
		c.s = nil
	}
}

// Tokens returns how many tokens are in the cache.
func (c *Cache) Tokens() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.s == nil {
		return 0
	}
	return c.s.pos
}

// begin returns the session for a prompt, what of the prompt it lacks, and what to call when it is done.
func (m *Model) begin(ids []int, room int, c *Cache) (s *session, rest []int, done func(), err error) {
	switch {
	case c == nil:
		if err := fault.Catch(func() { s = m.newSession(room) }); err != nil {
			return nil, nil, nil, err
		}
		return s, ids, s.free, nil
	case c.m != m:
		return nil, nil, nil, fault.New(fault.Value, op, "Options.Cache was made by another model")
	case !c.mu.TryLock():
		return nil, nil, nil, fault.New(fault.Value, op, "Options.Cache is in use by another generation; make one for each")
	}
	if c.s == nil {
		if err := fault.Catch(func() { c.s = m.newSessionOf(room, c.o.Bits) }); err != nil {
			c.mu.Unlock()
			return nil, nil, nil, err
		}
	}
	return c.s, c.s.rewind(ids), c.mu.Unlock, nil
}
