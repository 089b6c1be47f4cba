//go:build amd64 && !purego

package gemm

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/cpuid"
)

// emulatedAMX does what the kernels do, in Go, reading the shapes as the processor does: what
// surrounds the kernels is tested on machines without AMX too.
func emulatedAMX(t *testing.T, rt, ct int, dot func(c float32, x, y []float32) float32) amxKernel {
	return func(full, tail *tileShape, steps, rest int, a []float32, ars int, b []float32, brs, bps int, c []float32, crs,
		panels int, add bool) {
		shapes := make([]*tileShape, 0, steps+1)
		for range steps {
			shapes = append(shapes, full)
		}
		if rest > 0 {
			shapes = append(shapes, tail)
		}
		one := func(i, j, panel, r, col int) {
			at := (16*i+r)*crs + 16*(ct*panel+j) + col
			if !add {
				c[at] = 0
			}
			for s, shape := range shapes {
				depth := int(shape.rows[6+j])
				if shape.palette != 1 || depth*4 != int(shape.colBytes[4+i]) || shape.rows[4+i] != full.rows[2*i+j] {
					t.Fatal("shapes of tiles do not fit")
				}
				column := make([]float32, depth)
				for q := range column {
					column[q] = b[panel*bps+(16*s+q)*brs+16*j+col]
				}
				c[at] = dot(c[at], a[(16*i+r)*ars+16*s:][:depth], column)
			}
		}
		for panel := range panels {
			for i := range rt {
				for j := range ct {
					for r := range int(full.rows[2*i+j]) {
						for col := range int(full.colBytes[2*i+j]) / 4 {
							one(i, j, panel, r, col)
						}
					}
				}
			}
		}
	}
}

// dotBF16Pairs and dotInt8 are the instructions for one element of C.
func dotBF16Pairs(c float32, x, y []float32) float32 {
	var even, odd float32
	for q := range x {
		u, v := halfView(x[q:][:1]), halfView(y[q:][:1])
		even += widenOne(bfloat16, u[0]) * widenOne(bfloat16, v[0])
		odd += widenOne(bfloat16, u[1]) * widenOne(bfloat16, v[1])
	}
	return c + (even + odd)
}

func dotInt8(c float32, x, y []float32) float32 {
	sum := math.Float32bits(c)
	for i, u := range byteView(x) {
		sum += uint32(u) * uint32(byteView(y)[i])
	}
	return math.Float32frombits(sum)
}

// emulate puts emulations instead of the kernels of both types until the test ends.
func emulate(t *testing.T) {
	bf16, vnni, be, ie, use, useBytes := amxBF16Type, amxInt8Type, amxBF16Engine, amxInt8Engine, useAMX, useAMXInt8
	t.Cleanup(func() {
		amxBF16Type, amxInt8Type, amxBF16Engine, amxInt8Engine, useAMX, useAMXInt8 = bf16, vnni, be, ie, use, useBytes
	})
	for rt := 1; rt <= 2; rt++ {
		for ct := 1; ct <= 2; ct++ {
			amxBF16Type.kernels[rt][ct] = emulatedAMX(t, rt, ct, dotBF16Pairs)
			amxInt8Type.kernels[rt][ct] = emulatedAMX(t, rt, ct, dotInt8)
		}
	}
	amxBF16Engine, amxInt8Engine = newAMX(&amxBF16Type, *be), newAMX(&amxInt8Type, *ie)
	useAMX, useAMXInt8 = true, true
}

// TestEmulatedAMX runs the engines of AMX on emulated kernels.
func TestEmulatedAMX(t *testing.T) {
	if !useBF16 && !useAVX512 {
		t.Skip("packing needs AVX-512")
	}
	emulate(t)
	for name, err := range map[string]error{"bf16": checkAMXBF16(), "int8": checkAMXInt8()} {
		if err != nil {
			t.Errorf("the check of %s refuses the emulation: %v", name, err)
		}
	}
	right := amxBF16Type.kernels[2][1]
	amxBF16Type.kernels[2][1] = func(full, tail *tileShape, steps, rest int, a []float32, ars int, b []float32, brs, bps int, c []float32,
		crs, panels int, add bool) {
		right(full, tail, steps, 0, a, ars, b, brs, bps, c, crs, panels, add)
	}
	if checkAMXBF16() == nil {
		t.Error("the check does not see that a tail is missing")
	}
	amxBF16Type.kernels[2][1] = right
	if testing.Short() { // emulations take their time
		all := halfShapes
		t.Cleanup(func() { halfShapes = all })
		halfShapes = slices.DeleteFunc(slices.Clone(all), func(s [3]int) bool { return s[0]*s[1]*s[2] > 1<<20 })
		testHalf(t, bfloat16, 7)
		testBytes(t, 7)
		return
	}
	testHalf(t, bfloat16, 4)
	testHalfParts(t, bfloat16, 5)
	testHalfRows(t, 3)
	testBytes(t, 1)
}

// TestAMXStage says how far AMX is usable here, stage by stage.
func TestAMXStage(t *testing.T) {
	t.Logf("processor: %s", cpuid.Summary())
	if !cpuid.X86.AMXTile {
		if strings.Contains(os.Getenv(asmvariant.EnvRequire), "amx") {
			t.Fatal("stage 1: the processor or the system's XCR0 has no tiles")
		}
		t.Skip("no tiles")
	}
	if err := askForTiles(); err != nil {
		t.Fatalf("stage 2: the system does not give tiles: arch_prctl: %v", err)
	}
	t.Log("stage 2: the system gives tiles")
	if cpuid.X86.AMXBF16 {
		if err := checkAMXBF16(); err != nil {
			t.Errorf("stage 3: bfloat16: %v", err)
		}
	}
	if cpuid.X86.AMXInt8 {
		if err := checkAMXInt8(); err != nil {
			t.Errorf("stage 4: bytes: %v", err)
		}
	}
	t.Logf("in use: bfloat16 %v, bytes %v", useAMX, useAMXInt8)
}

