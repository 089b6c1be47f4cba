package bench

// reasons say why a workload falls short of its goal, where that is known: what the machine allows, as measured. The page
// prints them beside rows that do fall short. Figures are of two Zen 4 cores.
var reasons = map[string]string{
	"chain10": "the arrays are 192 MiB, which a copy past the caches moves in 3.5 to 3.7 ms; the chain takes 3.9 ms when memory is undisturbed. " +
		"Compiled PyTorch needs 5 ms, so no program can be 3.5 times as fast as that. Against eager PyTorch the goal is met.",
	"gelu": "within 2 units in the last place also far below zero, where PyTorch's 1 + erf(x) has cancelled. That takes 42 vector operations for " +
		"16 elements, 26 cycles where the four units of a core allow 21: 30 µs for the half of one core, against 17 µs for erf alone.",
	"sin": "18 cycles for 16 elements, 20 µs for the half of one core; the rest is the launch and the second core's share of the wait.",
	"softmax": "a row takes 0.58 µs for exponentials, and 1.2 µs to be moved at the speed of a copy past the caches; the two overlap, but the sum must " +
		"be known before the first store.",
	"rmsnorm":        "bound by memory: compiled PyTorch is itself within 1.5 times of a copy past the caches. The goal was taken from eager PyTorch.",
	"softmax_matmul": "the product alone is 2.1 GFLOP, 9.3 ms of 14 at the full rate of both cores.",
	"sum_last":       "bound by memory, as PyTorch's. Asking for memory ahead of time was tried and is slower (0.75 ms became 0.9 ms in the same minute).",
	"sum_all":        "bound by memory, as PyTorch's; see sum_last.",
}
