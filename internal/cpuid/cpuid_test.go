package cpuid

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// Every extension implies its base: kernels test one flag only.
func TestImplications(t *testing.T) {
	for _, c := range []struct {
		name       string
		flag, base bool
	}{
		{"avx512 needs avx2", X86.AVX512, X86.AVX2},
		{"avx512 needs fma", X86.AVX512, X86.FMA},
		{"avx512bf16 needs avx512", X86.AVX512BF16, X86.AVX512},
		{"avx512vnni needs avx512", X86.AVX512VNNI, X86.AVX512},
		{"avx512fp16 needs avx512", X86.AVX512FP16, X86.AVX512},
		{"amx-bf16 needs amx-tile", X86.AMXBF16, X86.AMXTile},
		{"amx-int8 needs amx-tile", X86.AMXInt8, X86.AMXTile},
		{"bf16 needs asimd", ARM64.BF16, ARM64.ASIMD},
	} {
		if c.flag && !c.base {
			t.Error(c.name)
		}
	}
}

// The kernel's own list is a second opinion on our CPUID reading.
func TestAgainstKernel(t *testing.T) {
	if os.Getenv(Env) != "" || runtime.GOARCH != "amd64" || strings.HasSuffix(Summary(), "generic") {
		t.Skip("features are limited by the environment or the build")
	}
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip("no /proc/cpuinfo")
	}
	flags := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if name, list, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "flags" {
			for f := range strings.FieldsSeq(list) {
				flags[f] = true
			}
			break
		}
	}
	for name, got := range map[string]bool{
		"avx2": X86.AVX2, "fma": X86.FMA, "f16c": X86.F16C,
		"avx512f": X86.AVX512, "avx512_bf16": X86.AVX512BF16, "avx512_vnni": X86.AVX512VNNI,
		"avx512_fp16": X86.AVX512FP16, "amx_tile": X86.AMXTile, "amx_bf16": X86.AMXBF16, "amx_int8": X86.AMXInt8,
	} {
		if got != flags[name] {
			t.Errorf("%s: detected %v, the kernel says %v", name, got, flags[name])
		}
	}
}

func TestLimit(t *testing.T) {
	if os.Getenv("LUCID_CPUID_PRINT") != "" { // the child process of this test
		os.Stdout.WriteString("summary=" + Summary() + "\n")
		return
	}
	for _, c := range []struct{ level, absent string }{
		{"generic", "avx2"}, {"generic", "asimd"}, {"avx2", "avx512"}, {"avx512", "amx"},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLimit$", "-test.v")
		cmd.Env = append(os.Environ(), "LUCID_CPUID_PRINT=1", Env+"="+c.level)
		out, err := cmd.Output()
		if err != nil {
			t.Skipf("cannot start a child process: %v", err)
		}
		_, summary, _ := strings.Cut(string(out), "summary=")
		summary, _, _ = strings.Cut(summary, "(") // the note names the level itself
		if summary == "" || strings.Contains(summary, c.absent) {
			t.Errorf("%s=%s: summary %q must not name %s", Env, c.level, summary, c.absent)
		}
	}
}

// cacheFile is a line of what the kernel tells of a cache of the first processor.
func cacheFile(t *testing.T, index int, name string) string {
	if runtime.GOARCH != "amd64" || strings.HasSuffix(Summary(), "generic") {
		t.Skip("only amd64 asks the processor")
	}
	text, err := os.ReadFile(fmt.Sprintf("/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, name))
	if err != nil {
		t.Skip(err)
	}
	return strings.TrimSpace(string(text))
}

// kibibytes reads a size as the kernel writes it.
func kibibytes(t *testing.T, text string) (n int) {
	if _, err := fmt.Sscanf(text, "%dK", &n); err != nil {
		t.Skip(text, err)
	}
	return n
}

// The kernel tells the size of caches too.
func TestL1Ways(t *testing.T) {
	if cacheFile(t, 0, "type") != "Data" {
		t.Skip("the first cache is not of data")
	}
	if want := kibibytes(t, cacheFile(t, 0, "size")) << 10 / 4096; L1Ways != want {
		t.Errorf("%d ways of a page, the kernel says %d", L1Ways, want)
	}
}

func TestNearL3(t *testing.T) {
	if cacheFile(t, 3, "level") != "3" {
		t.Skip("no third level")
	}
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip(err)
	}
	want := 0
	if strings.Contains(string(text), "AuthenticAMD") {
		want = kibibytes(t, cacheFile(t, 3, "size")) << 10
	}
	if NearL3 != want {
		t.Errorf("%d bytes, the kernel says %d", NearL3, want)
	}
}
