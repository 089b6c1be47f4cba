// Ops times single ops and their gradients against PyTorch, alternately, and prints what each took:
//
//	go run ./bench/ops -python python3 -size 512 -threads 1 'nll_loss|topk'
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/lucid-go/lucid"
)

// A result is what one side found: seconds of the best run, and the sum of the result, which tells whether both did the same.
type result struct {
	Seconds float64 `json:"seconds"`
	Sum     float64 `json:"sum"`
	Error   string  `json:"error"`
}

func main() {
	python := flag.String("python", "bench/.venv/bin/python", "interpreter that bench/setup made")
	size := flag.Int("size", 512, "operands have about this size, squared")
	dtype := flag.String("dtype", "float32", "of the operands: float32, float64, float16 or bfloat16")
	threads := flag.Int("threads", 1, "of both")
	rounds := flag.Int("rounds", 2, "runs of both")
	each := flag.Duration("time", 4*time.Millisecond, "of one run")
	wake := flag.Duration("wake", 0, "run for so long before each; threads take some to come to two processors")
	below := flag.Float64("below", math.Inf(1), "print only ops whose ratio is below this")
	prof := flag.String("prof", "", "write a profile of the processor")
	alone := flag.Bool("alone", false, "do not ask PyTorch")
	flag.Parse()
	if *prof != "" {
		f, _ := os.Create(*prof)
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	runtime.GOMAXPROCS(*threads)
	want := regexp.MustCompile("^(" + flag.Arg(0) + ")$")
	if flag.NArg() == 0 {
		want = regexp.MustCompile("")
	}
	var peer *torch
	if !*alone {
		peer = start(*python, *threads, *size, *dtype)
		defer peer.stop()
	}
	v := newValues(*size, dtypes[*dtype])
	logs, count := 0.0, 0
	for _, c := range cases {
		if !want.MatchString(c.name) {
			continue
		}
		ours, theirs := result{Seconds: math.Inf(1)}, result{Seconds: math.Inf(1)}
		j, err := newJob(c, v)
		if err != nil {
			fmt.Printf("%-34s %v\n", c.name, err)
			continue
		}
		ours.Sum = j.sum
		for range *rounds {
			j.time(*wake)
			ours.Seconds = min(ours.Seconds, j.time(*each))
			if peer != nil {
				r := peer.ask(c, *wake, *each)
				theirs.Seconds, theirs.Sum, theirs.Error = min(theirs.Seconds, r.Seconds), r.Sum, r.Error
			}
		}
		ratio := theirs.Seconds / ours.Seconds
		if peer == nil {
			fmt.Printf("%-34s %9.2f µs\n", c.name, ours.Seconds*1e6)
			continue
		}
		if theirs.Error != "" {
			fmt.Printf("%-34s %9.2f µs  %s\n", c.name, ours.Seconds*1e6, theirs.Error)
			continue
		}
		logs, count = logs+math.Log(ratio), count+1
		if ratio < *below {
			differ := ""
			if d := math.Abs(ours.Sum - theirs.Sum); d > 2e-2*math.Max(1, math.Abs(theirs.Sum)) {
				differ = fmt.Sprintf("  sums differ: %g and %g", ours.Sum, theirs.Sum)
			}
			fmt.Printf("%-34s %9.2f µs  PyTorch %9.2f µs  %5.2f%s\n", c.name, ours.Seconds*1e6, theirs.Seconds*1e6, ratio, differ)
		}
	}
	if count > 1 {
		fmt.Printf("geometric mean of %d: %.2f\n", count, math.Exp(logs/float64(count)))
	}
}

// A job is a case with its data, to be run again and again. The results of the run before are freed when those of the next stand.
type job struct {
	run   func()
	batch int
	sum   float64
}

func newJob(c *benchCase, v *values) (j *job, err error) {
	err = lucid.Try(func() {
		j = &job{batch: 1}
		var last []*lucid.Tensor
		j.run = func() {
			ys := c.run(v)
			if err := lucid.Eval(ys...); err != nil {
				panic(err)
			}
			for _, y := range last {
				y.Free()
			}
			last = ys
		}
		j.run()
		for _, y := range last {
			j.sum += total(y)
		}
		for begin, i := time.Now(), 0; i < 8 && time.Since(begin) < 100*time.Millisecond; i++ {
			j.run()
		}
		for {
			begin := time.Now()
			for range j.batch {
				j.run()
			}
			if time.Since(begin) > 50*time.Microsecond {
				break
			}
			j.batch *= 2
		}
	})
	return j, err
}

// total is the sum of absolute values, in float64.
func total(y *lucid.Tensor) (sum float64) {
	for _, x := range lucid.ToSlice[float64](y.Detach().Reshape(-1).To(lucid.Float64)) {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			sum += math.Abs(x)
		}
	}
	return sum
}

func (j *job) time(budget time.Duration) float64 {
	best := math.Inf(1)
	for begin := time.Now(); budget > 0 && (time.Since(begin) < budget || math.IsInf(best, 1)); {
		t := time.Now()
		for range j.batch {
			j.run()
		}
		best = min(best, time.Since(t).Seconds()/float64(j.batch))
	}
	return best
}

// torch is the process of the peer.
type torch struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func start(python string, threads, size int, dtype string) *torch {
	p := &torch{process: exec.Command(python, "bench/peers/torch_ops.py", fmt.Sprint(size), dtype, fmt.Sprint(threads))}
	p.process.Env = append(os.Environ(), fmt.Sprintf("OMP_NUM_THREADS=%d", threads), fmt.Sprintf("MKL_NUM_THREADS=%d", threads),
		"MALLOC_MMAP_THRESHOLD_=8589934592", "MALLOC_TRIM_THRESHOLD_=17179869184", "MALLOC_TOP_PAD_=1073741824")
	p.process.Stderr = os.Stderr
	var err error
	if p.in, err = p.process.StdinPipe(); err != nil {
		panic(err)
	}
	out, err := p.process.StdoutPipe()
	if err != nil {
		panic(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.process.Start(); err != nil {
		panic(err)
	}
	return p
}

func (p *torch) ask(c *benchCase, wake, budget time.Duration) (r result) {
	line, _ := json.Marshal(map[string]any{"expr": c.torch, "of": c.of, "seconds": budget.Seconds(), "wake": wake.Seconds()})
	fmt.Fprintf(p.in, "%s\n", line)
	answer, err := p.out.ReadBytes('\n')
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(answer, &r); err != nil {
		panic(err)
	}
	return r
}

func (p *torch) stop() {
	p.in.Close()
	p.process.Wait()
}
