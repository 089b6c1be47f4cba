package testutil

import (
	"os"
	"testing"
)

// Long reports whether LUCID_LONG asks for the long form of random tests.
func Long() bool { return os.Getenv("LUCID_LONG") != "" }

// ThreadCounts lists the values of GOMAXPROCS that must give the bits of one thread: in short tests one that cuts nothing evenly.
func ThreadCounts() []int {
	if Raced || testing.Short() {
		return []int{3}
	}
	return []int{2, 3, 8}
}
