package exec

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/lucid-go/lucid/internal/graph"
)

// droppedLookup says when Go's collector is run to find dropped handles: before a large evaluation, since it would store their
// values until the collector runs by itself. At most a hundredth of the time is spent on this.
var droppedLookup = struct {
	from atomic.Int64 // pending bytes from which on it is worth it
	pace atomic.Int64 // the pause behind a collection, as a multiple of its time
	busy atomic.Bool
	next time.Time // not before
}{}

func init() {
	droppedLookup.from.Store(16 << 20)
	droppedLookup.pace.Store(100)
}

// AlwaysFindDropped makes every evaluation look for dropped handles, those of small values too, until undo is called: for tests.
func AlwaysFindDropped() (undo func()) {
	from, pace, watched := droppedLookup.from.Swap(0), droppedLookup.pace.Swap(0), graph.WatchedBytes.Swap(0)
	return func() {
		droppedLookup.from.Store(from)
		droppedLookup.pace.Store(pace)
		graph.WatchedBytes.Store(watched)
	}
}

// findDroppedHandles runs Go's collector before a large evaluation, so that the plan knows which handles were dropped.
func findDroppedHandles(roots []*graph.Node) {
	waiting := 0
	for _, r := range roots {
		if !r.Stored() && r.PendingDepth() > 1 { // a single node has no other handles to look for
			waiting = max(waiting, r.PendingBytes())
		}
	}
	if int64(waiting) < droppedLookup.from.Load() || !droppedLookup.busy.CompareAndSwap(false, true) {
		return
	}
	defer droppedLookup.busy.Store(false)
	begin, pace := time.Now(), time.Duration(droppedLookup.pace.Load())
	if pace > 0 && begin.Before(droppedLookup.next) {
		return
	}
	runtime.GC()
	end := time.Now()
	droppedLookup.next = end.Add(pace * end.Sub(begin))
}
