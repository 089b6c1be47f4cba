package data

import (
	"context"

	"github.com/lucid-go/lucid"
)

// onHost runs f with new tensors in host memory if batches are to be moved elsewhere: examples are read and put together
// there, and cross the bus as one.
func (o *LoaderOptions) onHost(f func()) {
	if o.Device == (lucid.Device{}) {
		f()
		return
	}
	lucid.WithDevice(lucid.CPU, f)
}

// move computes a batch and brings it to the options' device. On a device with memory of its own that returns when the copies
// are asked for, from pinned memory: they cross the bus while the device computes.
func (o *LoaderOptions) move(ctx context.Context, batch []*lucid.Tensor) (r result) {
	if r.err = lucid.EvalContext(ctx, batch...); r.err != nil || o.Device == (lucid.Device{}) {
		r.batch = batch
		return r
	}
	r.batch = make([]*lucid.Tensor, len(batch))
	for k, t := range batch {
		r.batch[k] = t
		if t != nil && t.Device() != o.Device {
			r.batch[k] = t.To(o.Device)
			r.moved = append(r.moved, r.batch[k])
		}
	}
	if r.err = lucid.EvalContext(ctx, r.batch...); r.err != nil {
		r.drop()
	}
	return r
}

// drop frees what was moved for a loop that has ended: a device's memory does not wait for the collector.
func (r *result) drop() {
	for _, t := range r.moved {
		t.Free()
	}
	r.batch, r.moved = nil, nil
}

// openDevice opens the device: a missing one is a mistake at the line that names it.
func (o *LoaderOptions) openDevice() {
	if o.Device != (lucid.Device{}) {
		lucid.WithDevice(o.Device, func() {})
	}
}
