package data_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/data"
)

func TestSamplers(t *testing.T) {
	indices := func(s data.Sampler) []int {
		var out []int
		for b, err := range data.NewLoader(numbers(10), data.LoaderOptions{Sampler: s, Seed: new(uint64(2))}).All(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, int(b[0].Item()))
		}
		return out
	}
	w := data.WeightedRandomSampler{Weights: []float64{0, 1, 0, 3}, NumSamples: 400}
	count := map[int]int{}
	for _, i := range indices(w) {
		count[i]++
	}
	if len(count) != 2 || count[3] < 250 || count[3] > 350 {
		t.Errorf("weighted: %v", count)
	}
	if got := indices(data.WeightedRandomSampler{Weights: []float64{0, 1, 0, 3}, NumSamples: 2, NoReplacement: true}); got[0]+got[1] != 4 {
		t.Errorf("without replacement: %v", got)
	}
	if got := indices(data.SubsetRandomSampler{Of: []int{7, 8, 9}}); len(got) != 3 || slices.Min(got) != 7 {
		t.Errorf("subset: %v", got)
	}
	var all []int
	for rank := range 3 {
		part := indices(data.DistributedSampler{N: 10, NumReplicas: 3, Rank: rank, Seed: 4})
		if len(part) != 4 {
			t.Errorf("rank %d has %d", rank, len(part))
		}
		all = append(all, part...)
	}
	slices.Sort(all)
	if len(slices.Compact(all)) != 10 {
		t.Errorf("distributed: %v", all)
	}
	if got := indices(data.RandomSampler{N: 10, NumSamples: 25}); len(got) != 25 {
		t.Errorf("random: %d", len(got))
	}
}

// TestWeightsAreFollowed compares how often examples come with their weights, in both ways of drawing.
func TestWeightsAreFollowed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	weights := []float64{1, 0, 2, 5, 0, 2, 0}
	count := make([]float64, len(weights))
	for _, i := range (data.WeightedRandomSampler{Weights: weights, NumSamples: 100_000}).Indices(r) {
		count[i]++
	}
	for i, n := range count {
		if p := weights[i] / 10; math.Abs(n/100_000-p) > 0.01 {
			t.Errorf("example %d came in %.3f of draws, want %.3f", i, n/100_000, p)
		}
	}
	const times = 20_000
	first, second := make([]float64, len(weights)), make([]float64, len(weights))
	for range times {
		two := data.WeightedRandomSampler{Weights: weights, NumSamples: 2, NoReplacement: true}.Indices(r)
		first[two[0]]++
		second[two[1]]++
		if two[0] == two[1] {
			t.Fatal("an example came twice")
		}
	}
	for i, w := range weights {
		p, q := w/10, 0.0
		for j, v := range weights {
			if j != i {
				q += v / 10 * w / (10 - v)
			}
		}
		if math.Abs(first[i]/times-p) > 0.02 || math.Abs(second[i]/times-q) > 0.02 {
			t.Errorf("example %d: first %.3f, second %.3f; want %.3f and %.3f", i, first[i]/times, second[i]/times, p, q)
		}
	}
}

// TestDistributedEpochs asks that each epoch has an order of its own, and that processes share it.
func TestDistributedEpochs(t *testing.T) {
	for name, options := range map[string]func(s data.DistributedSampler) data.LoaderOptions{
		"value": func(s data.DistributedSampler) data.LoaderOptions {
			return data.LoaderOptions{BatchSize: 6, Sampler: s}
		},
		"pointer": func(s data.DistributedSampler) data.LoaderOptions {
			return data.LoaderOptions{BatchSize: 6, Sampler: &s}
		},
		"batches": func(s data.DistributedSampler) data.LoaderOptions {
			return data.LoaderOptions{BatchSampler: data.Batched{Sampler: &s, BatchSize: 6}}
		},
	} {
		read := func(rank int) (epochs [2][]float64) {
			l := data.NewLoader(numbers(12), options(data.DistributedSampler{N: 12, NumReplicas: 2, Rank: rank}))
			for e := range epochs {
				for _, b := range collect(t, l) {
					epochs[e] = append(epochs[e], b...)
				}
			}
			return epochs
		}
		a, b := read(0), read(1)
		for e := range a {
			all := slices.Sorted(slices.Values(append(slices.Clone(a[e]), b[e]...)))
			if len(slices.Compact(all)) != 12 {
				t.Errorf("%s, epoch %d: %v and %v", name, e, a[e], b[e])
			}
		}
		if slices.Equal(a[0], a[1]) {
			t.Errorf("%s: two epochs have the same order", name)
		}
	}
}
