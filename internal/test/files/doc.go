// Package files tests Save and Load, and Export and Import of functions: what comes back, old and hostile files, mutated graphs.
package files
