// Package fence gives tests of assembly slices that end at a page which no one may touch.
package fence
