// Package driver binds the CUDA driver library (libcuda), opened at run time. It owns devices, their primary contexts,
// streams, events, memory, copies, modules and launches, and makes every status an error that names it and what was being
// done. It knows nothing of tensors. Every call may come from any goroutine: the context is made current on the thread that
// makes the call.
package driver
