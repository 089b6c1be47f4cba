//go:build (amd64 || arm64) && !purego

package par

// relax tells the processor that its thread looks at memory in a loop. Two processors may be threads of one core: a loop without it takes
// half of the units from the other one, which has the work.
func relax()
