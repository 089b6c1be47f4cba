package data

import "github.com/lucid-go/lucid"

// TextDataset is a text as windows of bytes. An example is Length bytes, (T) int64 from 0 to 255, and the bytes that
// follow each of them, (T). Window i begins at i·Stride.
type TextDataset struct {
	Text           []byte
	Length, Stride int
}

// NewTextDataset cuts a text into windows of length bytes, one every stride bytes.
func NewTextDataset(text []byte, length, stride int) *TextDataset {
	if length < 1 || stride < 1 {
		refuse(lucid.ErrValue, "text_dataset", "windows of %d bytes every %d; want at least 1", length, stride)
	}
	return &TextDataset{text, length, stride}
}

// Len returns the number of whole windows.
func (d *TextDataset) Len() int {
	if len(d.Text) <= d.Length {
		return 0
	}
	return (len(d.Text)-d.Length-1)/d.Stride + 1
}

// Get returns a window.
func (d *TextDataset) Get(i int) ([]*lucid.Tensor, error) {
	b, err := d.GetBatch([]int{i})
	if err != nil {
		return nil, err
	}
	return []*lucid.Tensor{b[0].At(0), b[1].At(0)}, nil
}

// GetBatch returns windows, stacked.
func (d *TextDataset) GetBatch(indices []int) ([]*lucid.Tensor, error) {
	x, y := make([]int64, 0, len(indices)*d.Length), make([]int64, 0, len(indices)*d.Length)
	for _, i := range indices {
		if i < 0 || i >= d.Len() {
			return nil, outOfRange("text_dataset", i, d.Len())
		}
		window := d.Text[i*d.Stride:][:d.Length+1]
		for k := range d.Length {
			x, y = append(x, int64(window[k])), append(y, int64(window[k+1]))
		}
	}
	return []*lucid.Tensor{lucid.New(x, len(indices), d.Length), lucid.New(y, len(indices), d.Length)}, nil
}
