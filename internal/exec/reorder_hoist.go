package exec

// maxLast is how many readers of a value may be moved up together.
const maxLast = 6

// hoist orders the launches from the first to the last, in the given order but for those that end the life of a value: when
// all readers it has left are ready and make less than they free, they come at once.
func (d *deps) hoist(base []int32) []int32 {
	n := len(base)
	h := &hoisting{deps: d, order: make([]int32, 0, n), scheduled: make([]bool, n), open: make([]int32, n),
		left: make([]int32, len(d.size)), unready: make([]int32, len(d.size))}
	for b := range d.size {
		h.left[b] = int32(len(d.readers.of(b)))
		h.unready[b] = h.left[b]
	}
	for k := range n {
		h.open[k] = int32(len(d.before.of(k)))
	}
	for k := range n {
		if h.open[k] == 0 {
			h.ready(int32(k))
		}
	}
	for _, k := range base {
		if !h.scheduled[k] {
			h.schedule(k)
		}
		for len(h.check) > 0 {
			b := h.check[len(h.check)-1]
			h.check = h.check[:len(h.check)-1]
			h.end(b)
		}
	}
	return h.order
}

// hoisting is the state of such a walk.
type hoisting struct {
	*deps
	order     []int32
	scheduled []bool
	open      []int32 // by launch: launches that must come before it and are not placed
	left      []int32 // by buffer: readers not placed
	unready   []int32 // by buffer: readers that cannot run yet
	bytes     int     // alive
	check     []int32 // buffers whose life may be ended
}

// ready notes that a launch can run.
func (h *hoisting) ready(k int32) {
	for _, b := range h.reads.of(int(k)) {
		if h.unready[b]--; h.unready[b] == 0 && h.size[b] > h.small {
			h.check = append(h.check, b)
		}
	}
}

func (h *hoisting) schedule(k int32) {
	h.order, h.scheduled[k] = append(h.order, k), true
	h.bytes += h.made[k]
	for _, o := range h.p.steps[k].out {
		if h.left[o.buf] == 0 {
			h.bytes -= h.size[o.buf] // it has no reader
		}
	}
	for _, b := range h.reads.of(int(k)) {
		if h.left[b]--; h.left[b] == 0 {
			h.bytes -= h.size[b]
		} else if h.unready[b] == 0 && h.size[b] > h.small {
			h.check = append(h.check, b)
		}
	}
	for _, m := range h.after.of(int(k)) {
		if h.open[m]--; h.open[m] == 0 {
			h.ready(m)
		}
	}
}

// end schedules all readers that a value has left, if they free more than they write.
func (h *hoisting) end(b int32) {
	if h.left[b] == 0 || h.left[b] > maxLast || h.unready[b] > 0 {
		return
	}
	var last [maxLast]int32
	n, makes := 0, 0
	for _, r := range h.readers.of(int(b)) {
		if !h.scheduled[r] {
			last[n] = r
			n++
			makes += h.made[r]
		}
	}
	if n == 0 || h.bytes+makes > h.bound || makes >= h.frees(last[:n]) {
		return
	}
	for _, r := range last[:n] {
		h.schedule(r)
	}
}

// frees is what some launches free if they are scheduled together.
func (h *hoisting) frees(list []int32) (bytes int) {
	for i, r := range list {
	next:
		for _, b := range h.reads.of(int(r)) {
			count := int32(0)
			for j, q := range list {
				for _, c := range h.reads.of(int(q)) {
					if c == b && j < i {
						continue next // counted with an earlier one
					}
					if c == b {
						count++
					}
				}
			}
			if count == h.left[b] {
				bytes += h.size[b]
			}
		}
	}
	return bytes
}
