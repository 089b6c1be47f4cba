package exec

import (
	"context"
	"slices"
	"sync"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
)

// job is a planned evaluation.
type job struct {
	planner *planner
	how     manner
	run     *run
	taken   []takenNode  // inputs written over
	deps    []*mem.Event // of plans still running
	event   *mem.Event
	short   bool
	queue   func(func())

	fellBack error // why the values of an update are the old ones
}

// takenNode is an input that a plan writes over, and what it needs to be given back.
type takenNode struct {
	n     *graph.Node
	input int
	buf   *mem.Buffer
	want  int
}

var planners = sync.Pool{New: func() any { return new(planner) }}

// plan builds and reserves an evaluation. The caller holds planMu.
func plan(ctx context.Context, roots []*graph.Node) (*job, error) {
	p := planners.Get().(*planner)
	p.dev = DefaultDevice()
	for _, r := range roots {
		if !r.Stored() {
			p.roots = append(p.roots, r)
		}
	}
	if len(p.roots) == 0 {
		planners.Put(p)
		return nil, nil
	}
	if err := fault.Catch(p.build); err != nil {
		p.reset()
		planners.Put(p)
		return nil, err
	}
	Count.Plans.Add(1)
	Count.Steps.Add(int64(len(p.prog.steps)))
	j := &job{planner: p, short: p.short()}
	in, nodes := p.inputs()
	for _, b := range in {
		e := b.Event()
		if e == nil {
			continue
		}
		if j.short = false; !e.Happened(false) || isCanceled(e.Err()) { // a final failure is nothing to wait for
			j.deps = append(j.deps, e)
		}
	}
	take := func(i int) bool {
		n := nodes[i]
		w, ok := p.droppable(n)
		// A plan that waits for others is given up if they are: it must not write over inputs. An input that failed has an event that says
		// so, which a result in the same buffer would replace.
		if !ok || len(j.deps) > 0 || in[i].Event() != nil || in[i].Refs() != 1 || !n.Take(w) {
			return false
		}
		j.taken = append(j.taken, takenNode{n, i, in[i], w})
		return true
	}
	untake := func(int) {
		for _, t := range j.taken {
			t.n.Untake(t.want)
		}
		j.taken = nil
	}
	r, err := p.prog.reserve(nil, in, take, untake)
	if err != nil {
		err = locate(err, checkedNodes(nil, p.idx.Nodes))
		p.reset()
		planners.Put(p)
		return nil, err
	}
	j.run = r
	for k := range p.prog.steps {
		if q := p.prog.steps[k].dev.Enqueuer; q != nil {
			j.queue, j.short = q.Enqueue, false
		}
	}
	return j, nil
}

// short reports whether the plan is so small that running it under the lock is cheaper than an event.
func (p *planner) short() bool {
	if p.prog.control {
		return false // how long a loop runs is not known
	}
	work := 0
	for k := range p.prog.steps {
		s := &p.prog.steps[k]
		if s.fused == nil || s.fused.Producer != nil {
			work += 1 << 12
			for _, o := range s.in {
				work += o.shape.Numel()
			}
		} else if s.fused.Reduction != nil {
			work += s.fused.Shape.Numel()
		}
		for _, o := range s.out {
			work += o.shape.Numel()
		}
		if work > shortWork {
			return false
		}
	}
	return true
}

// inputs lists the buffers of the given nodes, in the order lower numbered them.
func (p *planner) inputs() ([]*mem.Buffer, []*graph.Node) {
	bufs, nodes := p.inBufs[:0], p.inNodes[:0]
	defer func() { p.inBufs, p.inNodes = bufs, nodes }()
	for i, n := range p.idx.Nodes {
		if p.info[i].class != classInput {
			continue
		}
		if n.IsTuple() {
			for _, b := range n.TupleBuffers() {
				bufs, nodes = append(bufs, b), append(nodes, n)
			}
			continue
		}
		b, _ := n.Buffer()
		bufs, nodes = append(bufs, b), append(nodes, n)
	}
	return bufs, nodes
}

// droppable reports whether every reference to an input node is an edge that this plan drops, and how many they are.
func (p *planner) droppable(n *graph.Node) (int, bool) {
	i := p.idx.Get(n)
	f := &p.info[i]
	if n.IsTuple() || f.root || f.alive || n.RetainsInputs() || n.Refs() != int(f.users) {
		return 0, false
	}
	return int(f.users), true
}

