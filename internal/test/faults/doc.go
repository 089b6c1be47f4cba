// Package faults tests what goes wrong: failing devices, senseless calls, misuse, panics, and what errors say.
package faults
