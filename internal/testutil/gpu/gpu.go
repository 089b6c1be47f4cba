// Package gpu lets the tests of a package run on a GPU. Test binaries built with -tags gpu import it; without the tag they
// stay static: package cuda opens libraries, which makes a program dynamic.
package gpu

import (
	"fmt"
	"os"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/cuda"
)

// Main runs the tests on the device that LUCID_TEST_DEVICE names, such as cuda, and says at the end which ops ran on the host
// for want of a kernel.
func Main(m *testing.M) {
	d := os.Getenv("LUCID_TEST_DEVICE")
	if d != "" {
		if err := lucid.Try(func() { lucid.SetDefaultDevice(lucid.Device{Type: d}) }); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	code := m.Run()
	if d == "cuda" {
		if n, err := cuda.Fallbacks(0); err == nil {
			fmt.Printf("on the host: %v\n", n)
		}
	}
	os.Exit(code)
}
