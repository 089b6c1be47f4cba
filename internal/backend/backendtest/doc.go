// Package backendtest is the conformance suite: every primitive with a reference kernel, over dtypes and layouts,
// computed on a device through the engine, fused as it would be, and compared with the reference device.
//
// A device's test is one line:
//
//	func TestConformance(t *testing.T) { backendtest.Run(t, cpu.Device) }
package backendtest
