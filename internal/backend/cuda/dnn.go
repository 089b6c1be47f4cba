package cuda

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/lucid-go/lucid/internal/backend/cuda/cudnn"
)

// dnn opens cuDNN, which is optional: nil where it is missing or switched off. A precompilation does not wait for it;
// unknown then says that it may be there.
func (d *Device) dnn() (h *cudnn.Handle, unknown bool) {
	if d.mode == precompiling && !d.dnnDone.Load() {
		go d.openDNN()
		return nil, true
	}
	d.openDNN()
	return d.dnnHandle, false
}

func (d *Device) openDNN() {
	d.dnnOnce.Do(func() {
		if h, err := cudnn.New(d.main()); err == nil {
			d.dnnHandle = h
		} else {
			d.dnnErr = err
		}
		d.dnnDone.Store(true)
	})
}

// DNN opens cuDNN and says why it is not used, nil if it is.
func (d *Device) DNN() error {
	d.dnn()
	return d.dnnErr
}

// DNNCounts returns how often cuDNN did each op, and how many kinds of work had their engine timed, read from the cache,
// and refused.
func (d *Device) DNNCounts() (done map[string]int64, tuned, cached, refused int64) {
	done = map[string]int64{}
	d.dnnOps.Range(func(op, n any) bool {
		done[op.(string)] = n.(*atomic.Int64).Load()
		return true
	})
	if h, _ := d.dnn(); h != nil {
		tuned, cached, refused = h.Tuned.Load(), h.Cached.Load(), h.Refused.Load()
	}
	return done, tuned, cached, refused
}

// library does work by cuDNN if it is there and supports it; done reports whether it did. A precompilation skips it: cuDNN
// has nothing for us to compile.
func (d *call) library(op, what string, work func(h *cudnn.Handle) error) (done bool, err error) {
	h, unknown := d.dnn()
	if unknown || h != nil && d.mode == precompiling {
		return true, nil
	}
	if h == nil {
		return false, nil
	}
	begin := time.Now()
	switch err = work(h); {
	case errors.Is(err, cudnn.ErrRefused):
		return false, nil
	case err != nil:
		return true, err
	}
	n, _ := d.dnnOps.LoadOrStore(op, new(atomic.Int64))
	if n.(*atomic.Int64).Add(1) == 1 {
		used(usedDNN)
	}
	if d.slow && d.mode == running {
		defer func() { d.spent("cudnn "+op+" "+what, begin) }()
		return true, d.Sync()
	}
	return true, nil
}
