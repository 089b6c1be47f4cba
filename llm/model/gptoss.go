package model

import (
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/ggml"
)

func init() {
	families = append(families, &family{name: "gpt_oss", arch: "gpt-oss", classes: []string{"GptOssForCausalLM"}, hf: gptOSSHF,
		gguf: gptOSSGGUF, write: writeGPTOSS, weights: gptOSSWeights})
}

// gptOSS sets what all models of the family have.
func (c *Config) gptOSS(experts, used, size int) {
	c.Sinks, c.QKVBias, c.OutBias = true, true, true
	c.MoE = &MoE{Experts: experts, PerToken: used, Size: size, Routing: TopKRouting, RouterBias: true, Bias: true, Limit: 7, Alpha: 1.702}
}

func gptOSSHF(k *keys, c *Config) {
	c.Eps = k.number("rms_norm_eps", 1e-5)
	c.HeadDim = k.whole("head_dim", 64)
	c.setQueryScale(float64(c.HeadDim))
	c.gptOSS(k.whole("num_local_experts", 128), k.whole("num_experts_per_tok", k.whole("experts_per_token", 4)), c.Intermediate)
	k.get("experts_per_token")
	k.get("initial_context_length")
	k.must("attention_bias", true)
	c.MoE.Limit, c.MoE.Alpha = k.number("swiglu_limit", c.MoE.Limit), k.number("swiglu_alpha", c.MoE.Alpha)
	c.Window = k.whole("sliding_window", 128)
	k.layerTypes(c, func(layer int) bool { return layer%2 == 0 })
	if q := k.object("quantization_config"); q != nil {
		q.must("quant_method", "mxfp4")
		q.get("modules_to_not_convert") // the tensors show which are in blocks
		q.rest(nil)
	}
}

func gptOSSGGUF(k *metadata, c *Config) {
	c.gptOSS(k.whole("expert_count", 0), k.whole("expert_used_count", 0), k.whole("expert_feed_forward_length", c.Intermediate))
	c.Window = k.whole("attention.sliding_window", 128)
	k.windowed(c, func(layer int) bool { return layer%2 == 0 })
	c.RoPE.NoTruncate = c.RoPE.Kind == "yarn" // as the model was trained, though no key says so
}

func writeGPTOSS(k *writer, c *Config) {
	writeExperts(k, c)
	k.whole("expert_feed_forward_length", c.MoE.Size)
}

func gptOSSWeights(c *Config, w Source) Source {
	if !w.Has("model.layers.0.mlp.router.weight") {
		return w
	}
	plain := checkpoint{w, func(name string, shape []int) stored {
		before, after, found := strings.Cut(name, ".mlp.experts.")
		if !found {
			return stored{name: renamed(name, ".mlp.gate.", ".mlp.router.")}
		}
		proj, kind, _ := strings.Cut(after, ".")
		s := stored{name: before + ".mlp.experts."}
		switch {
		case proj == "down_proj" && kind == "weight":
			s.name += proj
			s.form = func(t *lucid.Tensor) *lucid.Tensor { return t.Transpose(1, 2) }
		case proj == "down_proj":
			s.name += "down_proj_bias"
		case kind == "weight": // columns of the gate and of the other input alternate
			s.name += "gate_up_proj"
			s.form = func(t *lucid.Tensor) *lucid.Tensor { return alternate(t.Transpose(1, 2), proj) }
		default:
			s.name += "gate_up_proj_bias"
			s.form = func(t *lucid.Tensor) *lucid.Tensor { return alternate(t, proj) }
		}
		if shape != nil && s.form != nil {
			s.shape = gptOSSShape(proj, shape)
		}
		return s
	}}
	if b, ok := w.(ByteSource); ok && w.Has("model.layers.0.mlp.experts.gate_up_proj_blocks") {
		return mxfp4Checkpoint{plain, b}
	}
	return plain
}

// gptOSSShape is the shape of the tensor that a stack of matrices, or of biases, is stored in.
func gptOSSShape(proj string, shape []int) []int {
	switch {
	case proj == "down_proj":
		return []int{shape[0], shape[2], shape[1]}
	case len(shape) == 3:
		return []int{shape[0], shape[2], 2 * shape[1]}
	}
	return []int{shape[0], 2 * shape[1]}
}

// alternate takes every other row: the gate has the even ones.
func alternate(t *lucid.Tensor, proj string) *lucid.Tensor {
	shape := t.Shape()
	whole := append([]int{shape[0], shape[1] / 2, 2}, shape[2:]...)
	part := 0
	if proj == "up_proj" {
		part = 1
	}
	return t.Reshape(whole...).Narrow(2, part, 1).Squeeze(2)
}

// mxfp4Checkpoint has experts in blocks of 32 elements: 16 bytes, and the exponent of a power of two in a tensor of its own.
type mxfp4Checkpoint struct {
	checkpoint
	bytes ByteSource
}

// Blocks returns experts as GGUF files have them, which have the same numbers in another order.
func (w mxfp4Checkpoint) Blocks(name string, shape ...int) (b Blocks, ok bool) {
	if !strings.Contains(name, ".mlp.experts.") || !strings.HasSuffix(name, ".weight") {
		return w.checkpoint.Blocks(name, shape...)
	}
	if !w.bytes.Exact() {
		return b, false
	}
	data := w.repacked(name, shape)
	return Blocks{Data: lucid.New(data, shape[0], shape[1], len(data)/(shape[0]*shape[1])).Eval(), Type: ggml.MXFP4}, true
}

// Tensor returns a weight; experts are dequantised.
func (w mxfp4Checkpoint) Tensor(name string, shape ...int) *lucid.Tensor {
	if !strings.Contains(name, ".mlp.experts.") || !strings.HasSuffix(name, ".weight") {
		return w.checkpoint.Tensor(name, shape...)
	}
	data := w.repacked(name, shape) // which checks the shape
	values := make([]float32, len(data)/17*32)
	ggml.Dequantize(ggml.MXFP4, values, data)
	return w.bytes.Converted(lucid.FromSlice(values, shape...))
}

// repacked reads a stack of matrices, (experts, out, in), and lays its blocks out as GGUF files do: the exponent, then bytes of an
// element of the first half and one of the second. In checkpoints two neighbours share a byte, and rows of the gate and of the other
// input alternate.
func (w mxfp4Checkpoint) repacked(name string, shape []int) []byte {
	before, proj, _ := strings.Cut(strings.TrimSuffix(name, ".weight"), ".mlp.experts.")
	experts, out, groups := shape[0], shape[1], shape[2]/32
	if shape[2]%32 != 0 {
		refuse("%s has rows of %d elements; blocks have 32", name, shape[2])
	}
	rows, step, first := out, 1, 0
	stored := before + ".mlp.experts." + proj
	if proj != "down_proj" {
		stored, rows, step = before+".mlp.experts.gate_up_proj", 2*out, 2
		if proj == "up_proj" {
			first = 1
		}
	}
	blocks := w.bytes.Bytes(stored+"_blocks", experts, rows, groups, 16)
	scales := w.bytes.Bytes(stored+"_scales", experts, rows, groups)
	data := make([]byte, experts*out*groups*17)
	for i := range experts * out {
		from := (i/out*rows + i%out*step + first) * groups
		for g := range groups {
			src, dst := blocks[(from+g)*16:][:16], data[(i*groups+g)*17:][:17]
			dst[0] = scales[from+g]
			for j := range 16 { // element j and element j+16
				low, high := src[j/2]>>(j%2*4)&15, src[8+j/2]>>(j%2*4)&15
				dst[1+j] = low | high<<4
			}
		}
	}
	return data
}
