package cuda

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// TestQueue: queued work is done in order, slow compilations before the rest, never more at a time than there are
// processors, nor than atATime.
func TestQueue(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var q compileQueue
	var wg sync.WaitGroup
	var now, most atomic.Int32
	var mu sync.Mutex
	var order []int
	hold := make(chan bool)
	add := func(i int, long bool) {
		wg.Add(1)
		q.add(long, func() {
			defer wg.Done()
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			if i < 2 { // the workers are busy until everything is queued
				<-hold
			}
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			now.Add(-1)
		})
	}
	add(0, false)
	add(1, false)
	for now.Load() < 2 {
		runtime.Gosched()
	}
	for i := 2; i < 20; i++ {
		add(i, i >= 18)
	}
	hold <- true // one of them goes on alone
	for {
		mu.Lock()
		n := len(order)
		mu.Unlock()
		if n == 19 {
			break
		}
		runtime.Gosched()
	}
	if order[1] != 18 || order[2] != 19 || order[3] != 2 || order[18] != 17 {
		t.Errorf("done in the order %v", order)
	}
	hold <- true
	wg.Wait()
	if most.Load() != 2 {
		t.Errorf("%d at a time", most.Load())
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) > 0 {
		t.Errorf("%d left", len(q.list))
	}
}
