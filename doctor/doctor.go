package doctor

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/cpuid"
	"github.com/lucid-go/lucid/internal/par"
)

// Diagnosis says what a machine offers and what this program uses of it.
type Diagnosis struct {
	Go       string              `json:"go"`      // version, system and architecture
	CPU      string              `json:"cpu"`     // architecture and vector instructions in use
	Cores    int                 `json:"cores"`   // that Go may run on
	Threads  int                 `json:"threads"` // goroutines that compute at the same time
	Memory   MachineMemory       `json:"memory"`
	Variants map[string][]string `json:"variants"` // kernels in assembly → the instruction sets they may use; none: Go code runs
	Devices  []DeviceDiagnosis   `json:"devices"`
	Env      []string            `json:"env"` // lucid's environment variables that are set
}

// MachineMemory is in bytes; zeros where the system does not tell (it is read on Linux).
type MachineMemory struct {
	Total     int64 `json:"total"`
	Available int64 `json:"available"`
}

// readMemory reads the kernel's table: lines such as "MemTotal: 32766632 kB".
func readMemory(path string) (m MachineMemory) {
	text, err := os.ReadFile(path)
	if err != nil {
		return m
	}
	for line := range strings.Lines(string(text)) {
		var kib int64
		if _, err := fmt.Sscanf(line, "MemTotal: %d kB", &kib); err == nil {
			m.Total = kib << 10
		}
		if _, err := fmt.Sscanf(line, "MemAvailable: %d kB", &kib); err == nil {
			m.Available = kib << 10
		}
	}
	return m
}

// DeviceDiagnosis says whether a device can be used, and what it holds.
type DeviceDiagnosis struct {
	Name    string      `json:"name"`
	Error   string      `json:"error,omitempty"` // why it cannot be used
	Kernels int         `json:"kernels"`         // ops with a kernel of their own, fused ones not counted
	Memory  lucid.Stats `json:"memory"`
}

// Examine reports on the machine and this program.
func Examine() Diagnosis {
	d := Diagnosis{
		Go:       runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
		CPU:      cpuid.Summary(),
		Cores:    runtime.NumCPU(),
		Threads:  par.Threads(),
		Memory:   readMemory("/proc/meminfo"),
		Variants: asmvariant.InUse(),
	}
	for _, typ := range backend.Types() {
		d.Devices = append(d.Devices, examine(typ))
	}
	for _, e := range os.Environ() {
		if strings.HasPrefix(e, "LUCID_") {
			d.Env = append(d.Env, e)
		}
	}
	slices.Sort(d.Env)
	return d
}

func examine(typ string) DeviceDiagnosis {
	d, err := backend.Open(typ, 0)
	if err != nil {
		return DeviceDiagnosis{Name: typ, Error: err.Error()}
	}
	return DeviceDiagnosis{Name: d.String(), Kernels: len(d.Table), Memory: lucid.Stats(d.Pool.Stats())}
}

// String is the diagnosis for people, one fact a line.
func (d Diagnosis) String() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("go", "%s", d.Go)
	line("cpu", "%s", d.CPU)
	line("threads", "%d of %d cores (GOMAXPROCS changes it)", d.Threads, d.Cores)
	if m := d.Memory; m.Total > 0 {
		line("memory", "%.1f of %.1f GiB available", float64(m.Available)/(1<<30), float64(m.Total)/(1<<30))
	}
	if len(d.Variants) == 0 {
		line("kernels", "Go code alone: built with purego, or for an architecture without assembly")
	}
	for _, name := range slices.Sorted(maps.Keys(d.Variants)) {
		if v := d.Variants[name]; len(v) > 0 {
			line("kernels", "%s: %s", name, strings.Join(v, " "))
		} else {
			line("kernels", "%s: Go code; this machine has none of its instruction sets, or LUCID_CPU switches them off", name)
		}
	}
	for _, v := range d.Devices {
		if v.Error != "" {
			why, _, _ := strings.Cut(v.Error, "; tried:\n") // the rest is a list of paths
			line("device", "%s: cannot be used: %s", v.Name, why)
			continue
		}
		m := v.Memory
		limit := "no limit"
		if m.Limit > 0 {
			limit = fmt.Sprintf("limit %d", m.Limit)
		}
		line("device", "%s: %d kernels; memory in bytes: %d allocated, %d peak, %d cached for reuse, %s", v.Name, v.Kernels, m.Allocated,
			m.Peak, m.Cached, limit)
	}
	for _, e := range d.Env {
		line("env", "%s", e)
	}
	return b.String()
}
