package data

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/lucid-go/lucid"
)

// Sampler says in which order examples are read. The order of an epoch depends on the source alone, which the loader
// seeds.
type Sampler interface {
	Len() int
	Indices(r *rand.Rand) []int
}

// SequentialSampler reads from the first to the last.
type SequentialSampler struct{ N int }

// Len returns N.
func (s SequentialSampler) Len() int { return s.N }

// Indices returns 0 to N-1.
func (s SequentialSampler) Indices(*rand.Rand) []int {
	out := make([]int, s.N)
	for i := range out {
		out[i] = i
	}
	return out
}

// RandomSampler reads in a random order: every example once, or, with Replacement, any example any time. NumSamples,
// 0 meaning N, is how many are read.
type RandomSampler struct {
	N           int
	Replacement bool
	NumSamples  int
}

// Len returns how many are read.
func (s RandomSampler) Len() int {
	if s.NumSamples != 0 {
		return s.NumSamples
	}
	return s.N
}

// Indices returns a random order.
func (s RandomSampler) Indices(r *rand.Rand) []int {
	n := s.Len()
	if n > 0 && s.N == 0 {
		refuse(lucid.ErrValue, "random_sampler", "%d of no examples", n)
	}
	out := make([]int, 0, n)
	for len(out) < n {
		if s.Replacement {
			out = append(out, r.IntN(s.N))
			continue
		}
		p := r.Perm(s.N)
		out = append(out, p[:min(len(p), n-len(out))]...)
	}
	return out
}

// SubsetRandomSampler reads some examples in a random order.
type SubsetRandomSampler struct{ Of []int }

// Len returns how many are read.
func (s SubsetRandomSampler) Len() int { return len(s.Of) }

// Indices returns them in a random order.
func (s SubsetRandomSampler) Indices(r *rand.Rand) []int {
	out := make([]int, len(s.Of))
	for i, k := range r.Perm(len(s.Of)) {
		out[i] = s.Of[k]
	}
	return out
}

// WeightedRandomSampler reads examples as often as their weights say.
type WeightedRandomSampler struct {
	Weights       []float64
	NumSamples    int
	NoReplacement bool // read no example twice
}

// Len returns how many are read.
func (s WeightedRandomSampler) Len() int { return s.NumSamples }

// Indices draws them.
func (s WeightedRandomSampler) Indices(r *rand.Rand) []int {
	total, positive := 0.0, 0
	for i, w := range s.Weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			refuse(lucid.ErrValue, "weighted_random_sampler", "weight %d is %v; want finite numbers, none negative", i, w)
		}
		if w > 0 {
			positive++
		}
		total += w
	}
	if s.NumSamples > 0 && positive == 0 || s.NoReplacement && s.NumSamples > positive {
		refuse(lucid.ErrValue, "weighted_random_sampler", "%d samples of %d examples with a weight", s.NumSamples, positive)
	}
	if s.NoReplacement {
		return s.keyed(r)
	}
	ends, sum := make([]float64, len(s.Weights)), 0.0
	for i, w := range s.Weights {
		sum += w
		ends[i] = sum
	}
	last := len(ends) - 1
	for last >= 0 && s.Weights[last] == 0 {
		last--
	}
	out := make([]int, s.NumSamples)
	for k := range out {
		u := r.Float64() * total
		out[k] = min(sort.Search(len(ends), func(i int) bool { return ends[i] > u }), last) // the first end past u has a weight
	}
	return out
}

// keyed draws without replacement: the order of the smallest of exponential numbers with these rates is that of drawing one
// after the other.
func (s WeightedRandomSampler) keyed(r *rand.Rand) []int {
	key := make([]float64, len(s.Weights))
	all := make([]int, 0, len(s.Weights))
	for i, w := range s.Weights {
		if e := r.ExpFloat64(); w > 0 {
			key[i] = e / w
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(key[a], key[b]) })
	return all[:s.NumSamples]
}

// DistributedSampler gives every one of several processes its own part of the examples. All shuffle by the same Seed;
// the loader's own is not used. A loader sets its Epoch, so that every epoch has an order of
// its own; inside Batched that takes a pointer to it.
type DistributedSampler struct {
	N, NumReplicas, Rank int
	NoShuffle            bool
	Seed                 uint64
	Epoch                uint64
	DropLast             bool // leave out what does not divide, instead of repeating some
}

