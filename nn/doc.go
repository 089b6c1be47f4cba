// Package nn has modules: structs that hold parameters and compute with them.
//
// A module is a struct that embeds Base and has its parameters, buffers and inner modules in exported fields. They are
// found by reflection, in the order of declaration; slices and maps are looked into. The name of a field is its
// lower_snake form and names are joined with dots, as PyTorch would have them: body.0.weight.
//
//	type Net struct {
//		nn.Base
//		Body *nn.Sequential
//		Head *nn.Linear
//	}
//
//	func (n *Net) Forward(x *lucid.Tensor) *lucid.Tensor { return n.Head.Forward(n.Body.Forward(x)) }
//
// Call computes a module as PyTorch's m(x) does, with its hooks and parametrizations; Train and Eval set the mode that Training
// reads. A module of one's own needs nothing for them but Base.
//
// A *lucid.Tensor field is a parameter if its dtype has gradients. A tag changes that:
//
//	Mean  *lucid.Tensor `nn:",buffer"`           // saved, not trained
//	Cache *lucid.Tensor `nn:",buffer,transient"` // neither saved nor trained
//	Gamma *lucid.Tensor `nn:"weight"`            // under another name
//	Inner *Block        `nn:",inline"`           // without a name of its own
//	Other *Net          `nn:"-"`                 // not part of the module
//
// Unexported fields are no part of the module; Summary names those that hold parameters no exported field has. Repr prints a
// module as PyTorch does, Clone copies one.
//
// Letters in shapes: B batch, C channels, L length, T time, S source, E embedding, H heads or hidden, D head size.
package nn
