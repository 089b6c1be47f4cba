package mem

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// machineBytes is the memory and swap of the system, or what its control group allows if that is less.
func machineBytes() int64 {
	var s syscall.Sysinfo_t
	if syscall.Sysinfo(&s) != nil {
		return 0
	}
	n := (int64(s.Totalram) + int64(s.Totalswap)) * int64(s.Unit)
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		b, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if v, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil && v > 0 {
			n = min(n, v)
		}
	}
	return n
}

// available is how much memory the system could give now, swap included, and how much of what it gave this process has touched.
func available() (free, resident int64, ok bool) {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, 0, false
	}
	for line := range strings.Lines(string(info)) {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] != "MemAvailable:" && f[0] != "SwapFree:" {
			continue
		}
		kib, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			return 0, 0, false
		}
		free += kib << 10
		ok = ok || f[0] == "MemAvailable:"
	}
	b, err := os.ReadFile("/proc/self/statm")
	f := strings.Fields(string(b))
	if err != nil || len(f) < 2 {
		return 0, 0, false
	}
	pages, err := strconv.ParseInt(f[1], 10, 64)
	return free, pages * int64(syscall.Getpagesize()), ok && err == nil
}
