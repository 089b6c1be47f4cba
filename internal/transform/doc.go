// Package transform makes graphs from graphs: reverse mode, forward mode, vectorisation, rematerialisation.
// It works on what a function recorded, with the rules the ops declare, and computes nothing.
package transform
