// Package strictjson reads JSON that a stranger wrote: one pass, no reflection, nesting and key count bounded,
// duplicate keys refused, UTF-8 required. It exists because encoding/json keeps the last of two equal keys and
// repairs bad strings, and two readers that disagree about a header are a way to hide a tensor.
//
// Every error is a *fault.Error of kind Format that names the byte.
package strictjson
