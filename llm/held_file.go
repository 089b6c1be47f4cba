package llm

import (
	"runtime"
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec/gguf"
	"github.com/lucid-go/lucid/internal/graph"
)

// heldFile is a mapped file that stays open as long as tensors show its pages.
type heldFile struct {
	f      *gguf.File
	mu     sync.Mutex
	shown  int // tensors that can be reached
	closed bool
}

// show says that a tensor, which is no view of another, shows pages of the file.
func (h *heldFile) show(t *lucid.Tensor) {
	n := (*graph.Array)(t).Acquire()
	defer n.Unref()
	b, _ := n.Buffer()
	b.Mapped = true
	h.mu.Lock()
	defer h.mu.Unlock()
	h.shown++
	runtime.AddCleanup(b, (*heldFile).forget, h)
}

// forget counts a tensor that cannot be reached any more.
func (h *heldFile) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.shown--; h.closed && h.shown == 0 {
		h.f.Close() // no caller is left to get an error
	}
}

// close closes the file, when the last tensor that shows its pages is gone.
func (h *heldFile) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed = true; h.shown == 0 {
		h.f.Close() // it was read only: there is nothing to lose
	}
}
