package cuda

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
)

// timeline notes when our kernels begin, also inside captured graphs (LUCID_CUDA_TIMELINE=1): when their predecessors are done. So the
// time from one beginning to the next is what a kernel of a chain costs, with the gap behind it. Kernels of libraries are not seen.
type timeline struct {
	dev   uintptr // a count, then pairs of a kernel's number and a time in nanoseconds
	mu    sync.Mutex
	names []string
}

// timelineRoom is how many beginnings are stored.
const timelineRoom = 1 << 20

// Beginning is when a kernel began, since the first one.
type Beginning struct {
	Kernel string
	At     time.Duration
}

func newTimeline(d *driver.Device) (*timeline, error) {
	p, err := d.Alloc(8 + 16*timelineRoom)
	if err != nil {
		return nil, err
	}
	return &timeline{dev: p}, d.Fill(p, 0, 8)
}

// marked inserts the note behind the wait at the start of every kernel of a source.
func (t *timeline) marked(source, name string) string {
	t.mu.Lock()
	t.names = append(t.names, name)
	n := len(t.names) - 1
	t.mu.Unlock()
	mark := fmt.Sprintf(` PDL_WAIT
if ((threadIdx.x | threadIdx.y | blockIdx.x | blockIdx.y | blockIdx.z) == 0) {
    unsigned long long *list = (unsigned long long *)%#xull, at, i = atomicAdd(list, 1ull);
    asm volatile("mov.u64 %%0, %%globaltimer;" : "=l"(at));
    if (i < %dull) { list[1 + 2 * i] = %dull; list[2 + 2 * i] = at; }
}
`, t.dev, timelineRoom, n)
	const defined = "#define PDL_ENTRY PDL_EARLY PDL_WAIT\n" // in the prelude
	head, body, found := strings.Cut(withPDL(source), defined)
	if !found {
		return source
	}
	return head + defined + strings.NewReplacer("PDL_ENTRY", "PDL_EARLY"+mark, "PDL_WAIT", mark).Replace(body)
}

// Timeline returns the beginnings since the last call, in order; none unless LUCID_CUDA_TIMELINE=1.
func (d *Device) Timeline() ([]Beginning, error) {
	t := d.timeline
	if t == nil {
		return nil, nil
	}
	if err := d.Sync(); err != nil {
		return nil, err
	}
	b := make([]byte, 8+16*timelineRoom)
	if err := d.Download(b, t.dev, 0); err != nil {
		return nil, err
	}
	if err := d.Fill(t.dev, 0, 8); err != nil {
		return nil, err
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	list := make([]Beginning, min(word(0), timelineRoom))
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range list {
		list[i] = Beginning{t.names[word(1+2*i)], time.Duration(word(2 + 2*i))}
	}
	slices.SortStableFunc(list, func(a, b Beginning) int { return int(a.At - b.At) })
	for i := len(list) - 1; i >= 0; i-- {
		list[i].At -= list[0].At
	}
	return list, nil
}