// TestAMX holds the instructions against their emulation.
func TestAMX(t *testing.T) {
	asmvariant.Require(t, "amx")
	if useAMX {
		testAMX(t, "pairs", &amxBF16Type, amxBF16Engine, dotBF16Pairs, func(words []float32, i int) {
			halfView(words)[2*i] = halve(bfloat16, []float32{float32(i*7%13 - 6)})[0]
			halfView(words)[2*i+1] = halve(bfloat16, []float32{float32(i*11%17 - 8)})[0]
		})
	}
	if useAMXInt8 {
		testAMX(t, "int8", &amxInt8Type, amxInt8Engine, dotInt8, func(words []float32, i int) {
			words[i] = math.Float32frombits(uint32(i) * 2654435761)
		})
	}
}

func testAMX(t *testing.T, name string, typ *amxType, e *engine[float32], dot func(c float32, x, y []float32) float32,
	put func(words []float32, i int)) {
	for rows := 1; rows <= amxRows; rows++ {
		for _, kc := range []int{1, 7, 16, 33, 64} {
			for panels := 1; panels <= 3; panels++ {
				for nv := 1; nv <= 2; nv++ {
					for _, add := range []bool{false, true} {
						if panels == 1 || nv == maxVectors {
							checkAMX(t, name, e, dot, put, rows, nv, kc, panels, add)
						}
					}
				}
			}
		}
	}
}

// checkAMX uses small whole numbers, of which every sum is exact.
func checkAMX(t *testing.T, name string, e *engine[float32], dot func(c float32, x, y []float32) float32, put func(words []float32, i int),
	rows, nv, kc, panels int, add bool) {
	t.Helper()
	crs := 32*panels + 8
	a, b := make([]float32, rows*(kc+3)), make([]float32, panels*kc*32)
	for _, x := range [][]float32{a, b} {
		for i := range x {
			put(x, i)
		}
	}
	got, want := make([]float32, rows*crs), make([]float32, rows*crs)
	for i := range got {
		got[i], want[i] = float32(i%5), float32(i%5)
	}
	if panels == 1 {
		e.tiles[nv][rows](kc, a, kc+3, 1, b, 32, got, crs, 16*nv, add)
	} else {
		e.row(rows, kc, a, kc+3, b, panels, got, crs, add)
	}
	full, tail := shapeTiles(rows, amxPairs), shapeTiles(rows, max(1, kc%amxPairs))
	emulatedAMX(t, ceilDiv(rows, 16), nv, dot)(&full, &tail, kc/amxPairs, kc%amxPairs, a, kc+3, b, 32, 32*kc, want, crs, panels, add)
	for i := range got {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s, %d rows, %d vectors, kc %d (%d whole tiles and %d), %d panels, add %v: c[%d,%d] = %v (%#08x), want %v (%#08x)",
				name, rows, nv, kc, kc/amxPairs, kc%amxPairs, panels, add, i/crs, i%crs, got[i], math.Float32bits(got[i]), want[i],
				math.Float32bits(want[i]))
		}
	}
}

// TestAMXStorm multiplies on many goroutines while the collector runs and the scheduler interrupts: tiles must
// survive signals and changes of thread.
func TestAMXStorm(t *testing.T) {
	asmvariant.Require(t, "amx")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	p := newHalfProduct(bfloat16, [3]int{230, 170, 1101})
	want := p.run(t, asHalf(bfloat16), rowMajor, rowMajor, Overwrite, nil)
	stop := make(chan struct{})
	var wg, storm sync.WaitGroup
	storm.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	errs := make(chan error, 8)
	end := time.Now().Add(3 * time.Second)
	for g := range 8 {
		wg.Go(func() {
			x, y := halve(bfloat16, slices.Clone(p.a)), halve(bfloat16, slices.Clone(p.b))
			for round := 0; time.Now().Before(end); round++ {
				got := make([]float32, p.m*p.n)
				BFloat16(p.m, p.n, p.k, x, p.k, 1, y, p.n, 1, got, p.n, Overwrite, nil, nil)
				for i := range got {
					if got[i] != want[i] {
						errs <- fmt.Errorf("goroutine %d, round %d: c[%d,%d] = %v, want %v", g, round, i/p.n, i%p.n, got[i], want[i])
						return
					}
				}
			}
		})
	}
	wg.Wait()
	close(stop)
	storm.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
}

// BenchmarkAMX gives the rates of one thread and of all, and the probe.
func BenchmarkAMX(b *testing.B) {
	if !useAMX {
		b.Skip("no AMX")
	}
	b.Run("probe", func(b *testing.B) {
		for b.Loop() {
			b.ReportMetric(peak(PeakBF16Probe)/1e9, "GFLOP/s")
		}
	})
	for _, n := range []int{512, 1024, 2048} {
		for _, o := range []benchShape{{n, n, n, false, false}, {n, n, n, false, true}, {n, n, n, true, false}} {
			b.Run("one/"+o.String(), func(b *testing.B) { benchProduct(b, bitsOf, PeakBF16Probe, o, nil) })
			b.Run("all/"+o.String(), func(b *testing.B) { benchProduct(b, bitsOf, PeakBF16Probe, o, goRun) })
		}
	}
}
