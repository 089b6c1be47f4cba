package lucid

import (
	"maps"
	"slices"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/migrate"
)

var (
	formats migrate.Steps[*Checkpoint] // by the name formatName
	parts   migrate.Steps[*Checkpoint] // by part of the schema
)

const formatName = ".lucid"

// Register gives the step that converts a checkpoint of format version from to one of version from+1. Reading an
// older file runs the steps in order. There is one step per version; a second is a programming error.
func Register(from int, step func(*Checkpoint) error) { formats.Register(formatName, from, step) }

// RegisterSchema gives the step that converts a part of the schema from one version to the next.
func RegisterSchema(part string, from int, step func(*Checkpoint) error) {
	parts.Register(part, from, step)
}

// Upgrade brings every part of a checkpoint's schema to the version known has of it. A part that is newer, that known does not
// have, or that no step leads on from, is refused by its name.
func (c *Checkpoint) Upgrade(known map[string]int) error {
	for _, part := range slices.Sorted(maps.Keys(c.Schema)) {
		v := c.Schema[part]
		want, ok := known[part]
		if !ok {
			return fault.New(fault.Version, op,
				"the checkpoint has a part %q of schema version %d, which this library does not know; it knows %v", part, v,
				slices.Sorted(maps.Keys(known)))
		}
		sub := migrate.Subject{Op: op, What: "part", Name: part, Version: v, Current: want}
		if err := parts.Bring(sub, c, func(v int) { c.Schema[part] = v }); err != nil {
			return err
		}
	}
	return nil
}

func bringUp(c *Checkpoint, from, to int) error {
	return formats.Bring(migrate.Subject{Op: op, What: "format", Name: formatName, Version: from, Current: to}, c, nil)
}

func tooNew(version uint32) error {
	return fault.New(fault.Version, op, "the file has format version %d; this library reads up to %d; update it", version, Version)
}
