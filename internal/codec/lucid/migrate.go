package lucid

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/lucid-go/lucid/internal/fault"
)

var (
	stepsMu sync.RWMutex
	steps   = map[int]func(*Checkpoint) error{}
	parts   = map[schemaStep]func(*Checkpoint) error{}
)

// schemaStep is one version of one part of the schema.
type schemaStep struct {
	part string
	from int
}

// Register gives the step that converts a checkpoint of format version from to one of version from+1. Reading an
// older file runs the steps in order. There is one step per version; a second is a programming error.
func Register(from int, step func(*Checkpoint) error) {
	stepsMu.Lock()
	defer stepsMu.Unlock()
	if steps[from] != nil {
		panic(fmt.Sprintf("lucid: internal: two migrations from format version %d", from))
	}
	steps[from] = step
}

// RegisterSchema gives the step that converts a part of the schema from one version to the next.
func RegisterSchema(part string, from int, step func(*Checkpoint) error) {
	stepsMu.Lock()
	defer stepsMu.Unlock()
	if parts[schemaStep{part, from}] != nil {
		panic(fmt.Sprintf("lucid: internal: two migrations of %q from version %d", part, from))
	}
	parts[schemaStep{part, from}] = step
}

// Upgrade brings every part of a checkpoint's schema to the version known has of it. A part that is newer, that known does not
// have, or that no step leads on from, is refused by its name.
func (c *Checkpoint) Upgrade(known map[string]int) error {
	for _, part := range slices.Sorted(maps.Keys(c.Schema)) {
		v := c.Schema[part]
		want, ok := known[part]
		switch {
		case !ok:
			return fault.New(fault.Version, op,
				"the checkpoint has a part %q of schema version %d, which this library does not know; it knows %v", part, v,
				slices.Sorted(maps.Keys(known)))
		case v > want:
			return fault.New(fault.Version, op, "the checkpoint's %q has schema version %d; this library knows up to %d; update it", part,
				v, want)
		}
		for ; v < want; v++ {
			stepsMu.RLock()
			step := parts[schemaStep{part, v}]
			stepsMu.RUnlock()
			if step == nil {
				return fault.New(fault.Version, op,
					"the checkpoint's %q has schema version %d; this library knows %d and no way from %d to %d", part,
					c.Schema[part], want, v, v+1)
			}
			if err := step(c); err != nil {
				return fault.Wrap(fault.Version, op, err, "bringing %q from schema version %d to %d", part, v, v+1)
			}
			c.Schema[part] = v + 1
		}
	}
	return nil
}

func migrate(c *Checkpoint, from, to int) error {
	stepsMu.RLock()
	defer stepsMu.RUnlock()
	for v := from; v < to; v++ {
		step := steps[v]
		if step == nil {
			return fault.New(fault.Version, op,
				"the file has format version %d; this library reads version %d and knows no way from %d to %d", from, to, v, v+1)
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
