package nn

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/lucid-go/lucid"
)

// hidden lists the unexported fields of m and the modules inside that hold parameters which are found nowhere else: they
// are neither trained nor saved, which is a mistake more often than not.
func hidden(m Module) (list []string) {
	known := map[*lucid.Tensor]bool{}
	for _, p := range Parameters(m) {
		known[p] = true
	}
	for name, c := range NamedModules(m) {
		v := reflect.ValueOf(c).Elem()
		if v.Kind() != reflect.Struct || v.Type().PkgPath() == ownPackage {
			continue
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if tag, _, _ := strings.Cut(f.Tag.Get("nn"), ","); f.IsExported() || f.Anonymous || tag == "-" || !mayHold(f.Type, nil) {
				continue
			}
			n := 0
			w := walker{tensor: func(_ string, t *lucid.Tensor, fl field) {
				if !known[t] && t.IsLeaf() && t.RequiresGrad() && !isBuffer(t, fl) {
					n += t.NumElement()
				}
			}, open: map[Module]bool{}, seen: map[Module]bool{}}
			w.value(reach(v.Field(i)), field{})
			if n == 0 {
				continue
			}
			if name != "" {
				f.Name = name + "." + f.Name
			}
			list = append(list, fmt.Sprintf("%s (%s parameters)", f.Name, thousands(n)))
		}
	}
	return list
}
