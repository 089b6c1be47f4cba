package llm

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestPrefixTree asserts, over random texts with shared beginnings, that what the tree gives back are the keys and values that were put
// in, that a shared beginning is stored once, and that everything can be evicted.
func TestPrefixTree(t *testing.T) {
	m := tiny(t)
	rng := rand.New(rand.NewPCG(5, 6))
	tree := newPrefixTree(m, 4)
	// filled is a session whose keys and values are numbers that the text determines up to each token.
	filled := func(ids []int) *session {
		s := m.newSession(len(ids) + 1)
		s.ids, s.pos = slices.Clone(ids), len(ids)
		for k, c := range s.cache {
			shape := c.Shape()
			heads, size := shape[1], shape[3]
			v := make([]float32, heads*s.capacity*size)
			h := 1.0
			for i, id := range ids {
				h = h*0.7 + float64(id)
				for a := range heads {
					for d := range size {
						v[(a*s.capacity+i)*size+d] = float32(h + float64(k) + float64(a)/10 + float64(d)/100)
					}
				}
			}
			c.Free()
			s.cache[k] = m.net.Placement().New(v, shape...)
		}
		return s
	}
	equal := func(a, b *session, n int) bool {
		for i := range a.cache {
			x := lucid.ToSlice[float32](a.cache[i].Narrow(2, 0, n).Contiguous())
			y := lucid.ToSlice[float32](b.cache[i].Narrow(2, 0, n).Contiguous())
			if !slices.Equal(x, y) {
				return false
			}
		}
		return true
	}
	tokens := map[string]bool{} // every block with all before it
	for range 60 {
		ids := make([]int, 1+rng.IntN(40))
		for i := range ids {
			ids[i] = rng.IntN(2) * (i % 5 / 4) // few different beginnings
		}
		s := filled(ids)
		path, n := tree.find(ids)
		if n > len(ids) || n%4 != 0 {
			t.Fatalf("%d of %d tokens found", n, len(ids))
		}
		if n > 0 {
			got := m.newSession(n)
			if tree.load(got, path, n); !slices.Equal(got.ids, ids[:n]) || got.pos != n || !equal(got, s, n) {
				t.Fatalf("the tree gave back something else for %v", ids[:n])
			}
			got.free()
		}
		tree.insert(s)
		for k := 4; k <= len(ids); k += 4 {
			key := ""
			for _, id := range ids[:k] {
				key += string(rune('a' + id))
			}
			tokens[key] = true
		}
		if _, n := tree.find(ids); n != len(ids)/4*4 {
			t.Fatalf("%d of %d tokens are found behind insert", n, len(ids))
		}
		if want := int64(len(tokens)) * 4 * m.cacheBytes(1, 0); tree.bytes != want {
			t.Fatalf("%d bytes for %d blocks, want %d", tree.bytes, len(tokens), want)
		}
		s.free()
	}
	for before := tree.nodes; tree.evict(); before-- {
		if tree.nodes != before-1 {
			t.Fatalf("%d nodes after %d", tree.nodes, before)
		}
	}
	if tree.bytes != 0 || tree.nodes != 0 || len(tree.root.kids) != 0 {
		t.Errorf("%d bytes, %d nodes are left", tree.bytes, tree.nodes)
	}
}

// TestPrefixShared asserts that texts with a common beginning evaluate it once, also while the first of them is under way.
func TestPrefixShared(t *testing.T) {
	m := tiny(t)
	b := newBatcher(t, m, BatcherOptions{Sequences: 4})
	prefix := make([]int, 64)
	for i := range prefix {
		prefix[i] = (i * 7) % 250
	}
	for i := range 6 {
		ids := append(slices.Clone(prefix), 100+i, 3, 4)
		want := collect(t, m.GenerateIDs(context.Background(), ids, Options{MaxTokens: 6}))
		if got := collect(t, b.GenerateIDs(context.Background(), ids, Options{MaxTokens: 6})); !slices.Equal(got, want) {
			t.Errorf("text %d: %v, want %v", i, got, want)
		}
	}
	if s := settled(b); s.Prompt != 67+5*3 || s.Reused != 5*64 {
		t.Errorf("%+v", s)
	}
}

// TestPartSize asserts which part of a prompt is evaluated next.
func TestPartSize(t *testing.T) {
	for _, c := range [][3]int{{1, 100, 1}, {2, 100, 2}, {3, 100, 4}, {8, 100, 8}, {9, 100, 16}, {17, 100, 16}, {24, 100, 32},
		{75, 100, 64}, {20, 10, 8}, {100, 1000, 64}, {120, 1000, 128}, {600, 1000, 512}, {5000, 300, 128}, {5, 3, 2}} {
		if got := partSize(c[0], c[1]); got != c[2] {
			t.Errorf("%d tokens with room for %d: a part of %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

// TestPrefixOwnMemory asserts that what the tree stores shares no memory with the cache it came from, so that the cache can be written
// in place and freed, and that a filled cache shares none with the tree.
func TestPrefixOwnMemory(t *testing.T) {
	m := tiny(t)
	ids := make([]int, 120)
	for i := range ids {
		ids[i] = i
	}
	tree := newPrefixTree(m, 1)
	used := func() int64 { return lucid.MemoryStats(lucid.CPU).Allocated }
	before := used()
	s := m.newSession(120)
	if _, err := s.feed(context.Background(), ids); err != nil {
		t.Fatal(err)
	}
	tree.insert(s)
	writes := func(s *session) bool { // in place: a step needs no memory for another cache
		donated := lucid.MemoryStats(lucid.CPU).Donated
		s.pos, s.ids = 119, s.ids[:119]
		if _, err := s.feed(context.Background(), []int{5}); err != nil {
			t.Fatal(err)
		}
		return lucid.MemoryStats(lucid.CPU).Donated-donated >= int64(len(s.cache))
	}
	if !writes(s) {
		t.Error("behind insert the cache is not written in place")
	}
	other := m.newSession(120)
	path, n := tree.find(ids)
	if tree.load(other, path, n); !writes(other) {
		t.Error("a cache of the tree is not written in place")
	}
	s.free()
	other.free()
	runtime.GC()
	if more := used() - before; more > tree.bytes*5/4 {
		t.Errorf("%d bytes are in use; the tree has %d", more, tree.bytes)
	}
	tree.free()
}
