package asmvariant

import (
	"strings"
	"sync"
)

// variant is one implementation of a routine.
type variant struct {
	pkg, name string
	flag      *bool
	available bool // the flag as it was when registered
}

var (
	mu       sync.Mutex
	variants []variant
	features = map[string]bool{}
)

// Register adds the variant name ("routine/feature") of package pkg. The flag says
// whether dispatch uses it, and is already set by feature detection. Registering
// a name twice panics.
func Register(pkg, name string, flag *bool) {
	mu.Lock()
	defer mu.Unlock()
	routine, feature, ok := strings.Cut(name, "/")
	if !ok || routine == "" || feature == "" {
		panic("asmvariant: variant " + name + " of " + pkg + " is not named routine/feature")
	}
	for _, v := range variants {
		if v.pkg == pkg && v.name == name {
			panic("asmvariant: variant " + name + " of " + pkg + " is registered twice")
		}
	}
	variants = append(variants, variant{pkg, name, flag, *flag})
	features[feature] = features[feature] || *flag
}

// Feature records whether this machine has a feature that no variant is named
// after, such as "cuda", for Require.
func Feature(name string, present bool) {
	mu.Lock()
	defer mu.Unlock()
	features[name] = features[name] || present
}

// List returns the names of the variants registered by pkg, in order of
// registration, also those that this machine cannot run.
func List(pkg string) []string {
	mu.Lock()
	defer mu.Unlock()
	var names []string
	for _, v := range variants {
		if v.pkg == pkg {
			names = append(names, v.name)
		}
	}
	return names
}

// Select makes pkg use the named variant: it enables this one and disables the other
// variants of the same routine. The name "" disables all variants of pkg, so
// that the Go twins run. It returns a function that restores the flags, and
// whether the variant is known and can run here; if not, nothing changes.
func Select(pkg, name string) (restore func(), ok bool) {
	mu.Lock()
	defer mu.Unlock()
	routine, _, _ := strings.Cut(name, "/")
	type saved struct {
		flag *bool
		was  bool
	}
	var old []saved
	ok = name == ""
	for _, v := range variants {
		ok = ok || v.pkg == pkg && v.name == name && v.available
	}
	if !ok {
		return func() {}, false
	}
	for _, v := range variants {
		if v.pkg == pkg && (name == "" || strings.HasPrefix(v.name, routine+"/")) {
			old = append(old, saved{v.flag, *v.flag})
			*v.flag = v.name == name
		}
	}
	return func() {
		mu.Lock()
		defer mu.Unlock()
		for _, s := range old {
			*s.flag = s.was
		}
	}, true
}

// InUse returns, for each routine as package.routine, the features of its variants that dispatch may use now.
func InUse() map[string][]string {
	mu.Lock()
	defer mu.Unlock()
	use := map[string][]string{}
	for _, v := range variants {
		routine, feature, _ := strings.Cut(v.name, "/")
		key := v.pkg + "." + routine
		if *v.flag {
			use[key] = append(use[key], feature)
		} else if use[key] == nil {
			use[key] = []string{}
		}
	}
	return use
}
