// Package exec evaluates nodes. An evaluation is planned under one lock: the pending nodes behind the roots are
// collected, elementwise ops are grouped, what is to be stored is decided, and all memory is reserved. Then the
// plan runs, and the stored nodes drop their inputs.
//
// The same plan, made once from a trace, is what a compiled function replays.
package exec
