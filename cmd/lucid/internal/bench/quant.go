package bench

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/quant"
)

// Sizes of a layer of Llama 3.2 1B: what is projected, and how often in a layer.
var llamaLayer = []struct{ out, in int }{
	{2048, 2048}, {512, 2048}, {512, 2048}, {2048, 2048}, // queries, keys, values, output
	{8192, 2048}, {8192, 2048}, {2048, 8192}, // gate, up, down
}

// blockBytes are the bytes of 256 elements.
var blockBytes = map[string]int{"q8_0": 272, "q5_0": 176, "q4_0": 144, "q4_k": 144, "q6_k": 210}

// quantized adds the products of a layer with weights in block formats: of one row, which reads them from memory, of eight, and of
// 512. Four layers are more than caches hold.
func quantized() {
	elements := 0
	for _, l := range llamaLayer {
		elements += l.out * l.in
	}
	for _, format := range []string{"q8_0", "q5_0", "q4_0", "q4_k", "q6_k"} {
		bytes := float64(elements / 256 * blockBytes[format])
		for _, rows := range []int{1, 8, 512} {
			w := Workload{Name: fmt.Sprintf("quant_%s_%d", format, rows),
				About: fmt.Sprintf("products of a Llama-1B layer in %s, %d rows", format, rows),
				make:  func() job { return layerJob(format, rows) }}
			if rows == 1 {
				w.Bytes, w.Limit = bytes, "read"
			} else {
				w.Flops = 2 * float64(rows*elements)
			}
			add(w)
		}
	}
}

// sameRows is how many rows of a matrix are quantized, and then repeated: searching for the scales of a whole layer takes seconds.
const sameRows = 64

// layerJob multiplies with the next layer of four at each run.
func layerJob(format string, rows int) job {
	const layers = 4
	var weights [layers][]*lucid.Tensor
	for i := range weights {
		for j, l := range llamaLayer {
			some := quant.QuantizeBlocks(random(uint32(1+i*len(llamaLayer)+j), 1, sameRows, l.in), format)
			weights[i] = append(weights[i], some.Repeat(l.out/sameRows, 1).Eval())
		}
	}
	x := map[int]*lucid.Tensor{2048: random(100, 1, rows, 2048), 8192: random(101, 1, rows, 8192)}
	var steps [layers]func(x, wide *lucid.Tensor) *lucid.Tensor
	for i := range steps {
		steps[i] = lucid.Compile(func(x, wide *lucid.Tensor) *lucid.Tensor {
			var all []*lucid.Tensor
			for j, w := range weights[i] {
				in := x
				if llamaLayer[j].in == 8192 {
					in = wide
				}
				all = append(all, quant.MatMulBlocks(in, w, format, quant.BlockOptions{Fast: true}))
			}
			return lucid.Cat(all, -1)
		})
	}
	next := 0
	var out *lucid.Tensor
	run := func() {
		y := steps[next](x[2048], x[8192]).Eval()
		if out != nil {
			out.Free()
		}
		out, next = y, (next+1)%layers
	}
	return job{run: run, result: func() []*lucid.Tensor { next = 0; run(); return []*lucid.Tensor{out} }, step: steps[0]}
}
