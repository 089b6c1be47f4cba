package compile

import (
	"container/list"
	"fmt"
	"hash/maphash"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"unsafe"

	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/tree"
)

// DefaultCacheBytes is how much memory the traces of a function may take if its options say nothing.
const DefaultCacheBytes = 64 << 20

const (
	maxDropped   = 1 << 12 // traces that were dropped and are remembered by their hash
	manyRetraced = 8       // so many of them traced again are a cache that thrashes
	maxReasons   = 100     // reasons that are remembered

	// Where nothing comes again, as with sentences of random lengths, traces that are stored are a heap for the garbage collector to mark
	// and no use: a step took a sixth more time. So after firstPatience traces in a row without a call that found one, those that were
	// never found are dropped but for the newest ones, and further ones serve the call that they were made for alone, one in the space of
	// the other. One that is wanted again after all makes the patience longer.
	firstPatience = 256
	newestTraces  = 16
)

// cache holds the traces of a function, bounded by their bytes.
type cache struct {
	list    list.List // of *entry, the most recently used first
	index   map[uint64][]*list.Element
	bytes   int
	dropped map[uint64]bool // hashes of traces that are gone: true for want of room, false for want of use
	again   int             // of those that did not fit that were traced again
	warned  bool

	unfound  int                  // traces made since one was found
	patience int                  // so many may be made before those that were never found are dropped; 0: firstPatience
	young    []*list.Element      // traces that were not looked at yet for want of use, the oldest first
	states   map[*tree.Fields]int // of models, and how many traces depend on each
}

// all yields the traces, the most recently used first.
func (c *cache) all() iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for el := c.list.Front(); el != nil; el = el.Next() {
			if !yield(el.Value.(*entry)) {
				return
			}
		}
	}
}

var hashSeed = maphash.MakeSeed()

