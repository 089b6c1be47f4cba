// Package cpu is the device every program has. Elementwise programs run tile by tile through block kernels;
// other ops have a kernel each. Work is cut in blocks fixed by the sizes alone, so results have the same bits for
// any number of threads.
package cpu
