package backend

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// What a device can do beyond running kernels is a set of small interfaces. Device.Implement finds them by type assertion, once,
// when the device opens; a Device embeds the values it found, nil for what its device cannot do.

// Fuser runs programs of elementwise ops.
type Fuser interface {
	// CanFuse reports whether an elementwise op with these dtypes can be part of a program.
	CanFuse(op string, out dtype.DType, in []dtype.DType) bool
	// Prepare makes a program's Prep, so that it may then run in several goroutines at once.
	Prepare(p *Fused)
	// RunFused runs a prepared program; inputs have the shape of the outputs.
	RunFused(c *Ctx, p *Fused, out, in []View) error
}

// ReductionFuser is a Fuser whose programs may end with reductions.
type ReductionFuser interface {
	// CanFuseReduction reports whether a reduction of such a value can be part of a program.
	CanFuseReduction(op string, a attr.Attr, in dtype.DType, s *shape.Shape) bool
	// MaxFusedReductions is how many reductions over the same dimensions a program may have.
	MaxFusedReductions() int
	// ReducesInputs says that they may read an input of the program, and not only what an instruction computes.
	ReducesInputs() bool
}

// EpilogueFuser is a Fuser whose programs may be the epilogue of a product.
type EpilogueFuser interface {
	// CanTakeEpilogue reports whether a program can be the epilogue of an op.
	CanTakeEpilogue(op string, a attr.Attr, out dtype.DType) bool
	// EpilogueReduces says that an epilogue may end with reductions.
	EpilogueReduces() bool
}

// ShapeChecker is a Fuser whose prepared programs depend on their shape in part.
type ShapeChecker interface {
	// PreparedFor reports whether what Prepare decided for a program holds for the shape it has now.
	PreparedFor(p *Fused) bool
}

// HorizontalFuser is a Fuser that runs one program over several sets of operands as one launch.
type HorizontalFuser interface {
	// RunHorizontal runs a program over sets of operands: out and in hold one set behind the other, each of a shape of its own, and
	// none reads what another writes.
	RunHorizontal(c *Ctx, p *Fused, sets int, out, in []View) error
	// JoinsKernel reports whether RunJoined takes launches of an op's kernel, and which of their inputs must be the same.
	JoinsKernel(op string, a attr.Attr) (shared int, ok bool)
	// RunJoined is RunHorizontal for a kernel; operands of sets have the same dtypes and shapes.
	RunJoined(c *Ctx, op string, a attr.Attr, sets int, out, in []View) error
}

// RowFuser runs several programs over the same rows as one launch.
type RowFuser interface {
	// CanReduceRows reports whether RunRowFusion takes a reduction of rows of n elements.
	CanReduceRows(op string, a attr.Attr, in dtype.DType, n int) bool
	// CanRunAlongRows reports whether RunRowFusion takes an op along rows of n elements whose result has such rows too, as the only
	// instruction of a program.
	CanRunAlongRows(op string, in dtype.DType, n int) bool
	// RunRowFusion runs prepared programs; its operands are the outputs of all parts, and the inputs of all parts. Results have
	// the bits that the parts would give one after the other.
	RunRowFusion(c *Ctx, p *RowFusion, out, in []View) error
}

// CastFolder has kernels that convert as they load or store.
type CastFolder interface {
	// CanFoldCast reports whether an op's kernel takes input number in, whose dtype should be of, as elements of another one; in
	// -1: whether it writes its only output so. The cast next to it is then part of the launch.
	CanFoldCast(op string, in int, of, as dtype.DType) bool
}

// Pitcher prefers results whose rows begin at aligned addresses.
type Pitcher interface {
	// Pitch is the distance in elements between the rows of an op's result that its kernel writes best; not more than their length: one
	// row directly behind the other. A kernel with a larger pitch writes strided outputs.
	Pitch(op string, a attr.Attr, out dtype.DType, s *shape.Shape) int
}