// hashOf is equal for arguments that a trace takes to be the same.
func hashOf(in []*graph.Array, sig *signature) uint64 {
	h := maphash.String(hashSeed, sig.tree)
	mix := func(v uint64) {
		h = (h ^ v) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	for _, t := range in {
		n := t.Peek()
		mix(uint64(n.DType()) + 1)
		for _, d := range n.Shape().Dims() {
			mix(uint64(d) + 64)
		}
	}
	return h
}

// find returns the trace made for such arguments whose guards hold, and their hash if there is none.
func (c *Function) find(k *call, tr *trees, sig *signature) (found *entry, hash uint64) {
	in := k.in
	if e := c.last.Load(); e != nil && e.plainly(in, sig) && e.guardsFail(k.leaves) == "" {
		e.found()
		return e, 0
	}
	hash = hashOf(in, sig)
	c.mu.Lock()
	defer c.mu.Unlock()
	why := ""
	var changed *entry // the newest trace whose modules are otherwise now
	for _, el := range c.cache.index[hash] {
		e := el.Value.(*entry)
		w := e.differs(in, tr, sig)
		if w == "" {
			w = e.guardsFail(k.leaves)
		}
		if w == "" {
			c.cache.list.MoveToFront(el)
			c.last.Store(e)
			c.cache.unfound = 0
			e.found()
			return e, hash
		}
		if why = w; w == fieldChanged && changed == nil {
			changed = e
		}
	}
	if why == fieldChanged {
		why = changed.whichField()
		c.warnFields(why)
	}
	if front := c.cache.list.Front(); why == "" && front == nil {
		why = "first call"
	} else if why == "" {
		if c.cache.unfound > c.cache.mostUnfound() {
			tr = nil // where arguments differ, each time, need not be said: it takes a sixtieth of a small step
		}
		why = front.Value.(*entry).differs(in, tr, sig)
	}
	if noRoom, gone := c.cache.dropped[hash]; gone {
		delete(c.cache.dropped, hash)
		why += "; its trace had been dropped from the cache"
		if noRoom {
			c.thrashes(in)
		} else {
			c.cache.unfound, c.cache.patience = 0, min(4*c.cache.mostUnfound(), 1<<30)
		}
	}
	if c.reasons = append(c.reasons, why); len(c.reasons) > maxReasons {
		c.reasons = c.reasons[1:]
	}
	return nil, hash
}

// limit is the most bytes of traces.
func (c *Function) limit() int {
	if c.o.MaxCacheBytes > 0 {
		return c.o.MaxCacheBytes
	}
	return DefaultCacheBytes
}

// add stores a trace, and drops those that were not used for longest if there is no room for all.
func (c *Function) add(e *entry, hash uint64) {
	e.hash, e.bytes = hash, e.size()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.traces++
	k := &c.cache
	if k.index == nil {
		k.index, k.dropped = map[uint64][]*list.Element{}, map[uint64]bool{}
	}
	el := k.list.PushFront(e)
	k.index[e.hash] = append([]*list.Element{el}, k.index[e.hash]...)
	if len(k.young) > 2*k.list.Len()+firstPatience { // most of them are not there any more
		k.young = slices.DeleteFunc(k.young, func(el *list.Element) bool { return !unused(el) })
	}
	k.young = append(k.young, el)
	for _, f := range e.fields {
		if k.states[f] == 0 {
			e.bytes += f.Bytes()
		}
	}
	k.bytes += e.bytes
	c.last.Store(e)
	for k.list.Len() > 1 && (k.bytes > c.limit() || c.o.MaxCache > 0 && k.list.Len() > c.o.MaxCache) {
		k.drop(k.list.Back(), true)
	}
	k.dropSuperseded(e)
	if k.unfound++; k.unfound > k.mostUnfound() {
		k.dropUnused()
	}
}

// newEntry returns an empty trace, with the space of one that served one call.
func (c *Function) newEntry() *entry {
	if e := c.spare.Swap(nil); e != nil {
		return e
	}
	return new(entry)
}

// recycle lets the next trace have the space of one that served one call, which is over.
func (c *Function) recycle(e *entry) {
	c.spare.Store(&entry{tensors: emptied(e.tensors), captured: emptied(e.captured), specs: emptied(e.specs), hooks: emptied(e.hooks),
		written: emptied(e.written), grads: emptied(e.grads), guards: emptied(e.guards), donate: emptied(e.donate)})
}

func emptied[T any](list []T) []T {
	clear(list)
	return list[:0]
}

// pass counts a trace that serves one call.
func (c *Function) pass(hash uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.traces++
	c.cache.unfound++
	c.cache.forget(hash, false)
}

func (k *cache) mostUnfound() int { return max(k.patience, firstPatience) }

// dropUnused drops the traces that no call found, but for the newest ones. Each is looked at once: one that was found stays.
func (k *cache) dropUnused() {
	old := max(0, len(k.young)-newestTraces)
	for _, el := range k.young[:old] {
		if unused(el) {
			k.drop(el, false)
		}
	}
	k.young = slices.Delete(k.young, 0, old)
}

// unused reports whether a trace is in the cache and no call found it.
func unused(el *list.Element) bool {
	e, stored := el.Value.(*entry)
	return stored && !e.used.Load()
}

// found notes that the trace served a later call.
func (e *entry) found() {
	if !e.used.Load() {
		e.used.Store(true)
	}
}

// drop removes a trace, for want of room or of use.
func (k *cache) drop(el *list.Element, noRoom bool) {
	e := el.Value.(*entry)
	k.remove(el)
	k.forget(e.hash, noRoom)
}

func (k *cache) remove(el *list.Element) {
	e := el.Value.(*entry)
	k.list.Remove(el)
	k.bytes -= e.bytes
	k.forgetStates(e)
	el.Value = nil
	if e.prog != nil {
		e.prog.Close()
	}
	same := k.index[e.hash]
	for i := range same {
		if same[i] == el {
			same = append(same[:i:i], same[i+1:]...)
			break
		}
	}
	if k.index[e.hash] = same; len(same) == 0 {
		delete(k.index, e.hash)
	}
}

// forget remembers a trace that is not stored by its hash.
func (k *cache) forget(hash uint64, noRoom bool) {
	if len(k.dropped) >= maxDropped {
		clear(k.dropped)
	}
	k.dropped[hash] = noRoom
}

// size estimates the memory of a trace.
func (e *entry) size() int {
	n := int(unsafe.Sizeof(*e)) + len(e.sig.tree) + (len(e.tensors)+len(e.specs))*int(unsafe.Sizeof(tensorSpec{})) +
		len(e.captured)*int(unsafe.Sizeof(captured{})) + len(e.written)*int(unsafe.Sizeof(written{}))
	if e.prog != nil {
		n += e.prog.Bytes()
	}
	return n
}

// thrashes counts a trace that is made again because there was no room for it, and warns when they are many.
func (c *Function) thrashes(in []*graph.Array) {
	k := &c.cache
	if k.again++; k.again < manyRetraced || k.warned {
		return
	}
	k.warned = true
	room := fmt.Sprintf("%.1f MiB", float64(c.limit())/(1<<20))
	if c.o.MaxCache > 0 && k.list.Len() >= c.o.MaxCache {
		room = fmt.Sprintf("%d traces", c.o.MaxCache)
	}
	Warn("lucid: a compiled function traces arguments again that its cache had dropped",
		"function", c.o.Name, "times", k.again, "shapes", shapes(in), "cache", room,
		"remedy", "raise MaxCacheBytes (or MaxCache) of CompileOptions, or pad sizes so that there are fewer of them")
}

// Warn prints a warning; a variable for tests.
var Warn = slog.Warn

func shapes(in []*graph.Array) string {
	list := make([]string, len(in))
	for i, t := range in {
		list[i] = t.Peek().Shape().String()
	}
	return strings.Join(list, " ")
}
