// Package data brings examples to a training loop: datasets, orders to read them in, and a loader that makes batches
// of them, in goroutines if asked to.
//
//	loader := data.NewLoader(data.NewTensorDataset(x, y), data.LoaderOptions{BatchSize: 64, Shuffle: true, Workers: 4})
//	for batch, err := range loader.All(ctx) {
//		…
//	}
//
// Batches come in the same order, with the same content, for any number of workers.
package data
