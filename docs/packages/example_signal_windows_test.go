package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid/signal/windows"
)

// A window: a piece of docs/packages/signal-windows.md.
func Example_signalWindows() {
	fmt.Println(windows.Hann(5))
	fmt.Println(windows.Hann(4, windows.Options{Periodic: true}))
	fmt.Println(windows.GeneralGaussian(5, 1.5, 2))
	// Output:
	// tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
	// tensor([0.0000, 0.5000, 1.0000, 0.5000])
	// tensor([0.6065, 0.9394, 1.0000, 0.9394, 0.6065])
}
