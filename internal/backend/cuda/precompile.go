package cuda

import (
	"runtime"
	"slices"
	"sync"
)

// compileQueue compiles kernels before their first launch, a few at a time, in the order a program needs them, so that it
// can start while later ones still compile. A caller that needs a kernel the queue has not begun compiles it at once. NVRTC
// parses one source at a time, about a sixth of its work: on 16 cores eight at a time are as fast as 16, and a caller waits
// for fewer.
type compileQueue struct {
	mu   sync.Mutex
	list []func()
	long int // slow ones at the front
	busy int
}

const atATime = 8

// add enqueues work; slow compilations go before the others.
func (q *compileQueue) add(long bool, work func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if long {
		q.list = slices.Insert(q.list, q.long, work)
		q.long++
	} else {
		q.list = append(q.list, work)
	}
	if q.busy < min(atATime, runtime.GOMAXPROCS(0)) {
		q.busy++
		go q.run()
	}
}

// run works the queue off.
func (q *compileQueue) run() {
	for {
		q.mu.Lock()
		if len(q.list) == 0 {
			q.busy--
			q.mu.Unlock()
			return
		}
		work := q.list[0]
		q.list, q.long = q.list[1:], max(0, q.long-1)
		q.mu.Unlock()
		work()
	}
}
