package testutil

import (
	"fmt"
	"os"
)

// Shard reads from LUCID_TEST_SHARD=k/n which part of a suite this process runs, and of how many: for suites that are cut into
// processes.
func Shard() (part, parts int) {
	if n, err := fmt.Sscanf(os.Getenv("LUCID_TEST_SHARD"), "%d/%d", &part, &parts); n != 2 || err != nil || parts < 1 {
		return 0, 1
	}
	return part, parts
}

// InShard reports whether case i is for this process: LUCID_TEST_SHARD=2/16 takes every 16th, from the third on.
func InShard(i int) bool {
	part, parts := Shard()
	return i%parts == part
}
