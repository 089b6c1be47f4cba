package doors

import "fmt"

// groups cut the generated code into files of readable size, by the first letter of the function.
var groups = []string{"AB", "C", "DEFG", "HIJKLMN", "OPQR", "S", "TUVWXYZ"}

// Generate returns the generated files by name, made from the marks in package ops.
func Generate(dir string) (map[string][]byte, error) {
	src, err := parse(dir)
	if err != nil {
		return nil, err
	}
	current = src
	if err := src.check(); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for i, g := range groups {
		keep := func(o op) bool {
			for _, c := range g {
				if rune(o.fn[0]) == c {
					return true
				}
			}
			return false
		}
		door, err := src.doorFile("lucid", keep)
		if err != nil {
			return nil, err
		}
		table, err := src.tableFile(keep, i == 0)
		if err != nil {
			return nil, err
		}
		files[fmt.Sprintf("doors_%d_gen.go", i+1)] = door
		files[fmt.Sprintf("schemas_%d_gen.go", i+1)] = table
	}
	for _, pkg := range src.packages() {
		door, err := src.pkgFile(pkg)
		if err != nil {
			return nil, err
		}
		files[pkg+"/doors_gen.go"] = door
	}
	return files, nil
}

// check refuses two ops of one name and two doors of one name.
func (src *source) check() error {
	names, doors := map[string]string{}, map[string]string{}
	for _, o := range src.ops {
		for _, n := range append([]string{o.name}, o.aliases...) {
			if other := names[n]; other != "" {
				return fmt.Errorf("%s and %s are both named %q", other, o.fn, n)
			}
			names[n] = o.fn
		}
		for _, m := range o.methods {
			if other := doors["."+m.name]; other != "" {
				return fmt.Errorf("%s and %s both have the method %s", other, o.fn, m.name)
			}
			doors["."+m.name] = o.fn
		}
	}
	return nil
}
