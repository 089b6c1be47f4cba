package mem

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestLent asks that lent memory is given back once: when the last reference goes, or when the collector finds the buffer.
func TestLent(t *testing.T) {
	var n atomic.Int32
	b := Lent(make([]byte, 64), func() { n.Add(1) })
	b.Ref()
	b.Ref()
	if _, err := b.Derive("packed", NewPool("test", Host{}), 8, func([]byte) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if b.Unref(); n.Load() != 0 {
		t.Fatal("given back while it is in use")
	}
	if b.Unref(); n.Load() != 1 {
		t.Fatal("not given back")
	}
	Lent(make([]byte, 64), nil).Unref()
	func() { Lent(make([]byte, 64), func() { n.Add(1) }) }()
	for range 200 {
		if runtime.GC(); n.Load() == 2 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if b = nil; n.Load() != 2 {
		t.Errorf("given back %d times; want 2", n.Load())
	}
}
