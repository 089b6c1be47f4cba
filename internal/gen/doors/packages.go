package doors

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"sort"
	"strings"
)

// packages lists the public packages that marks name, sorted.
func (src *source) packages() []string {
	var all []string
	for _, o := range src.ops {
		for _, d := range o.pkgs {
			all = append(all, d.pkg)
		}
	}
	sort.Strings(all)
	return slices.Compact(all)
}

// inPackage gives the type a door shows outside the root.
func inPackage(t string) string {
	t = public(t)
	for _, name := range []string{"Tensor", "DType"} {
		if strings.HasSuffix(t, name) {
			return strings.TrimSuffix(t, name) + "lucid." + name
		}
	}
	if isOptions(t) {
		return "lucid." + t
	}
	return t
}

// conversions turn handles into nodes and back; every package has its own, since only it and the root may.
const conversions = `
func acquire(t *lucid.Tensor) *graph.Node { return (*graph.Array)(t).Acquire() }

func acquireMaybe(t *lucid.Tensor) *graph.Node {
	if t == nil {
		return nil
	}
	return acquire(t)
}

func release(n *graph.Node) {
	if n != nil {
		n.Unref()
	}
}

func acquireAny(x any) any {
	t, ok := x.(*lucid.Tensor)
	if !ok {
		return x
	}
	if t == nil {
		fault.Throw(fault.Value, "operand", "an operand is a nil tensor")
	}
	return acquire(t)
}

func releaseAny(x any) {
	if n, ok := x.(*graph.Node); ok {
		release(n)
	}
}

func acquireAll(ts []*lucid.Tensor) []*graph.Node {
	ns := make([]*graph.Node, len(ts))
	for i, t := range ts {
		if t == nil {
			fault.Throw(fault.Value, "operand", "tensor %d of the list is nil", i)
		}
		ns[i] = acquire(t)
	}
	return ns
}

func releaseAll(ns []*graph.Node) {
	for _, n := range ns {
		release(n)
	}
}

func wrapAll(ns []*graph.Node) []*lucid.Tensor {
	ts := make([]*lucid.Tensor, len(ns))
	for i, n := range ns {
		ts[i] = wrap(n)
	}
	return ts
}

func wrap(n *graph.Node) *lucid.Tensor { return (*lucid.Tensor)(door.Wrap(n)) }

func option[T any](op string, opts []T) T { return door.Option(op, opts) }
`

// pkgFile writes the doors of one package.
func (src *source) pkgFile(pkg string) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%spackage %s\n\nimport (\n", header, pkg)
	for _, p := range []string{"", "/internal/door", "/internal/fault", "/internal/graph", "/internal/ops"} {
		fmt.Fprintf(&b, "\t\"github.com/lucid-go/lucid%s\"\n", p)
	}
	fmt.Fprintf(&b, ")\n%s\n", conversions)
	for _, o := range src.ops {
		for _, d := range o.pkgs {
			if d.pkg == pkg {
				o.function(&b, d.door, inPackage)
			}
		}
	}
	return format.Source(b.Bytes())
}
