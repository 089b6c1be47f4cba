package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"strings"
	"testing"
)

func TestDifference(t *testing.T) {
	a := []summary{{2, 0, 2, []float64{2, -2}}}
	for _, c := range []struct {
		b    []summary
		want float64
	}{
		{[]summary{{2, 0, 2, []float64{2, -2}}}, 0},
		{[]summary{{2, 0, 2, []float64{2, -1}}}, 0.5},
		{[]summary{{2, 1, 2, []float64{2, -2}}}, 0.5},
		{[]summary{{3, 0, 2, []float64{2, -2}}}, math.Inf(1)},
		{[]summary{{2, math.NaN(), 2, []float64{2, -2}}}, math.Inf(1)},
		{nil, math.Inf(1)},
	} {
		if got := difference(a, c.b); got != c.want {
			t.Errorf("%v: %v, want %v", c.b, got, c.want)
		}
	}
}

// TestRow follows a workload from its timings to its line of the table: the better of PyTorch's ways counts.
func TestRow(t *testing.T) {
	r := &row{workload: workload{Name: "w", About: "work", Flops: 1e9, Limit: "fma32", Goal: 2}, Limits: map[string]float64{"fma32": 4e9}}
	for key, speed := range map[string]float64{"torch": 3, "torch_compiled": 2, "jax": 1} {
		m := &meeting{Peer: key}
		for i := range 15 {
			m.ours = append(m.ours, timing{Seconds: 0.5})
			m.theirs = append(m.theirs, timing{Seconds: 0.5 * (speed + float64(i-7)/10)})
		}
		r.Meetings = append(r.Meetings, m)
	}
	r.finish()
	if got := r.best(); got.Peer != "torch_compiled" || got.Ratio.Median != 2 || got.Pairs != 15 {
		t.Errorf("%+v", got)
	}
	cells := r.cells([]string{"torch", "torch_default", "torch_compiled", "jax", "mlx"})
	for _, want := range []string{"| work | 500 ms, 2 GFLOP/s | 50 % fma32 | **2.00x [1.40–2.60]** | 2x | 1.5s, 3.00x [2.40–3.60] |  " +
		"| 1s, 2.00x", "| 500 ms, 1.00x [0.40–1.60] |  |"} {
		if !strings.Contains(cells, want) {
			t.Errorf("%q is not in %s", want, cells)
		}
	}
}

// TestReason: the page says of which goals a row falls short, and why, and only then.
func TestReason(t *testing.T) {
	for _, c := range []struct {
		w    workload
		want string
	}{
		{workload{Reason: "memory."}, "\n"},
		{workload{Reason: "memory.", Goal: 1.2, Share: 0.8, Within: 2e-3}, "\n"},
		{workload{Reason: "memory.", Goal: 1.5}, "\n- w falls short, 1.3x of 1.5x: memory.\n"},
		{workload{Share: 0.85, Within: 5e-4}, "\n- w falls short, 82 % of 85 %, 1 ms of 500 µs: why is not known.\n"},
	} {
		c.w.Name = "w"
		r := &row{workload: c.w, Fraction: 0.82, Seconds: band{Median: 1e-3},
			Meetings: []*meeting{{Peer: "torch", Pairs: 15, Ratio: band{Median: 1.3}}}}
		var b bytes.Buffer
		notes(&b, []*row{r})
		if b.String() != c.want {
			t.Errorf("%+v: %q, want %q", c.w, b.String(), c.want)
		}
	}
}

// TestNeeds: a goal that the machine lacks the means for does not count.
func TestNeeds(t *testing.T) {
	for cpu, want := range map[string]string{"amd64: avx2 amx-bf16": "| 2x |", "amd64: avx2": "| n/a: no amx-bf16 |"} {
		res := &results{Machine: json.RawMessage(`{"CPU": "` + cpu + `"}`)}
		res.Rows = []*row{{workload: workload{Name: "w", Goal: 2, Needs: "amx-bf16", Reason: "memory"},
			Meetings: []*meeting{{Peer: "torch", Pairs: 15, Ratio: band{Median: 1.3}}}}}
		page := string(res.page())
		if !strings.Contains(page, want) || strings.Contains(page, "falls short") != (want == "| 2x |") {
			t.Errorf("%s: %s", cpu, page)
		}
	}
}

func TestSag(t *testing.T) {
	d := &driver{sag: 0.85, seen: map[string][]float64{}}
	for i, c := range []struct {
		fma, copy float64
		want      bool
	}{{100, 10, false}, {86, 9, false}, {70, 10, true}, {100, 6, true}, {200, 10, false}, {100, 10, false}} {
		if got := d.sags(map[string]float64{"fma32": c.fma, "stream_copy": c.copy}); got != c.want {
			t.Errorf("%d: %v", i, got)
		}
	}
}

// TestOnGPU reads what nvidia-smi says.
func TestOnGPU(t *testing.T) {
	list := "17, 512\n 4711, 16280\n18, [N/A]\n"
	for pid, want := range map[int]int64{4711: 16280 << 20, 17: 512 << 20, 18: 0, 471: 0} {
		if got := onGPU(list, pid); got != want {
			t.Errorf("process %d holds %d; want %d", pid, got, want)
		}
	}
}

var generate = flag.Bool("generate", false, "write the pages that the stored results give")

// TestPages asks that the pages are what the driver writes for the stored results.
func TestPages(t *testing.T) {
	for page, file := range map[string]string{"benchmarks.md": "latest.json", "benchmarks-cuda.md": "cuda.json"} {
		text, err := os.ReadFile("../results/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var res results
		if err := json.Unmarshal(text, &res); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		got, err := os.ReadFile("../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		if want := res.page(); !bytes.Equal(got, want) {
			if *generate {
				t.Log(os.WriteFile("../../docs/"+page, want, 0o666))
				continue
			}
			t.Errorf("docs/%s is not what the driver writes for bench/results/%s; go test ./bench/driver -generate writes it", page, file)
		}
	}
}

func TestWrap(t *testing.T) {
	long := strings.Repeat("é", 139)
	for text, want := range map[string]string{
		"": "\n", " a  b\n": "a b\n", long + " b": long + "\n  b\n", long[2:] + " b c": long[2:] + " b\n  c\n",
		long + long:         long + long + "\n",
		long[6:] + " a 28.": long[6:] + "\n  a 28.\n",
	} {
		if got := wrap(text, "  "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
