// Package nninit fills tensors with the starting values of parameters. Its import path ends in init, which Go does
// not allow as a package name:
//
//	import nninit "github.com/lucid-go/lucid/nn/init"
//
// Every function changes what the tensor shows, under NoGrad, and returns it.
package nninit
