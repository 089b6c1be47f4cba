//go:build gpu

package bench

import (
	"fmt"
	"slices"
	"time"

	"github.com/lucid-go/lucid/cuda"
)

func init() {
	gpu.wait = func() error { return cuda.Synchronize(0) }
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
	slices.SortFunc(names, func(a, b string) int { return int(all[b].Time - all[a].Time) })
	for _, n := range names {
		lines = append(lines, fmt.Sprintf("%10v %6d  %.200s", all[n].Time.Round(time.Microsecond), all[n].Launches, n))
	}
	return lines
}
