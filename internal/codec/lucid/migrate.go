package lucid

import (
	"fmt"
	"sync"

	"github.com/lucid-go/lucid/internal/fault"
)

var (
	stepsMu sync.RWMutex
	steps   = map[int]func(*Checkpoint) error{}
)

// Register gives the step that turns a checkpoint of format version from into one of version from+1. Reading an
// older file runs the steps in order. There is one step per version; a second is a programming error.
func Register(from int, step func(*Checkpoint) error) {
	stepsMu.Lock()
	defer stepsMu.Unlock()
	if steps[from] != nil {
		panic(fmt.Sprintf("lucid: internal: two migrations from format version %d", from))
	}
	steps[from] = step
}

func migrate(c *Checkpoint, from, to int) error {
	stepsMu.RLock()
	defer stepsMu.RUnlock()
	for v := from; v < to; v++ {
		step := steps[v]
		if step == nil {
			return fault.New(fault.Version, op, "the file has format version %d; this library reads version %d and knows no way from %d to %d", from, to, v, v+1)
		}
		if err := step(c); err != nil {
			return fault.Wrap(fault.Version, op, err, "bringing the file from format version %d to %d", v, v+1)
		}
	}
	return nil
}

func tooNew(version uint32) error {
	return fault.New(fault.Version, op, "the file has format version %d; this library reads up to %d; update it", version, Version)
}
