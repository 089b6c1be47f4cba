package exec

// pass is one step of the planner.
type pass struct {
	name string
	run  func(p *planner)
}

// passes are the planner's passes, in order; a comment says what holds behind each of them.
//
// Those before "lower" look at nodes and decide what becomes of each; "lower" makes launches over numbered buffers; those behind it
// look at launches and buffers alone.
var passes = []pass{
	// Every node behind the roots has a number, a device and a class; inputs come before their readers.
	{"collect", (*planner).collect},
	// A cast that a kernel can do as it loads or stores is part of that kernel's launch.
	{"fold casts", (*planner).foldCasts},
	// Kernels whose outputs are only concatenated or reshaped write them in their final layout.
	{"elide concats", (*planner).elideConcats},
	// Every computed node has a level, inputs below their readers, as late as its readers allow.
	{"assign levels", (*planner).assignLevels},
	// Elementwise nodes of one level that read each other are a fusion group.
	{"group elementwise", (*planner).groupElementwise},
	// Reductions of what a group computes or reads are done by the group's program.
	{"fuse reductions", (*planner).fuseReductions},
	// A group that is the only reader of a product is its epilogue.
	{"fuse epilogues", (*planner).fuseEpilogues},
	// It is known which values have a buffer in this plan, and which of them outlive it.
	{"choose stored", (*planner).chooseStored},
	// There are launches over numbered buffers, in an order that respects their dependencies.
	{"lower", (*planner).lower},
	// Launches that work row by row on each other's results are one launch.
	{"fuse rows", (*planner).fuseRows},
	// Products of the same few rows are one launch.
	{"group products", (*planner).groupProducts},
	// Outputs are paired with dying inputs they may be written over. Later passes that move launches do this again.
	{"find donors", (*planner).findDonors},
	// The launches are in an order that holds less memory at its peak, where one was found.
	{"reorder", (*planner).reorder},
	// Values that are cheap to compute again are not held over the peak, as far as the caller allows extra work.
	{"rematerialise", (*planner).rematerialise},
	// Independent launches of the same program are one launch over several sets of operands.
	{"fuse horizontally", (*planner).fuseHorizontally},
	// Every temporary has an offset in the arena of its device.
	{"lay out arenas", (*planner).layOutArenas},
	// Launches say which modules recorded them, for the profiler.
	{"label", (*planner).labelSteps},
}

// build makes the program of the planner's roots.
func (p *planner) build() {
	for i := range passes {
		passes[i].run(p)
	}
}
