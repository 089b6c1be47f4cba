package fake

import "sync"

// queue runs work in order on a goroutine of its own. Adding to it never waits: plans are added while others wait for the
// lock that running them takes.
type queue struct {
	mu   sync.Mutex
	more *sync.Cond
	list []func()
}

func newQueue(run func(work func())) *queue {
	q := &queue{}
	q.more = sync.NewCond(&q.mu)
	go func() {
		for {
			run(q.next())
		}
	}()
	return q
}

// Enqueue implements backend.Enqueuer.
func (q *queue) Enqueue(work func()) {
	q.mu.Lock()
	q.list = append(q.list, work)
	q.mu.Unlock()
	q.more.Signal()
}

func (q *queue) next() func() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.list) == 0 {
		q.more.Wait()
	}
	work := q.list[0]
	q.list[0] = nil
	q.list = q.list[1:]
	return work
}
