// Package transform turns graphs into other graphs: reverse mode, forward mode, vectorisation, recomputation.
// It works on what a function recorded, with the rules the ops declare, and computes nothing.
package transform
