// Package cuda is the device of an NVIDIA GPU. It owns the launches: which source is compiled for which op, and its launch
// configuration. All work of a device is ordered on one stream, so freed memory can be reused at once (stream-ordered
// allocation); only reading a value on the host waits.
//
// A buffer may also be in host memory (an immediate, a key, a list of indices): it is uploaded when a kernel needs it.
package cuda
