package graph

import "testing"

// TestSitesOfOneHash notes lines with the same hash in turn: all of them are found again.
func TestSitesOfOneHash(t *testing.T) {
	var set siteSet
	list := make([]*Site, len(set.of))
	for i := range list {
		list[i] = &Site{receiver: -1}
		list[i].key[0] = uintptr(i + 1)
		set.add(list[i])
	}
	for i, s := range list {
		if got := set.find(&s.key, nil); got != s {
			t.Errorf("site %d: found %p, want %p", i, got, s)
		}
	}
	if s := set.find(&list[0].key, func(s *Site) bool { return s.module != 0 }); s != nil {
		t.Errorf("found a site of no module")
	}
}
