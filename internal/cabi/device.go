package cabi

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// toDefault brings a value to the default device, where the weights of functions are.
func toDefault(n *graph.Node) *graph.Node {
	if d := exec.DefaultDevice(); d != n.Device() {
		return ops.ToDevice(n, d)
	}
	return n
}

// GPUs counts the devices of a type other than the CPU; the program that links one in sets it.
var GPUs = func() int { return 0 }

// Devices lists the devices of this machine.
func Devices() (list []lucid.Device, err error) {
	err = Guard(func() error {
		list = []lucid.Device{lucid.CPU}
		for i := range GPUs() {
			list = append(list, lucid.CUDA(i))
		}
		return nil
	})
	return list, err
}

// SetDefaultDevice changes where functions are loaded and run.
func SetDefaultDevice(typ string, index int) error {
	return Guard(func() error {
		lucid.SetDefaultDevice(lucid.Device{Type: typ, Index: index})
		return nil
	})
}

// SetMemoryLimit bounds what a device may hold, in bytes; 0 is no bound.
func SetMemoryLimit(typ string, index int, bytes int64) error {
	return Guard(func() error {
		lucid.SetMemoryLimit(lucid.Device{Type: typ, Index: index}, bytes)
		return nil
	})
}

// ClearCache gives memory that is cached for reuse back to the system.
func ClearCache(typ string, index int) error {
	return Guard(func() error {
		lucid.ClearCache(lucid.Device{Type: typ, Index: index})
		return nil
	})
}

// SetThreads bounds the threads that compute; 0 is as many as there are cores.
func SetThreads(n int) error {
	return Guard(func() error {
		lucid.SetNumThreads(n)
		return nil
	})
}
