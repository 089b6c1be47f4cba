package cuda

import (
	"runtime"
	"slices"
	"sync"
)

// queue compiles kernels ahead of their use, some at a time, so that those a program begins with are ready while the others are still
// compiled. Who needs one that was not begun compiles it at once. NVRTC reads one source at a time, which is a sixth of its work: with
// sixteen processors eight at a time are as fast as sixteen or all, and who needs one waits for fewer.
type queue struct {
	mu   sync.Mutex
	list []func()
	long int // of those at its head
	busy int
}

const atATime = 8

// add asks for work; what takes long goes before what does not.
func (q *queue) add(long bool, work func()) {
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

// run does what was asked for until nothing is left.
func (q *queue) run() {
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
