// Package latency measures how long small calls take and how long kernels make the garbage collector wait.
package latency