// StridedWriter has kernels that write outputs of any strides.
type StridedWriter interface {
	// WritesStrided reports whether an op's kernel writes all its outputs with any layout, so that they can be parts of another value.
	WritesStrided(op string) bool
}

// Enqueuer computes asynchronously.
type Enqueuer interface {
	// Enqueue runs work in order, after the call has returned.
	Enqueue(work func())
}

// Waiter can be waited for.
type Waiter interface {
	// Wait returns when all work that was submitted to the device is done.
	Wait() error
}

// Transfer copies between host memory and memory that the host cannot read.
type Transfer interface {
	// Upload fills a contiguous buffer from host memory.
	Upload(dst *mem.Buffer, src []byte) error
	// Download fills host memory from a contiguous buffer. It waits for the work that wrote the buffer (mem.Buffer.LastWrite) and for no
	// later work.
	Download(dst []byte, src *mem.Buffer) error
}

// PeerCopier copies between devices of its type without going through the host.
type PeerCopier interface {
	// CopyPeer copies a contiguous buffer of another device, in stream order of both.
	CopyPeer(dst, src *mem.Buffer, from *Device) error
}

// Precompiler compiles kernels when they are first needed, and can start all compilations of a program at once.
type Precompiler interface {
	// Precompile lets show make the launches of a program in a launch mode that computes nothing.
	Precompile(show func(mode any))
	// NumCompiled counts the kernels compiled so far.
	NumCompiled() int64
}

// Capturer records launches, to run them again as one.
type Capturer interface {
	// Capture records the launches that show makes in the given launch mode. What they use other than inputs and state comes from Scratch.
	Capture(show func(mode any) error) (Graph, error)
	// Scratch is memory that recordings share: a device runs one of them at a time.
	Scratch() *mem.Pool
}

// ControlRecorder records control flow: what decides is read on the device. Parts are shown once, in a launch mode of their own. Outside
// of Capture the launch mode only compiles, and the parts are shown too.
type ControlRecorder interface {
	// RecordsControl reports whether the device can do so.
	RecordsControl() bool
	// RecordBranch records parts of which one runs, that whose number is in which, an int32 that is not out of range.
	RecordBranch(c *Ctx, which View, parts []func(c *Ctx) error) error
	// RecordLoop records a part that runs as long as again, a bool, is true; it is looked at before every round.
	RecordLoop(c *Ctx, again View, round func(c *Ctx) error) error
	// RecordRounds records a part that runs n times.
	RecordRounds(c *Ctx, n int, round func(c *Ctx) error) error
}

// Configurable has settings that launches depend on.
type Configurable interface {
	// Settings returns a number for the current settings: a program planned under one number is not run under another.
	Settings() int64
}

// HostFallback lets ops without a kernel run on the host, through Transfer.
type HostFallback interface {
	// Fallback is asked before an op does so; an error refuses.
	Fallback(op string) error
}

// Implement sets the device's capabilities to those that impl has.
func (d *Device) Implement(impl any) *Device {
	d.Fuser, _ = impl.(Fuser)
	d.ReductionFuser, _ = impl.(ReductionFuser)
	d.EpilogueFuser, _ = impl.(EpilogueFuser)
	d.HorizontalFuser, _ = impl.(HorizontalFuser)
	d.RowFuser, _ = impl.(RowFuser)
	d.ProductGrouper, _ = impl.(ProductGrouper)
	d.CastFolder, _ = impl.(CastFolder)
	d.Pitcher, _ = impl.(Pitcher)
	d.StridedWriter, _ = impl.(StridedWriter)
	d.Enqueuer, _ = impl.(Enqueuer)
	d.Waiter, _ = impl.(Waiter)
	d.Transfer, _ = impl.(Transfer)
	d.PeerCopier, _ = impl.(PeerCopier)
	d.Precompiler, _ = impl.(Precompiler)
	d.Capturer, _ = impl.(Capturer)
	d.ControlRecorder, _ = impl.(ControlRecorder)
	d.Configurable, _ = impl.(Configurable)
	d.HostFallback, _ = impl.(HostFallback)
	return d
}
