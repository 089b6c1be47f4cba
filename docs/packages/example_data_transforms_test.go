package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
	"github.com/lucid-go/lucid/data/transforms"
)

// A pipeline: a piece of docs/packages/data-transforms.md.
func Example_dataTransformsAPipeline() {
	images := lucid.With{DType: lucid.Uint8}.Ones(3, 3, 40, 30) // three images
	prepared := transforms.NewDataset(data.NewTensorDataset(images), 0, transforms.Compose(
		transforms.Resize([]int{32}), // the shorter side
		transforms.RandomCrop(28, 28),
		transforms.RandomHorizontalFlip(0.5),
		transforms.ToTensor(), // from 0 to 1
		transforms.Normalize([]float64{0.5}, []float64{0.25}),
	))
	x, err := prepared.Get(0)
	fmt.Println(x[0].Shape(), x[0].DType(), err)
	// Output:
	// [3 28 28] float32 <nil>
}
