package doors

import (
	"fmt"
	"path"
	"slices"
	"sort"
)

// Generate returns the generated files by name, made from the marks in package ops.
func Generate(dir string) (map[string][]byte, error) {
	src, err := parse(dir)
	if err != nil {
		return nil, err
	}
	if err := src.check(); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, pkg := range src.packages() {
		if err := src.packageFiles(pkg, files); err != nil {
			return nil, err
		}
	}
	for _, f := range familyNames() {
		table, err := src.tableFile(f)
		if err != nil {
			return nil, err
		}
		if table != nil {
			files["internal/schema/"+f+"_gen.go"] = table
		}
	}
	return files, nil
}

// packages lists the packages that functions live in, sorted; the root is first.
func (src *source) packages() []string {
	all := []string{"."}
	for _, o := range src.ops {
		if o.pkg != "" {
			all = append(all, o.pkg)
		}
	}
	sort.Strings(all)
	return slices.Compact(all)
}

// homonyms are names that two functions of different packages have because both are known by them.
var homonyms = map[string]bool{
	"Norm":   true, // of elements in package lucid; of vectors and matrices in linalg
	"Polar":  true, // complex numbers from length and angle in package lucid; the decomposition in linalg
	"Vander": true, // falling powers of one vector in package lucid; rising powers of a batch of them in linalg
}

// check refuses two ops of one name, two functions of one name and two methods of one name.
func (src *source) check() error {
	names, methods, functions := map[string]string{}, map[string]string{}, map[string]string{}
	for _, o := range src.ops {
		for _, n := range append([]string{o.name}, o.aliases...) {
			if other := names[n]; other != "" {
				return fmt.Errorf("%s and %s are both named %q", other, o.fn, n)
			}
			names[n] = o.fn
		}
		if o.public != "" {
			n := path.Ext("." + o.public)
			if other := functions[n]; other != "" && !homonyms[n[1:]] {
				return fmt.Errorf("%s and %s are both the public function %s", other, o.fn, n[1:])
			}
			functions[n] = o.fn
		}
		for _, m := range o.methods {
			if other := methods[m.name]; other != "" {
				return fmt.Errorf("%s and %s both have the method %s", other, o.fn, m.name)
			}
			methods[m.name] = o.fn
		}
	}
	return nil
}
