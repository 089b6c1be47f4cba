package door

import "github.com/lucid-go/lucid/internal/graph"

// Swap runs f while handles show what others show, and gives them back what they showed. A handle that f rebinds passes its
// new value on to the other.
func Swap(handles, others []*graph.Array, f func()) {
	old, in := make([]*graph.Node, len(handles)), make([]*graph.Node, len(handles))
	for i, h := range handles {
		old[i], in[i] = h.Acquire(), others[i].Acquire()
		h.RebindTemporarily(in[i])
	}
	defer func() {
		for i, h := range handles {
			now := h.Acquire()
			if now != in[i] {
				others[i].Rebind(now)
			}
			now.Unref()
			h.RebindTemporarily(old[i])
			old[i].Unref()
			in[i].Unref()
		}
	}()
	f()
}
