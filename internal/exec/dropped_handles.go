package exec

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/lucid-go/lucid/internal/graph"
)

// looks says when the collector is asked which handles nobody has any more: before a large evaluation, since their values
// would be stored and lie there until it runs by itself. It may take a hundredth of the time.
var droppedLookup = struct {
	from atomic.Int64 // bytes that wait to be computed
	pace atomic.Int64 // how many times as long it does not happen again
	busy atomic.Bool
	next time.Time // not before
}{}

func init() {
	droppedLookup.from.Store(16 << 20)
	droppedLookup.pace.Store(100)
}

// AlwaysFindDropped makes every evaluation look for lost handles, those of small values too, until undo is called: for tests.
func AlwaysFindDropped() (undo func()) {
	from, pace, watched := droppedLookup.from.Swap(0), droppedLookup.pace.Swap(0), graph.WatchedBytes.Swap(0)
	return func() {
		droppedLookup.from.Store(from)
		droppedLookup.pace.Store(pace)
		graph.WatchedBytes.Store(watched)
	}
}

// findLost runs Go's collector before a large evaluation, so that the plan knows which handles are lost.
func findDroppedHandles(roots []*graph.Node) {
	waiting := 0
	for _, r := range roots {
		if !r.Stored() && r.PendingDepth() > 1 { // alone it is for nobody but the caller
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
