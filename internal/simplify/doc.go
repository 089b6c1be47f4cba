// Package simplify makes a traced function smaller before it is planned: equal expressions become one, constants are
// computed, views and casts that undo each other go. Every rewrite keeps the bits of the result.
package simplify
