package lucid

import (
	"reflect"
	"unsafe"

	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/tree"
)

func init() { tree.Tensor = reflect.TypeFor[*Tensor]() }

// tensors and arrays show one list of handles as the other: a Tensor is a graph.Array under another name.
func tensors(hs []*graph.Array) []*Tensor { return *(*[]*Tensor)(unsafe.Pointer(&hs)) }

func arrays(ts []*Tensor) []*graph.Array { return *(*[]*graph.Array)(unsafe.Pointer(&ts)) }

// flatten lists the tensors of values, unflatten puts others in their stead.
// everything is how far transforms other than Compile look: modules are trees too.
var everything = tree.Walk{All: true}

func flatten(vs ...reflect.Value) []*Tensor { return tensors(everything.FlattenAll(vs)) }

func unflatten(vs []reflect.Value, ts []*Tensor) []reflect.Value {
	return everything.UnflattenAll(vs, arrays(ts))
}