// begin marks the stored nodes as scheduled.
func (j *job) begin() {
	j.event = mem.NewEvent()
	// While the plan runs, the caller may drop the roots, and another plan may store a node in between and drop the edge
	// through which this one reads an input: the plan references both ends itself.
	p := j.planner
	for _, r := range p.roots {
		r.Ref()
	}
	for i, n := range p.idx.Nodes {
		if p.info[i].class == classInput {
			n.Ref()
		}
	}
	j.store(j.event)
}

// store gives the stored nodes their buffers; with an event, their values come later.
func (j *job) store(e *mem.Event) {
	p := j.planner
	for _, t := range j.taken {
		t.n.DropBuffer() // finish drops the buffer's reference: until the run is over it may hold a temporary
	}
	for i, n := range p.idx.Nodes {
		f := &p.info[i]
		if !f.store || f.class == classInput {
			continue
		}
		setComputedDevice(n, p.device(n))
		if n.IsTuple() {
			bufs := make([]*mem.Buffer, len(f.tuple))
			for k, b := range f.tuple {
				bufs[k] = j.run.bufs[b.buf]
				if e != nil {
					bufs[k].SetEvent(e)
				}
			}
			n.StoreTuple(bufs)
			continue
		}
		b := j.run.bufs[f.at.buf]
		if e != nil && p.prog.bufs[f.at.buf].first >= 0 {
			b.SetEvent(e)
		}
		n.Store(b, f.at.lay)
	}
}

// setComputedDevice sets the device of a value that named none, if it was computed in memory that is not the host's.
func setComputedDevice(n *graph.Node, d *backend.Device) {
	if n.Device() == nil && !d.Host {
		n.SetDevice(d)
	}
}

// await waits for the plans this one reads from.
func (j *job) await(ctx context.Context) error {
	for _, e := range j.deps {
		select {
		case <-e.Done():
		case <-ctx.Done():
			return &fault.Error{Kind: fault.Canceled, Op: "eval", Msg: "stopped while waiting", Err: ctx.Err()}
		}
		if err := e.Err(); err != nil {
			return err
		}
	}
	// What failed for good keeps its event; it reaches only the steps that read it.
	for i, b := range j.run.bufs[:j.run.prog.numIn] {
		// A buffer written over carries this very plan's event.
		if e := b.Event(); e != nil && e != j.event {
			<-e.Done()
			if err := e.Err(); err != nil {
				if isCanceled(err) {
					return err // it is pending again
				}
				j.run.failBuffer(int32(i), err)
			}
		}
	}
	return nil
}

// finish ends the evaluation: stored nodes drop their inputs, temporaries go back to the pool. After a run that
// was given up, its nodes are pending again. The caller holds planMu.
func (j *job) finish(err error) {
	p := j.planner
	if err != nil {
		j.giveUp()
	} else {
		var again []bool // by node, after a failure: it is pending again
		if j.run.errs != nil {
			j.run.locateAll(checkedNodes(nil, p.idx.Nodes))
			used := j.fallBack()
			j.giveBack(func(input int) bool { return j.run.notOverwritten(input) && !slices.Contains(used, input) })
			again = j.retryable()
		}
		if j.event == nil {
			j.store(nil)
		}
		for i := len(p.idx.Nodes) - 1; i >= 0; i-- {
			n, f := p.idx.Nodes[i], &p.info[i]
			if f.class.computed() && n.Unstored() {
				Count.Recomputed.Add(1)
			}
			switch {
			case f.class == classInput:
			case f.store:
				if again != nil {
					if j.markFailed(f, again[i]); again[i] {
						n.Unstore()
						break
					}
				}
				if !n.RetainsInputs() {
					n.DropInputs()
				}
			case f.class.computed() && f.alive:
				n.MarkUnstored()
			}
		}
		for _, t := range j.taken {
			t.buf.Unref()
		}
	}
	j.run.free(err != nil && j.event == nil)
	if j.event != nil {
		j.event.Signal(err)
		j.clearEvents()
		for i, n := range p.idx.Nodes {
			if p.info[i].class == classInput {
				n.Unref()
			}
		}
		for _, r := range p.roots {
			r.Unref()
		}
	}
	if j.how.report != nil {
		j.how.report(j.fellBack)
	}
	j.run.release()
	p.reset()
	planners.Put(p)
}

func (j *job) clearEvents() {
	for i, b := range j.run.bufs {
		if j.run.errs != nil && j.run.errs[i] != nil {
			continue
		}
		if b != nil && b.Event() == j.event {
			_ = b.Wait()
		}
	}
}
