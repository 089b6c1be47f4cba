// Package linalg holds linear algebra: norms, decompositions and solvers.
package linalg
