// Package cpu sees the graph, which no kernel may.
package cpu

import _ "github.com/lucid-go/lucid/internal/graph"
