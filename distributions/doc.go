// Package distributions holds probability distributions: samples, densities, moments, entropies, divergences, and gradients through
// samples. Names, parameters and defaults are PyTorch's.
//
//	prior := distributions.NewNormal(0.0, 1.0)      // numbers or tensors, which broadcast
//	x := prior.Sample(1000)                         // from the default generator, without gradients
//	y := prior.RSampleKey(random.Key(7), 1000)      // by a key, with gradients to the parameters
//	p := prior.LogProb(x)
//	kl := distributions.KL(prior, distributions.NewLaplace(0.0, 1.0))
//
// A distribution has a batch shape, over which parameters broadcast, and an event shape, that of one sample. Sample(s...) returns a
// tensor of shape s, batch shape, event shape. LogProb sums over the event and returns the shape of the value without it.
//
// Files: one family of distributions each; constraint*.go, transform*.go and biject.go hold the domains and the maps between them;
// kl*.go holds the table of Kullback–Leibler divergences.
//
// # Validation
//
// A constructor checks its parameters, and LogProb, CDF and ICDF check their argument. A value outside its domain is a typed error
// that names the parameter, the value and the domain. To check means to read: a tensor that is not computed yet is evaluated. Inside
// Compile, VMap and the bodies of control flow, values are not known, so a traced tensor is not checked. [Options].NoValidate leaves
// the checks out.
//
// # What a distribution does not have
//
// A method that a distribution does not have (the CDF of a Dirichlet, RSample of a Poisson) is an error of kind ErrNotImplemented
// that names it and says what to use instead.
//
// # One's own distributions
//
// A type that embeds [Base] inherits sampling, shapes and errors, and defines what it has. [RegisterKL] adds divergences,
// [RegisterBijectTo] and [RegisterTransformTo] add maps to constraints.
package distributions
