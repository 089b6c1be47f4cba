package exec

import (
	"context"
	"runtime"
	"time"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/par"
	"github.com/lucid-go/lucid/internal/profile"
)

// pacedWork is after how many elements a run looks at the clock.
const pacedWork = 1 << 14

// execute runs the steps. A step that fails, or reads a value that failed, leaves its outputs failed; other steps
// go on. It returns an error only when the run was given up as a whole.
func (r *run) execute(ctx context.Context, deterministic bool) error {
	views := r.space
	kc := &r.ctx
	kc.Context, kc.Deterministic, kc.For = ctx, deterministic, par.For
	cancelable := ctx.Done() != nil
	shown := r.precompiled
	if r.ready && r.launchCache == nil {
		r.launchCache = make([]any, len(r.prog.steps))
	}
	if r.prog.checks {
		kc.DeferCheck = r.deferCheck
		defer r.finishChecks()
	}
	work, pace := 0, par.Pace{}
	for k := range r.prog.steps {
		s := &r.prog.steps[k]
		r.at = k
		if cancelable && k <= r.donates {
			if err := ctx.Err(); err != nil {
				return &fault.Error{Kind: fault.Canceled, Op: "eval", Msg: "stopped before " + s.op, Err: err}
			}
		}
		n := len(s.out) + len(s.in)
		v := views[:n:n]
		views = views[n:]
		if r.update && len(r.deferred) > 0 && r.overwrites(s) {
			r.checkNow(k)
		}
		failed := 0
		if r.errs != nil {
			if failed = r.propagateFailures(s); failed == s.parts() || r.withheld(s) {
				r.skipped = append(r.skipped, k)
				continue
			}
		}
		if r.inRange(s) {
			continue
		}
		r.views(s, v)
		kc.StableInputs = s.stableInputs
		if len(r.took) > 0 { // some of them may be written over before they are read
			kc.StableInputs = s.fixedInputs
		}
		if r.ready {
			kc.LaunchCache = &r.launchCache[k]
		}
		compiled := int64(0)
		if !shown && s.dev.Precompiler != nil {
			compiled = s.dev.NumCompiled()
		}
		if failed > 0 {
			r.launchParts(kc, s, v[:len(s.out)], v[len(s.out):])
		} else if err := launch(kc, s, v[:len(s.out)], v[len(s.out):]); err != nil {
			r.fail(s, err)
		}
		if work += s.out[0].shape.Numel(); work >= pacedWork { // many short launches are long together
			work = 0
			pace.Step()
		}
		// Where one kernel had to be compiled, others may have to be: compile all of them at the same time.
		if !shown && s.dev.Precompiler != nil && s.dev.NumCompiled() != compiled {
			shown = true
			s.dev.Precompile(func(mode any) { r.precompile(k+1, s.dev, mode) })
		}
	}
	r.whole = r.errs == nil
	runtime.KeepAlive(r) // kernels hold slices; the buffers must not be collected under them
	return nil
}

// views fills in the operands of a step, outputs first.
func (r *run) views(s *step, v []backend.View) {
	if r.ready {
		for i := range s.out {
			v[i].Buf = r.bufs[s.out[i].buf]
		}
		v = v[len(s.out):]
		for i := range s.in {
			v[i].Buf = r.bufs[s.in[i].buf]
		}
		return
	}
	for i, o := range s.out {
		v[i] = backend.View{Buf: r.bufs[o.buf], DType: o.dtype, Shape: o.shape, Lay: o.lay}
	}
	for i, o := range s.in {
		v[len(s.out)+i] = backend.View{Buf: r.bufs[o.buf], DType: o.dtype, Shape: o.shape, Lay: o.lay}
	}
}

// launchInMode makes launch number k in a launch mode.
func (r *run) launchInMode(kc *backend.Ctx, k int) error {
	s := &r.prog.steps[k]
	kc.Step = k
	v := make([]backend.View, len(s.out)+len(s.in))
	was := r.ready
	r.ready = false // these are no operands of the run's own
	r.views(s, v)
	r.ready = was
	return launch(kc, s, v[:len(s.out)], v[len(s.out):])
}

// precompile makes the launches from number k on in a mode that only compiles. An error is not final: it comes again when they run.
func (r *run) precompile(k int, d *backend.Device, mode any) {
	kc := &backend.Ctx{Context: context.Background(), For: par.For, LaunchMode: mode}
	for ; k < len(r.prog.steps); k++ {
		if r.prog.steps[k].dev == d {
			_ = r.launchInMode(kc, k)
		}
	}
}

// deferredCheck is a check that a step left for the end of the run.
type deferredCheck struct {
	step  int
	check func() error
}

func (r *run) deferCheck(check func() error) {
	r.deferred = append(r.deferred, deferredCheck{r.at, check})
}

// finishChecks runs the deferred checks; a device error fails its step and those that read from it.
func (r *run) finishChecks() { r.checkNow(len(r.prog.steps)) }

// checkNow runs the checks that were deferred by the launches before number end. An asynchronous device is waited for as far as the last of
// these launches: what was submitted behind it goes on. An update does so before it writes over its old state, which would be lost.
func (r *run) checkNow(end int) {
	failed := false
	for _, l := range r.deferred {
		if err := l.check(); err != nil {
			r.fail(&r.prog.steps[l.step], err)
			failed = true
		}
	}
	clear(r.deferred)
	if r.deferred = r.deferred[:0]; !failed {
		return
	}
	for k := range end {
		r.propagateFailures(&r.prog.steps[k])
	}
}

// launch runs a step, and records it if the profiler is active; a panic in a kernel is an error.
func launch(kc *backend.Ctx, s *step, out, in []backend.View) (err error) {
	if rec := profile.Active(); rec != nil && kc.LaunchMode == nil { // in a launch mode nothing runs
		defer noteStep(rec, time.Now(), s, out, in)
	}
	defer func() {
		if p := recover(); p != nil {
			err = fault.FromPanic(s.op, p)
		}
	}()
	if s.module != "" {
		return labelled(s, func() error { return s.start(kc, out, in) })
	}
	return s.start(kc, out, in)
}

// start runs the kernel or the program of a step.
func (s *step) start(kc *backend.Ctx, out, in []backend.View) error {
	switch {
	case s.sets > 0 && s.fused == nil:
		return s.dev.RunJoined(kc, s.op, s.attr, s.sets, out, in)
	case s.sets > 0:
		return s.dev.RunHorizontal(kc, s.fused, s.sets, out, in)
	case s.fused != nil:
		return s.dev.RunFused(kc, s.fused, out, in)
	}
	return s.kernel(kc, s.attr, out, in)
}

// launchParts runs the parts of a step whose inputs have values, each by itself.
func (r *run) launchParts(kc *backend.Ctx, s *step, out, in []backend.View) {
	one := step{op: s.op, kernel: s.kernel, attr: s.attr, fused: s.fused, dev: s.dev}
	for k := range s.sets {
		if r.failure(part(s, s.in, k)) != nil {
			continue
		}
		if err := launch(kc, &one, part(s, out, k), part(s, in, k)); err != nil {
			one.out = part(s, s.out, k)
			r.fail(&one, err)
		}
	}
}
