// Package cuda is the device of an NVIDIA GPU. It owns the launches: which source is compiled for which op, with what
// sizes it runs. Everything is asked for on one stream per device, in the order of the program, so memory that was given
// back may be handed out again at once; only reading a value on the host waits.
//
// A buffer may also lie in host memory (an immediate, a key, a list of positions): kernels bring it up as they need it.
package cuda
