// Package optim has optimizers: they change parameters by their gradients.
//
//	opt := optim.NewAdamW(nn.Parameters(m), optim.AdamWOptions{LR: 1e-3})
//	for … {
//		opt.ZeroGrad()
//		loss := …
//		loss.Backward()
//		opt.Step()
//	}
//
// Step works the same inside a compiled function. Learning rate and step count are tensors, so a compiled step sees
// them change; everything an optimizer keeps is allocated when it is made. Outside of a compiled function, Step starts
// one evaluation of the loss, the gradients, the state and the parameters, and returns while it runs. If that fails, over a
// label that is no class, say, the parameters have no value any more: read a loss that may fail before Step, or load a state from before.
package optim
