package data

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

const maxImages = 1 << 24

// ImageFolder is a folder of images in one folder per class. An example is an image (C, H, W), uint8, and the number
// of its class, 0-d int64. Images are read when asked for.
type ImageFolder struct {
	Classes []string // names of the folders, sorted
	Paths   []string // of the images, class by class, sorted
	Labels  []int64  // an index into Classes for each

	o ImageOptions
}

// NewImageFolder lists the PNG and JPEG files in the folders of dir, one for each class, and in the folders inside these;
// links are followed, names that begin with a point are not. All images get the size and channels of the
// options, or where those say nothing, of the first image.
func NewImageFolder(dir string, opts ...ImageOptions) (*ImageFolder, error) {
	const op = "image_folder"
	d := &ImageFolder{o: door.Option(op, opts)}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") || kind(path, e) != os.ModeDir {
			continue
		}
		before := len(d.Paths)
		if err := d.list(path, 0); err != nil {
			return nil, err
		}
		if len(d.Paths) > before {
			d.Classes = append(d.Classes, e.Name())
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
	d.o.Channels, d.o.Height, d.o.Width = first.Size(0), first.Size(1), first.Size(2)
	return d, nil
}

// maxDepth bounds folders inside folders, which links can make endless.
const maxDepth = 16

// list adds the images of a class, in its folder and the folders inside.
func (d *ImageFolder) list(dir string, depth int) error {
	if depth > maxDepth {
		return lucid.Errorf(lucid.ErrFormat, "image_folder", "%s is inside more than %d folders", dir, maxDepth)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		switch ext := strings.ToLower(filepath.Ext(e.Name())); kind(path, e) {
		case os.ModeDir:
			if err := d.list(path, depth+1); err != nil {
				return err
			}
		case 0:
			if slices.Contains([]string{".png", ".jpg", ".jpeg"}, ext) {
				d.Paths = append(d.Paths, path)
				d.Labels = append(d.Labels, int64(len(d.Classes)))
			}
		}
	}
	return nil
}

// kind returns what an entry is, or what it links to: 0 for a file.
func kind(path string, e os.DirEntry) os.FileMode {
	if e.Type()&os.ModeSymlink == 0 {
		return e.Type()
	}
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Type()
	}
	return os.ModeIrregular // it leads nowhere
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
