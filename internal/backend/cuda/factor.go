package cuda

import (
	"fmt"
	"os"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/cusolver"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// Factorisations. Matrices of up to 32 rows and columns are factored by our own kernels, one a warp; batches of larger ones by our own
// kernels too, one a block. Others are cuSOLVER's, one after the other; without it our kernels do what they can.

// factorOptions let products and sums contract: results of factorisations are not those of the CPU to the bit.
var factorOptions = options[1:]

// The sizes of a group of threads that factors a matrix.
const (
	warp  = 32
	block = 256

	smallMatrix   = 32   // rows and columns that a warp has
	mediumMatrix  = 128  // that a block has, in a batch
	largestMatrix = 1024 // that a block has where cuSOLVER is missing
	manyMatrices  = 8    // is a batch
	maxGroups     = 2048 // blocks that have memory of their own

	sharedMatrix = 96 << 10 // bytes of a matrix that a block has in shared memory
)

// factorKernels are the kernels with a group of threads a matrix, by the file they are in; parts have none.
var factorKernels = map[string][]string{"factor_solve": {"factor_lu", "factor_cholesky", "solve_factored", "solve_triangular"},
	"factor_qr": {"qr"}, "factor_jacobi": {"eigh", "svd"}}

// The flags of factor.cu.
const (
	flagUpper = 1 << iota
	flagUnit
	flagAdjoint
	flagInPlace
	flagVectors
	flagCompact
	flagInverse
)

// factorSource is the source of a kernel for group threads a matrix, 0: it has no groups; size: of matrices that large, 0: any.
func factorSource(file, name string, t dtype.DType, group, size int) string {
	s := kernels.Source("prelude") + typed(t) + "#define KERNEL_" + name + "\n"
	if group > 0 {
		s += fmt.Sprintf("#define GROUP %d\n", group)
	}
	if size > 0 {
		s += fmt.Sprintf("#define SIZE %d\n", size)
	}
	return s + kernels.Source("factor", file)
}

func (d *Device) factorKernel(file, name string, t dtype.DType, group, size int) (*driver.Function, error) {
	source := func() string { return factorSource(file, name, t, group, size) }
	return d.find(fmt.Sprint(name, " ", t, " ", group, " ", size), text{name: name, source: source, options: factorOptions,
		ours: true, long: file == "factor_jacobi"})
}

// openSolver opens cuSOLVER, which is optional: nil where it is missing.
func (d *Device) openSolver() *cusolver.Handle {
	d.solverOnce.Do(func() {
		if os.Getenv("LUCID_CUDA_CUSOLVER") == "0" {
			d.solverErr = fault.New(fault.Device, "cusolver", "LUCID_CUDA_CUSOLVER=0 switches cuSOLVER off")
			return
		}
		d.solver, d.solverErr = cusolver.New(d.main())
	})
	return d.solver
}

// Solver opens cuSOLVER and says why it is not used, nil if it is.
func (d *Device) Solver() error {
	d.openSolver()
	return d.solverErr
}

// factoring is a launch over matrices.
type factoring struct {
	*call
	temporaries
	f     attr.Factor
	t     dtype.DType
	count int
	m, n  int
}

// factoring begins a launch over the matrices of v.
func (d *call) factoring(op string, a attr.Attr, v backend.View) *factoring {
	f, _ := a.(attr.Factor)
	dims := v.Shape.Dims()
	r := len(dims)
	return &factoring{call: d, temporaries: temporaries{d: d.Device, op: op}, f: f, t: v.DType,
		count: product(dims[:r-2]), m: dims[r-2], n: dims[r-1]}
}

// factorParams is struct Args of factor.cu.
type factorParams struct {
	m, n, cols, flags, room int
	a, b, pivots            uintptr
	z, y, s, piv, info      uintptr
	scratch, fault          uintptr
}

func (x *factoring) args(p factorParams) (g args) {
	g.int(x.count, p.m, p.n, p.cols, p.flags, p.room)
	g.ptr(p.a, p.b, p.pivots, p.z, p.y, p.s, p.piv, p.info, p.scratch, p.fault)
	return g
}

// group is how many threads a matrix of m×n gets; 0: cuSOLVER factors it.
func (x *factoring) group() (int, error) {
	size := max(x.m, x.n)
	switch {
	case size <= smallMatrix:
		return warp, nil
	case min(x.m, x.n) == 0, x.count >= manyMatrices && size <= mediumMatrix:
		return block, nil
	}
	if x.mode == capturing {
		return 0, refuseCapture(x.op, "cuSOLVER")
	}
	if x.mode == precompiling || x.openSolver() != nil {
		return 0, nil
	}
	if size <= largestMatrix {
		return block, nil
	}
	return 0, fault.Wrap(fault.Device, x.op, x.solverErr, "a matrix of %d×%d needs cuSOLVER", x.m, x.n)
}

// own launches one of our kernels over all matrices; room is how many elements of memory a matrix needs.
func (x *factoring) own(group int, file, name string, p factorParams) error {
	bytes := p.room * x.t.Size()
	if group == warp && bytes > x.Shared-1024 {
		group = block
	}
	size := 0
	if group == warp && name == "eigh" && p.n == smallMatrix { // rotations of these are bound by the banks of shared memory
		size = p.n
	}
	f, err := x.factorKernel(file, name, x.t, group, size)
	if err != nil {
		return err
	}
	if group == warp {
		per := min(8, max(1, 48<<10/max(bytes, 1)))
		return x.Device.launchShared(f, blocks(x.count, per), 1, warp*per, per*bytes, x.args(p))
	}
	if bytes <= sharedMatrix {
		return x.Device.launchShared(f, x.count, 1, block, bytes, x.args(p))
	}
	groups := min(x.count, maxGroups, max(1, 1<<30/max(bytes, 1)))
	if p.scratch, err = x.get(groups * bytes); err != nil {
		return err
	}
	return x.Device.launch(f, groups, 1, block, x.args(p))
}

// pass launches a kernel of matrix_parts.cu, a thread an element.
func (x *factoring) pass(name string, elements int, p factorParams) error {
	return x.passBlocks(name, blocks(elements, threads), 0, p)
}

func (x *factoring) passBlocks(name string, grid, shared int, p factorParams) error {
	f, err := x.factorKernel("matrix_parts", name, x.t, 0, 0)
	if err != nil || grid == 0 {
		return err
	}
	return x.Device.launchShared(f, grid, 1, threads, shared, x.args(p))
}

// lib is a call of cuSOLVER.
func (x *factoring) lib() cusolver.Call {
	return cusolver.Call{D: x.Device.Device, DType: x.t, Work: x.get}
}

// each calls cuSOLVER for every matrix.
func (x *factoring) each(call func(h *cusolver.Handle, c cusolver.Call, i uintptr) error) error {
	if x.mode == precompiling {
		return nil
	}
	held := len(x.bufs)
	for i := range x.count {
		if err := call(x.solver, x.lib(), uintptr(i)); err != nil {
			return err
		}
		for _, b := range x.bufs[held:] { // work memory is reused in stream order
			b.Free()
		}
		x.bufs = x.bufs[:held]
	}
	if x.slow {
		return x.Sync()
	}
	return nil
}

// checkInfo makes the first info word that is not 0 the error of the function, if it asked for one.
func (x *factoring) checkInfo(info uintptr, why backend.MatrixFault) error {
	if x.f.Check == "" {
		return nil
	}
	return x.checked(x.ctx, x.f.Check, func(record uintptr) error {
		return x.passBlocks("check_info", 1, 0, factorParams{m: badMatrix + int(why), n: number(x.count == 1), info: info, fault: record})
	})
}

// words takes zeroed info words, one a matrix.
func (x *factoring) words() (uintptr, error) {
	p, err := x.get(4 * x.count)
	if err != nil {
		return 0, err
	}
	return p, x.Device.Fill(p, 0, 4*x.count)
}

// elements is the address of matrix i of m×n elements.
func (x *factoring) elements(p, i uintptr, size int) uintptr {
	return p + i*uintptr(size*x.t.Size())
}
