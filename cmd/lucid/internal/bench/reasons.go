package bench

// reasons say why a workload falls short of its goal, where that is known: what the machine allows, as measured. The page
// prints them for rows that do fall short. Figures are of two Zen 4 cores, unless a reason names another machine.
var reasons = map[string]string{
	"fft_4096x256": "on one core of a Xeon with AVX-512 the first pass is two fifths of the time: of its operations on vectors two " +
		"fifths are shuffles, which put neighbours in order; the last pass, which writes the result, is a quarter.",
	"chain10": "the arrays are 192 MiB, which a copy with non-temporal stores moves in 3.5 to 3.7 ms; the chain takes 3.9 ms when " +
		"memory is undisturbed. Compiled PyTorch needs 5 ms, so no program can be 3.5 times as fast as that. Against eager PyTorch the " +
		"goal is met.",
	"gelu": "within 2 units in the last place also far below zero, where PyTorch's 1 + erf(x) has cancelled: 22 vector operations for " +
		"16 elements, eight of them lookups among 32 numbers, in 18 cycles.",
	"sin": "18 cycles for 16 elements, 20 µs for the half of one core; the rest is the launch and the second core's share of the wait.",
	"softmax": "a row takes 0.58 µs for exponentials, and 1.2 µs to be moved at the speed of a copy with non-temporal stores; the two " +
		"overlap, but the sum must be known before the first store. Storing one row while exponentials of the next are computed was " +
		"tried: a tenth faster where memory is slow, a tenth slower where it is fast.",
	"rmsnorm": "bound by memory: compiled PyTorch is itself within 1.5 times of a copy with non-temporal stores, and the goal was taken " +
		"from eager PyTorch. A row takes 0.7 µs where all is in the cache, and 1.2 to be moved at the speed of a copy with non-temporal " +
		"stores; the two overlap, but the sum must be known before the first store.",
	"layernorm": "a row takes 1.0 µs where all is in the cache, and 1.2 to be moved at the speed of a copy with non-temporal stores; " +
		"the two overlap, but the sums must be known before the first store.",
	"softmax_matmul": "the product alone is 2.1 GFLOP, 9.3 ms of 14 at the full rate of both cores.",
	"mlp_train": "one core needs 0.68 ms for the step: products' tiles 0.48, where the multiply-adds alone take 0.45 when the gradient " +
		"of the input is not computed, Adam and what else follows products 0.1, packing 0.03. At best two cores take 0.15 ms for the " +
		"first product and 0.19 for the gradient of its weights with Adam behind it, where half of one core's time would be 0.12 and " +
		"0.17, and 18 small launches of together 0.045 run on one core.",
	"mlp_infer": "0.11 µs a layer is the product, whose packed weights are cached while their value is the same; the rest is the call: " +
		"its key and guards, references to six tensors, the result's handle, node and memory, and the collector's work for them.",
	"gpt2_train": "192 GFLOP take 0.83 s at the full rate of both cores and AdamW moves 3 GB, 0.06 s at the speed of a copy with " +
		"non-temporal stores: 1.4 times PyTorch's 1.27 s leaves 2 % for everything else. On one core the products' tiles take 1.73 s " +
		"where multiply-adds alone take 1.67, AdamW and what else follows products 0.3, packing operands 0.14 of 2.13 s.",
	"gpt2_half_train": "on two cores of a Xeon with AMX it takes 0.63 s, where PyTorch takes 0.81 s in bfloat16 and 1.27 s in float32, " +
		"of which the goal is taken: 2.0 times as fast. A quarter of it are products by AMX, which could not make up for the rest: " +
		"AdamW and what else follows products take three tenths, most of that waiting for 3 GB of float32 state, and converting to bf16 " +
		"pairs and packing operands a tenth.",
	"gather": "bound by memory, as PyTorch's: 45 of the 53 GB/s of a copy with non-temporal stores, from rows at random addresses.",
	"sum_last": "bound by memory, as PyTorch's. Both cores go forward through a half each, in blocks of 512 KiB. Asking for memory " +
		"ahead of time was tried and is slower (0.75 ms became 0.9 ms in the same minute); two or four rows at once are slower too (1.0 " +
		"to 1.1 ms against 0.87). Loops that only read memory took 0.76 ms where this took 0.78 and the sum of all 0.70, in pages as " +
		"large; in small pages they took a fifth longer.",
	"transpose": "bound by memory: nine tenths of a copy with non-temporal stores where memory is slow, two thirds where it is fast. " +
		"The goal was taken from eager PyTorch.",
	"sum_first": "bound by memory, at what reading allows; runs are on both sides of the goal.",
	"attention": "runs are on both sides of the goal.",
	"sum_all":   "bound by memory, as PyTorch's; see sum_last.",
	"conv3x3_nchw": "one core needs 16.9 ms where the multiply-adds alone take 15.7, and PyTorch 17.4. Of ours, 4 % go to copying the " +
		"input with its padding and 2 % to transposing the sums; a tenth more would be above what the multiply-adds allow. Two cores " +
		"share 32 blocks of 0.55 ms and wait for each other's last one, a fiftieth of the time.",
	"conv3x3_nchw_backward": "bound by multiply-adds in both programs, and neither uses Winograd's method. One core needs 17.2 ms for " +
		"the input's gradient and 18.2 for the kernels', where the multiply-adds alone take 15.7 each, and PyTorch 17.4 and 19.8.",
	"conv3x3_winograd": "of two cores' time two fifths are products, a quarter lays out and transforms the input, a tenth transforms " +
		"and writes the output.",
	"conv1x1": "bound by multiply-adds: they alone take 3.6 ms, 3.9 with operands packed and the result in the cache, and 4.1 with 25 " +
		"MB of results written to memory; 1.6 times PyTorch would be 3.75.",
	"conv7x7": "bound by multiply-adds: at 1.1 times PyTorch they would take 92 % of the machine's limit.",
	"add16_evaluated": "between collections it takes 0.46 to 0.49 µs. With a heap as small as here Go's collector runs every 12,000 " +
		"evaluations, every 6 ms; while it does, one takes 1.0 to 1.2 µs, and on a machine that is slow to run the collector's threads " +
		"that is a third to a half of the time.",
	"start": "runs are on both sides of 5 ms: 3.9 ms at best, 5.2 ms on a slow day of the machine, on which an earlier version that " +
		"took 2.8 to 3.8 ms takes as long.",
	"sgemm_512": packing, "sgemm_1024": packing, "sgemm_2048": packing, "sgemm_4096": packing,
	"sgemm_64": "work is left: one core alone takes 6.1 µs, five of them multiply-adds, and two 4.9: handing half of it over and " +
		"waiting for it costs nearly two.",
	"lstm": "one core needs 16.6 ms where the multiply-adds alone take 14.0: tiles of 10 and 11 rows, into which 32 sequences are cut, " +
		"gates' functions and writing states take the rest.",
	"lstm_backward": "as lstm.",
	"cnn_train": "half of the step are the two convolutions' products, at 85 to 90 % of the multiply-adds' rate; what follows a " +
		"convolution is stored twice, as the sum and after its activation.",
	"conv3x3_nhwc": "bound by multiply-adds in both programs: input and result are read and written in their own layout, and one core " +
		"needs 16.5 ms where they alone take 15.7, and PyTorch 16.5; a tenth more would be above what they allow. On two cores the " +
		"fastest runs of both take 8.3 ms; the rest is threads that wait for each other's last block, of which there are 112 now rather " +
		"than 28.",
}

const packing = "packing B takes 3 to 5 % of a core's time, and tiles run at 95 to 97 % of the probe's rate, which needs no memory."

// gpuReasons are those of a GPU's workloads.
var gpuReasons = map[string]string{
	"bf16_gemm_8192": "both programs run kernels of cuBLASLt, and the device's clock falls under load: runs are on both sides of the " +
		"goal.",
}
