// Package compile tests Compile: keys, guards, state, arguments that are written, and recordings of a device.
package compile
