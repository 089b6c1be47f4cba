//go:build gpu

package bench

import (
	"fmt"
	"slices"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/cuda"
)

func init() {
	gpu.wait = func() error { return lucid.Try(func() { lucid.Synchronize(lucid.CUDA(0)) }) }
	gpu.kernels = kernelTimes
}

func kernelTimes() (lines []string) {
	all, err := cuda.KernelTimes(0)
	if err != nil {
		return nil
	}
	var names []string
	for n := range all {
		names = append(names, n)
	}
	// By the shortest launch of each: the first ones load code.
	cost := func(n string) time.Duration { return all[n].Least * time.Duration(all[n].Launches) }
	slices.SortFunc(names, func(a, b string) int { return int(cost(b) - cost(a)) })
	for _, n := range names {
		lines = append(lines, fmt.Sprintf("%10v at least, %9v each, %10v in all, %6d  %.200s", cost(n).Round(time.Microsecond),
			all[n].Least.Round(100*time.Nanosecond), all[n].Time.Round(time.Microsecond), all[n].Launches, n))
	}
	return lines
}