// SetEpoch chooses the order; a loader calls it before each epoch.
func (s *DistributedSampler) SetEpoch(epoch int) { s.Epoch = uint64(epoch) }

// Len returns how many examples this process reads.
func (s DistributedSampler) Len() int {
	if s.N < 0 || s.NumReplicas < 1 || s.Rank < 0 || s.Rank >= s.NumReplicas {
		refuse(lucid.ErrValue, "distributed_sampler", "rank %d of %d", s.Rank, s.NumReplicas)
	}
	if s.DropLast {
		return s.N / s.NumReplicas
	}
	return (s.N + s.NumReplicas - 1) / s.NumReplicas
}

// Indices returns this process's part.
func (s DistributedSampler) Indices(*rand.Rand) []int {
	per := s.Len()
	var all []int
	if s.NoShuffle {
		all = SequentialSampler{s.N}.Indices(nil)
	} else {
		all = rand.New(rand.NewPCG(s.Seed, s.Epoch)).Perm(s.N)
	}
	out := make([]int, 0, per)
	for i := range per {
		if len(all) > 0 {
			out = append(out, all[(i*s.NumReplicas+s.Rank)%len(all)])
		}
	}
	return out
}

// BatchSampler says which examples form each batch.
type BatchSampler interface {
	Len() int
	Batches(r *rand.Rand) [][]int
}

// Batched cuts the order of a sampler into batches.
type Batched struct {
	Sampler   Sampler
	BatchSize int
	DropLast  bool // leave out a last batch that is not full
}

// Len returns the number of batches.
func (s Batched) Len() int {
	if s.BatchSize < 1 {
		refuse(lucid.ErrValue, "batched", "a batch of %d examples; want at least 1", s.BatchSize)
	}
	n := s.Sampler.Len()
	if s.DropLast {
		return n / s.BatchSize
	}
	return (n + s.BatchSize - 1) / s.BatchSize
}

// SetEpoch passes the number of the epoch on to a sampler that wants it.
func (s Batched) SetEpoch(epoch int) {
	if e, ok := s.Sampler.(epochs); ok {
		e.SetEpoch(epoch)
	}
}

// Batches returns the batches of an epoch.
func (s Batched) Batches(r *rand.Rand) [][]int {
	out := make([][]int, 0, s.Len())
	all := s.Sampler.Indices(r)
	for i := 0; i < len(all); i += s.BatchSize {
		end := min(i+s.BatchSize, len(all))
		if s.DropLast && end-i < s.BatchSize {
			break
		}
		out = append(out, all[i:end])
	}
	return out
}

// RandomSplit cuts a dataset at random into parts. Lengths are numbers of examples, or shares that add up to 1, whose
// remainder goes to the first parts one by one.
func RandomSplit[N int | float64](d Dataset, lengths []N, seed uint64) []*Subset {
	sizes := splitSizes(d.Len(), lengths)
	order := rand.New(rand.NewPCG(seed, 0)).Perm(d.Len())
	out := make([]*Subset, len(sizes))
	for i, n := range sizes {
		out[i] = NewSubset(d, order[:n])
		order = order[n:]
	}
	return out
}

func splitSizes[N int | float64](n int, lengths []N) []int {
	sizes := make([]int, len(lengths))
	sum, total := 0.0, 0
	for i, l := range lengths {
		sum += float64(l)
		sizes[i] = int(l)
		total += sizes[i]
	}
	if _, share := any(N(0)).(float64); share {
		if !(math.Abs(sum-1) <= 1e-9) { // also NaN
			refuse(lucid.ErrValue, "random_split", "the shares %v add up to %v; want 1", lengths, sum)
		}
		total = 0
		for i, l := range lengths {
			sizes[i] = int(math.Floor(float64(n) * float64(l)))
			total += sizes[i]
		}
		for i := 0; total < n; i++ {
			sizes[i%len(sizes)]++
			total++
		}
	}
	for _, k := range sizes {
		if k < 0 {
			refuse(lucid.ErrValue, "random_split", "a length of %v is negative", lengths)
		}
	}
	if total != n {
		refuse(lucid.ErrValue, "random_split", "the lengths %v add up to %d; the dataset has %d examples", lengths, total, n)
	}
	return sizes
}
