package cuda

import (
	"runtime"
	"sync"
)

// queue compiles kernels ahead of their use: as many at a time as there are processors, so that those a program begins with are ready
// while the others are still compiled. Who needs one that was not begun compiles it at once.
type queue struct {
	mu   sync.Mutex
	list []func()
	busy int
}

// add asks for work; what takes long goes before what was asked for earlier.
func (q *queue) add(long bool, work func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.list = append(q.list, work); long {
		copy(q.list[1:], q.list)
		q.list[0] = work
	}
	if q.busy < runtime.GOMAXPROCS(0) {
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
		q.list = q.list[1:]
		q.mu.Unlock()
		work()
	}
}
