package lint

import (
	"bufio"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/lucid-go/lucid/internal/cpuid"
)

// unfenced are routines that no test can lead to a fence, with the reason.
var unfenced = map[string]string{
	"fence64": "touches no memory", "probeF32AVX2": "touches no memory", "probeF64AVX2": "touches no memory",
	"probeF32AVX512": "touches no memory",
	"probeF64AVX512": "touches no memory", "probePairsAVX512": "touches no memory", "probeF32NEON": "touches no memory",
	"probeF64NEON": "touches no memory",
}

// TestAssemblyFenced asks of every routine of assembly whether a test entered it whose operands are next to pages that may
// not be accessed. Here a tracer stops at the first instruction of each routine; for arm64 the emulator tells which instructions
// it met. It takes minutes.
func TestAssemblyFenced(t *testing.T) {
	if os.Getenv("LUCID_LONG") != "1" {
		t.Skip("LUCID_LONG=1 runs it")
	}
	for _, pkg := range kernels {
		for arch, entered := range map[string]func(*testing.T, *exec.Cmd,
			map[uint64]string) map[string]bool{"amd64": traced, "arm64": emulated} {
			t.Run(pkg+"/"+arch, func(t *testing.T) {
				bin := filepath.Join(t.TempDir(), "fenced.test")
				build := exec.Command("go", "test", "-c", "-o", bin, "./"+kernelsAt+pkg)
				build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH="+arch)
				if out, err := build.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				names, at := routines(t, pkg, arch, true), map[uint64]string{}
				for name, addr := range entries(t, bin, pkg) {
					at[addr] = name
				}
				cmd := exec.Command(bin, "-test.run=^("+strings.Join(fenced(t, pkg), "|")+")$", "-test.timeout=0")
				cmd.Dir = kernelsAt + pkg
				got := entered(t, cmd, at)
				missing := 0
				for _, name := range names {
					if !got[name] && unfenced[name] == "" && runsHere(name) {
						missing++
						t.Errorf("no test with fenced operands enters %s", name)
					}
				}
				t.Logf("%d routines, %d not entered", len(names), missing)
			})
		}
	}
}

// runsHere reports whether this machine has the instructions of a routine.
func runsHere(name string) bool {
	x := cpuid.X86
	for feature, has := range map[string]bool{"AMX": x.AMXBF16 && x.AMXInt8, "AVX512": x.AVX512, "AVX2": x.AVX2,
		"BF16PairAVX512": x.AVX512BF16, "VNNIAVX512": x.AVX512VNNI} {
		if strings.Contains(name, feature) && !has {
			return false
		}
	}
	return true
}

// entries gives the addresses of a package's functions; of two with the same name, the one that is assembly.
func entries(t *testing.T, bin, pkg string) map[string]uint64 {
	t.Helper()
	f, err := elf.Open(bin)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]bool{}
	for _, arch := range []string{"amd64", "arm64"} {
		for _, r := range routines(t, pkg, arch, true) {
			wanted[r] = true
		}
	}
	at, assembly := map[string]uint64{}, map[string]bool{}
	for _, s := range symbols {
		name, abi0 := strings.CutSuffix(strings.TrimPrefix(s.Name, "github.com/lucid-go/lucid/internal/backend/cpu/"+pkg+"."), ".abi0")
		if wanted[name] && (abi0 || !assembly[name]) {
			at[name], assembly[name] = s.Value, abi0
		}
	}
	return at
}

// traced runs a program and returns which addresses it came by: at each it finds a breakpoint, which is taken away then.
func traced(t *testing.T, cmd *exec.Cmd, at map[uint64]string) map[string]bool {
	runtime.LockOSThread() // a tracer is a thread
	defer runtime.UnlockOSThread()
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		t.Skipf("this system traces no programs: %v", err)
	}
	pid := cmd.Process.Pid
	must := func(err error) {
		if err != nil {
			_ = cmd.Process.Kill()
			t.Fatal(err)
		}
	}
	var ws syscall.WaitStatus
	_, err := syscall.Wait4(pid, &ws, 0, nil)
	must(err)
	const killWithMe = 1 << 20 // PTRACE_O_EXITKILL
	must(syscall.PtraceSetOptions(pid, syscall.PTRACE_O_TRACECLONE|killWithMe))
	first := map[uint64]byte{}
	for addr := range at {
		var b [1]byte
		_, err := syscall.PtracePeekText(pid, uintptr(addr), b[:])
		must(err)
		_, err = syscall.PtracePokeText(pid, uintptr(addr), []byte{0xcc})
		must(err)
		first[addr] = b[0]
	}
	must(syscall.PtraceCont(pid, 0))
	got, begun := map[string]bool{}, map[int]bool{pid: true}
	for {
		tid, err := syscall.Wait4(-1, &ws, syscall.WALL, nil)
		must(err)
		if !ws.Stopped() {
			if tid == pid {
				break
			}
			continue
		}
		sig := ws.StopSignal()
		switch {
		case sig == syscall.SIGTRAP && ws.TrapCause() > 0:
			sig = 0 // a new thread
		case sig == syscall.SIGSTOP && !begun[tid]:
			begun[tid], sig = true, 0 // the new thread itself
		case sig == syscall.SIGTRAP:
			var regs syscall.PtraceRegs
			must(syscall.PtraceGetRegs(tid, &regs))
			name, ok := at[regs.Rip-1]
			if !ok {
				break
			}
			regs.Rip--
			if !got[name] {
				got[name] = true
				_, err := syscall.PtracePokeText(tid, uintptr(regs.Rip), []byte{first[regs.Rip]})
				must(err)
			}
			must(syscall.PtraceSetRegs(tid, &regs))
			sig = 0
		}
		must(syscall.PtraceCont(tid, int(sig)))
	}
	if !ws.Exited() || ws.ExitStatus() != 0 {
		t.Fatalf("%s ended with %v", cmd.Path, ws)
	}
	return got
}

// emulated runs a program under the emulator of arm64 and returns which addresses it came by.
func emulated(t *testing.T, cmd *exec.Cmd, at map[uint64]string) map[string]bool {
	qemu, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		t.Skip("no qemu-aarch64")
	}
	lo, hi := ^uint64(0), uint64(0)
	for addr := range at {
		lo, hi = min(lo, addr), max(hi, addr)
	}
	log := cmd.Path + ".log"
	cmd.Args = append([]string{qemu, "-d", "in_asm", "-D", log, "-dfilter", fmt.Sprintf("%#x..%#x", lo, hi+4), cmd.Path,
		"-test.short"}, cmd.Args[1:]...)
	cmd.Path = qemu
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got := map[string]bool{}
	for s := bufio.NewScanner(f); s.Scan(); {
		hex, _, _ := strings.Cut(s.Text(), ":")
		if addr, err := strconv.ParseUint(hex, 0, 64); err == nil && at[addr] != "" {
			got[at[addr]] = true
		}
	}
	return got
}
