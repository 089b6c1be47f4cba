package scope

// Depth is the number of return addresses that Callers gives.
const Depth = 12

// Callers fills in the return addresses of the calls the goroutine is in, the innermost first, and zeros behind them. It takes some
// nanoseconds, where runtime.Callers takes a microsecond, because functions that the compiler inlined are not in it: the addresses tell
// two stacks apart, and runtime.Callers tells what a stack is.
func Callers() (pcs [Depth]uintptr) {
	callers(&pcs)
	return pcs
}
