package graph

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/scope"
)

// siteDepth bounds the frames of a site: a user's line is at most some layers of modules above the op.
const siteDepth = 28

// siteBytes is the size of a result from which on its node has a site: computing it takes far longer than noting where.
const siteBytes = 1 << 20

// Site is where nodes were recorded. Only ops that check values have one (Op.Checks), and those with large results, for which memory may
// run out: their errors come when values are computed, and no stack shows the line then. A site is no part of what a node is:
// simplification, plans and files do not compare it.
type Site struct {
	key [scope.Depth]uintptr
	pcs [siteDepth]uintptr
	n   int

	receiver int     // number of the return address in a module's Forward whose receiver is stored, -1: none; see scope.Argument
	module   uintptr // address of the module; it is not held
}

// sites has the sites that were noted last, by a hash of their keys: to unwind a stack takes microseconds, and programs record ops from
// few lines. Four lines with the same hash have room: a loop must not unwind for two of them in every round.
var sites [256]siteSet

type siteSet struct {
	of   [4]atomic.Pointer[Site]
	next atomic.Uint32 // the one that is replaced next
}

// find returns the site that fits, nil if there is none.
func (t *siteSet) find(key *[scope.Depth]uintptr, fits func(s *Site) bool) *Site {
	for i := range t.of {
		if s := t.of[i].Load(); s != nil && s.key == *key && (fits == nil || fits(s)) {
			return s
		}
	}
	return nil
}

func (t *siteSet) add(s *Site) { t.of[t.next.Add(1)%uint32(len(t.of))].Store(s) }

// labels counts who wants all nodes to know where they were recorded.
var labels atomic.Int32

// LabelNodes makes nodes that are recorded from now on know where, until the function it returns is called.
func LabelNodes() (stop func()) {
	labels.Add(1)
	return sync.OnceFunc(func() { labels.Add(-1) })
}

// Labelled reports whether all nodes know where they were recorded.
func Labelled() bool { return labels.Load() > 0 }

// noteSite notes where a new node is recorded: by the caller's caller.
func (n *Node) noteSite() {
	key := scope.Callers()
	h := uint64(0)
	for _, pc := range key {
		h = (h ^ uint64(pc)) * 0x9e3779b97f4a7c15
	}
	at := &sites[h>>56]
	s := at.find(&key, nil)
	if s == nil {
		s = &Site{key: key, receiver: -1}
		s.n = runtime.Callers(4, s.pcs[:])
		// The value is read in this function, as later: numbers of calls are counted from here.
		if k, m := s.findReceiver(); k >= 0 && scope.Argument(k) == m {
			s.receiver, s.module = k, m
		}
		at.add(s)
	}
	if s.receiver >= 0 {
		if m := scope.Argument(s.receiver); m != s.module {
			s = s.of(m, h)
		}
	}
	n.setSite(s)
}

// findReceiver finds the innermost module whose Forward the site is in: the number of the return address there, -1 if there is none, and
// the module's address.
func (s *Site) findReceiver() (frame int, module uintptr) {
	if fault.Modules(s.pcs[:s.n]) == "" {
		return -1, 0
	}
	list := fault.Receivers()
	for i, pc := range s.key {
		if pc == 0 || len(list) == 0 {
			break
		}
		if fault.HasReceiver(pc) {
			return i, list[0]
		}
	}
	return -1, 0
}

// of returns the site of another module in the same lines.
func (s *Site) of(module uintptr, h uint64) *Site {
	at := &sites[(h^uint64(module))*0x9e3779b97f4a7c15>>56]
	if o := at.find(&s.key, func(o *Site) bool { return o.module == module }); o != nil {
		return o
	}
	o := *s
	o.module = module
	at.add(&o)
	return &o
}

// Line returns the user's line, file:line; empty if it is not known.
func (s *Site) Line() string { return fault.UserLine(s.pcs[:s.n]) }

// Modules returns the types of the modules in whose Forward it is.
func (s *Site) Modules() string { return fault.Modules(s.pcs[:s.n]) }

// Module names the module, as fault.ModuleName does.
func (s *Site) Module() string {
	if s.receiver < 0 {
		return ""
	}
	return fault.ModuleName([]uintptr{s.module})
}

// Site returns where the node was recorded, nil if it does not say.
func (n *Node) Site() *Site {
	if n.more == nil {
		return nil
	}
	return n.more.site
}

// setSite notes where the node was recorded.
func (n *Node) setSite(s *Site) {
	if n.more == nil {
		n.more = new(extra)
	}
	n.more.site = s
}
