// Package ref is the oracle device: naive kernels, one element at a time, float64 or int64 inside, one goroutine.
// Every other device is tested against it, and host devices borrow its kernels for ops they have none for.
package ref
