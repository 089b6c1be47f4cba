// Package transforms prepares images for a network: sizes, crops, flips, colours, and numbers near 0.
//
//	train := transforms.NewDataset(folder, 0, transforms.Compose(
//		transforms.RandomResizedCrop(224, 224),
//		transforms.RandomHorizontalFlip(0.5),
//		transforms.ToTensor(),
//		transforms.Normalize([]float64{0.485, 0.456, 0.406}, []float64{0.229, 0.224, 0.225}),
//	))
//
// An image is (C, H, W), uint8 from 0 to 255 as data.ReadImage gives it, or floats. Names and defaults are torchvision's.
// A transform is a function, so one's own needs no more than to be written.
//
// Random numbers come from the example's own source (data.WorkerRand): the same seed, epoch, example and position in the epoch give
// the same image, whichever worker makes it and however many there are.
package transforms
