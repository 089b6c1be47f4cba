// Package programs runs random programs in many ways that must agree: eager, compiled, nested transforms, with faults on the way.
package programs
