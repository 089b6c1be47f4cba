package packages_test

import (
	"context"
	"fmt"
	"log"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
)

// Datasets and loaders: a piece of docs/packages/data.md.
func Example_dataDatasetsAndLoaders() {
	squares := data.Func{N: 6, F: func(ctx context.Context, i int) ([]*lucid.Tensor, error) {
		return []*lucid.Tensor{lucid.Scalar(float64(i * i))}, nil
	}}
	loader := data.NewLoader(squares, data.LoaderOptions{BatchSize: 4, Workers: 2})
	for batch, err := range loader.All(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(batch[0])
	}
	// Output:
	// tensor([0., 1., 4., 9.])
	// tensor([16., 25.])
}

// Going on where one was: a piece of docs/packages/data.md.
func Example_dataGoingOnWhereOneWas() {
	x := lucid.Arange(10)
	options := data.LoaderOptions{BatchSize: 2, Shuffle: true, Seed: new(uint64(1))}
	loader := data.NewLoader(data.NewTensorDataset(x), options)
	var state *lucid.StateDict
	for range loader.All(context.Background()) {
		state = loader.StateDict() // to be saved with the model
		break
	}
	again := data.NewLoader(data.NewTensorDataset(x), options)
	if err := again.LoadStateDict(state); err != nil {
		log.Fatal(err)
	}
	left := 0
	for range again.All(context.Background()) {
		left++
	}
	fmt.Println(left, "batches were left")
	// Output:
	// 4 batches were left
}
