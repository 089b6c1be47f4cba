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

// Argument returns what is stored as the first argument of the function that the return address of that number is in, as Callers counts
// them in the same function: the receiver of a method. It is one only if the function has stored it by then, which runtime.Stack tells:
// it marks other values with a question mark. It is 0 where stacks cannot be read.
func Argument(frame int) uintptr { return argument(frame) }
