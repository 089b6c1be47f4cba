package testutil

import "os"

// Long reports whether LUCID_LONG asks for the long form of random tests.
func Long() bool { return os.Getenv("LUCID_LONG") != "" }

// ThreadCounts lists the values of GOMAXPROCS that must give the bits of one thread.
func ThreadCounts() []int {
	if Raced {
		return []int{3}
	}
	return []int{2, 3, 8}
}
