package llm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/internal/par"
)

// recipe says in which type each matrix of a file is stored.
type recipe struct {
	base   ggml.Type
	mix    byte   // 's' or 'm': some matrices have more bits, as in llama.cpp's mixtures of that name; 0: none have
	number uint32 // general.file_type of GGUF files
	layers int
	tied   bool // the embeddings are the head
}

// mixes are the mixtures.
var mixes = map[string]recipe{
	"q4_k_s": {base: ggml.Q4_K, mix: 's', number: 14}, "q4_k_m": {base: ggml.Q4_K, mix: 'm', number: 15},
	"q5_k_s": {base: ggml.Q5_K, mix: 's', number: 16}, "q5_k_m": {base: ggml.Q5_K, mix: 'm', number: 17},
}

// Formats lists what SaveOptions.Format may be.
func Formats() []string {
	return []string{"f32", "f16", "bf16", "q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "q4_k", "q5_k", "q6_k", "q4_k_s", "q4_k_m", "q5_k_s",
		"q5_k_m"}
}

// parseFormat reads the name of a type or of a mixture; "" is f32.
func parseFormat(name string) recipe {
	if r, ok := mixes[strings.ToLower(name)]; ok {
		return r
	}
	kind, ok := ggml.F32, true
	if name != "" {
		kind, ok = ggml.Parse(strings.ToUpper(name))
	}
	number, known := fileTypes[kind]
	if !ok || !known || !kind.CanQuantize() {
		fault.Throw(fault.Value, op, "the format %q; want one of %q", name, Formats())
	}
	return recipe{base: kind, number: number}
}

// smaller are types for rows that are no whole blocks of a type of 256 elements.
var smaller = map[ggml.Type]ggml.Type{ggml.Q4_K: ggml.Q5_0, ggml.Q5_K: ggml.Q5_1, ggml.Q6_K: ggml.Q8_0}

// plainNames are matrices that stay float32: they are small, and the result hangs on each of their numbers.
var plainNames = []string{"position_embd.weight", "token_types.weight", "rope_freqs.weight"}

// of is the type of a tensor by its name in a GGUF file.
func (r recipe) of(name string, shape []int) ggml.Type {
	if len(shape) < 2 || slices.Contains(plainNames, name) || small(name) {
		return ggml.F32
	}
	kind, row := r.mixed(name), shape[len(shape)-1]
	try := []ggml.Type{kind, ggml.Q8_0, ggml.F32}
	if r.mix != 0 {
		try = []ggml.Type{kind, smaller[kind], ggml.F16}
	}
	for _, k := range try {
		if _, ok := k.RowBytes(row); ok {
			return k
		}
	}
	return ggml.F32
}

// mixed is the type before rows are looked at.
func (r recipe) mixed(name string) ggml.Type {
	if r.mix == 0 {
		return r.base
	}
	rest, inLayer := strings.CutPrefix(name, "blk.")
	number, part, _ := strings.Cut(rest, ".")
	i, err := strconv.Atoi(number)
	eighth, down := r.layers/8, part == "ffn_down.weight" || part == "ffn_down_exps.weight"
	more := i < eighth || i >= 7*eighth || (i-eighth)%3 == 2
	switch {
	case name == "output.weight" || name == "token_embd.weight" && r.tied:
		return ggml.Q6_K
	case !inLayer || err != nil:
	case r.mix == 'm' && more && (part == "attn_v.weight" || down):
		return ggml.Q6_K
	case r.mix == 's' && r.base == ggml.Q4_K && (part == "attn_v.weight" && i < 4 || down && i < eighth):
		return ggml.Q5_K
	}
	return r.base
}

// quantizeBlocks is how many blocks of a tensor are converted at a time.
const quantizeBlocks = 1 << 10

// quantize converts numbers to blocks of a type, on all processors. Blocks do not depend on each other.
func quantize(kind ggml.Type, values []float32) []byte {
	n, ok := kind.RowBytes(len(values))
	if !ok {
		fault.Throw(fault.Internal, op, "%d elements are no whole blocks of %v", len(values), kind)
	}
	data := make([]byte, n)
	size, bytes := quantizeBlocks*kind.BlockSize(), quantizeBlocks*kind.BlockBytes()
	err := par.For((len(values)+size-1)/size, func(i int) {
		ggml.Quantize(kind, data[i*bytes:min((i+1)*bytes, n)], values[i*size:min((i+1)*size, len(values))])
	})
	if err != nil {
		fault.Rethrow(op, err)
	}
	return data
}
