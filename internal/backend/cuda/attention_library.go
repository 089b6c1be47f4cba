package cuda

import (
	"fmt"
	"sync"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/cudnn"
)

// Attention by cuDNN. Its kernels are specialised for one set of sizes and take about a second to compile. That pays for
// sizes that come again: in captured graphs, and eagerly once a kind of attention has done enough work.
const (
	worthAttention = 1e9  // FLOPs of one attention
	worthCompiling = 2e12 // FLOPs of one kind of attention, all calls together
)

// attentionWork counts the FLOPs of each kind of attention so far.
type attentionWork struct {
	sync.Mutex
	done   map[cudnn.Attention]float64
	cached map[cudnn.Attention]bool // an earlier process cached its plan
}

// attentionCached reports whether an earlier process cached cuDNN's plan for an attention: then it is ready at once. Under
// Deterministic the answer is no, since results must not depend on the cache.
func (d *call) attentionCached(a cudnn.Attention) bool {
	if !d.dnnUsed || d.ctx.Deterministic {
		return false
	}
	h, _ := d.dnn()
	if h == nil {
		return false
	}
	w := &d.attentions
	w.Lock()
	defer w.Unlock()
	cached, known := w.cached[a]
	if !known {
		if w.cached == nil {
			w.cached = map[cudnn.Attention]bool{}
		}
		cached = h.HasAttention(a)
		w.cached[a] = cached
	}
	return cached
}

// worth counts an attention and reports whether cuDNN should do it now, or will once it comes again.
func (d *call) worth(a cudnn.Attention) (now, later bool) {
	flops := 4 * float64(a.Q.At(0)) * float64(a.Q.At(1)) * float64(a.Q.At(2)) * float64(a.K.At(2)) * float64(max(a.Q.At(3), a.V.At(3)))
	if flops < worthAttention && !d.dnnAlways {
		return false, false
	}
	if work := d.attentions.add(a, flops, d.mode == running); !d.dnnAlways && d.mode != capturing && work < worthCompiling &&
		!d.attentionCached(a) {
		if d.mode == precompiling && work > 0 { // it comes again and will be captured: compile our kernels now in case there is no cuDNN
			d.openDNN()
		}
		return false, !d.dnnOff && (!d.dnnDone.Load() || d.dnnHandle != nil)
	}
	h, unknown := d.dnn()
	return h != nil || unknown, false
}

// add returns the FLOPs of a kind of attention so far, with these if they count.
func (w *attentionWork) add(a cudnn.Attention, flops float64, counts bool) float64 {
	w.Lock()
	defer w.Unlock()
	if w.done == nil {
		w.done = map[cudnn.Attention]float64{}
	}
	if counts {
		w.done[a] += flops
	}
	return w.done[a]
}

// attentionKind describes an attention to cuDNN; ok is false if cuDNN does not support it.
func attentionKind(p attr.Attention, q, k, v backend.View) (a cudnn.Attention, ok bool) {
	e, f := q.Shape.Dim(3), v.Shape.Dim(3)
	ints := attr.MakeInts
	a = cudnn.Attention{DType: q.DType, Causal: p.Causal, Q: ints(q.Shape.Dims()...), K: ints(k.Shape.Dims()...),
		V:        ints(v.Shape.Dims()...),
		QStrides: ints(q.Strides()...), KStrides: ints(k.Strides()...), VStrides: ints(v.Strides()...)}
	return a, q.DType.IsHalf() && p.Scale > 0 && e%8 == 0 && f%8 == 0 && min(e, f) > 0 && max(e, f) <= 256 && q.Shape.Dim(2) > 1 &&
		k.Shape.Dim(2) > 1
}

// attentionByLibrary tries cuDNN. done: it ran. later: it will, once this kind has done enough work.
func (d *call) attentionByLibrary(p attr.Attention, out, in []backend.View) (done, later bool, err error) {
	if _, ok := attentionKind(p, in[0], in[1], in[2]); !ok || len(in) > 3 || !fitsRows(out[0]) {
		return false, false, nil
	}
	x, err := d.inRows(in)
	if err != nil {
		return true, false, err
	}
	defer x.free()
	q, k, v := x.views[0], x.views[1], x.views[2]
	a, _ := attentionKind(p, q, k, v)
	a.YStrides = attr.MakeInts(out[0].Strides()...)
	if now, later := d.worth(a); !now {
		return false, later, nil
	}
	done, err = d.library("attention", fmt.Sprint(q.Shape, k.Shape), func(h *cudnn.Handle) error {
		return h.Attention(d.Device.Device, a, p.Scale, d.mode == running, d.pool, address(q), address(k), address(v), address(out[0]),
			address(out[1]))
	})
	return done, false, err
}

// lastWrongTail is the last version whose gradient reads out of bounds where the number of keys is no multiple of 128.
const lastWrongTail = 91500

// attentionGradByLibrary tries cuDNN; done and later are as in attentionByLibrary. Not under Deterministic: cuDNN
// accumulates the gradient of the queries by atomics.
func (d *call) attentionGradByLibrary(p attr.Attention, out []backend.View, in gradOperands) (done, later bool, err error) {
	if _, ok := attentionKind(p, in.q, in.k, in.v); !ok || len(in.mask) > 0 || p.Shifted || d.ctx.Deterministic ||
		in.k.Shape.Dim(2)%128 != 0 && cudnn.Version <= lastWrongTail {
		return false, false, nil
	}
	for _, o := range out {
		if !fitsRows(o) {
			return false, false, nil
		}
	}
	x, err := d.inRows([]backend.View{in.q, in.k, in.v, in.g, in.y})
	if err != nil {
		return true, false, err
	}
	defer x.free()
	q, k, v, g, y := x.views[0], x.views[1], x.views[2], x.views[3], x.views[4]
	a, _ := attentionKind(p, q, k, v)
	a.Backward, a.GStrides, a.YStrides = true, attr.MakeInts(g.Strides()...), attr.MakeInts(y.Strides()...)
	for i, o := range out {
		a.To[i] = attr.MakeInts(o.Strides()...)
	}
	if now, later := d.worth(a); !now {
		return false, later, nil
	}
	stat, err := d.denseAll([]backend.View{in.lse})
	if err != nil {
		return true, false, err
	}
	defer stat.free()
	sums, err := d.pool.Get("attention", 4*in.lse.Numel())
	if err != nil {
		return true, false, err
	}
	defer sums.Free()
	done, err = d.library("attention_grad", fmt.Sprint(q.Shape, k.Shape), func(h *cudnn.Handle) error {
		return h.AttentionGrad(d.Device.Device, a, p.Scale, d.mode == running, d.pool, address(q), address(k), address(v),
			address(g), address(y),
			address(stat.views[0]), sums.Dev, address(out[0]), address(out[1]), address(out[2]))
	})
	return done, false, err
}
