// Package functional has the functions modules are made of, under PyTorch's names. It is usually imported as F:
//
//	import F "github.com/lucid-go/lucid/nn/functional"
//
//	loss := F.CrossEntropy(logits, target)
//
// Here are activations, linear layers, convolution, pooling, norms, attention, recurrent layers, dropout, embeddings, losses and
// what changes images. What PyTorch has under torch as well, such as softmax, sigmoid and tanh, is in package lucid, as function
// and as method: x.Softmax(-1). A function that behaves differently in training says so in an option; tensors that may be left
// out, such as a bias, are in the options too.
package functional
