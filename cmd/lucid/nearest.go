package main

import (
	"slices"
	"strings"
)

// nearest returns what may have been meant by a name that does not exist: at most five, the closest first.
func nearest(name string, all []string) (some []string) {
	type near struct {
		name string
		far  int
	}
	var found []near
	for _, a := range all {
		far, inside := distance(name, a), len(name) > 1 && strings.Contains(a, name)
		switch {
		case inside && strings.HasPrefix(a, name):
			far = min(far, 1)
		case inside:
			far = min(far, 2)
		}
		if inside || len(name) > 1 && far <= max(len(name)/3, 1) {
			found = append(found, near{a, far})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return a.far - b.far })
	for _, f := range found[:min(5, len(found))] {
		some = append(some, f.name)
	}
	return some
}

// distance is how many letters must be put in, left out, changed, or swapped with the next one.
func distance(a, b string) int {
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		now := make([]int, len(b)+1)
		now[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			now[j+1] = min(last[j+1]+1, now[j]+1, change)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				now[j+1] = min(now[j+1], before[j-1]+1)
			}
		}
		before, last = last, now
	}
	return last[len(b)]
}

// perhaps ends a sentence with what may have been meant, or with nothing.
func perhaps(name string, all []string) string {
	if some := nearest(name, all); len(some) > 0 {
		return "; perhaps " + strings.Join(some, " or ")
	}
	return ""
}
