package graph

import "testing"

// TestIndexShrinks: an index that held a large graph must number small ones as fast as a new one, for it serves evaluations of
// both. All nodes must be found in either, and none that was forgotten.
func TestIndexShrinks(t *testing.T) {
	nodes := make([]*Node, 5000)
	for i := range nodes {
		nodes[i] = new(Node)
	}
	var x Index
	for round, n := range []int{3, 5000, 2, 2, 700, 40, 5000, 1, 1} {
		for i, node := range nodes[:n] {
			if at, fresh := x.Add(node); at != i || !fresh {
				t.Fatalf("round %d: node %d has number %d, new: %v", round, i, at, fresh)
			}
		}
		for i, node := range nodes {
			if want := i; i < n && x.Get(node) != want || i >= n && x.Get(node) != -1 {
				t.Fatalf("round %d of %d nodes: node %d has number %d", round, n, i, x.Get(node))
			}
		}
		x.Reset()
		if n < 3 && len(x.slots) > minSlots {
			t.Errorf("round %d: after %d nodes the table has %d slots", round, n, len(x.slots))
		}
	}
}
