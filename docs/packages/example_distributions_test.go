package packages_test

import (
	"errors"
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/distributions"
	"github.com/lucid-go/lucid/random"
)

func Example_distributionsUse() {
	d := distributions.NewNormal(lucid.New([]float32{0, 5}, 2), 2.0) // two distributions
	x := d.SampleKey(random.Key(7), 1000)
	fmt.Println(x.Shape(), d.LogProb(x).Shape())
	fmt.Println(d.CDF(5.0).At(1).Item(), d.Entropy().Shape())
	joint := distributions.NewIndependent(d, 1) // one distribution of pairs
	fmt.Println(joint, joint.LogProb(x).Shape())
	// Output:
	// [1000 2] [1000 2]
	// 0.5 [2]
	// Independent(batch [], event [2]) [1000]
}

func Example_distributionsGradients() {
	concentration := lucid.New([]float32{2}, 1).RequiresGrad_(true)
	x := distributions.NewGamma(concentration, 1.0).RSampleKey(random.Key(1), 20000)
	x.Mean().Backward()
	fmt.Printf("%.1f\n", concentration.Grad().Item()) // the mean of a gamma distribution is its concentration
	err := lucid.Try(func() { distributions.NewPoisson(3.0).RSample(2) })
	fmt.Println(errors.Is(err, lucid.ErrNotImplemented))
	// Output:
	// 1.0
	// true
}

func Example_distributionsValidation() {
	err := lucid.Try(func() { distributions.NewNormal(0.0, -1.0) })
	fmt.Println(err)
	// Output: lucid: distributions.NewNormal: scale is -1; want a number of more than 0
}

func Example_distributionsTransforms() {
	normal := distributions.NewNormal(0.0, 1.0)
	d := distributions.NewTransformed(normal, distributions.ExpTransform{}, distributions.AffineTransform{Loc: 1.0, Scale: 2.0})
	fmt.Printf("%.4f\n", d.LogProb(3.0).Item())
	t := distributions.BijectTo(distributions.Simplex)
	fmt.Println(t.Forward(lucid.Zeros(3)))
	// Output:
	// -1.6121
	// tensor([0.2500, 0.2500, 0.2500, 0.2500])
}

func Example_distributionsMixture() {
	weights := distributions.NewCategorical(distributions.CategoricalOptions{Probs: lucid.New([]float32{1, 3}, 2)})
	d := distributions.NewMixtureSameFamily(weights, distributions.NewNormal(lucid.New([]float32{-2, 2}, 2), 1.0))
	fmt.Println(d.Mean().Item(), d.Variance().Item())
	// Output: 1 4
}

func Example_distributionsKL() {
	p, q := distributions.NewNormal(0.0, 1.0), distributions.NewNormal(1.0, 2.0)
	fmt.Printf("%.4f\n", distributions.KL(p, q).Item())
	estimate := distributions.MonteCarloKL(p, q, distributions.MonteCarloOptions{Samples: 20000, Key: random.Key(2)})
	fmt.Printf("%.1f\n", estimate.Item())
	// Output:
	// 0.4431
	// 0.4
}
