// Package functional has the functions modules are made of, under PyTorch's names. It is usually imported as F:
//
//	import F "github.com/lucid-go/lucid/nn/functional"
//
//	loss := F.CrossEntropy(logits, target)
//
// Most are doors to the functions of package lucid. Those that behave differently in training say so in an option.
package functional
