package exec

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/scope"
)

// planMu serialises planning. Plans run outside it: a plan depends only on plans made before it, so waiting for
// their events cannot go round in a circle.
var planMu sync.Mutex

// Counters tell tests what evaluations did.
type Counters struct {
	Plans      atomic.Int64
	Steps      atomic.Int64
	Recomputed atomic.Int64 // values computed again because an earlier evaluation left them unstored
}

// Count holds the counters of the process.
var Count Counters

// DefaultDevice is where nodes go that name no device.
var DefaultDevice func() *backend.Device

// Eval computes the nodes and waits for them.
func Eval(ctx context.Context, roots ...*graph.Node) error {
	for spin := 0; ; spin++ {
		ev, err := schedule(ctx, roots, false)
		if err == nil && ev != nil {
			<-ev.Done()
			err = ev.Err()
		}
		if err == nil {
			err = wait(roots)
		}
		if err == nil {
			return nil
		}
		// Another evaluation of a shared node was given up, or is about to be; this one goes on.
		if !isCanceled(err) || ctx.Err() != nil {
			return err
		}
		graph.Pause(spin)
	}
}

// isCanceled reports whether an error says that an evaluation was given up: its values are pending again.
func isCanceled(err error) bool { return errors.Is(err, fault.SentinelOf(fault.Canceled)) }

// EvalAsync plans the evaluation and lets it run; readers wait for what they read.
func EvalAsync(ctx context.Context, roots ...*graph.Node) error {
	_, err := schedule(ctx, roots, true)
	return err
}

// wait waits for stored and scheduled values. Meanwhile one may become pending again; an error of another one takes precedence.
func wait(roots []*graph.Node) (err error) {
	for _, r := range roots {
		e := error(errGivenUp)
		if b, _ := r.Buffer(); b != nil {
			e = b.Wait()
		} else if r.Stored() {
			continue // a tuple; its items are evaluated
		}
		if e != nil && (err == nil || isCanceled(err)) {
			err = e
		}
	}
	return err
}

// shortWork is the number of elements up to which a plan runs under the plan lock, which is cheaper than an event.
const shortWork = 1 << 15

// schedule plans the roots and starts the plan. It returns an event if the plan runs elsewhere.
func schedule(ctx context.Context, roots []*graph.Node, async bool) (ev *mem.Event, err error) {
	return manner{ctx: ctx}.schedule(roots, async)
}

// schedule is schedule for an evaluation that may be an update of state.
func (how manner) schedule(roots []*graph.Node, async bool) (ev *mem.Event, err error) {
	ctx := how.ctx
	if err := ctx.Err(); err != nil {
		return nil, &fault.Error{Kind: fault.Canceled, Op: "eval", Msg: "the context is done", Err: err}
	}
	pending := false
	for _, r := range roots {
		pending = pending || !r.Stored()
	}
	if !pending {
		return nil, nil
	}
	findDroppedHandles(roots)
	st := scope.Current()
	stream, onStream := st.Stream.(*Stream)
	if !onStream {
		stream = defaultStream.Load()
		onStream = stream != nil
	}
	paced := async && !onStream
	if paced {
		inFlight.enterAsync()
	}
	how.deterministic, how.paced = st.IsDeterministic(), paced
	if onStream {
		how.stream = stream
	}
	var job *job
	defer func() {
		if paced && job == nil { // also after a panic, which is a bug: others would wait for ever
			inFlight.leaveAsync()
		}
	}()
	if job, err = start(how, roots, async); err != nil || job == nil {
		return nil, err
	}
	switch {
	case job.queue != nil:
	case async:
		go job.work()
	default:
		job.work()
	}
	return job.event, nil
}

// manner is how an evaluation is to run.
type manner struct {
	ctx           context.Context
	deterministic bool
	paced         bool    // it counts as asynchronous
	stream        *Stream // nil: none

	fallbacks []Fallback  // of an update: what its values fall back to
	report    func(error) // of an update: is told why they did, or nil
}

// work runs the job and ends it.
func (j *job) work() {
	defer inFlight.leave()
	if j.how.paced {
		defer inFlight.leaveAsync()
	}
	err := j.await(j.how.ctx)
	if err == nil {
		j.run.update = j.how.fallbacks != nil
		err = j.run.execute(j.how.ctx, j.how.deterministic)
	}
	planMu.Lock()
	j.finish(err)
	planMu.Unlock()
}

// submit puts the job in its queue, if it has one.
func (j *job) submit() {
	inFlight.enter()
	if j.how.stream != nil && j.queue == nil {
		j.queue = j.how.stream.enqueue
	}
	if j.queue != nil {
		j.queue(j.work)
	}
}

// start plans the roots. What is short runs at once, under the lock; for the rest it returns a job whose nodes are
// scheduled. It joins its queue under the lock: behind one that waits for it, it would never run. A panic, which is a bug, must
// not leave the lock behind.
func start(how manner, roots []*graph.Node, async bool) (*job, error) {
	planMu.Lock()
	defer planMu.Unlock()
	if len(roots) == 1 && !async {
		if done, err := evalSingle(roots[0]); done {
			return nil, err
		}
	}
	j, err := plan(how.ctx, roots)
	if err != nil || j == nil {
		return nil, err
	}
	if j.short && !async {
		err := j.run.execute(how.ctx, how.deterministic)
		j.finish(err)
		return nil, err
	}
	j.how = how
	j.begin()
	j.submit()
	return j, nil
}

// HostNumber computes a node with one element that no other node refers to.
func HostNumber(n *graph.Node) (dtype.Scalar, error) {
	n.Ref() // the stream that computes it drops it as soon as it is done
	defer n.Unref()
	v, err := HostView(context.Background(), n)
	if err != nil {
		return dtype.Scalar{}, err
	}
	return v.DType.Get(v.Bytes(), 0), nil
}

// HostView returns a view of the node's value in host memory, evaluating it first. The caller has a reference to the node, and keeps it as
// long as it reads.
func HostView(ctx context.Context, n *graph.Node) (backend.View, error) {
	if err := Eval(ctx, n); err != nil {
		return backend.View{}, err
	}
	v := n.View()
	d := n.Device()
	if d == nil || d.Transfer == nil {
		return v, nil
	}
	return download(d, v)
}

// Locked runs f while no plan is being made: for walks that read the inputs of nodes.
func Locked(f func()) {
	planMu.Lock()
	defer planMu.Unlock()
	f()
}
