package data

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lucid-go/lucid"
)

const maxImages = 1 << 24

// ImageFolder is a folder of images in one folder per class. An example is an image (C, H, W), uint8, and the number
// of its class, 0-d int64. Images are read when asked for.
type ImageFolder struct {
	Classes []string // names of the folders, sorted
	Paths   []string // of the images, class by class, sorted
	Labels  []int64  // a place in Classes for each

	o ImageOptions
}

// NewImageFolder lists the PNG and JPEG files in the folders of dir. All images get the size and channels of the
// options, or where those say nothing, of the first image.
func NewImageFolder(dir string, opts ...ImageOptions) (*ImageFolder, error) {
	const op = "image_folder"
	d := &ImageFolder{}
	if len(opts) > 1 {
		refuse(lucid.ErrValue, op, "got %d option structs; want at most one", len(opts))
	}
	if len(opts) == 1 {
		d.o = opts[0]
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if err := d.list(filepath.Join(dir, e.Name()), e.Name()); err != nil {
			return nil, err
		}
	}
	if len(d.Paths) == 0 {
		return nil, lucid.Errorf(lucid.ErrFormat, op, "%s has no folders with PNG or JPEG images in them; want one folder per class", dir)
	}
	if len(d.Paths) > maxImages {
		return nil, lucid.Errorf(lucid.ErrFormat, op, "%s has %d images; want at most %d", dir, len(d.Paths), maxImages)
	}
	first, err := ReadImage(d.Paths[0], d.o)
	if err != nil {
		return nil, err
	}
	d.o = ImageOptions{Channels: first.Size(0), Height: first.Size(1), Width: first.Size(2)}
	return d, nil
}

// list adds the images of a class, if it has any.
func (d *ImageFolder) list(dir, class string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	before := len(d.Paths)
	for _, e := range entries {
		if e.Type().IsRegular() && slices.Contains([]string{".png", ".jpg", ".jpeg"}, strings.ToLower(filepath.Ext(e.Name()))) {
			d.Paths = append(d.Paths, filepath.Join(dir, e.Name()))
			d.Labels = append(d.Labels, int64(len(d.Classes)))
		}
	}
	if len(d.Paths) > before {
		d.Classes = append(d.Classes, class)
	}
	return nil
}

// Shape returns the channels, height and width of all images.
func (d *ImageFolder) Shape() []int { return []int{d.o.Channels, d.o.Height, d.o.Width} }

// Len returns the number of images.
func (d *ImageFolder) Len() int { return len(d.Paths) }

// Get reads an image.
func (d *ImageFolder) Get(i int) ([]*lucid.Tensor, error) {
	if i < 0 || i >= len(d.Paths) {
		return nil, outOfRange("image_folder", i, len(d.Paths))
	}
	x, err := ReadImage(d.Paths[i], d.o)
	if err != nil {
		return nil, err
	}
	return []*lucid.Tensor{x, lucid.New(d.Labels[i : i+1])}, nil
}
