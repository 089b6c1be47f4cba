package asmvariant

import (
	"os"
	"slices"
	"strings"
)

// EnvRequire names the environment variable that lists, separated by commas, the
// features a test machine must have: there a skip is a failure.
const EnvRequire = "LUCID_REQUIRE"

// Generic is the name ForEach gives to the run without any assembly.
const Generic = "generic"

// TB is the part of testing.TB used here, so that no program links testing.
type TB interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Skipf(format string, args ...any)
}

// ForEach calls f once for each variant of pkg with that variant selected, and
// once more with the name Generic and all variants off. A variant that this
// machine cannot run is logged, or is an error if EnvRequire names its feature.
func ForEach(t TB, pkg string, f func(name string)) {
	t.Helper()
	for _, name := range List(pkg) {
		restore, ok := Select(pkg, name)
		if !ok {
			_, feature, _ := strings.Cut(name, "/")
			if required(feature) {
				t.Errorf("%s: %s cannot run here, but %s requires it", pkg, name, EnvRequire)
			} else {
				t.Logf("%s: %s cannot run here: not tested", pkg, name)
			}
			continue
		}
		func() {
			defer restore()
			f(name)
		}()
	}
	restore, _ := Select(pkg, "")
	defer restore()
	f(Generic)
}

// Require returns if this machine has the feature: some variant of that name can
// run, or Feature said so. Otherwise it skips the test, or fails it if EnvRequire
// names the feature.
func Require(t TB, feature string) {
	t.Helper()
	mu.Lock()
	present := features[feature]
	mu.Unlock()
	switch {
	case present:
	case required(feature):
		t.Fatalf("%s is absent here, but %s requires it", feature, EnvRequire)
	default:
		t.Skipf("%s is absent here", feature)
	}
}

func required(feature string) bool {
	return slices.Contains(strings.Split(os.Getenv(EnvRequire), ","), feature)
}
