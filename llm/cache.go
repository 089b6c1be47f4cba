package llm

import (
	"sync"

	"github.com/lucid-go/lucid/internal/fault"
)

// Cache holds the keys and values of a text from one generation to the next: a prompt that begins as that text did, as the next
// message of a chat does, is evaluated from where they part. Logits may differ in their last bits from those of a generation
// without it, because the prompt is read in other parts. It serves one generation at a time.
type Cache struct {
	m  *Model
	mu sync.Mutex
	s  *session
}

// NewCache returns an empty cache, for Options.Cache.
func (m *Model) NewCache() *Cache { return &Cache{m: m} }

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
		s = m.newSession(room)
		return s, ids, s.free, nil
	case c.m != m:
		return nil, nil, nil, fault.New(fault.Value, op, "Options.Cache was made by another model")
	case !c.mu.TryLock():
		return nil, nil, nil, fault.New(fault.Value, op, "Options.Cache is in use by another generation; make one for each")
	}
	if c.s == nil {
		c.s = m.newSession(room)
	}
	return c.s, c.s.rewind(ids), c.mu.Unlock, nil
}
