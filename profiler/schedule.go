package profiler

import "github.com/lucid-go/lucid"

// Schedule says which steps of a loop are profiled: after SkipFirst steps, cycles of Wait steps that run as always, WarmUp steps that are
// profiled and thrown away, and Active steps of which there is a report.
type Schedule struct {
	SkipFirst int // steps before the first cycle
	Wait      int // steps of a cycle that are not profiled
	WarmUp    int // steps that are profiled for nothing: the first ones pay for what is done once
	Active    int // steps of a report; at least 1
	Repeat    int // cycles; 0: as long as the loop goes on
}

// Steps profiles steps of a loop by a schedule. It is for one goroutine.
type Steps struct {
	s      Schedule
	report func(r *Report)
	step   int
	now    *recording
}

// NewSteps starts a loop's profile; report is called with the report of each cycle. Call Step after every step, and Stop at the end.
//
//	p := profiler.NewSteps(profiler.Schedule{Wait: 10, WarmUp: 2, Active: 3, Repeat: 1}, func(r *profiler.Report) { fmt.Print(r) })
//	defer p.Stop()
//	for batch := range batches {
//		train(batch)
//		p.Step()
//	}
func NewSteps(s Schedule, report func(r *Report)) *Steps {
	if s.Active < 1 || min(s.SkipFirst, s.Wait, s.WarmUp, s.Repeat) < 0 || report == nil {
		panic(lucid.Errorf(lucid.ErrValue, "profile",
			"schedule %+v; want Active of 1 at least, no negative numbers, and a function for reports", s))
	}
	p := &Steps{s: s, report: report}
	p.enter()
	return p
}

// Step says that a step is over.
func (p *Steps) Step() {
	if p.phase() == active && p.position() == p.s.Wait+p.s.WarmUp+p.s.Active-1 {
		r := p.now.end()
		p.now = nil
		p.report(r)
	}
	p.step++
	p.enter()
}

// Stop ends the profile. Of a cycle that was cut short there is a report if one of its active steps is over.
func (p *Steps) Stop() {
	if p.now == nil {
		return
	}
	now := p.now
	p.now = nil
	if p.phase() == active && p.position() > p.s.Wait+p.s.WarmUp {
		p.report(now.end())
		return
	}
	now.abandon()
}

// phases of a step.
type phase uint8

const (
	idle phase = iota
	warming
	active
)

// position is the number of the step in its cycle.
func (p *Steps) position() int {
	return (p.step - p.s.SkipFirst) % (p.s.Wait + p.s.WarmUp + p.s.Active)
}

// phase says what happens in the step that comes.
func (p *Steps) phase() phase {
	k := p.step - p.s.SkipFirst
	if k < 0 || p.s.Repeat > 0 && k/(p.s.Wait+p.s.WarmUp+p.s.Active) >= p.s.Repeat {
		return idle
	}
	switch at := p.position(); {
	case at < p.s.Wait:
		return idle
	case at < p.s.Wait+p.s.WarmUp:
		return warming
	}
	return active
}

// enter begins a recording where the step that comes needs one: the first of those that warm up, and the first active one.
func (p *Steps) enter() {
	switch at := p.phase(); {
	case at == idle:
		return
	case at == active && p.position() == p.s.Wait+p.s.WarmUp && p.now != nil:
		p.now.abandon()
		p.now = begin()
	case p.now == nil:
		p.now = begin()
	}
}
