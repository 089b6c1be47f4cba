package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// A peer is a worker process and how it is started.
type peer struct {
	Key     string `json:"key"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	command []string
	env     []string
	// compiles says that it compiles what it runs, for long, and keeps it on disk.
	compiles bool

	process *exec.Cmd
	in      *json.Decoder
	out     *bufio.Writer
}

// keepPages tells glibc not to give memory back between ops: fresh pages cost PyTorch much of its time.
var keepPages = []string{"MALLOC_MMAP_THRESHOLD_=8589934592", "MALLOC_TRIM_THRESHOLD_=17179869184", "MALLOC_TOP_PAD_=1073741824"}

// peers lists lucid and those it may be measured against.
func peers(lucid, python string, threads int) []*peer {
	n := strconv.Itoa(threads)
	script := func(name string) []string { return []string{python, "bench/peers/" + name} }
	all := []*peer{
		{Key: "lucid", Name: "lucid", command: []string{lucid, "bench", "--serve"}},
		{Key: "torch", Name: "PyTorch", command: script("torch_eager.py"), env: keepPages},
		{Key: "torch_default", Name: "PyTorch, default allocator", command: script("torch_eager.py")},
		{Key: "torch_compiled", Name: "PyTorch compiled", command: script("torch_compiled.py"), env: keepPages},
		{Key: "jax", Name: "JAX", command: script("jax_peer.py"), env: keepPages},
		{Key: "mlx", Name: "MLX", command: script("mlx_peer.py"), env: keepPages},
	}
	for _, p := range all {
		p.env = append([]string{"GOMAXPROCS=" + n, "OMP_NUM_THREADS=" + n, "MKL_NUM_THREADS=" + n, "OPENBLAS_NUM_THREADS=" + n,
			"XLA_FLAGS=--xla_cpu_multi_thread_eigen=true intra_op_parallelism_threads=" + n}, p.env...)
	}
	return all
}

// gpuPeers lists lucid and those it may be measured against on a GPU.
func gpuPeers(lucid, python string, env []string) []*peer {
	script := func(words ...string) []string {
		return append([]string{python, "bench/peers/" + words[0]}, words[1:]...)
	}
	return []*peer{
		{Key: "lucid", Name: "lucid", command: []string{lucid, "bench", "--device", "cuda", "--serve"}},
		{Key: "torch", Name: "PyTorch", command: script("torch_cuda.py")},
		{Key: "torch_compiled", Name: "PyTorch compiled", command: script("torch_cuda.py", "compiled"), env: env, compiles: true},
		{Key: "jax", Name: "JAX", command: script("jax_cuda.py"), env: env, compiles: true},
	}
}

// start runs the process.
func (p *peer) start() error {
	if p.process != nil {
		return nil
	}
	c := exec.Command(p.command[0], p.command[1:]...)
	c.Env = append(os.Environ(), p.env...)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	p.process, p.in, p.out = c, json.NewDecoder(out), bufio.NewWriter(in)
	if p.Key == "lucid" {
		return nil
	}
	return p.ask("about", p)
}

// stop ends the process; a later start begins afresh.
func (p *peer) stop() {
	if p.process != nil {
		p.process.Process.Kill()
		p.process.Wait()
		p.process = nil
	}
}

// ask sends a line and reads the answer.
func (p *peer) ask(line string, answer any) error {
	if _, err := fmt.Fprintln(p.out, line); err != nil {
		return err
	}
	if err := p.out.Flush(); err != nil {
		return err
	}
	return p.in.Decode(answer)
}

// peak is the most memory the process has had, in bytes; 0 where the system does not tell.
func (p *peer) peak() (bytes int64) {
	if p.process == nil {
		return 0
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.process.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &bytes); n == 1 {
			return bytes * 1024
		}
	}
	return 0
}
