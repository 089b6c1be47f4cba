package exec

// groupElementwise joins elementwise nodes of one level that read each other; each group is one pass over memory.
func (p *planner) groupElementwise() {
	for i := range p.info {
		p.info[i].group = int32(i)
	}
	find := func(i int32) int32 {
		for p.info[i].group != i {
			p.info[i].group = p.info[p.info[i].group].group
			i = p.info[i].group
		}
		return i
	}
	for i, n := range p.idx.Nodes {
		f := &p.info[i]
		if f.class != classElementwise {
			continue
		}
		for k := range n.NumIn() {
			j := p.idx.Get(n.In(k))
			g := &p.info[j]
			if g.class == classElementwise && g.latest == f.latest && n.In(k).Shape() == n.Shape() && p.device(n.In(k)) == p.device(n) {
				// The later node leads, so that a group stands where its last member does.
				a, b := find(int32(i)), find(int32(j))
				if a != b {
					p.info[min(a, b)].group = max(a, b)
				}
			}
		}
	}
	for i := range p.info {
		p.info[i].group = find(int32(i))
	}
}
