package cuda

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// fusion is which programs a GPU takes; it needs no device.
type fusion struct{}

// CanFuse implements backend.Fuser.
func (fusion) CanFuse(op string, out dtype.DType, in []dtype.DType) bool { return canFuse(op, out, in) }

// Prepare implements backend.Fuser.
func (fusion) Prepare(p *backend.Fused) { prepare(p) }

// CanFuseReduction implements backend.ReductionFuser.
func (fusion) CanFuseReduction(op string, a attr.Attr, in dtype.DType, s *shape.Shape) bool {
	return canFuseReduction(op, a, in, s)
}

// MaxFusedReductions implements backend.ReductionFuser.
func (fusion) MaxFusedReductions() int { return maxReductions }

// ReducesInputs implements backend.ReductionFuser.
func (fusion) ReducesInputs() bool { return false }

// CanTakeEpilogue implements backend.EpilogueFuser.
func (fusion) CanTakeEpilogue(op string, a attr.Attr, out dtype.DType) bool {
	return canTakeEpilogue(op, a, out)
}

// EpilogueReduces implements backend.EpilogueFuser.
func (fusion) EpilogueReduces() bool { return true }

// stridedWriter is which kernels write outputs of any layout.
type stridedWriter struct{}

// WritesStrided implements backend.StridedWriter.
func (stridedWriter) WritesStrided(op string) bool {
	return op == "attention" || op == "attention_grad"
}

// capabilities is what a GPU can do beyond running kernels.
type capabilities struct {
	fusion
	stridedWriter
	d *Device
}

// RunFused implements backend.Fuser.
func (g capabilities) RunFused(c *backend.Ctx, p *backend.Fused, out, in []backend.View) error {
	return g.d.runInMode(c, p, out, in)
}

// RunHorizontal implements backend.HorizontalFuser.
func (g capabilities) RunHorizontal(c *backend.Ctx, p *backend.Fused, sets int, out, in []backend.View) error {
	return g.d.runHorizontal(c, p, sets, out, in)
}

// JoinsKernel implements backend.HorizontalFuser.
func (capabilities) JoinsKernel(op string, a attr.Attr) (shared int, ok bool) {
	s, ok := a.(attr.Scatter)
	return 1, ok && op == "put_slices" && s.Reduce == attr.ReduceSet
}

// RunJoined implements backend.HorizontalFuser.
func (g capabilities) RunJoined(c *backend.Ctx, op string, a attr.Attr, sets int, out, in []backend.View) error {
	if out[0].Numel() == 0 {
		return nil
	}
	f := g.d.inMode(c)
	if done, err := f.storeHeld(c, a, sets, out, in); done || err != nil {
		return err
	}
	return f.tracked(op, out, in, func() error { return f.putJoined(c, a, sets, out, in) })
}

// CanReduceRows implements backend.RowFuser.
func (g capabilities) CanReduceRows(op string, a attr.Attr, in dtype.DType, n int) bool {
	return canReduceRows(op, a, in, n)
}

// CanRunAlongRows implements backend.RowFuser.
func (g capabilities) CanRunAlongRows(op string, in dtype.DType, n int) bool {
	return canRunAlongRows(op, in, n)
}

// RunRowFusion implements backend.RowFuser.
func (g capabilities) RunRowFusion(c *backend.Ctx, p *backend.RowFusion, out, in []backend.View) error {
	return g.d.runRows(c, p, out, in)
}

// CanFoldCast implements backend.CastFolder.
func (g capabilities) CanFoldCast(op string, in int, of, as dtype.DType) bool {
	return canFoldCast(op, in, of, as)
}

// Pitch implements backend.Pitcher.
func (g capabilities) Pitch(op string, a attr.Attr, out dtype.DType, s *shape.Shape) int {
	return pitch(op, a, out, s)
}

// Wait implements backend.Waiter.
func (g capabilities) Wait() error { return g.d.Sync() }

// Upload implements backend.Transfer.
func (g capabilities) Upload(dst *mem.Buffer, src []byte) error { return g.d.upload(dst, src) }

// Download implements backend.Transfer.
func (g capabilities) Download(dst []byte, src *mem.Buffer) error { return g.d.download(dst, src) }

// CopyPeer implements backend.PeerCopier.
func (g capabilities) CopyPeer(dst, src *mem.Buffer, from *backend.Device) error {
	return g.d.peer(dst, src, from)
}

// Precompile implements backend.Precompiler.
func (g capabilities) Precompile(show func(mode any)) { g.d.precompile(show) }

// NumCompiled implements backend.Precompiler.
func (g capabilities) NumCompiled() int64 { return g.d.begun.Load() }

// Settings implements backend.Configurable.
func (g capabilities) Settings() int64 { return settings() }

// Fallback implements backend.HostFallback.
func (g capabilities) Fallback(op string) error { return g.d.fallback(op) }

// withGraphs adds CUDA graphs.
type withGraphs struct{ capabilities }

// Capture implements backend.Capturer.
func (g withGraphs) Capture(show func(mode any) error) (backend.Graph, error) {
	return g.d.capture(show)
}

// Scratch implements backend.Capturer.
func (g withGraphs) Scratch() *mem.Pool { return g.d.graphs.pool }
