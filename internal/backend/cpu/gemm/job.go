package gemm

// job is the state of one product while its blocks run. Jobs are pooled, and their block functions made once, so that a product leaves no
// garbage.
type job[T Float] struct {
	e *engine[T]
	p problem[T]

	tile grid // blocks of C
	pack bool // both operands, see packed.go

	blockFn, rowFn func(block int)
}

// grid is a rectangle cut into rows times cols blocks.
type grid struct{ rows, cols int }

func newJob[T Float]() *job[T] {
	j := new(job[T])
	j.blockFn = j.block
	j.rowFn = j.rowBlock
	return j
}

// start takes a job from the pool of e.
func start[T Float](e *engine[T], p *problem[T]) *job[T] {
	j := e.jobs.Get().(*job[T])
	j.e, j.p = e, *p
	return j
}

// done gives the job back, without the operands.
func (j *job[T]) done() {
	j.p = problem[T]{}
	j.e.jobs.Put(j)
}

// grow returns s with at least n elements, contents lost. A little is added so that
// products of slowly growing size do not allocate each time.
func grow[T Float](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n+n/8)
	}
	return s[:n]
}

// buffer is scratch memory of one block while it runs.
type buffer[T Float] struct {
	panel []T // of B
	rows  []T // a panel of A
	out   []T // of C
	edge  []T // of a kernel without masks
	wide  []T // of an operand that was bfloat16
	whole []T // C that the caller has no position for
}
