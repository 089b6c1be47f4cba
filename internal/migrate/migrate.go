// Package migrate owns the one way in which something of an older version is brought up to this library's: a chain of steps, each
// from one version to the next. Ops of exported functions, parts of a checkpoint, the checkpoint format and the state of modules use it.
package migrate

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/lucid-go/lucid/internal/fault"
)

// Steps are the steps of one kind of thing, by name and version. The zero value is empty; it is safe for concurrent use.
type Steps[T any] struct {
	mu    sync.RWMutex
	table map[key]func(T) error
}

type key struct {
	name string
	from int
}

// Register gives the step that converts version from of name to version from+1. There is one for each version; a second one is a
// programming error.
func (s *Steps[T]) Register(name string, from int, step func(T) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.table[key{name, from}] != nil {
		panic(fmt.Sprintf("lucid: internal: two migrations of %q from version %d", name, from))
	}
	if s.table == nil {
		s.table = map[key]func(T) error{}
	}
	s.table[key{name, from}] = step
}

// Step returns the step from a version to the next, nil if there is none.
func (s *Steps[T]) Step(name string, from int) func(T) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.table[key{name, from}]
}

// From lists the versions of name that a step leads on from, in order.
func (s *Steps[T]) From(name string) (list []int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for k := range s.table {
		if k.name == name {
			list = append(list, k.from)
		}
	}
	slices.Sort(list)
	return list
}

// Bring runs the steps of name from one version to another; done is told after each. The subject says what it is in errors.
func (s *Steps[T]) Bring(sub Subject, v T, done func(version int)) error {
	return sub.Bring(func(from int) func() error {
		step := s.Step(sub.Name, from)
		if step == nil {
			return nil
		}
		return func() error { return step(v) }
	}, done)
}

// Subject is something with a version, in a file or in memory, and the version this library has of it.
type Subject struct {
	Op      string // of errors: import, load_state_dict
	What    string // op, module, part
	Name    string
	Version int // of the file
	Current int
}

// Bring runs the steps that step gives, nil where there is none, until the version is the current one.
func (s Subject) Bring(step func(from int) func() error, done func(version int)) error {
	if s.Version > s.Current {
		return s.refuse(step)
	}
	for v := s.Version; v < s.Current; v++ {
		f := step(v)
		if f == nil {
			return s.refuse(step)
		}
		if err := f(); err != nil {
			return fault.Wrap(fault.Version, s.Op, err, "bringing %s from version %d to %d", s, v, v+1)
		}
		if done != nil {
			done(v + 1)
		}
	}
	return nil
}

// String names the subject.
func (s Subject) String() string { return s.What + " " + strconv.Quote(s.Name) }

// refuse is the error of a version that no steps lead on from: newer, or too old.
func (s Subject) refuse(step func(from int) func() error) error {
	first := s.Current
	for first > 0 && step(first-1) != nil {
		first--
	}
	return s.Refuse(first)
}

// Refuse is the error of a version that is not known; first is the oldest one that is.
func (s Subject) Refuse(first int) error {
	known := fmt.Sprintf("versions %d to %d", first, s.Current)
	if first == s.Current {
		known = fmt.Sprintf("version %d", first)
	}
	advice := "it is newer: update the library"
	if s.Version < first {
		advice = fmt.Sprintf("no step leads from version %d to %d: read it with the library that wrote it and save it again",
			s.Version, s.Version+1)
	}
	e := fault.New(fault.Version, s.Op, "the file has version %d of %s; this library knows %s; %s", s.Version, s, known, advice)
	e.Expected, e.Got = known, fmt.Sprintf("version %d", s.Version)
	return e
}
