package llm

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm/model"
)

// TestPrefixTree asserts, over random texts with shared beginnings that begin, grow and end in any order, that a text gets the longest
// beginning that is there, that blocks hold what their texts say, that none has two owners, and that everything can be evicted.
func TestPrefixTree(t *testing.T) {
	m := tiny(t)
	rng := rand.New(rand.NewPCG(5, 6))
	pool := &pagePool{m: m, most: 40}
	tree := &prefixTree{pool: pool}
	held := map[int][]int{} // what was written to each block
	var texts []*pagedText
	check := func() {
		t.Helper()
		checkTree(t, tree, texts, held)
	}
	seen := map[string]bool{} // beginnings of whole blocks, since blocks were evicted last
	key := func(ids []int) (s string) {
		for _, id := range ids {
			s += string(rune('a' + id))
		}
		return s
	}
	for range 300 {
		ids := make([]int, 1+rng.IntN(150))
		for i := range ids {
			ids[i] = rng.IntN(2) * (i % 50 / 49) // few different beginnings
		}
		x := &pagedText{need: pagesOf(len(ids))}
		want := 0
		for n := range ids {
			if seen[key(ids[:n+1])] {
				want = n + 1
			}
		}
		if path, _, same := tree.find(ids); pool.used < 20 && len(path)*model.PageTokens+same < want {
			t.Fatalf("%d tokens were found, %d are there", len(path)*model.PageTokens+same, want)
		}
		if err := tree.begin(x, ids, 1); err != nil {
			t.Fatal(err)
		}
		if n := len(x.table); n > len(x.path) && n > 0 { // the last one may be a copy, of what the tree has
			copied := append(slices.Clone(x.ids[len(x.path)*model.PageTokens:]), make([]int, model.PageTokens)...)
			held[x.table[n-1]] = copied[:model.PageTokens]
		}
		texts = append(texts, x)
		check()
		for len(x.ids) < len(ids) {
			n := min(1+rng.IntN(40), len(ids)-len(x.ids))
			if err := tree.reserve(x, len(x.ids)+n); err != nil {
				t.Fatal(err)
			}
			for _, id := range ids[len(x.ids) : len(x.ids)+n] {
				block := x.table[len(x.ids)/model.PageTokens]
				if len(x.ids)%model.PageTokens == 0 {
					held[block] = make([]int, model.PageTokens)
				}
				held[block][len(x.ids)%model.PageTokens] = id
				x.ids = append(x.ids, id)
			}
			tree.publish(x)
			check()
		}
		for n := model.PageTokens; n <= len(ids); n += model.PageTokens {
			seen[key(ids[:n])] = true
		}
		if len(texts) > 2 {
			i := rng.IntN(len(texts))
			x = texts[i]
			texts = slices.Delete(texts, i, i+1)
			all, keep := slices.Clone(x.ids), rng.IntN(4) > 0
			if tree.end(x, keep); keep {
				if path, _, same := tree.find(all); len(path)*model.PageTokens+same != len(all) {
					t.Fatalf("of %d tokens that were stored %d are found", len(all), len(path)*model.PageTokens+same)
				}
			}
			check()
			if pool.used >= 20 {
				clear(seen)
			}
		}
	}
	for _, x := range texts {
		tree.end(x, true)
	}
	texts = nil
	for before := tree.nodes; tree.evict(); before-- {
		if tree.nodes != before-1 {
			t.Fatalf("%d nodes after %d", tree.nodes, before)
		}
	}
	if check(); pool.used != 0 || tree.nodes != 0 || len(tree.root.kids) != 0 {
		t.Errorf("%d blocks, %d nodes are left", pool.used, tree.nodes)
	}
}

// checkTree asserts that held, what was written to each block, is what the tree and texts say, and that each block has one owner.
func checkTree(t *testing.T, tree *prefixTree, texts []*pagedText, held map[int][]int) {
	t.Helper()
	owners, nodes, idle := map[int]int{}, 0, 0
	tree.root.each(func(n *prefixNode) {
		owners[n.block]++
		if nodes++; n.texts == 0 {
			idle++
		}
		if got := held[n.block]; !slices.Equal(got[:len(n.ids)], n.ids) {
			t.Fatalf("block %d of the tree holds %v, want %v", n.block, got, n.ids)
		}
	})
	for _, x := range texts {
		for _, block := range x.table[len(x.path):] {
			owners[block]++
		}
		for i, id := range x.ids {
			if got := held[x.table[i/model.PageTokens]]; got[i%model.PageTokens] != id {
				t.Fatalf("token %d of a text is %d in its block, want %d", i, got[i%model.PageTokens], id)
			}
		}
	}
	for block, n := range owners {
		if n != 1 || !tree.pool.taken[block] || block == 0 {
			t.Fatalf("block %d has %d owners", block, n)
		}
	}
	if len(owners) != tree.pool.used || nodes != tree.nodes || idle != tree.idle {
		t.Fatalf("%d blocks, %d taken; %d nodes, %d counted; %d idle, %d counted", len(owners), tree.pool.used, nodes, tree.nodes,
			idle, tree.idle)
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

// TestPagesInPlace asserts that a step writes keys and values into the pool, not into a copy of it, also the first time and behind the copy
// of a block, and that Close gives the memory back.
func TestPagesInPlace(t *testing.T) {
	m := tiny(t)
	used := func() int64 { return lucid.MemoryStats(lucid.CPU).Allocated }
	before := used()
	b, err := m.NewBatcher(BatcherOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]int, 50)
	for i := range ids {
		ids[i] = i
	}
	collect(t, b.GenerateIDs(context.Background(), ids, Options{MaxTokens: 2}))
	settled(b)
	lucid.ResetPeakMemory(lucid.CPU)
	pool := int64(0)
	for _, x := range b.tree.pool.tensors {
		pool += int64(x.NBytes())
	}
	base := used()
	ids[45] = 200
	collect(t, b.GenerateIDs(context.Background(), ids, Options{MaxTokens: 2}))
	if s := settled(b); s.Reused != 45 {
		t.Errorf("%d tokens were reused, want 45", s.Reused)
	}
	if more := lucid.MemoryStats(lucid.CPU).Peak - base; more > pool/4 {
		t.Errorf("a text took %d bytes next to a pool of %d", more, pool)
	}
	b.Close()
	runtime.GC()
	if more := used() - before; more > pool/4 {
		t.Errorf("%d bytes are left of a pool of %d", more, pool)
	}
}
