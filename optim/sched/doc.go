// Package sched has schedules of learning rates. A schedule is made for an optimizer and moved on by Step, usually
// once an epoch:
//
//	lr := sched.NewCosineAnnealingLR(opt, sched.CosineAnnealingLROptions{TMax: 60})
//
// Learning rates are computed in float64, by the same formulas as PyTorch's.
package sched
