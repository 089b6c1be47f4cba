package model

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/fault"
)

// op names the package in errors.
const op = "llm"

// Limits on what a file may ask for, far above models that exist.
const (
	maxLayers  = 1024
	maxWidth   = 1 << 18
	maxVocab   = 1 << 22
	maxContext = 1 << 24
)

// activations are the functions that activate knows.
var activations = []string{"silu", "gelu_pytorch_tanh", "gelu", "relu"}

// Config is what tells one model of these blocks from another. Fields that a family does not use are zero.
type Config struct {
	Family       string // one of Families
	Layers       int
	Hidden       int
	Intermediate int
	Heads        int
	KVHeads      int
	HeadDim      int
	Vocab        int
	Context      int // the most positions

	Eps        float64
	NormOffset float64 // added to the weights of norms: 1 for Gemma's checkpoints
	Activation string  // one of activations
	QueryScale float64 // scores of attention are multiplied by it
	EmbedScale float64 // embeddings are multiplied by it; 0: they are not

	RoPE      RoPE
	LocalRoPE *RoPE  // of layers with a window; nil: RoPE
	RotaryDim int    // the first elements of a head, which rotate; 0: all
	Unrotated []bool // which layers know nothing of positions; nil: none
	Window    int    // keys that a layer with a window sees, its own position included
	Windowed  []bool // which layers have a window; nil: none

	QKVBias   bool
	OutBias   bool
	MLPBias   bool
	QKNorm    QKNorm
	PostNorms bool // results of attention and MLP are normalised before they are added
	NoInNorms bool // with PostNorms: what they take is not normalised
	Tied      bool // logits are products with the embeddings

	LayerNorms bool // norms subtract the mean and have a bias, as GPT-2's
	Learned    bool // positions are embeddings, not rotations
	PlainMLP   bool // the MLP has no gate
	Parallel   bool // attention and MLP take the same input, and their results are added to it together
	OneNorm    bool // with Parallel: they share a norm
	Sinks      bool // every head has a score for no key at all

	MoE *MoE // some layers are mixtures of experts; nil: none
	MLA *MLA // keys and values are made of a small vector; nil: they are projections

	Encoder       bool // tokens see those behind them, and there is no head
	TokenTypes    int  // of an encoder; 0: none
	FirstPosition int  // row of the table of positions that the first token has
	PadPosition   bool // padding tokens have the row before FirstPosition, and are not counted
	Buckets       int  // of distances whose numbers are added to scores; 0: none

	AttentionCap float64 // scores s become cap·tanh(s/cap); 0: they stay
	LogitCap     float64
}

// QKNorm says how queries and keys are normalised.
type QKNorm string

// The kinds of norms of queries and keys.
const (
	NoQKNorm    QKNorm = ""      // none
	HeadQKNorm  QKNorm = "head"  // RMS norm in each head, with one weight for all heads
	FlatQKNorm  QKNorm = "flat"  // RMS norm over all heads
	LayerQKNorm QKNorm = "layer" // layer norm in each head, with a weight for each head and no bias
)

func refuse(format string, args ...any) { fault.Throw(fault.Format, op, format, args...) }

func unsupported(format string, args ...any) { fault.Throw(fault.NotImplemented, op, format, args...) }

// check refuses what no model has, so that sizes can be multiplied without overflow later.
func (c *Config) check() {
	for _, n := range []struct {
		name  string
		value int
		most  int
	}{
		{"layers", c.Layers, maxLayers}, {"hidden size", c.Hidden, maxWidth}, {"intermediate size", c.Intermediate, maxWidth},
		{"heads", c.Heads, maxWidth}, {"key-value heads", c.KVHeads, maxWidth}, {"head dimension", c.HeadDim, maxWidth},
		{"vocabulary", c.Vocab, maxVocab}, {"context", c.Context, maxContext},
	} {
		if n.value < 1 || n.value > n.most {
			refuse("the number of %s is %d; want 1 to %d", n.name, n.value, n.most)
		}
	}
	switch {
	case c.Heads%c.KVHeads != 0:
		refuse("%d heads are no multiple of %d key-value heads", c.Heads, c.KVHeads)
	case c.HeadDim%2 != 0:
		refuse("the head dimension is %d; rotary positions want an even number", c.HeadDim)
	case c.Heads*c.HeadDim > maxWidth:
		refuse("%d heads of %d elements; want at most %d elements", c.Heads, c.HeadDim, maxWidth)
	case !(c.Eps >= 0 && c.Eps < 1):
		refuse("the epsilon of norms is %v; want 0 to 1", c.Eps)
	case !slices.Contains(activations, c.Activation):
		unsupported("the activation %q; want one of %q", c.Activation, activations)
	case c.TokenTypes < 0 || c.TokenTypes > maxWidth:
		refuse("%d types of tokens; want 0 to %d", c.TokenTypes, maxWidth)
	case c.RotaryDim < 0 || c.RotaryDim > c.HeadDim || c.RotaryDim%2 != 0:
		refuse("rotary positions for %d of %d elements; want an even number", c.RotaryDim, c.HeadDim)
	case c.Unrotated != nil && len(c.Unrotated) != c.Layers:
		refuse("%d kinds of positions for %d layers", len(c.Unrotated), c.Layers)
	case c.Window < 0:
		refuse("a window of %d keys", c.Window)
	case c.Windowed != nil && len(c.Windowed) != c.Layers:
		refuse("%d kinds of layers for %d layers", len(c.Windowed), c.Layers)
	}
	for _, v := range []float64{c.QueryScale, c.EmbedScale, c.AttentionCap, c.LogitCap} {
		if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			refuse("a scale or cap is %v; want a finite number that is not negative", v)
		}
	}
	if c.MoE != nil {
		c.MoE.check(c.Layers)
	}
	if c.MLA != nil {
		c.MLA.check(c)
	}
	if c.Learned {
		return
	}
	c.RoPE.check(c.rotaryDim())
	if c.LocalRoPE != nil {
		c.LocalRoPE.check(c.rotaryDim())
	}
}

// rotaryDim is how many elements of a head rotate.
func (c *Config) rotaryDim() int {
	if c.RotaryDim > 0 {
		return c.RotaryDim
	}
	return c.HeadDim
}

// rotated reports whether a layer knows positions.
func (c *Config) rotated(layer int) bool {
	return !c.Learned && (c.Unrotated == nil || !c.Unrotated[layer])
}

// cacheShapes are heads and elements of the tensors in a layer's cache.
func (c *Config) cacheShapes() [][2]int {
	if c.MLA != nil { // the vector that keys and values are made of, and the part of keys that rotates
		return [][2]int{{1, c.MLA.KVRank + c.MLA.Rope}}
	}
	return [][2]int{{c.KVHeads, c.HeadDim}, {c.KVHeads, c.HeadDim}}
}

// CacheElements is how many elements a cache has for each position.
func (c *Config) CacheElements() (n int) {
	for _, s := range c.cacheShapes() {
		n += c.Layers * s[0] * s[1]
	}
	return n
}

// windowed reports whether a layer sees a window only.
func (c *Config) windowed(layer int) bool {
	return c.Window > 0 && c.Windowed != nil && c.Windowed[layer]
}

// allWindowed says that every layer has a window.
func (c *Config) allWindowed() {
	c.Windowed = make([]bool, min(max(c.Layers, 0), maxLayers))
	for i := range c.Windowed {
		c.Windowed[i] = true
	}
}

// setQueryScale makes scores be divided by the root of n.
func (c *Config) setQueryScale(n float64) {
	if n > 0 {
		c.QueryScale = 1 / math.Sqrt(n)
	}
}
