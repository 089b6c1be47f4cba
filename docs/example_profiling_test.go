package docs_test

import (
	"bytes"
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
	"github.com/lucid-go/lucid/profiler"
)

// All pieces of docs/profiling.md.
func Example_profiling() {
	lucid.Seed(1)
	net := nn.NewSequential(nn.NewLinear(64, 256), nn.NewReLU(), nn.NewLinear(256, 10))
	opt := optim.NewSGD(nn.Parameters(net), optim.SGDOptions{LR: 0.1})
	step := func() {
		var x, y, loss *lucid.Tensor
		profiler.RecordFunction("data", func() {
			x, y = lucid.Randn(32, 64).Eval(), lucid.Zeros(32).To(lucid.Int64).Eval()
		})
		profiler.RecordFunction("forward", func() {
			opt.ZeroGrad()
			loss = F.CrossEntropy(net.Forward(x), y).Eval()
		})
		profiler.RecordFunction("backward", func() {
			loss.Backward()
			opt.Step()
			lucid.Synchronize()
		})
	}

	var report *profiler.Report
	p := profiler.NewSteps(profiler.Schedule{Wait: 2, WarmUp: 1, Active: 3, Repeat: 1}, func(r *profiler.Report) { report = r })
	for range 8 {
		step()
		p.Step()
	}
	p.Stop()
	parts := map[string]int{}
	for _, e := range report.Events {
		if e.Range {
			parts[e.Name]++
		}
	}
	fmt.Println(parts)

	for _, row := range report.KeyAverages(profiler.ByShape | profiler.ByModule) {
		if row.Name == "matmul+add+relu" {
			fmt.Println(row.Name, row.Shape, row.DType, row.Module, row.Calls, row.FLOPs/int64(row.Calls))
		}
	}

	var trace, flames bytes.Buffer // files, in a program
	fmt.Println(report.WriteTrace(&trace), report.WriteFlameGraph(&flames))
	fmt.Println(len(report.MemoryTimeline(lucid.CPU)) == len(report.Launches()))
	// Output:
	// map[backward:3 data:3 forward:3]
	// matmul+add+relu [32 256] float32 Sequential.Linear 3 1064960
	// <nil> <nil>
	// true
}
